# SPDX-License-Identifier: BSD-2-Clause
"""All cards against the host's peer, in one guest. kernel: their own drivers; this proves the wire, the
peer and what a guest's kernel sees of it. phys: no IOMMU, uio_pci_generic and dma=phys, spinning and
sleeping. wire.py kernel|phys SHUNT PEER"""
import os
import sys

from guest import move, need_bench
from tap import Tap

FRAMES = 10000
CARDS = (("igb", "-", "poll"), ("e1000e", "-", "adaptive"), ("virtio", "split", "spin"), ("virtio", "packed", "poll"))

mode = sys.argv[1]
shunt, program = map(os.path.abspath, sys.argv[2:4])
t = Tap()

UP = """
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
for n in 0 1 2 3; do
    bdf=NIC$n
    name=$(basename -a /sys/bus/pci/devices/${!bdf}/net/* /sys/bus/pci/devices/${!bdf}/virtio*/net/* | grep -v '[*]')
    # With several receive queues, QEMU's igb takes a frame if any of them has room, and then drops it.
    [ $n != 0 ] || ethtool -L "$name" combined 1
    ip link set "$name" up
    until [ "$(cat /sys/class/net/$name/carrier)" = 1 ]; do sleep 0.05; done
    bash tests/guest/transfer.sh "$SHUNT_EXE" "packet:$name" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
done
"""


def card(nic, ring, wait):
    """noevents: with the event index, Linux 6.12's packed transmit queue stalls on QEMU 10.0's device after
    some hundred frames (its watchdog says so), without an IOMMU, too. queues=1: as in UP."""
    packed = {"packed": {"kernel": ",packed,noevents", "phys": ",packed"}[mode]}.get(ring, "")
    return nic, ring, nic + packed + {"kernel": ",kernel", "phys": ",uio"}[mode], f"dma=phys&queues=1&wait={wait}"


def main():
    need_bench()
    move(t, shunt, program, [card(*c) for c in CARDS], FRAMES, timeout=240,
         **({"options": ["--no-iommu"]} if mode == "phys" else {"script": UP}))
    t.finish()


main()
