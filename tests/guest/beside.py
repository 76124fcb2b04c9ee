# SPDX-License-Identifier: BSD-2-Clause
"""Receive, transmit, ledger, counters, info and stop beside each other on a card (dev.h says which thread may make which
call): 100,000 calls of each in one start, and 200 starts, each stopped while a burst runs. beside.py KIND PROGRAM"""
import os
import re
import sys

from guest import guest, need_bench, said
from tap import Tap

kind, program = sys.argv[1], os.path.abspath(sys.argv[2])
CALLS, ROUNDS = 100000, 200

SCRIPT = """
"$SHUNT_BESIDE" "pci:$NIC0?queues=1&depth=512" "pci:$NIC1?queues=1&depth=512" $SHUNT_CALLS $SHUNT_ROUNDS
"""


def run(t, calls, rounds, cpus):
    done = guest(["--cpus", cpus, "--nic", kind, "--nic", "virtio", "--wire", "hub"], ["bash", "-c", SCRIPT], timeout=600,
                 SHUNT_BESIDE=program, SHUNT_CALLS=str(calls), SHUNT_ROUNDS=str(rounds))
    t.equal(done.returncode, 0, f"{kind}, {rounds} rounds: the guest exits with 0: no DMA fault")
    line = next((x for x in done.stdout.splitlines() if x.startswith("card=")), "")
    counts = {k: int(v) for k, v in re.findall(r"(\w+)=(-?\d+)", line)}
    if t.ok(counts, f"{kind}, {rounds} rounds: {line or 'no output'}", said(done)):
        t.equal((counts["rounds"], counts["unaccounted"]), (rounds, 0), "every frame is accounted for")
        t.ok(counts["ledgers"] >= calls * rounds, "the control thread made its calls", line)
        if rounds == 1:
            t.equal(counts["planted_found"], 1, "a planted race was found first")


def main():
    need_bench()
    t = Tap()
    run(t, CALLS, 1, "2")
    run(t, 3, ROUNDS, "1")
    t.finish()


main()
