# SPDX-License-Identifier: BSD-2-Clause
"""The kernel's own drivers move frames between the guest and the host's peer: this proves the wire, the
peer and what a guest's kernel sees of it. wire.py SHUNT PEER"""
import os
import sys
import tempfile

from guest import Peer, guest, need_bench, said
from tap import Tap

FRAMES = 10000
# noevents: with the event index, Linux 6.12's packed transmit queue stalls on QEMU 10.0's device after
# some hundred frames (its watchdog says so), without an IOMMU, too.
CARDS = (("igb", "kernel"), ("e1000e", "kernel"), ("virtio", "split"), ("virtio", "packed"))

shunt, program = map(os.path.abspath, sys.argv[1:3])
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


def main():
    need_bench()
    with tempfile.TemporaryDirectory() as out:
        peers = [Peer(program, nic, ring, f"{out}/nic{n}", FRAMES) for n, (nic, ring) in enumerate(CARDS)]
        cards = [f"--nic={nic},{'packed,noevents,' if ring == 'packed' else ''}kernel" for nic, ring in CARDS]
        done = guest([word for card in cards for word in card.split("=")] + ["--wire", "host", "--out", out],
                     ["bash", "-c", UP], timeout=240, SHUNT_EXE=shunt, SHUNT_OUT=out, SHUNT_FRAMES=str(FRAMES))
        t.equal(done.returncode, 0, "the guest is content")
        for peer in peers:
            peer.finish(t)
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
