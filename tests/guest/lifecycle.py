# SPDX-License-Identifier: BSD-2-Clause
"""A card's life with pci:, by tests/guest/lifecycle.sh: bad input, two processes, kill -9, sizes, promiscuous
mode, many rounds, back to the kernel and here again. On an IOMMU of 39 bits, or without one.
lifecycle.py KIND SHUNT [phys]"""
import os
import shutil
import sys

from guest import guest, need_bench, said
from tap import skip_all

kind, shunt = sys.argv[1], os.path.abspath(sys.argv[2])
phys = sys.argv[3:4] == ["phys"]
ROUNDS = 20  # processes; reopen.py has the hundred in one


def main():
    need_bench()
    if not shutil.which("ip"):
        skip_all("no ip (iproute2)")
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or "/var/cache", "shunt-guest")
    ping = shutil.which("ping") or f"{cache}/tools/usr/bin/busybox ping"
    bench = ["--no-iommu"] if phys else ["--aw-bits", "39"]
    done = guest(["--cpus", "1", "--nic", kind, "--nic", kind, "--nic", f"{kind},kernel", "--wire", "hub", *bench],
                 ["bash", "-c", 'bash tests/guest/lifecycle.sh "$0" "$NIC0" "$NIC1" "$NIC2" "$@"', shunt, str(ROUNDS),
                  *sys.argv[3:4]],
                 timeout=400, SHUNT_PING=ping)
    sys.stdout.write(done.stdout)
    if done.returncode or "\n1.." not in done.stdout:
        print("not ok 99 - the guest exits with 0\n" + "\n".join("# " + x for x in said(done).splitlines()))
        sys.exit(1)


main()
