# SPDX-License-Identifier: BSD-2-Clause
"""AF_XDP on the kernel's own drivers: zero-copy is zero-copy, in the kernel's words and by counting what
copies, and copy mode, beside it, copies each frame. Every frame is compared. zero_copy.py KIND SHUNT PEER"""
import os
import re
import sys
import tempfile

from guest import Peer, guest, need_bench, said
from tap import Tap

FRAMES = 10000
kind, shunt, program = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])
t = Tap()


def check(text, mode, words):
    """What the guest printed of one mode: the kernel's word, the kprobes' and the tracer's."""
    lines = [line.split(" ", 1)[1] for line in text.splitlines() if line.startswith(mode + " ")]
    said_modes = [line for line in lines if line.startswith("xdp:")]
    t.equal([words in line for line in said_modes], [True, True], f"{mode}: both ways the kernel says {words}")
    hits = {m[1]: int(m[2]) for line in lines if (m := re.match(r"hits (\S+) (\d+) missed 0$", line))}
    traced = next((float(line.split()[1]) for line in lines if line.strip().startswith("copies ")), None)
    copies = 0 if mode == "zc" else FRAMES
    t.equal(hits.get("__xsk_map_redirect"), FRAMES, f"{mode}: each frame is redirected, by kprobe")
    t.equal(hits.get("__xsk_rcv"), copies, f"{mode}: __xsk_rcv copied so many, by kprobe")
    t.equal(traced, copies, f"{mode}: and by the tracer")
    # virtio_net takes the UMEM's pages as they are (IFF_TX_SKB_NO_LINEAR).
    t.equal(hits.get("skb_store_bits"), 0 if kind == "virtio" else copies, f"{mode}: transmit copied so many, by kprobe")
    t.ok((hits.get("__xsk_generic_xmit", 0) > 0) == (mode == "copy"), f"{mode}: frames are sent as "
         + ("skbs" if mode == "copy" else "they are, never as skbs"), hits)


def main():
    need_bench("sid")
    with tempfile.TemporaryDirectory() as out:
        peers = [Peer(program, kind, mode, f"{out}/nic{n}", FRAMES) for n, mode in enumerate(("zc", "copy"))]
        done = guest(["--kernel", "sid", "--nic", f"{kind},kernel", "--nic", f"{kind},kernel", "--wire", "host", "--out", out],
                     ["bash", "-c", 'bash tests/guest/zero_copy.sh "$@" "$NIC0" "$NIC1"', "zero_copy", shunt, out, str(FRAMES)],
                     timeout=300)
        t.equal(done.returncode, 0, "the guest exits with 0")
        for peer in peers:
            peer.finish(t)
        check(done.stdout, "zc", "zero-copy")
        check(done.stdout, "copy", ", copy,")
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
