# SPDX-License-Identifier: BSD-2-Clause
"""Cards with several queues, joined by a bridge of taps: the kernel sees them, and what one card sends
in 64 flows the other receives on two. queues.py SHUNT"""
import json
import os
import sys
import tempfile

from guest import guest, need_bench, said
from tap import Tap, need_root

shunt = os.path.abspath(sys.argv[1])
FRAMES = 4000

SCRIPT = """
ls /sys/bus/pci/devices/$NIC2/virtio*/net/*/queues
go() { # NAME FROM TO
    "$SHUNT_EXE" rx "pci:$3?queues=2" --packets $SHUNT_FRAMES --seconds 25 --json >"$SHUNT_OUT/$1" & pid=$!
    sleep 2
    "$SHUNT_EXE" gen "pci:$2" --packets $SHUNT_FRAMES --flows 64 --rate 2000 >&2 || exit
    wait $pid || exit
}
go split $NIC1 $NIC0
go packed $NIC0 $NIC1
"""


def main():
    need_root()
    need_bench()
    t = Tap()
    with tempfile.TemporaryDirectory() as out:
        done = guest(["--nic", "virtio,mq=2", "--nic", "virtio,packed,mq=2", "--nic", "virtio,mq=2,kernel",
                      "--wire", "hub", "--out", out], ["bash", "-c", SCRIPT],
                     SHUNT_EXE=shunt, SHUNT_OUT=out, SHUNT_FRAMES=str(FRAMES))
        t.equal(done.returncode, 0, "the guest is content")
        t.equal(done.stdout.split(), ["rx-0", "rx-1", "tx-0", "tx-1"], "the kernel's driver has two pairs of queues")
        for ring in ("split", "packed"):
            try:
                with open(f"{out}/{ring}", encoding="utf-8") as f:
                    ledger = json.load(f)["ledger"]
            except (OSError, ValueError) as e:
                ledger = {"error": str(e)}
            t.ok(ledger.get("delivered") == FRAMES and ledger.get("unaccounted") == 0,
                 f"virtio {ring}: {FRAMES} frames on two queues are delivered", f"{ledger} {said(done)}")
    t.finish()


main()
