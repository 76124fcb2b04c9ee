# SPDX-License-Identifier: BSD-2-Clause
"""bench/races/guest-peers, reduced: one card, one loop, one burst; and its verdicts. guest_peers.py SHUNT"""
import json
import os
import sys
import tempfile

from guest import ROOT, said
from tap import Tap, run, skip_all

PEERS = os.path.join(ROOT, "bench/races/guest-peers")
CARD, LOOP, BURST = "igb", "echo", "32"

build = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[1])))
t = Tap()


def counted(path):
    done = run([PEERS, "--cards", CARD, "--loops", LOOP, "--bursts", BURST, "--build", build, "--json", path],
               timeout=600)
    if done.returncode == 77:
        skip_all(done.stdout.strip().removeprefix("skipped: "))
    t.equal(done.returncode, 0, "every promise is kept")
    if done.returncode:
        print("\n".join("# " + line for line in said(done).splitlines()))
        t.finish()
    t.ok(f"{CARD}: instructions per packet, {LOOP}, burst {BURST}: 0." in done.stdout, "the ratio is printed", said(done))
    for command in ("windows-shunt pci:0000:", "windows-dpdk -l 1", f"scripts/guest --nic {CARD}"):
        t.ok(command in done.stdout, f"the command line is printed: {command}", said(done))
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def sane(doc):
    for name in ("shunt", "dpdk"):
        one = doc["cards"][CARD]["figures"][name][LOOP][BURST]
        t.ok(one["windows"] >= 300 and one["packets"] > 0.9 * one["windows"] * int(BURST), f"{name}: windows", one)
        # A tail write at least for each burst that is sent, no register read; a descriptor read and
        # another written, and the loop, at least.
        t.ok(1 / int(BURST) <= one["mmio"] < 0.1 and one["mmio_reads"] == 0, f"{name}: MMIO accesses", one)
        t.ok(one["instructions"] > one["loads"] > 2 and one["stores"] > 2 and 0.5 < one["lines"] < 50,
             f"{name}: instructions and lines", one)
    # Another counter, another device, the same bursts.
    with open(os.path.join(ROOT, "docs/instructions.json"), encoding="utf-8") as f:
        recorded = json.load(f)["instructions_per_packet"][f"echo-{CARD}/{BURST}"]
    got = doc["cards"][CARD]["figures"]["shunt"][LOOP][BURST]["instructions"]
    t.ok(abs(got - recorded) < 0.05 * recorded, f"shunt: {got:.1f} instructions, callgrind recorded {recorded}")


def verdict(doc, name, metric, value):
    """The exit status and the words of --show, with a metric of that contender changed."""
    changed = json.loads(json.dumps(doc))
    one = changed["cards"][CARD]["figures"][name][LOOP][BURST]
    if value is None:
        del one[metric]
    else:
        one[metric] = value
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump(changed, f)
        f.flush()
        return run([PEERS, "--show", f.name])


def verdicts(doc):
    one = doc["cards"][CARD]["figures"]["shunt"][LOOP][BURST]
    same = verdict(doc, "shunt", "lines", one["lines"])
    t.ok(same.returncode == 0 and "NOT REACHED" not in same.stdout, "the same counts: the same verdict", said(same))
    for metric, words in (("instructions", "instructions"), ("mmio", "MMIO accesses"), ("lines", "cache lines")):
        done = verdict(doc, "shunt", metric, 10 * one[metric])
        bad = [line for line in done.stdout.splitlines() if "NOT REACHED" in line]
        t.ok(done.returncode == 1 and len(bad) == 1 and f"{CARD}: {words} per packet" in bad[0],
             f"ten times the {words}: not reached, and that is said", said(done))
    done = verdict(doc, "dpdk", "lines", None)
    t.ok(done.returncode == 1 and "not measured" in done.stdout, "nothing to compare with: not reached", said(done))


with tempfile.TemporaryDirectory() as folder:
    result = counted(f"{folder}/peers.json")
sane(result)
verdicts(result)
t.finish()
