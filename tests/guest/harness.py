# SPDX-License-Identifier: BSD-2-Clause
"""scripts/guest itself: it boots with every card, brings back what a command says, and never hangs
or leaves anything behind. harness.py SHUNT"""
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

from guest import BENCH, ROOT, guest, need_bench, said, words
from tap import Tap, run

shunt = os.path.abspath(sys.argv[1])
t = Tap()


def left(mark):
    """Processes that have this in their environment: others may run guests beside."""
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as f:
                if mark.encode() in f.read():
                    found.append(os.readlink(os.path.dirname(path) + "/exe"))
        except OSError:
            pass
    return found


def all_cards(out):
    """One boot, many questions."""
    script = f"""echo to stderr >&2; uname -r
        {shunt} devices --json >{out}/devices.json && cp /proc/meminfo {out}/ &&
        printf '%s\\0' "$SHUNT_TEST" "$PWD" "$NIC0" "$NIC2" >{out}/told && touch scripts/left-by-guest
        exit 107"""
    done = guest(["--nic", "igb", "--nic", "e1000e", "--nic", "virtio,packed", "--nic", "igb,kernel",
                  "--out", out], ["bash", "-c", script], SHUNT_TEST="a 'word' $HOME\n")
    t.equal(done.returncode, 107, "the exit status comes back")
    release = done.stdout.strip()
    t.ok(re.fullmatch(r"\d+\.\d+\S*", release) and release != os.uname().release,
         "the command's output is alone on stdout, and of another kernel", said(done))
    t.ok("to stderr" in done.stderr and f"Linux {release}, up after" in done.stderr,
         "stderr has the command's and the kernel's version", said(done))
    for nic in ("igb 0000:00:04.0 driver vfio-pci, IOMMU group ", "e1000e 0000:00:06.0 driver vfio-pci, IOMMU group ",
                "virtio 0000:00:08.0 driver vfio-pci, IOMMU group ", "igb 0000:00:0a.0 driver igb as eth0, IOMMU group "):
        t.ok(re.search(re.escape(nic) + r"\d", done.stderr), nic.strip(), said(done))
    with open(f"{out}/devices.json", encoding="utf-8") as f:
        links = {link["name"]: link.get("driver") for link in json.load(f)["interfaces"]}
    t.equal(links.get("eth0"), "igb", "shunt devices sees the card that the kernel has")
    with open(f"{out}/told", encoding="utf-8") as f:
        t.equal(f.read().split("\0")[:-1], ["a 'word' $HOME\n", ROOT, "0000:00:04.0", "0000:00:08.0"],
                "environment, folder and addresses are told")
    with open(f"{out}/meminfo", encoding="utf-8") as f:
        t.ok(re.search(r"HugePages_Total: +64\n", f.read()), "64 huge pages")
    t.ok(not os.path.exists(os.path.join(ROOT, "scripts/left-by-guest")), "what it writes here is forgotten")


def ends():
    for limit in (1, 14):  # before the kernel says a word, and later
        done = guest([], ["sleep", "1000"], timeout=limit)
        t.ok(done.returncode == 124 and f"{limit} s" in done.stderr, f"time runs out after {limit} s: 124", said(done))
    done = guest([], ["sh", "-c", "echo c >/proc/sysrq-trigger; sleep 99"])
    t.ok(done.returncode == 125 and "Kernel panic" in done.stderr, "a panic: 125", said(done))
    # A card that was given to nobody is told to read a descriptor where nothing is mapped.
    fault = os.path.join(ROOT, "tests/guest/fault.py")
    done = guest(["--nic", "e1000e"], ["sh", "-c", f"python3 {fault} $NIC0 && echo did"])
    t.ok(done.returncode == 125 and done.stdout == "did\n" and re.search(r"guest: .*DMAR: .*00:04\.0", done.stderr),
         "a DMA fault: 125, though the command succeeded", said(done))


def kill_9():
    seed = int(os.environ.get("SHUNT_SEED", "0")) or random.randrange(1 << 30)
    print(f"# SHUNT_SEED={seed}")
    moment = random.Random(seed)
    for n, sig in enumerate((signal.SIGKILL,) * 6 + (signal.SIGTERM,) * 2):
        mark = f"SHUNT_MARK={os.getpid()}.{n}"
        bench = subprocess.Popen(words([], ["sleep", "1000"]), stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
                                 env={**os.environ, "SHUNT_MARK": mark.split("=")[1]})
        after = moment.uniform(0.05, 0.5 if sig == signal.SIGKILL else 3)
        time.sleep(after)
        bench.send_signal(sig)
        status = bench.wait(timeout=10)
        end = time.monotonic() + 5
        while left(mark) and time.monotonic() < end:
            time.sleep(0.1)
        # -15: it came before the trap was set.
        t.ok(not left(mark) and status in ((-9,) if sig == signal.SIGKILL else (143, -15)),
             f"signal {sig.value} after {after:.2f} s leaves nothing that runs", f"status {status}, {left(mark)}")


need_bench()
with tempfile.TemporaryDirectory() as folder:
    all_cards(folder)
ends()
kill_9()
t.finish()
