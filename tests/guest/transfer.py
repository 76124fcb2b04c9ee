# SPDX-License-Identifier: BSD-2-Clause
"""Frames both ways over each card of a guest, every one compared by the host's peer; no DMA fault may show in the
guest's log. kernel: by the kernel's drivers, which proves the wire, the peer and what a guest's kernel sees of it.
phys: no IOMMU, uio_pci_generic and dma=phys. virtio: split and packed rings through VFIO. intel: igb and
e1000e through VFIO. Spinning and sleeping. transfer.py kernel|phys|virtio|intel SHUNT PEER"""
import os
import sys

from guest import move, need_bench
from tap import Tap

FRAMES = 10000
# With several receive queues, QEMU's igb takes a frame if any of them has room, and then drops it.
ONE = "queues=1&depth=8192"
# Card, ring as the peer prints it, what scripts/guest is told of it, keys of pci:.
CARDS = {
    # Without the event index: with it, Linux 6.12's packed transmit queue stalls on QEMU 10.0's device after some
    # hundred frames (its watchdog says so), without an IOMMU, too.
    "kernel": (("igb", "-", "igb,kernel", "-"), ("e1000e", "-", "e1000e,kernel", "-"),
               ("virtio", "split", "virtio,kernel", "-"), ("virtio", "packed", "virtio,packed,noevents,kernel", "-")),
    "phys": (("igb", "-", "igb,uio", f"dma=phys&{ONE}&wait=poll"),
             ("e1000e", "-", "e1000e,uio", f"dma=phys&{ONE}&wait=adaptive"),
             ("virtio", "split", "virtio,uio", f"dma=phys&{ONE}&wait=spin"),
             ("virtio", "packed", "virtio,packed,uio", f"dma=phys&{ONE}&wait=poll")),
    "virtio": (("virtio", "split", "virtio", "wait=spin"), ("virtio", "packed", "virtio,packed", "wait=spin"),
               ("virtio", "split-in-order", "virtio,inorder", "wait=poll"),
               ("virtio", "packed-in-order", "virtio,packed,inorder", "wait=adaptive")),
    "intel": (("igb", "-", "igb", ONE), ("e1000e", "-", "e1000e", ONE)),
}

UP = """
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
for n in 0 1 2 3; do
    bdf=NIC$n
    name=$(basename -a /sys/bus/pci/devices/${!bdf}/net/* /sys/bus/pci/devices/${!bdf}/virtio*/net/* | grep -v '[*]')
    [ $n != 0 ] || ethtool -L "$name" combined 1
    ip link set "$name" up
    until [ "$(cat /sys/class/net/$name/carrier)" = 1 ]; do sleep 0.05; done
    bash tests/guest/transfer.sh "$SHUNT_EXE" "packet:$name" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
done
"""
MORE = {"kernel": {"script": UP, "timeout": 240}, "phys": {"options": ["--no-iommu"], "timeout": 240}}

mode = sys.argv[1]
shunt, program = map(os.path.abspath, sys.argv[2:4])
t = Tap()


def main():
    need_bench()
    move(t, shunt, program, CARDS[mode], FRAMES, **MORE.get(mode, {}))
    t.finish()


main()
