# SPDX-License-Identifier: BSD-2-Clause
"""`shunt fwd` between two cards over VFIO: one region, mapped for both, so no copy; every frame is
compared on the host, both ways. fwd.py SHUNT"""
import json
import os
import random
import select
import socket
import subprocess
import sys
import tempfile
import time

from guest import need_bench, said, words
from tap import Tap

FRAMES = 5000
WINDOW = 64  # fewer than any ring holds: no ring overflows
CARDS = ("virtio", "igb")

shunt = os.path.abspath(sys.argv[1])
t = Tap()

FORWARD = """
"$SHUNT_EXE" fwd "pci:$NIC0?depth=1024" "pci:$NIC1?depth=1024" --packets $SHUNT_FRAMES --seconds 60 --json >"$SHUNT_OUT/fwd.json" & fwd=$!
for i in $(seq 100); do
    [ "$(ls -l /proc/$fwd/fd | grep -c vfio-device)" = 2 ] && break
    kill -0 $fwd || break
    sleep 0.1
done
sleep 1
kill -0 $fwd && touch "$SHUNT_OUT/go"
wait $fwd
"""


def frame(way, i):
    """Of an EtherType that nobody looks into: QEMU's igb drops what says IP and is none."""
    size = 60 + i * 37 % 1455
    head = bytes([2, 0, 0, 0, 0, 9, 2, 0, 0, 0, 0, way, 0x88, 0xb5])
    return (head + i.to_bytes(4, "big") + random.Random(i).randbytes(size))[:size]


def end_of(out, n):
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    sock.bind(f"{out}/nic{n}.host")
    return sock


def exchange(out, socks):
    """Frames into both cards, a window at a time; how many came out of the other as they were."""
    sent, good, bad = [0, 0], [0, 0], 0
    last = time.monotonic()
    while sum(good) + bad < 2 * FRAMES and time.monotonic() - last < 20:
        for way in (0, 1):
            while sent[way] < FRAMES and sent[way] - good[way] < WINDOW:
                try:
                    socks[way].sendto(frame(way, sent[way]), f"{out}/nic{way}.guest")
                except OSError:  # the guest has ended
                    return good, bad
                sent[way] += 1
        for sock in select.select(socks, [], [], 1)[0]:
            way = 1 - socks.index(sock)
            if sock.recv(4096) == frame(way, good[way]):
                good[way] += 1
            else:
                bad += 1
            last = time.monotonic()
    return good, bad


def main():
    need_bench()
    with tempfile.TemporaryDirectory() as out:
        socks = [end_of(out, n) for n in (0, 1)]
        options = [word for card in CARDS for word in ("--nic", card)] + ["--wire", "host", "--out", out]
        bench = subprocess.Popen(words(options, ["bash", "-c", FORWARD]), stdin=subprocess.DEVNULL, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env={**os.environ, "SHUNT_EXE": shunt, "SHUNT_OUT": out,
                                      "SHUNT_FRAMES": str(2 * FRAMES)})
        while bench.poll() is None and not os.path.exists(f"{out}/go"):
            time.sleep(0.1)
        good, bad = exchange(out, socks) if bench.poll() is None else ([0, 0], 0)
        stdout, stderr = bench.communicate(timeout=200)
        done = subprocess.CompletedProcess([], bench.returncode, stdout, stderr)
        t.equal(done.returncode, 0, "the guest exits with 0")
        t.equal((good, bad), ([FRAMES, FRAMES], 0), f"{' and '.join(CARDS)}: every frame, both ways, in order")
        try:
            with open(f"{out}/fwd.json", encoding="utf-8") as f:
                doc = json.load(f)
            t.ok(doc["shared_region"], "one region", doc["memory"])
            t.equal([d["counters"]["user_copies"] for d in doc["devices"]], [0, 0], "no copy")
            t.equal([w["ledger"]["delivered"] for w in doc["ways"]], [FRAMES, FRAMES], "as the books say")
            t.equal([w["ledger"]["unaccounted"] for w in doc["ways"]], [0, 0], "which add up")
        except (OSError, ValueError) as why:
            t.ok(False, "fwd's JSON", why)
        if t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
