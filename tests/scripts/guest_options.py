# SPDX-License-Identifier: BSD-2-Clause
"""What scripts/guest refuses, in one line each, before it needs QEMU or a kernel. guest_options.py ROOT"""
import os
import sys

from tap import Tap, run

GUEST = os.path.join(sys.argv[1], "scripts/guest")
REFUSED = (
    (["--nic", "ne2000"], "no card 'ne2000'"), (["--nic", "igb,packed"], "'packed'"),
    (["--kernel", "bsd"], "no kernel 'bsd'"), (["--wire", "host"], "--out"), (["--wire", "stream"], "--out"),
    (["--aw-bits", "40"], "39 or 48"), (["--cpus", "0"], "1 to 8"), (["--monitor"], "--out"),
    (["--timeout", "0"], "seconds"), (["--nonsense"], "--nonsense"), (["--out", "/nonexistent/x"], "--out"),
    (["--nic", "igb,mq=2"], "'mq=2'"), (["--nic", "virtio,mq=9"], "'mq=9'"),
    (["--nic", "virtio,mq=2", "--wire", "host", "--out", "/tmp"], "mq="),
    (["--nic", "virtio,mq=2", "--wire", "stream", "--out", "/tmp"], "mq="),
    (["--nic", "virtio,depth=300"], "'depth=300'"),
    (["--nic", "virtio,packed,room=512"], "no virtio with 'room=512', it is called depth=512"),
    (["--plugin", "/nonexistent.so,out=x"], "no file '/nonexistent.so'"), (["--nic"], "takes a value"),
)

t = Tap()
for options, text in REFUSED:
    done = run([GUEST, *options, *([] if options == ["--nic"] else ["--", "true"])])
    t.ok(done.returncode == 2 and not done.stdout and done.stderr.count("\n") == 1 and text in done.stderr,
         f"{' '.join(options)} is refused in one line", done.stderr)
t.ok(run([GUEST]).returncode == 2, "no command is refused")
done = run([GUEST, "--help"])
t.ok(done.returncode == 0 and "--nic" in done.stdout and not done.stderr, "--help prints the options", done.stderr)
t.finish()
