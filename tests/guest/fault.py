# SPDX-License-Identifier: BSD-2-Clause
"""In the guest: make an e1000e read a transmit descriptor from an address that nobody mapped.
fault.py BDF. Registers: 82574 data sheet, 10.2."""
import mmap
import struct
import sys
import time

device = "/sys/bus/pci/devices/" + sys.argv[1]
with open(device + "/driver/unbind", "w", encoding="ascii") as f:
    f.write(sys.argv[1])
with open(device + "/config", "r+b", buffering=0) as f:
    f.seek(4)
    f.write(struct.pack("<H", 6))  # memory space, bus master
with open(device + "/resource0", "r+b", buffering=0) as f, mmap.mmap(f.fileno(), 0x20000) as bar:
    for register, value in ((0x3800, 0x12345000), (0x3804, 0), (0x3808, 128), (0x3810, 0),  # TDBAL TDBAH TDLEN TDH
                            (0x400, 2), (0x3818, 1)):  # TCTL.EN, TDT
        struct.pack_into("<I", bar, register, value)
time.sleep(0.2)
