# SPDX-License-Identifier: BSD-2-Clause
"""Scripts and programs of bench/races: their options, and the verdicts of peers on results that are written
here. What they measure is theirs. races.py ROOT [PACE]"""
import json
import os
import sys
import tempfile

from tap import Tap, run

RACES = os.path.join(sys.argv[1], "bench/races")
SCRIPTS = [os.path.join(RACES, name) for name in ("peers", "guest-peers", "instructions")]
PATHS = ("packet-recv", "packet-mmsg", "packet-ring", "xdp-native", "xdp-drop", "tcpdump", "dpdk-testpmd")
t = Tap()


def options():
    for program in SCRIPTS + [os.path.abspath(path) for path in sys.argv[2:]]:
        name = os.path.basename(program)
        done = run([program, "--help"])
        t.ok(done.returncode == 0 and "usage: " + name in done.stdout and not done.stderr, f"{name} --help", done.stderr)
        done = run([program, "--nonsense"])
        t.ok(done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout and "--nonsense" in done.stderr,
             f"{name} --nonsense is refused in one line", done.stderr)
    for name, *words in (("peers", "--only", "ixy"), ("peers", "--rounds", "0"), ("peers", "--show", "/nonexistent"),
                         ("peers", "--build", "/nonexistent"), ("instructions", "--build", "/nonexistent"),
                         ("guest-peers", "--cards", "ne2000"), ("guest-peers", "--bursts", "7"),
                         ("guest-peers", "--loops", "fly"), ("guest-peers", "--show", "/nonexistent")):
        done = run([os.path.join(RACES, name), *words])
        t.ok(done.returncode == 2 and done.stderr.count("\n") == 1 and not done.stdout,
             f"{name} {' '.join(words)} is refused in one line", done.stderr)


def verdict(**changed):
    """Of a race in which every bar is held but for what is changed: exit status, lines."""
    doc = {"commands": {}, "results": {name: [{"sent": 100, "kept": 100, "mpps": 1.0, "busy_ns": 50.0}] for name in PATHS}}
    doc["results"]["packet-mmsg"][0]["mpps"] = 2.0
    doc["results"]["xdp-native"][0]["busy_ns"] = 20.0
    for name, value in changed.items():
        doc["results"][name.replace("_", "-")] = value
    doc["results"] = {name: runs for name, runs in doc["results"].items() if runs is not None}
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(doc, f)
        f.flush()
        done = run([SCRIPTS[0], "--show", f.name])
    return done.returncode, [line for line in done.stdout.splitlines() if "NOT REACHED" in line], done.stdout


def verdicts():
    status, missed, text = verdict()
    t.ok(status == 0 and not missed and text.count("promised") == 5, "every bar is held: status 0", text)
    t.ok("xdp-native    100.0 %" in text, "metrics are printed", text)
    status, missed, text = verdict(packet_mmsg=[{"sent": 100, "kept": 100, "mpps": 1.5}])
    t.ok(status == 1 and len(missed) == 1 and "packet-mmsg / packet-recv, packets/s: 1.50, promised at least 2.0" in missed[0],
         "a ratio too low: status 1, and it is named", text)
    status, missed, text = verdict(xdp_native=[{"sent": 100, "kept": 100, "mpps": 1.0, "busy_ns": 60.0}])
    t.ok(status == 1 and len(missed) == 1 and "busy ns per packet: 1.20, promised at most 0.9" in missed[0],
         "a ratio too high", text)
    status, missed, text = verdict(dpdk_testpmd=[])
    t.ok(status == 1 and len(missed) == 1 and "not measured" in missed[0], "a contender that failed is a bar missed", text)
    status, missed, text = verdict(dpdk_testpmd=None)
    t.ok(status == 0 and not missed and "dpdk-testpmd took no part" in text, "one that took no part is none", text)


options()
verdicts()
t.finish()
