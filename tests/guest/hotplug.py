# SPDX-License-Identifier: BSD-2-Clause
"""Links that go down and come back, cards that are taken away and come back, by tests/guest/hotplug.sh; this
end gives QEMU's monitor what the guest asks for. hotplug.py SHUNT"""
import os
import socket
import subprocess
import sys
import tempfile
import time

from guest import need_bench, said, words

CARDS = ("igb", "e1000e", "virtio")
shunt = os.path.abspath(sys.argv[1])


def tell(out, command):
    with socket.socket(socket.AF_UNIX) as monitor:
        monitor.connect(f"{out}/monitor")
        monitor.settimeout(5)
        monitor.recv(4096)  # its greeting
        monitor.sendall(command.encode() + b"\n")
        time.sleep(0.2)  # it is read by QEMU's main loop


def main():
    need_bench()
    with tempfile.TemporaryDirectory() as out:
        nics = [word for card in (*CARDS, "virtio,kernel") for word in ("--nic", card)]
        script = 'bash tests/guest/hotplug.sh "$0" "$1" "$NIC0" "$NIC1" "$NIC2" "$NIC3"'
        bench = subprocess.Popen(words([*nics, "--wire", "hub", "--out", out, "--monitor", "--cpus", "1"],
                                       ["bash", "-c", script, shunt, out], 600),
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while bench.poll() is None:
            if os.path.exists(f"{out}/ask"):
                with open(f"{out}/ask", encoding="ascii") as f:
                    tell(out, f.read().strip())
                os.unlink(f"{out}/ask")
            time.sleep(0.05)
        stdout, stderr = bench.communicate()
    sys.stdout.write(stdout)
    if bench.returncode or "\n1.." not in stdout:
        done = subprocess.CompletedProcess([], bench.returncode, stdout, stderr)
        print("not ok 99 - the guest exits with 0\n" + "\n".join("# " + x for x in said(done).splitlines()))
        sys.exit(1)


main()
