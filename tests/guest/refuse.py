# SPDX-License-Identifier: BSD-2-Clause
"""What pci: refuses, each in one line with its remedy, where only a kernel can be asked: a group that is not
viable, unsafe interrupts, no driver, no huge pages. refuse.py SHUNT"""
import os
import re
import sys

from guest import guest, need_bench, said
from tap import Tap

shunt = os.path.abspath(sys.argv[1])
t = Tap()

# What a command said, and its status, on one line.
SAY = """
run() { "$@" >/tmp/said 2>&1; local rc=$?; tr '\\n' '|' </tmp/said; echo " status $rc"; }
"""

UNSAFE = SAY + """
echo "unsafe: $(run "$SHUNT_EXE" rx pci:$NIC0 --seconds 1)"
echo 1 >/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts
echo "accepted: $(run "$SHUNT_EXE" rx pci:$NIC0 --seconds 1)"
"""

GROUP = SAY + """
echo "group: $(run "$SHUNT_EXE" rx pci:$NIC1 --seconds 1)"
echo "list: $("$SHUNT_EXE" devices | grep "^$NIC1")"
"$SHUNT_EXE" devices bind $NIC0 >/dev/null
echo "viable: $(run "$SHUNT_EXE" rx pci:$NIC1 --seconds 1)"
echo 0 >/proc/sys/vm/nr_hugepages
echo "none: $(run "$SHUNT_EXE" rx pci:$NIC2 --seconds 1)"
echo 1 >/proc/sys/vm/nr_hugepages
echo "few: $(run "$SHUNT_EXE" rx pci:$NIC2 --seconds 1)"
echo 64 >/proc/sys/vm/nr_hugepages
echo "enough: $(run "$SHUNT_EXE" rx pci:$NIC2 --seconds 1)"
echo $NIC2 >/sys/bus/pci/drivers/vfio-pci/unbind
echo "unbound: $(run "$SHUNT_EXE" rx pci:$NIC2 --seconds 1)"
for at in /sys/bus/pci/devices/*; do
    [ "$(cat $at/class)" != 0x060000 ] || echo "bridge: $(run "$SHUNT_EXE" rx pci:${at##*/} --seconds 1)"
done
"""


def said_of(done, name):
    return next((x[len(name) + 2:] for x in done.stdout.splitlines() if x.startswith(name + ": ")), "")


def check(done, name, pattern, what):
    line = said_of(done, name)
    t.ok(re.search(pattern, line), f"{what}: {line[:160]}", said(done))


need_bench()
# The timers of such a guest stall on a busy machine, and its kernel complains: its exit status says nothing.
boot = guest(["--nic", "virtio", "--no-intremap"], ["bash", "-c", UNSAFE], timeout=300, SHUNT_EXE=shunt)
check(boot, "unsafe", r"^shunt: [^|]* needs unsafe interrupts: [^|]*allow_unsafe_interrupts=1\| status 2$", "refused")
check(boot, "accepted", r"unaccounted +0\|.* status 0$", "accepted where the module allows them")

boot = guest(["--nic", "virtio,group,kernel", "--nic", "virtio,group", "--nic", "virtio"], ["bash", "-c", GROUP],
             timeout=300, SHUNT_EXE=shunt)
t.equal(boot.returncode, 0, "a guest with two cards in one group")
check(boot, "group", r"^shunt: IOMMU group \d+ of 0000:01:06.0 is not viable: kernel drivers have "
      r"0000:01:04.0 \(virtio-pci\): [^|]*\| status 2$", "refused, with the others' names")
check(boot, "list", r"group not viable", "devices says so, too")
check(boot, "viable", r"unaccounted +0\|.* status 0$", "works when the others are bound as well")
check(boot, "none", r"no huge pages \([^|]*nr_hugepages=64 .* status 0$", "no huge pages: works, with a note")
check(boot, "few", r"no huge pages \([^|]*nr_hugepages=64 .* status 0$", "too few huge pages: works, with a note")
check(boot, "enough", r"^(?!.*no huge pages).* status 0$", "enough of them: no note")
check(boot, "unbound", r"^shunt: 0000:00:08.0 is not bound to vfio-pci: sudo shunt devices bind [^|]*\| status 2$",
      "a card without driver")
check(boot, "bridge", r"^shunt: pci: has no driver for [0-9a-f:]+ of [^|]*it drives [^|]*\| status 2$", "no network card")
t.finish()
