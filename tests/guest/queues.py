# SPDX-License-Identifier: BSD-2-Clause
"""Cards with several queues, joined by a bridge of taps: the kernel sees them; 64 flows spread over the
queues that were asked for and over no others, each frame comes in one of them, once, and a flow stays in its
queue. virtio-net is told by its control queue how many to use, igb by its RSS registers. queues.py CARD"""
import os
import re
import sys

from guest import SEED, guest, need_bench, said
from tap import Tap, need_root

program = os.path.abspath(sys.argv[1])
FRAMES = 2000
SPLIT, PACKED, IGB = "0000:00:04.0", "0000:00:06.0", "0000:00:0a.0"
# Where from, where to, its queues.
RUNS = (("virtio split", PACKED, SPLIT, 2), ("virtio split", PACKED, SPLIT, 1), ("virtio packed", SPLIT, PACKED, 2),
        ("virtio packed", SPLIT, PACKED, 1), ("igb", SPLIT, IGB, 8), ("igb", SPLIT, IGB, 2), ("igb", SPLIT, IGB, 1))

SCRIPT = """
ls /sys/bus/pci/devices/$NIC2/virtio*/net/*/queues
seed=$SHUNT_SEED
for run in $SHUNT_RUNS; do
    IFS=, read -r from to queues <<<"$run"
    "$SHUNT_CARD" queues "pci:$from?queues=1&depth=512" "pci:$to?queues=$queues&depth=512" $SHUNT_FRAMES $((seed++)) || exit
done
"""


def main():
    need_root()
    need_bench()
    t = Tap()
    done = guest(["--nic", "virtio,mq=2", "--nic", "virtio,packed,mq=2", "--nic", "virtio,mq=2,kernel",
                  "--nic", "igb", "--wire", "hub"], ["bash", "-c", SCRIPT], timeout=300, SHUNT_CARD=program,
                 SHUNT_FRAMES=str(FRAMES), SHUNT_SEED=str(SEED), SHUNT_RUNS=" ".join(f"{a},{b},{n}" for _, a, b, n in RUNS))
    t.equal(done.returncode, 0, "the guest exits with 0")
    words = done.stdout.split()
    t.equal(words[:4], ["rx-0", "rx-1", "tx-0", "tx-1"], "the kernel's driver has two pairs of queues")
    for name, _, to, n in RUNS:
        line = next((x for x in done.stdout.splitlines() if f"to=pci:{to}?queues={n}&" in x), "")
        counts = re.search(r" frames=([\d,]+) flows=([\d,]+)", line)
        frames, flows = ([int(x) for x in counts[i].split(",")] if counts else [] for i in (1, 2))
        t.ok(f" sent={FRAMES} received={FRAMES} twice=0 moved=0 queues={n} " in line and sum(frames) == FRAMES
             and sum(flows) == 64 and min(frames) > FRAMES / n / 8,
             f"{name}: {line or 'no output'}", said(done))
    t.finish()


main()
