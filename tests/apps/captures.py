# SPDX-License-Identifier: BSD-2-Clause
"""Real captures over every path: nothing lost, and byte for byte the same frames in the same order.

SHUNT_CAPTURES names the folder; without it the test is skipped.
"""
import glob
import os
import sys
import tempfile

from tap import Tap, compare, in_lab, need_root, run, skip_all

shunt = sys.argv[1]
LONGEST = 1508 + 18  # the lab's MTU, Ethernet header and a VLAN tag
SPECS = {"packet-recv": "packet:near0?mode=recv&wait=poll", "packet-mmsg": "packet:near0?mode=mmsg",
         "packet-ring": "packet:near0?mode=ring&wait=poll", "xdp-skb": "xdp:near0?attach=skb&depth=8192",
         "xdp-native": "xdp:near0?attach=native&depth=8192"}


def frames_of(file):
    """The frames of a file as tcpdump reads them: hex dumps, or None if there are none."""
    done = run(["tcpdump", "-r", file, "-nn", "-t", "-xx", "-q"])
    if "EN10MB" not in done.stderr:
        return None
    frames, current = [], []
    for line in done.stdout.splitlines():
        if line.startswith("\t0x"):
            current.append(line.split(":", 1)[1].replace(" ", ""))
        elif current:
            frames.append("".join(current))
            current = []
    return frames + (["".join(current)] if current else [])


def over_every_path(t, name, file, frames):
    fit = sum(len(f) // 2 <= LONGEST for f in frames)
    doc, done = compare(shunt, "--traffic", file, "--rate", "20000", "--seconds", "1", "--rounds", "1")
    if fit == 0:
        t.equal(done.returncode, 2, f"{name}: nothing that can be sent is a usage error")
        return
    if not t.ok(doc is not None and done.returncode == 0, f"{name}: compare succeeds", done.stderr):
        return
    wrong = [(p["name"], r) for p in doc["paths"] + [doc["ceiling"]] if p["status"] == "ok"
             for r in p["rounds"] if r["sent"] != fit or r["sent"] + r["unsendable"] != len(frames)
             or r["delivered"] != fit]
    t.ok(not wrong, f"{name}: {fit} of {len(frames)} sent and delivered on every path", wrong[:1])
    t.ok(sum(p["status"] == "ok" for p in doc["paths"]) >= 6, f"{name}: over six paths at least")


def same_frames(t, name, file, frames):
    want = [f for f in frames if len(f) // 2 <= LONGEST]
    if not want:
        return
    with tempfile.TemporaryDirectory() as tmp:
        for path, spec in SPECS.items():
            done = in_lab(shunt, f"""
                "$SHUNT" rx '{spec}' --packets {len(want)} --seconds 20 --pcap "$TMP/{path}.pcap" >/dev/null &
                ready
                far "$SHUNT" gen xdpgen:far0 --pcap "$FILE" --rate 20000 >/dev/null
                wait""", TMP=tmp, FILE=file)
            got = frames_of(f"{tmp}/{path}.pcap") if not done.returncode else None
            t.ok(got == want, f"{name}: {path} writes the same frames in the same order",
                 f"{len(got or [])} of {len(want)} frames {done.stderr}")


def main():
    need_root()
    folder = os.environ.get("SHUNT_CAPTURES")
    if not folder:
        skip_all("SHUNT_CAPTURES names no folder of captures")
    t = Tap()
    for file in sorted(glob.glob(folder + "/*.pcap*")):
        name = os.path.basename(file)
        frames = frames_of(file)
        if frames is None:
            done = run([shunt, "compare", "--traffic", file])
            t.ok(done.returncode == 2 and done.stderr.count("\n") == 1,
                 f"{name}: what is not Ethernet is refused in a line", done.stderr)
            continue
        over_every_path(t, name, file, frames)
        same_frames(t, name, file, frames)
    t.finish()


main()
