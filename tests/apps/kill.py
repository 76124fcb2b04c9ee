# SPDX-License-Identifier: BSD-2-Clause
"""kill -9 at any moment leaves nothing: no process, namespace, interface, BPF program, link or pin."""
import json
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
    """What could be left behind. Other programs may use BPF and namespaces at the same time: what a running
    program holds, or has a running parent, was not left behind."""
    held = held_ids()
    return {
        "links": listed("link") - held["link_id"],
        "programs": listed("prog") - held["prog_id"],
        "pins": set(os.listdir("/sys/fs/bpf")) if os.path.isdir("/sys/fs/bpf") else set(),
        "interfaces": set(os.listdir("/sys/class/net")),
        "processes": orphans(),
        "namespaces": {line.split()[0] for line in run(["lsns", "-t", "net", "-n", "-o", "NS,PID"]).stdout.splitlines()
                       if line.split()[1] in orphans()},
    }


def listed(kind):
    return {o["id"] for o in json.loads(run(["bpftool", kind, "-j"]).stdout or "[]")}


def held_ids():
    """BPF programs and links that a descriptor of a running process refers to."""
    ids = {"link_id": set(), "prog_id": set()}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for fd in os.listdir(f"/proc/{pid}/fdinfo"):
                with open(f"/proc/{pid}/fdinfo/{fd}", encoding="utf-8") as f:
                    for line in f:
                        key, _, value = line.partition(":")
                        if key in ids:
                            ids[key].add(int(value))
        except OSError:
            pass  # it has ended
    return ids


def orphans():
    """Our orphans: processes whose parent was killed."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                name, _, rest = f.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        if name in ("shunt", "shunt-lab", "sleep") and rest.split()[1] == "1":
            found.add(pid)
    return found


def left_since(before):
    """What is there now and was not before, after time to disappear."""
    end = time.monotonic() + SETTLE_S
    while True:
        now = state()
        left = {k: sorted(now[k] - before[k]) for k in now if now[k] - before[k]}
        if not left or time.monotonic() > end:
            return left
        time.sleep(0.2)


def sees_a_leak(t):
    """The check itself: an orphan and a pin are found."""
    before = state()
    orphan = run(["sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!"]).stdout.strip()
    pin = f"/sys/fs/bpf/shunt-test-{orphan}"
    pinned = run(["bpftool", "map", "create", pin, "type", "array", "key", "4", "value", "4", "entries", "1",
                  "name", "leak"]).returncode == 0
    now = state()
    t.ok(orphan in now["processes"] - before["processes"], "an orphan would be found", now)
    if pinned:
        t.ok(os.path.basename(pin) in now["pins"] - before["pins"], "a pin would be found", now)
        os.unlink(pin)
    os.kill(int(orphan), signal.SIGKILL)


def main():
    need_root()
    t = Tap()
    seed = int(os.environ.get("SHUNT_SEED", "0")) or random.randrange(1 << 30)
    print(f"# SHUNT_SEED={seed}")
    moment = random.Random(seed)
    sees_a_leak(t)
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
        left = left_since(before)
        t.ok(not left, f"{name}: {TIMES} times kill -9 leave nothing", left)
    t.finish()


main()
