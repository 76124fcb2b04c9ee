# SPDX-License-Identifier: BSD-2-Clause
"""A card's life with pci:, by tests/guest/life.sh: bad input, two processes, kill -9, sizes, promiscuous
mode, many rounds, back to the kernel and here again. On an IOMMU of 39 bits. life.py KIND SHUNT"""
import os
import shutil
import sys

from guest import guest, need_bench, said
from tap import skip_all

kind, shunt = sys.argv[1], os.path.abspath(sys.argv[2])
ROUNDS = 100


def main():
    need_bench()
    if not shutil.which("ip"):
        skip_all("no ip (iproute2)")
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or "/var/cache", "shunt-guest")
    ping = shutil.which("ping") or f"{cache}/tools/usr/bin/busybox ping"
    done = guest(["--nic", kind, "--nic", kind, "--nic", f"{kind},kernel", "--wire", "hub", "--aw-bits", "39"],
                 ["bash", "-c", 'bash tests/guest/life.sh "$0" "$NIC0" "$NIC1" "$NIC2" "$1"', shunt, str(ROUNDS)],
                 timeout=400, SHUNT_PING=ping)
    sys.stdout.write(done.stdout)
    if done.returncode or "\n1.." not in done.stdout:
        print("not ok 99 - the guest is content\n" + "\n".join("# " + x for x in said(done).splitlines()))
        sys.exit(1)


main()
