# SPDX-License-Identifier: BSD-2-Clause
"""Waiting on cards: with wait=poll and two queues, one of them idle, every frame is received; and docs/examples/epoll.c
runs over a card, its timer within 5 ms of an idle loop's, before and after. waiting.py SHUNT EPOLL"""
import os
import re
import sys

from guest import guest, need_bench, said
from tap import Tap

shunt, epoll = map(os.path.abspath, sys.argv[1:3])
FRAMES, RATE = 10000, 5000
CARDS = (("igb", "igb"), ("virtio,mq=2", "virtio"))

SCRIPT = """
receive() { # WHAT COMMAND...
    echo "== $1"; shift
    "$@" & loop=$!
    sleep 6
    "$SHUNT_EXE" gen "pci:$NIC1?queues=1" --rate $SHUNT_RATE --packets $SHUNT_FRAMES >/dev/null || exit
    wait $loop || exit
}
receive rx "$SHUNT_EXE" rx "pci:$NIC0?queues=2&wait=poll" --json --seconds 15
echo "== alone"; "$SHUNT_EPOLL" 3
receive epoll "$SHUNT_EPOLL" 15 "pci:$NIC0?queues=2&wait=poll"
echo "== alone"; "$SHUNT_EPOLL" 3
"""


def fields(text):
    return {k: float(v) for k, v in re.findall(r"(\w+)=([-\d.]+)", text)}


def card(t, nic, name):
    done = guest(["--nic", nic, "--nic", "virtio", "--wire", "hub"], ["bash", "-c", SCRIPT], timeout=200,
                 SHUNT_EXE=shunt, SHUNT_EPOLL=epoll, SHUNT_RATE=str(RATE), SHUNT_FRAMES=str(FRAMES))
    parts = [x.partition("\n") for x in done.stdout.split("== ")[1:]]
    said_by = [(title, text) for title, _, text in parts]
    if not t.ok(done.returncode == 0 and [x for x, _ in said_by] == ["rx", "alone", "epoll", "alone"],
                f"{name}: the guest exits with 0", said(done)):
        return
    delivered = re.search(r'"delivered": (\d+)', said_by[0][1])
    t.equal(delivered and int(delivered[1]), FRAMES, f"{name}: rx with an idle queue receives every frame")
    before, over, after = (fields(text) for _, text in said_by[1:])
    t.equal((over["received"], over["error"]), (FRAMES, 0), f"{name}: the epoll loop receives every frame")
    idle = max(before["late_p99_us"], after["late_p99_us"])
    t.ok(over["late_p99_us"] <= idle + 5000, f"{name}: its timer's p99 is within 5 ms of an idle loop's",
         f"{before}\n{over}\n{after}")


def main():
    need_bench()
    t = Tap()
    for nic, name in CARDS:
        card(t, nic, name)
    t.finish()


main()
