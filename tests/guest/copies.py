# SPDX-License-Identifier: BSD-2-Clause
"""Copies and system calls per packet on three receive paths, counted by one tracer: the kernel's socket copies
each packet once, a card that the process drives and AF_XDP without a copy not at all. On the kernel whose igb has
zero-copy. copies.py SHUNT"""
import json
import os
import sys

from guest import guest, need_bench, said
from tap import Tap

PACKETS = 1000
CALLS = 20  # of a whole run that spins: to start and stop tracer, clock and device
NAPS = PACKETS // 10

shunt = os.path.abspath(sys.argv[1])
script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "copies.sh")
t = Tap()


def documents(text):
    decoder, at = json.JSONDecoder(), 0
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        doc, at = decoder.raw_decode(text, at)
        yield doc


def metric(doc, name, value):
    f = doc["trace"][name]
    t.ok((f["value"], f["how"], f["bound"]) == (value, "measured", "exact"), f"{name} {value}, by {f['source']}", f)


def traced(doc, mode):
    """At level F; hits of its probes."""
    trace = doc["trace"]
    t.ok(not doc["error"] and doc["packets"] >= PACKETS, f"{doc['spec']}: {doc['packets']} packets, {doc['info']['mode']}", doc)
    t.ok(mode in doc["info"]["mode"], f"mode {mode}", doc["info"])
    t.equal((trace["level"], trace["means"], trace["missed"]), ("F", "fentry", 0), "level F (fentry), nothing missed")
    for p in trace["probes"]:
        t.ok(p["attached"], f"{p['name']} {p['hits']} hits", p["reason"])
    return {p["name"]: p["hits"] for p in trace["probes"]}


def spins(doc, naps=0):
    """No call goes with the packets: few in all. A card is stopped before the tracer, by short naps."""
    calls = dict(doc["trace"]["by_syscall"])
    slept = calls.pop("clock_nanosleep", 0)
    t.ok(sum(calls.values()) <= CALLS and all(n <= 2 for n in calls.values()) and slept <= naps,
         f"no system call per packet: {doc['trace']['by_syscall']}", doc["trace"]["syscalls"])


def main():
    need_bench("sid")
    done = guest(["--kernel", "sid", "--nic", "igb,kernel", "--nic", "igb", "--wire", "hub"],
                 [script, shunt, str(PACKETS)], timeout=300)
    t.equal(done.returncode, 0, "the guest exits with 0")
    docs = list(documents(done.stdout))
    t.equal(len(docs), 3, "three receive paths")
    if t.failed:
        print("\n".join("# " + line for line in said(done).splitlines()))
        t.finish()
    socket, xsk, card = docs

    hits = traced(socket, "recvmsg")
    metric(socket, "copies", socket["packets"])
    metric(socket, "copied_bytes", socket["bytes"])
    t.equal(hits["fexit/skb_copy_datagram_iter"], socket["packets"], "the function that copies ran once per packet")
    t.equal(hits["tp_btf/skb_copy_datagram_iovec"], socket["packets"], "and its tracepoint says the same")

    hits = traced(xsk, "zero-copy")
    metric(xsk, "copies", 0)
    metric(xsk, "hidden_copies", 0)
    t.equal(hits["fexit/__xsk_rcv"], 0, "the function that copies never ran")
    t.ok(hits["tp_btf/xdp_redirect"] >= PACKETS / 2, "while packets went in", hits)
    spins(xsk)

    hits = traced(card, "igb")
    metric(card, "copies", 0)
    t.equal(hits["fexit/skb_copy_datagram_iter"], 0, "no packet came to the thread by the kernel")
    spins(card, NAPS)
    t.finish()


main()
