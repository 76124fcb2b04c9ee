# SPDX-License-Identifier: BSD-2-Clause
"""The include graph is that of docs/design.md, and scripts/rooms finds what is not: each fault is planted
in a small tree of its own. rooms.py ROOT BUILD"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../apps"))
from tap import Tap  # noqa: E402

root, build = sys.argv[1:3]
t = Tap()

TABLE = """
| room | may use | public headers | public in the same top folder |
|---|---|---|---|
| `core` | | `*` | |
| `drivers/core` | `core` | `spec.h` | `*` |
| `drivers/null` | `core` `drivers/core` | | |
| `apps` | `core` `drivers` | | |
"""
FINE = {
    "core/err.h": "", "drivers/core/spec.h": "", "drivers/core/driver.h": '#include "core/err.h"\n',
    "drivers/null/null.c": '#include "drivers/core/driver.h"\n', "apps/main.c": '#include "drivers/core/spec.h"\n',
}
PLANTED = (
    ("a header that is not public", {"apps/main.c": '#include "drivers/core/driver.h"\n'}, "does not name public"),
    ("a room that may not be used", {"core/err.c": '#include "drivers/core/spec.h"\n'}, "core may not use drivers/core"),
    ("a file in no room", {"lost/lost.c": ""}, "is in no room"),
    ("a circle", {"core/err.c": '#include "apps/main.h"\n', "apps/main.h": ""}, "rooms in a circle"),
)


def rooms(folder, *options):
    return subprocess.run([os.path.join(root, "scripts/rooms"), *options, folder], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)


def tree(folder, files):
    for path, text in {"docs/design.md": TABLE, **files}.items():
        at = os.path.join(folder, path)
        os.makedirs(os.path.dirname(at), exist_ok=True)
        with open(at, "w", encoding="utf-8") as f:
            f.write(text)


done = rooms(root, "--objects", build)
t.ok(done.returncode == 0, "the tree keeps to docs/design.md", done.stderr.splitlines()[:10])
t.ok(done.stdout.count("\n") > 15, "every room has its line")
with tempfile.TemporaryDirectory() as folder:
    tree(folder, {**FINE, "out/build.ninja": "", "out/tracing/made.skel.h": ""})
    done = rooms(folder)
    t.equal((done.returncode, done.stderr), (0, ""), "a small tree without a fault, and a build in it")
for what, files, word in PLANTED:
    with tempfile.TemporaryDirectory() as folder:
        tree(folder, {**FINE, **files, "apps/main.c": files.get("apps/main.c", '#include "core/err.h"\n')})
        done = rooms(folder)
        t.ok(done.returncode == 1 and word in done.stderr, what + " is found", done.stderr.splitlines())
t.finish()
