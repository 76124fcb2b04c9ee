# SPDX-License-Identifier: BSD-2-Clause
"""A hundred times opened, used both ways and closed by one process: it holds afterwards what it held before,
and so does the guest. reopen.py KIND CARD"""
import os
import re
import sys

from guest import guest, need_bench, said
from tap import Tap

ROUNDS = 100

kind, program = sys.argv[1], os.path.abspath(sys.argv[2])
t = Tap()

SCRIPT = """
echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
name=$(basename -a /sys/bus/pci/devices/$NIC1/virtio*/net/*)
ip link set "$name" up
free() { awk '/HugePages_Free/ { print $2 }' /proc/meminfo; }
before=$(free)
"$SHUNT_CARD" reopen "pci:$NIC0?queues=1&depth=512" "packet:$name" $SHUNT_ROUNDS
echo "huge pages free: $before $(free)"
"""


def main():
    need_bench()
    done = guest(["--cpus", "1", "--nic", kind, "--nic", "virtio,kernel", "--wire", "hub"], ["bash", "-c", SCRIPT], timeout=500,
                 SHUNT_CARD=program, SHUNT_ROUNDS=str(ROUNDS))
    t.equal(done.returncode, 0, "the guest exits with 0: no DMA fault")
    line = next((x for x in done.stdout.splitlines() if x.startswith("card=")), "")
    t.ok(re.search(rf" rounds={ROUNDS} seconds=\d+ fds=\+0 mappings=\+0 huge_kb=\+0 locked_kb=\+0$", line),
         f"{kind}: {line or 'no output'}", said(done))
    free = re.search(r"huge pages free: (\d+) (\d+)", done.stdout)
    t.ok(free and free[1] == free[2] and free[1] != "0", "every huge page is free again", said(done))
    t.finish()


main()
