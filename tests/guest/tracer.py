# SPDX-License-Identifier: BSD-2-Clause
"""The tracer's lab tests on another kernel: what its programs may read, and whether they count there, is
each kernel's own. tracer.py KERNEL SHUNT NET-TEST"""
import os
import re
import sys

from guest import guest, need_bench, said
from tap import skip_all

kernel, shunt, program = sys.argv[1], *map(os.path.abspath, sys.argv[2:4])


def main():
    if not os.path.exists(program):
        skip_all(f"{os.path.basename(program)} was not built")
    need_bench(kernel)
    done = guest(["--kernel", kernel], ["sh", "-c", '"$0" doctor | grep "tracing:" >&2; exec "$1" --tap -j1', shunt, program],
                 timeout=240)
    lines = [re.sub(r"\s*\([\d.]+s\)$", "", line) for line in done.stdout.splitlines()]
    print("\n".join(line for line in lines if not re.match(r"#$|# (Criterion|Running)", line)))
    level = re.search(r"tracing: (.*)", done.stderr)
    print(f"# {level.group(1) if level else 'shunt doctor says nothing of tracing'}")
    if done.returncode or "1.." not in done.stdout:
        print("\n".join("# " + line for line in said(done).splitlines()))
        sys.exit(1)


main()
