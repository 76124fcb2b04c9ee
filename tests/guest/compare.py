# SPDX-License-Identifier: BSD-2-Clause
"""`shunt compare` on cards of one kind: the kernel's driver beside ours, frames through a third card on
the same wire. Counts are exact; times are the emulation's, and are not looked at. With `alone`, the wire
is missing. compare.py NIC SHUNT [alone]"""
import json
import os
import sys
import tempfile

from guest import ROOT, guest, need_bench, said
from tap import Tap, run

nic, shunt, alone = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3:] == ["alone"]
RATE, SECONDS = 500, 0.6
FRAMES = int(RATE * SECONDS)
XDP = ["xdp-native"] if nic == "igb" else []  # its driver has native XDP, and resets the card for it
SCHEMA = [os.path.join(ROOT, "tests/apps/schema.py"), os.path.join(ROOT, "docs/schema/compare.schema.json")]

# $NIC0 is the sender's, by the kernel's driver; $NIC1 the kernel's; $NIC2 ours.
NAMES = """
of() { basename -a /sys/bus/pci/devices/$1/net/* /sys/bus/pci/devices/$1/virtio*/net/* | grep -v '[*]'; }
from=$(of $NIC0) near=$(of $NIC1)
"""
ALONE = NAMES + """
ip -br link | sort >"$SHUNT_OUT/before"
"$SHUNT_EXE" compare --nic "$near" --via "packet:$from" --paths packet-recv >"$SHUNT_OUT/said" 2>&1
echo "status $?" >>"$SHUNT_OUT/said"
ip -br link | sort >"$SHUNT_OUT/after"
"""
SCRIPT = NAMES + """
ethtool -L "$near" combined 1 2>/dev/null
ip link set "$near" up
say() { echo "$(cut -d ' ' -f 1 /proc/uptime) s: $*" >&2; }
refused() { # NAME, WORDS...
    local name=$1; shift
    "$SHUNT_EXE" compare "$@" >"$SHUNT_OUT/$name" 2>&1
    echo "status $?" >>"$SHUNT_OUT/$name"
}
refused same --nic "$near" --via "packet:$near"
refused file --nic "$near" --via pcap:/tmp/x.pcap
refused netns --nic "$near" --via "packet:$from?netns=/proc/1/ns/net"
refused key --nic "$near" --via "packet:$from?mode=rong"
refused address --nic "$near" --via "packet:$from" --path pci:0000:00
refused device --nic "$near" --via "packet:$from" --path pci:0000:7f:1f.7
refused bound --nic "$near" --via "packet:$from" --path "pci:$NIC0"
refused both --nic "$near" --via "pci:$NIC2" --path "pci:$NIC2"
ip -br link | sort >"$SHUNT_OUT/before"
say the comparison begins

"$SHUNT_EXE" compare --nic "$near" --via "packet:$from?mode=mmsg" --rate $SHUNT_RATE --seconds $SHUNT_SECONDS --rounds 1 \
    --paths $SHUNT_PATHS --path "pci:$NIC2?queues=1" --json "$SHUNT_OUT/json" \
    --html "$SHUNT_OUT/html" >"$SHUNT_OUT/table" || exit
say it has ended
until [ "$(cat /sys/class/net/$near/carrier)" = 1 ]; do sleep 0.1; done
ip -br link | sort >"$SHUNT_OUT/after"

"$SHUNT_EXE" compare --nic "$near" --via "packet:$from" --paths packet-recv 2>/dev/null & pid=$!
while [ -e /sys/class/net/$near ]; do kill -0 $pid || exit; sleep 0.1; done
kill -9 $pid
for i in $(seq 100); do [ -e /sys/class/net/$near ] && [ -e /sys/class/net/$from ] && break; sleep 0.1; done
ls /sys/class/net >"$SHUNT_OUT/killed"
"""


def passes(path, kind):
    return [r for r in path["rounds"] if r["pass"] == kind]


def check_books(t, path):
    name = path["name"]
    if not t.equal(path["status"], "ok", f"{name} was measured"):
        print(f"# {path['reason']}")
        return
    for r in path["rounds"]:
        t.equal((r["sent"], r["delivered"], r["loss"], r["unaccounted"]), (FRAMES, FRAMES, {}, 0),
                f"{name}, {r['pass']}: {FRAMES} frames sent, all delivered, no loss")
        t.equal(r["card"]["seen"], FRAMES, f"{name}, {r['pass']}: as the card counted: {r['card']['source']}")


def check_counts(t, doc):
    recv, ring, *xdp, ours = doc["paths"]
    t.equal([p["name"] for p in xdp], XDP, "native XDP ran where the driver has it")
    for path, copies in ((recv, 1), (ring, 1), *((p, 1) for p in xdp), (ours, 0)):
        f = path["copies_per_packet"]
        t.equal((f["value"], f["bound"]), (copies, "exact"), f"{path['name']}: exactly {copies} copies per packet")
        f = path["copied_bytes_per_packet"]
        t.equal(f["value"], 60 * copies, f"{path['name']}: and their bytes")
    calls = ours["syscalls_per_packet"]
    made = [r["syscalls"]["value"] for r in passes(ours, "count")]
    t.ok(calls["how"] == "measured" and max(made) <= 8,
         f"{ours['name']}: no system call per packet: {made} to begin and end a pass of {FRAMES}", calls)
    t.ok(recv["syscalls_per_packet"]["value"] >= 0.9, "packet-recv: one", recv["syscalls_per_packet"])
    for path in (recv, ring):
        t.ok(path["cpu_ns_per_packet"]["softirq"]["value"] > 0, f"{path['name']}: softirq is charged to it")
    soft = [p["cpu_ns_per_packet"]["softirq"]["value"] for p in (ours, ring)]
    t.ok(soft[0] < soft[1] / 2, f"{ours['name']}: the cards of others are not", soft)


def check_words(t, doc, out):
    roles = [c["role"] for c in doc["cards"]]
    t.equal(roles, ["kernel", "bypass", "sender"], "three cards took part")
    t.equal(len({(c["vendor"], c["device"]) for c in doc["cards"]}), 1, "of one kind")
    t.ok(any("emulated" in w for w in doc["warnings"]), "that the CPU is emulated is said", doc["warnings"])
    t.ok(all(g["factor"]["how"] == "unavailable" for g in doc["gain"]), "and no gain is stated", doc["gain"])
    html, table = read(out, "html", "table")
    ours = next(c for c in doc["cards"] if c["role"] == "bypass")
    for name, text in (("report", html), ("table", table.replace("\n", " "))):
        t.ok(ours["address"] in text and ours["driver"].split("'")[0] in text, f"the {name} names the card", text[:2000])
    t.ok("veth" not in html.split("<details>")[0], "the report does not speak of veth")
    t.equal([s["reason"] for s in doc["selftest"] if not s["passed"]], [], "every self-test passed")


def check_refused(t, out):
    for name, text in (("same", "can't be measured and send"), ("file", "no card that can send"),
                       ("netns", "leave netns= out"), ("key", "recv|mmsg|ring"), ("address", "PCI address"),
                       ("device", "0000:7f:1f.7"), ("bound", "bind"), ("both", "can't be measured and send")):
        lines = next(read(out, name)).splitlines()
        t.ok(len(lines) == 2 and lines[1] == "status 2" and text in lines[0], f"refused: {name}", "\n".join(lines))


def run_guest(out, cards, wire, script):
    return guest([w for c in cards for w in ("--nic", c)] + ["--wire", wire, "--out", out], ["bash", "-c", script],
                 timeout=220, SHUNT_EXE=shunt, SHUNT_OUT=out, SHUNT_RATE=str(RATE), SHUNT_SECONDS=str(SECONDS),
                 SHUNT_PATHS=",".join(["packet-recv", "packet-ring", *XDP]))


def read(out, *names):
    for name in names:
        with open(f"{out}/{name}", encoding="utf-8") as f:
            yield f.read()


def check_alone(t, out):
    before, after, words = read(out, "before", "after", "said")
    *line, status = words.splitlines()
    t.ok(status == "status 1" and len(line) == 1 and "nothing arrives at" in line[0],
         "a wire that is missing: one line, status 1", words)
    t.equal(after, before, "and the cards are back as they were")


def check_run(t, out):
    check_refused(t, out)
    text, before, after, killed = read(out, "json", "before", "after", "killed")
    doc = json.loads(text)
    for path in doc["paths"]:
        check_books(t, path)
    check_counts(t, doc)
    check_words(t, doc, out)
    t.equal(after, before, "the cards are back as they were")
    t.equal([line.split()[0] for line in before.splitlines() if line.split()[0] not in killed.split()], [],
            "and after kill -9, too")
    checked = run([sys.executable, *SCHEMA, f"{out}/json", "--only-check"])
    t.ok(not checked.returncode, "the document keeps to its schema", checked.stdout)


def main():
    need_bench()
    t = Tap()
    with tempfile.TemporaryDirectory() as out:
        kernel = [f"{nic},kernel"] * 2
        done = run_guest(out, kernel, "none", ALONE) if alone else run_guest(out, kernel + [nic], "hub", SCRIPT)
        t.equal(done.returncode, 0, "the guest exits with 0")
        try:
            (check_alone if alone else check_run)(t, out)
        except (OSError, ValueError, KeyError, IndexError) as why:
            t.ok(False, "what the guest left", repr(why))
        if t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
    t.finish()


main()
