# SPDX-License-Identifier: BSD-2-Clause
"""virtio-net through VFIO: split and packed rings, spinning and sleeping, both ways against the host's
peer, every frame compared. No DMA fault may show in the guest's log. virtio.py SHUNT PEER"""
import os
import sys
import tempfile

from guest import Peer, guest, need_bench, said
from tap import Tap

FRAMES = 10000
CARDS = (("split", "virtio", "wait=spin"), ("packed", "virtio,packed", "wait=spin"),
         ("split-in-order", "virtio,inorder", "wait=poll"), ("packed-in-order", "virtio,packed,inorder", "wait=adaptive"))

shunt, program = map(os.path.abspath, sys.argv[1:3])
t = Tap()

MOVE = """
n=0
for keys in $SHUNT_KEYS; do
    bdf=NIC$n
    bash tests/guest/moves.sh "$SHUNT_EXE" "pci:${!bdf}?$keys" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
    n=$((n + 1))
done
"""


def main():
    need_bench()
    with tempfile.TemporaryDirectory() as out:
        peers = [Peer(program, "virtio", ring, f"{out}/nic{n}", FRAMES) for n, (ring, _, _) in enumerate(CARDS)]
        cards = [word for _, card, _ in CARDS for word in ("--nic", card)]
        done = guest(cards + ["--wire", "host", "--out", out], ["bash", "-c", MOVE], SHUNT_EXE=shunt,
                     SHUNT_OUT=out, SHUNT_FRAMES=str(FRAMES), SHUNT_KEYS=" ".join(keys for _, _, keys in CARDS))
        t.equal(done.returncode, 0, "the guest is content")
        for peer in peers:
            peer.finish(t)
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
