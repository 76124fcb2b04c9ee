# SPDX-License-Identifier: BSD-2-Clause
"""`shunt fwd` from the command line: it ends on a signal or at the end of a file, with the ledgers."""
import json
import struct
import sys
import tempfile

from tap import Tap, in_lab, need_root, run

shunt = sys.argv[1]


def document(t, done, name, status=0):
    try:
        doc = json.loads(done.stdout)
    except ValueError:
        t.ok(False, name, done.stdout + done.stderr)
        return None
    good = t.ok(done.returncode == status, name, f"status {done.returncode}: {done.stderr}")
    return doc if good else None


def losses(ledger):
    return ledger["received"] - ledger["delivered"] - sum(ledger["loss"].values())


def on_signal(t):
    for spec in ("packet:near0?mode=recv&wait=poll", "xdp:near0"):
        done = in_lab(shunt, f"""
            "$SHUNT" fwd '{spec}' null: --one-way --swap --touch --json & fwd=$!
            ready
            far "$SHUNT" gen xdpgen:far0 --packets 1000 >/dev/null
            kill -INT $fwd; wait $fwd""")
        doc = document(t, done, f"{spec}: SIGINT ends with the ledgers")
        if doc:
            way = doc["ways"][0]["ledger"]
            t.equal((len(doc["ways"]), way["received"], way["delivered"], losses(way), way["unaccounted"]),
                    (1, 1000, 1000, 0, 0), f"{spec}: all were forwarded")
            t.equal(doc["devices"][0]["ledger"]["unaccounted"], 0, f"{spec}: the device's ledger adds up")
            t.ok(not doc["shared_region"] and "null" in doc["memory"], f"{spec}: says whose memory it was",
                 doc["memory"])


def of_a_file(t):
    frames = [bytes([2, 0, 0, 0, 0, 3, 2, 0, 0, 0, 0, 2, 8, 0]) + bytes([i]) * 60 for i in range(100)]
    with tempfile.TemporaryDirectory() as tmp:
        with open(f"{tmp}/in.pcap", "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
            for i, frame in enumerate(frames):
                f.write(struct.pack("<IIII", i, 0, len(frame), len(frame)) + frame)
        done = run([shunt, "fwd", f"pcap:{tmp}/in.pcap", f"pcap:{tmp}/out.pcap", "--one-way", "--swap", "--json"])
        doc = document(t, done, "a file is forwarded to its end")
        if not doc:
            return
        way = doc["ways"][0]["ledger"]
        t.equal((way["received"], way["delivered"]), (100, 100), "all of its frames")
        with open(f"{tmp}/out.pcap", "rb") as f:
            got = f.read()[24:]
        want = b"".join(frame[6:12] + frame[:6] + frame[12:] for frame in frames)
        size = 16 + len(frames[0])
        t.equal(b"".join(got[i + 16:i + size] for i in range(0, len(got), size)), want, "byte for byte, addresses swapped")


def main():
    need_root()
    t = Tap()
    on_signal(t)
    of_a_file(t)
    done = run([shunt, "fwd", "null:", "null:", "--packets", "10k", "--burst", "256"])
    t.ok(done.returncode == 0 and "memory: each device has its own: null" in done.stdout, "text says whose memory it was",
         done.stdout + done.stderr)
    done = run([shunt, "fwd", "pair:fwd-a", "pair:fwd-b", "--seconds", "0.01"])
    t.ok(done.returncode == 0 and "memory: one region for both devices" in done.stdout, "and that it was one region",
         done.stdout + done.stderr)
    t.finish()


main()
