# SPDX-License-Identifier: BSD-2-Clause
"""`shunt rx` and the tracer, compared with strace; signals end it with the summary."""
import json
import os
import re
import shutil
import signal
import sys
import tempfile

from tap import Tap, in_lab, need_root

shunt = sys.argv[1]


def strace_table(text):
    return {m.group(2): int(m.group(1)) for m in
            re.finditer(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)(?:\s+\d+)?\s+(\w+)$", text, re.M)}


def against_strace(t):
    if not shutil.which("strace"):
        t.skip("recvmmsg as strace counts it", "strace is not installed")
        return
    with tempfile.TemporaryDirectory() as tmp:
        done = in_lab(shunt, """
            ASAN_OPTIONS=detect_leaks=0 strace -f -c -o "$TMP/strace" "$SHUNT" rx 'packet:near0?mode=mmsg' --trace --json \
                >"$TMP/rx" & rx=$!
            ready; sleep 2
            far "$SHUNT" gen xdpgen:far0 --packets 5000 --rate 5000 >/dev/null
            sleep 0.3
            kill -INT $(pgrep -f '^[^ ]*shunt rx packet:near0')
            wait $rx""", TMP=tmp)
        if not t.ok(done.returncode == 0, "rx --trace under strace succeeds", done.stderr):
            return
        with open(f"{tmp}/rx", encoding="utf-8") as f:
            doc = json.load(f)
        with open(f"{tmp}/strace", encoding="utf-8") as f:
            calls = strace_table(f.read())
    ours, theirs = doc["trace"]["by_syscall"].get("recvmmsg", 0), calls.get("recvmmsg", 0)
    t.ok(theirs > 100 and abs(ours - theirs) <= 0.01 * theirs, "both count recvmmsg alike",
         f"shunt {ours}, strace {theirs}")
    t.equal(doc["packets"], 5000, "all frames were received")
    t.equal(doc["ledger"]["unaccounted"], 0, "the ledger adds up")
    t.equal(doc["trace"]["copies"]["value"], 5000, "one copy per packet")


def summary_on(t, sig):
    """1000 frames, then the signal at once: all of them are in the summary."""
    for spec in ("packet:near0?mode=recv&wait=poll", "packet:near0?mode=ring&wait=poll", "xdp:near0"):
        done = in_lab(shunt, f"""
            "$SHUNT" rx '{spec}' --json & rx=$!
            ready
            far "$SHUNT" gen xdpgen:far0 --packets 1000 >/dev/null
            kill -{sig.name[3:]} $rx; wait $rx""")
        try:
            doc = json.loads(done.stdout)
        except ValueError:
            t.ok(False, f"{spec}: {sig.name} ends with the summary", done.stdout + done.stderr)
            continue
        t.equal((done.returncode, doc["packets"], doc["ledger"]["unaccounted"]), (0, 1000, 0),
                f"{spec}: {sig.name} at once, and 1000 frames are in the summary")


def promiscuous(t):
    """Cards receive frames for other addresses only in promiscuous mode; it ends with the program, by kill -9 too."""
    for spec, want in (("xdp:near0", 1), ("xdp:near0?promisc=off", 0), ("xdp:near0?action=drop", 1),
                       ("packet:near0", 1)):
        done = in_lab(shunt, f"""
            held() {{ ip -d link show near0 | grep -o 'promiscuity [0-9]*'; }}
            "$SHUNT" rx '{spec}' >/dev/null & rx=$!
            ready || sleep 1; held; kill -9 $rx; wait $rx 2>/dev/null; sleep 0.3; held""")
        t.equal(done.stdout.split(), ["promiscuity", str(want), "promiscuity", "0"],
                f"{spec}: {'' if want else 'not '}promiscuous while it runs")


def text(t):
    done = in_lab(shunt, """
        (ready; far "$SHUNT" gen xdpgen:far0 --packets 100 >/dev/null) &
        "$SHUNT" rx packet:near0?wait=poll --packets 100 --seconds 10 --trace; rc=$?; wait; exit $rc""")
    t.ok(done.returncode == 0 and "ledger:" in done.stdout and "copies" in done.stdout,
         "as text: ledger and trace", done.stdout + done.stderr)
    t.ok("100 packets" in done.stdout, "--packets ends it", done.stdout)


def interrupted_writer(t):
    """A full disk: one clear line, exit 1, and the number of packets written."""
    done = in_lab(shunt, """
        mount -t tmpfs -o size=64k none /mnt || exit 77
        (ready; far "$SHUNT" gen xdpgen:far0 --packets 5000 --size 1514 --rate 50000 >/dev/null) &
        "$SHUNT" rx packet:near0?wait=poll --packets 5000 --seconds 10 --pcap /mnt/full.pcap
        rc=$?; wait; exit $rc""")
    if done.returncode == 77:
        t.skip("a full disk", "tmpfs can't be mounted")
        return
    t.ok(done.returncode == 1 and "No space left" in done.stderr, "a full disk is one clear line and exit 1",
         f"{done.returncode}: {done.stdout}{done.stderr}")


def several_queues(t):
    """Two of four queues are busy: an empty one, slept on, would cost the others their frames."""
    if len(os.sched_getaffinity(0)) < 2:
        t.skip("wait=poll with several queues", "a veth takes a frame on the sender's CPU: two are needed")
        return
    done = in_lab(shunt, """
        ip link add mq0 numtxqueues 4 numrxqueues 4 type veth peer name mq1 numtxqueues 4 numrxqueues 4
        for i in mq0 mq1; do sysctl -qw net.ipv6.conf.$i.disable_ipv6=1; ip link set $i up; done
        "$SHUNT" rx 'xdp:mq0?wait=poll&depth=8192' --json --seconds 30 & rx=$!
        sleep 2
        for cpu in 0 1; do taskset -c $cpu "$SHUNT" gen xdpgen:mq1 --rate 10000 --packets 20000 >/dev/null & gen="$gen $!"; done
        wait $gen; kill -INT $rx; wait $rx""")
    try:
        doc = json.loads(done.stdout)
    except ValueError:
        t.ok(False, "wait=poll with several queues", done.stdout + done.stderr)
        return
    t.equal((doc["info"]["facts"]["queues"], doc["packets"], doc["ledger"]["unaccounted"]), ("0,1,2,3", 40000, 0),
            "wait=poll, four queues, two of them at 10,000/s: every frame is received")
    t.ok(doc["cpu_ns"] < 0.9 * doc["elapsed_ns"], "and it sleeps in between", doc["cpu_ns"] / doc["elapsed_ns"])


def main():
    need_root()
    t = Tap()
    against_strace(t)
    summary_on(t, signal.SIGINT)
    summary_on(t, signal.SIGTERM)
    promiscuous(t)
    text(t)
    interrupted_writer(t)
    several_queues(t)
    t.finish()


main()
