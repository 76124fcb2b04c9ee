# SPDX-License-Identifier: BSD-2-Clause
"""Shared by Python tests: TAP, running shunt, a lab."""
import json
import os
import subprocess
import sys


class Tap:
    """One line of TAP per check; evidence follows a failed one. finish() ends the program."""

    def __init__(self):
        self.n = 0
        self.failed = 0

    def ok(self, good, name, evidence=""):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name.replace('#', '')}", flush=True)
        if not good:
            for line in str(evidence).splitlines()[:40]:
                print(f"# {line}", flush=True)
        return good

    def equal(self, got, want, name):
        return self.ok(got == want, name, f"got {got!r}, want {want!r}")

    def skip(self, name, why):
        self.n += 1
        print(f"ok {self.n} - {name.replace('#', '')} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.n}", flush=True)
        sys.exit(1 if self.failed else 0)


def skip_all(why):
    print(f"1..0 # SKIP {why}")
    sys.exit(0)


def need_root():
    if os.geteuid():
        skip_all("needs root: network namespaces")


def need_loopback():
    """In a new network namespace it is down, an error that would hide every other one."""
    if ",UP" not in run(["ip", "-o", "link", "show", "lo"]).stdout:
        run(["ip", "link", "set", "lo", "up"])


def run(words, timeout=300, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False, **more)


def compare(shunt, *options):
    """The document of a comparison, and the finished process."""
    done = run([shunt, "compare", "--json", "-", *options])
    try:
        return json.loads(done.stdout), done
    except ValueError:
        return None, done


def in_lab(shunt, script, timeout=120, **env):
    """A shell script beside near0; $SHUNT is the program, `far` runs a command beside far0, and
    `ready` waits until a program receives on near0, however slow the machine is."""
    prelude = """far() { "$SHUNT" lab-exec -- "$@"; }
        ready() {
            for i in $(seq 200); do
                [ $(wc -l </proc/net/packet) -gt 1 ] || ip link show near0 | grep -q xdp && break
                sleep 0.05
            done
            sleep 0.3
        }
        """
    return run([shunt, "lab", "--", "bash", "-c", prelude + script], timeout=timeout,
               env={**os.environ, "SHUNT": shunt, **env})
