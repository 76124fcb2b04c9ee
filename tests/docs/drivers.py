# SPDX-License-Identifier: BSD-2-Clause
"""Drivers side by side: functions are in the file of their name, docs/design.md has the table that scripts/drivers
makes, and planted faults are found. drivers.py ROOT"""
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps"))
from tap import Tap  # noqa: E402

root = sys.argv[1]
t = Tap()

# File, what is replaced there, by what, and a word of the fault.
PLANTED = (
    ("a burst in another file", "packet/ledger.c", None, "int packet_rx_lost(void)\n{\n\treturn 0;\n}\n", "belongs into rx.c"),
    ("a burst by another name", "af_xdp/tx.c", "q.tx = afxdp_tx;", "q.tx = afxdp_open;", "not by name"),
    ("a driver without link.c", "virtio/link.c", "", "", "no function of link.c"),
    ("control calls in another order", "xdpgen/xdpgen.c", "xdpgen_stop(struct", "xdpgen_open(struct", "in the order"),
)


def drivers(folder):
    return subprocess.run([os.path.join(root, "scripts/drivers"), folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


done = drivers(root)
t.ok(done.returncode == 0, "every function is in the file of its name", done.stderr.splitlines()[:20])
with open(os.path.join(root, "docs/design.md"), encoding="utf-8") as f:
    t.ok(done.stdout in f.read(), "docs/design.md has the table that scripts/drivers prints", done.stdout)
for what, path, old, new, word in PLANTED:
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(root, "drivers"), os.path.join(folder, "drivers"))
        at = os.path.join(folder, "drivers", path)
        with open(at, encoding="utf-8") as f:
            text = f.read()
        with open(at, "w", encoding="utf-8") as f:
            f.write(text + new if old is None else text.replace(old, new) if old else "")
        done = drivers(folder)
        t.ok(done.returncode == 1 and word in done.stderr, what + " is found", done.stderr.splitlines()[:5])
t.finish()
