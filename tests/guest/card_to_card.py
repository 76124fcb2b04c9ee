# SPDX-License-Identifier: BSD-2-Clause
"""igb and e1000e over VFIO send to each other: waits, several queues, filters; killed, and started again; a
second process. card_to_card.py SHUNT"""
import json
import os
import struct
import sys
import tempfile

from guest import guest, need_bench, said
from tap import Tap

OWN = 100  # frames to a card's own address
NICS = ("igb", "e1000e")

shunt = os.path.abspath(sys.argv[1])
t = Tap()

# One card sends to the other. NAME, where from, its options; where to, its keys. depth=8192: a guest that
# stalls loses none of 4000 frames.
HUB = """
"$SHUNT_EXE" devices >"$SHUNT_OUT/devices"
go() {
    local name=$1 from=$2 options=$3 to=$4 seconds=${5-20} pid sep='?'
    [[ $4 != *'?'* ]] || sep='&'
    "$SHUNT_EXE" rx "pci:$to${sep}depth=8192" --packets 4000 --seconds $seconds --json >"$SHUNT_OUT/$name.rx" 2>"$SHUNT_OUT/$name.err" &
    pid=$!
    until ls -l /proc/$pid/fd 2>/dev/null | grep -q vfio; do sleep 0.1; done
    sleep 1.5 # and for its link
    "$SHUNT_EXE" gen "pci:$from" --packets 4000 --rate 8000 --json $options >"$SHUNT_OUT/$name.tx" 2>>"$SHUNT_OUT/$name.err"
    wait $pid
}
go igb-to-e1000e "$NIC0" "" "$NIC1"
go e1000e-to-igb "$NIC1" "--size 1514" "$NIC0"
go poll-igb "$NIC1" "" "$NIC0?wait=poll"
go poll-e1000e "$NIC0" "" "$NIC1?wait=poll"
go adaptive-igb "$NIC1" "" "$NIC0?wait=adaptive&queues=1"
go adaptive-e1000e "$NIC0" "" "$NIC1?wait=adaptive"
go queues "$NIC1" "--flows 64" "$NIC0?queues=2"
go filter-igb "$NIC1" "" "$NIC0?promisc=off" 6
go filter-e1000e "$NIC0" "" "$NIC1?promisc=off" 6
# Its own address, everybody's and a group's pass the filter; other hosts' do not.
"$SHUNT_EXE" rx "pci:$NIC0?promisc=off&depth=8192" --packets 4000 --seconds 6 --json >"$SHUNT_OUT/own.rx" 2>"$SHUNT_OUT/own.err" &
pid=$!
sleep 2.5
"$SHUNT_EXE" gen "pci:$NIC1" --pcap "$SHUNT_OUT/own.pcap" --rate 2000 --json >"$SHUNT_OUT/own.tx" 2>>"$SHUNT_OUT/own.err"
wait $pid
# Killed while frames come and go, and at once started again, five times.
for round in 1 2 3 4 5; do
    "$SHUNT_EXE" gen "pci:$NIC0" --seconds 20 >/dev/null 2>&1 & tx=$!
    "$SHUNT_EXE" rx "pci:$NIC1" --seconds 20 >/dev/null 2>&1 & rx=$!
    sleep 1.$round
    kill -9 $tx $rx
    wait $tx $rx
done 2>/dev/null
go after-kill "$NIC0" "" "$NIC1"
# Two processes on one card.
"$SHUNT_EXE" rx "pci:$NIC0" --seconds 4 >/dev/null 2>&1 & first=$!
sleep 2
"$SHUNT_EXE" rx "pci:$NIC0" --seconds 1 >"$SHUNT_OUT/second" 2>&1
echo "status $?" >>"$SHUNT_OUT/second"
wait $first
echo "status $?" >>"$SHUNT_OUT/second"
"$SHUNT_EXE" rx "pci:$NIC0?queues=9" --seconds 1 2>"$SHUNT_OUT/many"
echo "status $?" >>"$SHUNT_OUT/many"
"""


def read(out, name):
    try:
        with open(f"{out}/{name}", encoding="utf-8") as f:
            return f.read()
    except OSError as e:
        return str(e)


def document(out, name):
    try:
        return json.loads(read(out, name))
    except ValueError:
        return {}


def write_addresses(path):
    """Frames to the first card, to all, to a group, and to somebody else."""
    with open(path, "wb") as f:
        f.write(struct.pack("<IIIIII", 0xa1b23c4d, 4 << 16 | 2, 0, 0, 65535, 1))
        for mac, n in (("525400000001", OWN), ("ffffffffffff", 50), ("01005e000001", 25), ("525400000099", 200)):
            frame = bytes.fromhex(mac + "02000000000188b5") + bytes(46)
            for _ in range(n):
                f.write(struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame)


def moved(out, name, delivered=4000):
    rx, tx = document(out, name + ".rx"), document(out, name + ".tx")
    ledger = rx.get("ledger", {})
    text = read(out, name + ".rx") + read(out, name + ".tx") + read(out, name + ".err")
    t.ok(tx.get("sent") == 4000 and ledger.get("delivered") == delivered and ledger.get("unaccounted") == 0,
         f"{name}: {delivered} of 4000 sent frames are delivered, and the ledger adds up", text)
    return rx


def hub():
    with tempfile.TemporaryDirectory() as out:
        write_addresses(f"{out}/own.pcap")
        done = guest([word for nic in NICS for word in ("--nic", nic)] + ["--wire", "hub", "--out", out],
                     ["bash", "-c", HUB], timeout=280, SHUNT_EXE=shunt, SHUNT_OUT=out)
        t.ok(done.returncode == 0, "nothing in the guest's log says DMAR", said(done))
        for name in ("igb-to-e1000e", "e1000e-to-igb", "poll-igb", "poll-e1000e", "adaptive-igb", "adaptive-e1000e",
                     "queues", "after-kill"):
            moved(out, name)
        for name in ("filter-igb", "filter-e1000e"):
            moved(out, name, 0)
        ledger = document(out, "own.rx").get("ledger", {})
        t.ok(ledger.get("delivered") == OWN + 75 and ledger.get("unaccounted") == 0,
             "promisc=off: its own, broadcast and multicast frames are delivered, and no others",
             read(out, "own.rx") + read(out, "own.tx") + read(out, "own.err"))
        second = read(out, "second")
        t.ok("in use" in second and "status 1\nstatus 0" in second, "the second process gets one clear line", second)
        many = read(out, "many")
        t.ok("has 8" in many and "status 2" in many, "more queues than there are is a usage error", many)


need_bench()
hub()
t.finish()
