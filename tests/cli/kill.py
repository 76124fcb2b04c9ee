# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 at any moment leaves nothing: no process, namespace, interface, BPF program, link or pin."""
import os
import random
import signal
import subprocess
import sys
import time

from tap import Tap, need_root, run

shunt = sys.argv[1]
TIMES = 20
SETTLE_S = 10  # the kernel frees namespaces and programs a little later


def state():
    """What could stay behind, as text that is compared."""
    listing = {
        "lsns": run(["lsns", "-t", "net", "-n", "-o", "NS"]).stdout,
        "links": run(["bpftool", "link", "-j"]).stdout.count('"id"'),
        "programs": sorted(p for p in run(["bpftool", "prog", "-j"]).stdout.split("},{")),
        "pins": sorted(os.listdir("/sys/fs/bpf")) if os.path.isdir("/sys/fs/bpf") else [],
        "interfaces": sorted(os.listdir("/sys/class/net")),
        "processes": sorted(c for c in map(comm, filter(str.isdigit, os.listdir("/proc")))
                            if c in ("shunt", "shunt-lab", "sleep")),
    }
    return listing


def comm(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
            return f.read().strip()
    except OSError:
        return ""


def settled(before):
    end = time.monotonic() + SETTLE_S
    while (now := state()) != before and time.monotonic() < end:
        time.sleep(0.2)
    return now


def main():
    need_root()
    t = Tap()
    seed = int(os.environ.get("SHUNT_SEED", "0")) or random.randrange(1 << 30)
    print(f"# SHUNT_SEED={seed}")
    moment = random.Random(seed)
    for name, words, most in (("compare", ["compare", "--rate", "50000", "--seconds", "0.3", "--rounds", "1"], 6),
                              ("lab -- sleep 99", ["lab", "--", "sleep", "99"], 0.4),
                              ("rx in a lab", ["lab", "--", shunt, "rx", "xdp:near0"], 1.0)):
        before = state()
        for _ in range(TIMES):
            process = subprocess.Popen([shunt, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       stdin=subprocess.DEVNULL)
            time.sleep(moment.uniform(0, most))
            process.send_signal(signal.SIGKILL)
            process.wait()
        after = settled(before)
        left = {k: (before[k], after[k]) for k in before if before[k] != after[k]}
        t.ok(not left, f"{name}: {TIMES} times kill -9 leave nothing", left)
    t.finish()


main()
