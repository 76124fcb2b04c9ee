# SPDX-License-Identifier: BSD-2-Clause
"""AF_XDP on a card that others share the wire with: promiscuous mode and back, and busy-polling, on igb and
virtio_net with zero-copy. zero_copy_hub.py SHUNT"""
import json
import os
import re
import struct
import sys
import tempfile

from guest import guest, need_bench, said
from tap import Tap

CARDS = ("igb", "virtio")
EACH = 100  # frames for the card, and as many for somebody else
shunt = os.path.abspath(sys.argv[1])
t = Tap()


def write_frames(path, n):
    """Frames of the experimental EtherType (IEEE 802), for card n as scripts/guest names it, and for nobody."""
    card, nobody = bytes([0x52, 0x54, 0, 0, 0, n + 1]), bytes([2, 0, 0, 0, 0, 0x77])
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
        for i in range(2 * EACH):
            frame = (nobody if i % 2 else card) + bytes([2, 0, 0, 0, 0, 1, 0x88, 0xb5]) + bytes(46)
            f.write(struct.pack("<IIII", 0, i, len(frame), len(frame)) + frame)


def frames_in(path):
    """How many of these frames are in a capture file. Kernels say this and that on a wire, too."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except OSError:
        return 0
    at, found = 24, 0
    while at + 16 < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        found += data[at + 28:at + 30] == b"\x88\xb5"
        at += 16 + length
    return found


def check_promisc(out, lines, n):
    for promisc, want in (("off", EACH), ("on", 2 * EACH)):
        t.equal(frames_in(f"{out}/{n}-{promisc}.pcap"), want, f"{CARDS[n]}: promisc={promisc} delivers {want} of {2 * EACH}")
    for when, want in (("off open", 0), ("off closed", 0), ("on open", 1), ("on closed", 0), ("on killed", 0)):
        t.ok(f"{n} {when} promiscuity {want}" in lines, f"{CARDS[n]}: promisc={when}: promiscuity {want}", lines)


def check_info(out, n):
    """What a busy-polling device says of itself where the interface was left as it is."""
    with open(f"{out}/{n}-on.json", encoding="utf-8") as f:
        info = json.load(f)["info"]
    t.equal(info["facts"]["mode"], "zero-copy", f"{CARDS[n]}: zero-copy")
    t.ok(int(info["facts"]["napi_id"]) > 0, f"{CARDS[n]}: the socket knows its NAPI", info)
    t.ok("napi_defer_hard_irqs" in " ".join(info["notes"]), f"{CARDS[n]}: a note on what busy-polling wants", info)


def polls(lines, n, name):
    """All, and those that the receiver called."""
    found = [re.match(rf"{n} {name} +napi_polls +(\d+) +(\d+) of", line) for line in lines]
    return next(((int(m[1]), int(m[2])) for m in found if m), (0, 0))


def check_busy(lines, n):
    seen, called = polls(lines, n, "busy")
    t.ok(called > 0.9 * seen > 0, f"{CARDS[n]}: busy: the receiver calls {called} of {seen} polls", lines)
    t.ok(not any(line.startswith(f"{n} busy note: busy-polling") for line in lines), f"{CARDS[n]}: no note once it is set", lines)
    t.ok(f"{n} kept 2 200000" in lines and f"{n} restored yes" in lines, f"{CARDS[n]}: settings are left alone", lines)


def main():
    need_bench("sid")
    with tempfile.TemporaryDirectory() as out:
        for n in range(len(CARDS)):
            write_frames(f"{out}/{n}.pcap", n)
        cards = [word for card in CARDS for word in ("--nic", f"{card},kernel")]
        done = guest(["--kernel", "sid", *cards, "--wire", "hub", "--out", out],
                     ["bash", "-c", 'bash tests/guest/zero_copy_hub.sh "$@" "$NIC0" "$NIC1"', "zero_copy_hub", shunt, out],
                     timeout=300)
        lines = done.stdout.splitlines()
        t.equal(done.returncode, 0, "the guest exits with 0")
        for n in range(len(CARDS)):
            check_promisc(out, lines, n)
            check_info(out, n)
            check_busy(lines, n)
        t.equal([line for line in lines if line.startswith("foreign")],
                ["foreign note: eth0 has an XDP program of somebody else's: left alone", "foreign sent 100"],
                f"{CARDS[0]}: sends beside somebody else's program")
        seen, called = polls(lines, 0, "spin")
        t.ok(seen > 0 and not called, f"{CARDS[0]}: spin: the receiver calls none of {seen} polls", lines)
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
