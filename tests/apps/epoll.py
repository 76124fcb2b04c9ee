# SPDX-License-Identifier: BSD-2-Clause
"""docs/examples/epoll.c: two devices and a timer in one loop, on each driver that can sleep. Every frame is received,
and the timer is no later than 5 ms more than the same loop's without devices, run before and after."""
import json
import os
import re
import sys

from tap import Tap, in_lab, need_root, run

shunt, epoll = sys.argv[1:3]
RATE, FRAMES = 20000, 60000


def fields(text):
    return {k: float(v) for k, v in re.findall(r"(\w+)=([-\d.]+)", text)}


def alone(seconds="1"):
    return fields(run([epoll, seconds]).stdout)


def over(spec, second):
    """While FRAMES frames come to near0; the other device is quiet."""
    done = in_lab(shunt, f"""
        ip link add quiet type veth peer name quiet1
        for i in quiet quiet1; do sysctl -qw net.ipv6.conf.$i.disable_ipv6=1; ip link set $i up; done
        "{epoll}" 6 '{spec}' '{second}' & loop=$!
        ready; far "$SHUNT" gen xdpgen:far0 --rate {RATE} --packets {FRAMES} >/dev/null
        wait $loop""")
    return done, fields(done.stdout)


def in_time(t, name, got, before, after):
    """Interleaved: an idle loop before, and one after."""
    base = max(before["late_p99_us"], after["late_p99_us"])
    t.ok(got.get("late_p99_us", 1e9) <= base + 5000, f"{name}: the timer's p99 is within 5 ms of an idle loop's",
         json.dumps([before, got, after]))


def kernel_paths(t):
    for spec, second in (("packet:near0?mode=recv&wait=poll", "packet:quiet?wait=poll"),
                         ("packet:near0?mode=mmsg", "xdp:quiet"),
                         ("packet:near0?mode=ring", "packet:quiet?mode=recv"),
                         ("xdp:near0?wait=poll", "packet:quiet?mode=ring"), ("xdp:near0", "xdp:quiet?wait=poll")):
        before = alone()
        done, got = over(spec, second)
        t.equal((done.returncode, got.get("received"), got.get("error")), (0, FRAMES, 0),
                f"{spec} and {second}: every frame")
        in_time(t, spec, got, before, alone())


def pair(t):
    before = alone()
    done = run([epoll, "3", "pair:a?wait=poll", "pair:b", "+pair:a", "+pair:b"])
    got = fields(done.stdout)
    t.ok(done.returncode == 0 and got["received"] == got["sent"] > 10000, "pair: what was sent was received", done.stdout)
    in_time(t, "pair", got, before, alone())


def refused(t):
    done = run([epoll, "1", "null:"])
    t.ok(done.returncode == 2 and "no descriptor" in done.stderr, "a device without a descriptor is refused", done.stderr)
    done = in_lab(shunt, f"""
        "{epoll}" 20 packet:near0?mode=ring xdp:near0 2>&1 & loop=$!
        ready; sleep 1; ip link set near0 down; wait $loop""")
    t.ok(done.returncode == 1 and "error=-100" in done.stdout, "a link that goes down ends the loop", done.stdout + done.stderr)


def main():
    need_root()
    t = Tap()
    if not os.path.exists(epoll):
        t.skip("the example", "it was not built")
    kernel_paths(t)
    pair(t)
    refused(t)
    t.finish()


main()
