# SPDX-License-Identifier: BSD-2-Clause
"""All cards against the host's peer, in one guest. kernel: their own drivers; this proves the wire, the
peer and what a guest's kernel sees of it. phys: no IOMMU, uio_pci_generic and dma=phys, spinning and
sleeping. wire.py kernel|phys SHUNT PEER"""
import os
import sys
import tempfile

from guest import Peer, guest, need_bench, said
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
    bash tests/guest/moves.sh "$SHUNT_EXE" "packet:$name" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
done
"""

PHYS = """
n=0
for wait in $SHUNT_WAITS; do
    bdf=NIC$n
    # Several receive queues: as above.
    bash tests/guest/moves.sh "$SHUNT_EXE" "pci:${!bdf}?dma=phys&queues=1&wait=$wait" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
    n=$((n + 1))
done
"""


def options(nic, ring):
    """noevents: with the event index, Linux 6.12's packed transmit queue stalls on QEMU 10.0's device after
    some hundred frames (its watchdog says so), without an IOMMU, too."""
    packed = {"packed": {"kernel": ",packed,noevents", "phys": ",packed"}[mode]}.get(ring, "")
    return ["--nic", nic + packed + {"kernel": ",kernel", "phys": ",uio"}[mode]]


def main():
    need_bench()
    with tempfile.TemporaryDirectory() as out:
        peers = [Peer(program, nic, ring, f"{out}/nic{n}", FRAMES) for n, (nic, ring, _) in enumerate(CARDS)]
        words = [word for nic, ring, _ in CARDS for word in options(nic, ring)]
        if mode == "phys":
            words.append("--no-iommu")
        done = guest(words + ["--wire", "host", "--out", out],
                     ["bash", "-c", UP if mode == "kernel" else PHYS], timeout=240, SHUNT_EXE=shunt, SHUNT_OUT=out,
                     SHUNT_FRAMES=str(FRAMES), SHUNT_WAITS=" ".join(wait for _, _, wait in CARDS))
        t.equal(done.returncode, 0, "the guest is content")
        for peer in peers:
            peer.finish(t)
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
