# SPDX-License-Identifier: BSD-2-Clause
"""`shunt compare` end to end: exact results of each path for known traffic."""
import sys

from tap import Tap, compare, need_root

shunt = sys.argv[1]
RATE, SECONDS, ROUNDS = 20000, 0.5, 2
FRAMES = int(RATE * SECONDS)
EXACTLY_ONE = ("packet-recv", "packet-mmsg", "packet-ring", "packet-spin", "xdp-native", "xdp-poll")


def passes(path, kind):
    return [r for r in path["rounds"] if r["pass"] == kind]


def check_metrics(t, node, where="document"):
    """Every metric has a provenance."""
    found, silent = 0, []

    def walk(o, at):
        nonlocal found
        if isinstance(o, dict):
            if "how" in o and "unit" in o:
                found += 1
                if o["how"] == "unavailable" and not o["reason"] or \
                        o["how"] != "unavailable" and not o["source"]:
                    silent.append(at)
            for k, v in o.items():
                walk(v, f"{at}/{k}")
        elif isinstance(o, list):
            for i, v in enumerate(o):
                walk(v, f"{at}/{i}")

    walk(node, where)
    t.ok(found > 100 and not silent, "every metric has a provenance", silent[:5])


def check_paths(t, doc, size):
    for p in doc["paths"]:
        if p["status"] != "ok":
            t.ok(p["name"] == "xdp-busy" and p["reason"], f"{p['name']} is unavailable with a reason",
                 p["reason"])
            continue
        name = f"{p['name']}, {size} B"
        wrong = [r for r in p["rounds"] if r["delivered"] != FRAMES or r["sent"] != FRAMES]
        t.ok(not wrong, f"{name}: {FRAMES} sent and delivered in every pass", wrong[:1])
        t.equal([r["unaccounted"] for r in p["rounds"] if r["unaccounted"]], [],
                f"{name}: every ledger adds up")
        copies, copied = p["copies_per_packet"], p["copied_bytes_per_packet"]
        if p["name"] in EXACTLY_ONE:
            t.equal((copies["value"], copies["min"], copies["max"]), (1, 1, 1), f"{name}: exactly 1 copy")
        elif p["name"] == "xdp-skb":
            t.ok(copies["value"] >= 1, f"{name}: at least 1 copy", copies)
        t.equal(copied["value"], size * copies["value"], f"{name}: copied bytes = size x copies")


def differing(doc):
    return [w for w in doc["warnings"] if "queue depths differ" in w]


def check_depth(t, doc, frames, size):
    """Every path is asked for the same depth, and says that it got it."""
    asked = {p["room"] for p in doc["paths"]} | {doc["ceiling"]["room"]}
    t.equal(asked, {frames}, f"{size} B: every path is asked for {frames} frames")
    t.equal([(p["name"], p["depth"]) for p in doc["paths"]
             if p["status"] == "ok" and not p["depth"].startswith(f"{frames} frames")], [], "and gets them")
    t.equal([p["spec"] for p in doc["paths"] if f"&depth={frames}" not in p["spec"]], [], "as the spec says")
    t.equal(differing(doc), [], "no warning of different depths")


def other_depth(t):
    own = "xdp:near0?depth=256"
    doc, done = compare(shunt, "--depth", "512", "--rate", str(RATE), "--seconds", "0.2", "--rounds", "1",
                        "--paths", "packet-mmsg,packet-ring,xdp-native", "--path", own)
    if not t.ok(doc is not None and done.returncode == 0, "compare --depth 512 succeeds", done.stderr):
        return
    t.equal([(p["name"], p["room"], p["depth"].split(" frames")[0]) for p in doc["paths"]],
            [("packet-mmsg", 512, "512"), ("packet-ring", 512, "512"), ("xdp-native", 512, "512"), (own, 256, "256")],
            "every path gets 512 frames, and one with a depth of its own keeps it")
    t.equal(differing(doc), [f"the queue depths differ: 512 frames were asked for, {own} has 256"],
            "a warning names it")


def calls(doc, name):
    return next(p["syscalls_per_packet"]["value"] for p in doc["paths"] if p["name"] == name)


def main():
    need_root()
    t = Tap()
    for size in (60, 512, 1514):
        names = [] if size == 60 else ["--paths", "packet-recv,packet-ring,xdp-skb,xdp-native,xdp-drop"]
        doc, done = compare(shunt, "--rate", str(RATE), "--seconds", str(SECONDS), "--rounds", str(ROUNDS),
                            "--size", str(size), *names)
        if not t.ok(doc is not None and done.returncode == 0, f"compare --size {size} succeeds", done.stderr):
            continue
        t.equal([s for s in doc["selftest"] if not s["passed"]], [], f"{size} B: every self-test passed")
        check_paths(t, doc, size)
        check_depth(t, doc, 8192, size)
        t.equal(doc["ceiling"]["copies_per_packet"]["value"], 0, f"xdp-drop, {size} B: no copy")
        t.ok(0.95 <= calls(doc, "packet-recv") <= 2.5, f"{size} B: one call per packet on packet-recv",
             calls(doc, "packet-recv"))
        t.ok(0 < calls(doc, "packet-ring") < 0.2, f"{size} B: few calls on packet-ring",
             calls(doc, "packet-ring"))
        check_metrics(t, doc)
    other_depth(t)
    doc, done = compare(shunt, "--generator", "packet", "--rate", str(RATE), "--seconds", "0.5",
                        "--rounds", "1", "--paths", "xdp-native")
    if t.ok(doc is not None and done.returncode == 0, "compare --generator packet succeeds", done.stderr):
        native = doc["paths"][0]
        t.equal(native["copies_per_packet"]["value"], 2, "xdp-native, frames from a socket: 2 copies")
        t.equal(native["copied_bytes_per_packet"]["value"], 120, "and their bytes")
        t.equal(native["hidden_copies_per_packet"]["value"], 1, "one of them veth's own")
    doc, done = compare(shunt, "--seconds", "0.3", "--rounds", "1", "--paths", "packet-mmsg,xdp-native")
    if t.ok(doc is not None and done.returncode == 0, "compare at the highest rate succeeds", done.stderr):
        for p in doc["paths"]:
            t.equal([r["unaccounted"] for r in p["rounds"] if r["unaccounted"]], [],
                    f"{p['name']} at the highest rate: every ledger adds up")
            lost = [r for r in p["rounds"]
                    if r["sent"] != r["delivered"] + sum(r["loss"].values()) + r["unaccounted"]]
            t.equal(lost, [], f"{p['name']} at the highest rate: sent = delivered + named losses")
            t.ok(p["latency_ns"]["p50"]["value"], f"{p['name']}: latency of paced passes")
    t.finish()


main()
