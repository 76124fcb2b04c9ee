#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""The sample is valid by docs/schema/compare.schema.json, and each spoiled copy is not. TAP.

Usage: schema.py SCHEMA SAMPLE   (or SCHEMA DOCUMENT... --only-check: documents of a real run)
"""
import copy
import json
import sys


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def at(doc, path):
    """The container and the last key of a path such as 'paths/0/loss'."""
    keys = [int(k) if k.isdigit() else k for k in path.split("/")]
    for key in keys[:-1]:
        doc = doc[key]
    return doc, keys[-1]


def put(path, value):
    def change(doc):
        where, key = at(doc, path)
        where[key] = value
    return f"{path} = {json.dumps(value)[:40]}", change


def drop(path):
    def change(doc):
        where, key = at(doc, path)
        del where[key]
    return f"without {path}", change


FIGURE = "paths/0/copies_per_packet"
GONE = "paths/6/copies_per_packet"  # unavailable
LOWER = "paths/3/copies_per_packet"

SPOILED = [
    put("schema", "shunt-compare/2"), put("extra", 1), put("seed", "4711"), put("started", "yesterday"),
    drop("warnings"), put("warnings", [""]), put("paths", []), put("command", []),
    drop(FIGURE), put(FIGURE, 1), drop(FIGURE + "/how"), put(FIGURE + "/how", "guessed"),
    put(FIGURE + "/value", None), put(FIGURE + "/source", ""), put(FIGURE + "/unit", ""),
    put(FIGURE + "/min", None), put(FIGURE + "/rounds", 0), put(FIGURE + "/rounds", 1.5),
    put(FIGURE + "/reason", "exact needs none"), put(FIGURE + "/bound", "lower"),
    put(FIGURE + "/probe", "x"), put(GONE + "/value", 0), put(GONE + "/reason", ""),
    put(GONE + "/rounds", 3), put(LOWER + "/reason", ""), put(LOWER + "/bound", "about"),
    put("paths/0/family", "other"), put("paths/0/status", "fine"), put("paths/6/reason", ""),
    put("paths/0/rounds", []), put("paths/0/loss", {"ring_full": -1}), put("paths/0/loss", {"": 1}),
    put("paths/0/delivered", -1), put("paths/0/bottleneck", "wire"), put("paths/4/capacity", True),
    put("paths/0/colour", "red"), put("paths/0/rounds/0/pass", "warm-up"),
    put("paths/0/rounds/0/elapsed_ns", 1.5), drop("paths/0/rounds/0/unaccounted"),
    put("ceiling", {}), put("workload/rate", "fast"), put("workload/rate", 0),
    put("workload/kind", "real"), put("workload/cores/app", -2), put("workload/traffic", {"file": "x"}),
    put("environment/load", [1, 2]), drop("environment/probe_cost_ns/count"),
    put("environment/kernel", ""), put("generator/name", "pktgen"),
    put("selftest/0/passed", "yes"), put("selftest/0/got", -1),
    put("selftest/0/passed", False),  # without a reason
    put("gain/0/metric", "speed"), put("gain/0/verdict", ""), put("gain/0/wait", "busy"),
]

ALLOWED = [
    put("ceiling", None), put("gain", []), put("warnings", []), put("workload/rate", 1e6),
    put("workload/paced_pps", None), put("workload/cores/app", -1), put("generator/name", "none"),
    put("workload/traffic", {"file": "a<b.pcap", "frames": 1, "unsendable": 0, "bytes": 60, "speed": None}),
    put("started", "2026-11-29T15:04:05.25+01:00"),
]


def ledger(doc):
    """What a schema cannot express: every pass adds up, and so do the sums of a path."""
    for path in doc["paths"] + [doc["ceiling"]] * bool(doc["ceiling"]):
        for one in path["rounds"]:
            lost = sum(one["loss"].values()) + one["unaccounted"]
            if one["sent"] != one["delivered"] + lost:
                yield f"{path['name']} round {one['round']} {one['pass']}: sent is not delivered + lost"
            if one["offered"] != one["sent"] + one["unsendable"] + one["refused"]:
                yield f"{path['name']} round {one['round']} {one['pass']}: offered is not sent + unsendable + refused"
        for key in ("offered", "sent", "delivered", "unsendable", "refused"):
            if path[key] != sum(one[key] for one in path["rounds"]):
                yield f"{path['name']}: {key} is not the sum of its rounds"


def main():
    try:
        import jsonschema
    except ImportError:
        print("1..0 # SKIP lacks python3-jsonschema")
        return
    names = [a for a in sys.argv[1:] if a != "--only-check"]
    schema = load(names[0])
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    tests = []
    for name in names[1:]:
        doc = load(name)
        faults = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:200]}" for e in validator.iter_errors(doc)]
        tests.append((f"{name.rsplit('/', 1)[-1]} is valid", not faults, faults))
        if not faults:
            faults = list(ledger(doc))
            tests.append((f"{name.rsplit('/', 1)[-1]} adds up", not faults, faults))
    if "--only-check" not in sys.argv:
        sample = load(names[1])
        for wanted, changes in ((False, SPOILED), (True, ALLOWED)):
            for label, change in changes:
                doc = copy.deepcopy(sample)
                change(doc)
                word = "allows" if wanted else "refuses"
                tests.append((f"{word} {label}", validator.is_valid(doc) == wanted, []))
    print(f"1..{len(tests)}")
    for number, (label, good, faults) in enumerate(tests, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {label.replace('#', '')}")
        for fault in faults[:20]:
            print(f"# {fault}")


if __name__ == "__main__":
    main()
