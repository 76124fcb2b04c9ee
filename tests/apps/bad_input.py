# SPDX-License-Identifier: BSD-2-Clause
"""Bad input: one clear line on stderr, nothing on stdout, exit 2; what fails at run time, exit 1."""
import os
import sys
import tempfile

from tap import Tap, in_lab, need_loopback, need_root, run

shunt = sys.argv[1]

USAGE = [  # words, and what the message must contain
    (["rx"], "spec"), (["rx", "eth0"], "scheme"), (["rx", "foo:near0"], "foo"),
    (["rx", "packet:lo?mod=ring"], "mode"), (["rx", "packet:lo?mode=rong"], "recv|mmsg|ring"),
    (["rx", "packet:nosuch0"], "nosuch0"), (["rx", "packet:lo?depth=1"], "depth"),
    (["rx", "packet:lo", "--packets", "0"], "--packets"), (["rx", "packet:lo", "--seconds", "x"], "--seconds"),
    (["rx", "packet:lo", "--what"], "--what"), (["rx", "packet:lo", "more"], "spec"),
    (["rx", "xdpgen:lo"], "receive"), (["rx", "xdp:lo?queues=9-1"], "queues"),
    (["rx", "xdp:lo?mode=fast"], "auto|copy|zc"), (["rx", "packet:lo?netns=/nosuch"], "/nosuch"),
    (["rx", "pcap:/nosuch"], "/nosuch"),
    (["gen", "xdpgen:nosuch0"], "nosuch0"), (["gen", "xdpgen:lo", "--size", "59"], "59"),
    (["gen", "xdpgen:lo", "--size", "1515"], "1515"), (["gen", "xdpgen:lo", "--rate", "fast"], "fast"),
    (["gen"], "spec"),
    (["fwd"], "two device specs"), (["fwd", "null:"], "two device specs"),
    (["fwd", "null:", "null:", "null:"], "two device specs"), (["fwd", "null:", "foo:x"], "foo"),
    (["fwd", "null:", "null:", "--burst", "0"], "--burst"), (["fwd", "null:", "null:", "--burst", "257"], "--burst"),
    (["fwd", "null:", "null:", "--packets", "none"], "--packets"),
    (["fwd", "null:", "null:", "--seconds", "-1"], "--seconds"), (["fwd", "null:", "null:", "--both"], "--both"),
    (["fwd", "null:", "null:", "--burst"], "--burst"), (["fwd", "packet:nosuch0", "null:"], "nosuch0"),
    (["fwd", "packet:lo", "packet:lo?mode=ring"], "lo"), (["fwd", "null:", "xdpgen:lo"], "xdpgen"),
    (["fwd", "xdpgen:lo", "null:", "--one-way"], "receive"), (["fwd", "null:", "pcap:/tmp/x.pcap"], "not both"),
    (["fwd", "packet:lo?wait=poll", "null:"], "--one-way"),
    (["compare", "--size", "59"], "59"), (["compare", "--size", "big"], "big"),
    (["compare", "--rate", "0"], "0"), (["compare", "--rate", "x2"], "--traffic"),
    (["compare", "--paths", "packet-recv,foo"], "foo"), (["compare", "--paths", ""], "path"),
    (["compare", "--path", "bar:near0", "--paths", "xdp-drop"], "bar"),
    (["compare", "--generator", "pktgen"], "pktgen"), (["compare", "--traffic", "/nosuch"], "/nosuch"),
    (["compare", "--iface", "nosuch0"], "nosuch0"), (["compare", "--rounds", "0"], "--rounds"),
    *((["compare", "--depth", n], f"--depth takes 64 to 1048576 frames, not '{n}'") for n in ("0", "63", "many", "1048577", "-1")),
    (["compare", "--depth"], "--depth"),
    (["compare", "--take-traffic"], "--iface"), (["compare", "--iface", "lo", "--paths", "xdp-native"],
                                                "--take-traffic"),
    (["compare", "--path", "pci:0000:00:04.0"], "--nic"), (["compare", "--nic", "lo"], "--via"),
    (["compare", "--via", "packet:lo"], "--nic"),
    (["compare", "--nic", "lo", "--via", "packet:lo", "--iface", "lo"], "--iface"),
    (["compare", "--nic", "lo", "--via", "packet:lo", "--gro"], "--gro"),
    (["compare", "--nic", "nosuch0", "--via", "packet:lo"], "nosuch0"),
    (["compare", "--json"], "--json"), (["compare", "extra"], "extra"),
    (["lab", "--queues", "0"], "--queues"), (["lab", "--", "/no/such/command"], "/no/such/command"),
    (["lab-exec", "--", "true"], "lab"), (["nosuchverb"], "nosuchverb"),
]


def refused(t, done, status, text, name):
    """One line that has the text; `goes on` lines would be more than one."""
    good = done.returncode == status and not done.stdout and done.stderr.count("\n") == 1 and \
        text in done.stderr
    t.ok(good, name, f"status {done.returncode}, want {status} and '{text}': {done.stdout}{done.stderr}")


def captures(t):
    header = bytes.fromhex("d4c3b2a1020004000000000000000000ffff0000")
    files = {
        "empty.pcap": (b"", "empty.pcap"),
        "garbage.pcap": (b"this is no capture file at all, is it", "garbage.pcap"),
        "header-only.pcap": (header + b"\1\0\0\0", "header-only.pcap"),
        "truncated.pcap": (header + b"\1\0\0\0" + bytes(8) + b"\x3c\0\0\0\x3c\0\0\0" + bytes(20), "truncated.pcap"),
        "cooked.pcap": (header + b"\x71\0\0\0" + bytes(8) + b"\x10\0\0\0\x10\0\0\0" + bytes(16), "LINUX_SLL"),
        "jumbo.pcap": (header + b"\1\0\0\0" + bytes(8) + b"\x28\x23\0\0\x28\x23\0\0" + bytes(9000), "jumbo.pcap"),
    }
    with tempfile.TemporaryDirectory() as tmp:
        for name, (content, text) in files.items():
            path = os.path.join(tmp, name)
            with open(path, "wb") as f:
                f.write(content)
            refused(t, run([shunt, "compare", "--traffic", path]), 2, text, f"compare --traffic {name}")


def faults(t):
    def lab(name, status, text, script):
        done = in_lab(shunt, script)
        refused(t, done, status, text, name)

    lab("an interface that is down", 1, "ip link set near0 up",
        'ip link set near0 down; exec "$SHUNT" rx packet:near0')
    def refuse_nic(name, text, script):
        lab(f"compare --nic {name}", 2, text,
            script + 'exec "$SHUNT" compare --nic near0 --via packet:lo')

    refuse_nic("of a veth pair: it would not come back", "'near0' is no PCI card", "")
    refuse_nic("with an address", "'near0' has an address", "ip addr add 198.51.100.1/24 dev near0; ")
    refuse_nic("with the default route", "'near0' has the default route",
               "ip addr add 198.51.100.1/24 dev near0; ip route add default via 198.51.100.2; ")
    lab("forwarding to an interface that is down", 1, "ip link set near0 up",
        'ip link set near0 down; exec "$SHUNT" fwd null: packet:near0 --one-way')
    lab("zero-copy where there is none", 2, "zero-copy", 'exec "$SHUNT" rx "xdp:near0?mode=zc"')
    lab("a foreign XDP program is named", 1, "stranger", """
        cat >/tmp/stranger.$$.c <<'X'
        __attribute__((section("xdp"), used)) int stranger(void *ctx) { return 2; }
        char license_[] __attribute__((section("license"), used)) = "GPL";
X
        clang -O2 -target bpf -c /tmp/stranger.$$.c -o /tmp/stranger.$$.o
        ip link set near0 xdp obj /tmp/stranger.$$.o sec xdp >/dev/null 2>&1 || exit 99
        rm /tmp/stranger.$$.*
        exec "$SHUNT" rx xdp:near0""")
    lab("the interface of the default route is refused", 2, "default route", """
        ip addr add 192.0.2.1/24 dev near0; ip route add default dev near0
        exec "$SHUNT" compare --iface near0 --take-traffic""")
    for spec in ("packet:near0?wait=poll", "packet:near0?mode=ring&wait=poll", "packet:near0?mode=mmsg",
                 "xdp:near0", "xdp:near0?wait=poll"):
        for what, script in (("down", "ip link set near0 down"), ("deleted", "ip link del near0")):
            done = in_lab(shunt, f'"$SHUNT" rx "{spec}" --json >/dev/null & rx=$!; ready; {script}; wait $rx')
            refused(t, done, 1, "near0", f"{spec}: the interface is {what} under way")
        done = in_lab(shunt, f"""
            "$SHUNT" rx "{spec}" --packets 10 --seconds 10 --json & rx=$!; ready
            ip link property add dev near0 altname near-other 2>/dev/null
            ip link set near0 name other0 || exit 77
            far "$SHUNT" gen xdpgen:far0 --packets 10 >/dev/null; wait $rx""")
        if done.returncode == 77:
            t.skip(f"{spec}: renamed under way", "the kernel renames no interface that is up")
        else:
            t.ok(done.returncode == 0 and '"packets": 10' in done.stdout,
                 f"{spec}: renamed under way, goes on", done.stdout[-500:] + done.stderr)


# A chroot with what a program needs; $1 prepares the directory.
CHROOT = """
root=$(mktemp -d)
mount -t tmpfs none "$root"
mkdir -p "$root/new"; cd "$root/new"
eval "$1"; cd "$root/new"
mkdir -p usr etc proc sys tmp ".$DIR"
for d in bin lib lib64; do ln -s "usr/$d" "$d"; done
mount --bind /usr usr; mount --bind /etc etc; mount --bind "$DIR" ".$DIR"; mount -t proc proc proc
chroot . "$SHUNT" lab -- cat /sys/class/net/near0/carrier
status=$?
cd /; umount -R "$root"; rmdir "$root"
exit $status"""


def in_chroot(t):
    """In a root that is no mount point the lab cannot make its mounts private."""
    path = os.path.abspath(shunt)
    env = dict(os.environ, SHUNT=path, DIR=os.path.dirname(path))
    refused(t, run(["unshare", "-m", "sh", "-c", CHROOT, "-", ":"], env=env), 1, "mount --rbind",
            "lab in a chroot that is no mount point")
    done = run(["unshare", "-m", "sh", "-c", CHROOT, "-", "mount --rbind . ."], env=env)
    t.equal((done.returncode, done.stdout, done.stderr), (0, "1\n", ""), "and in one that is")


def as_nobody(t):
    done = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", shunt, "rx", "packet:lo"])
    refused(t, done, 1, "CAP_NET_RAW", "rx without permission")
    done = run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", shunt, "compare"])
    refused(t, done, 1, "root", "compare without permission")


def main():
    need_root()
    need_loopback()
    t = Tap()
    for words, text in USAGE:
        refused(t, run([shunt, *words]), 2, text, "shunt " + " ".join(words))
    captures(t)
    faults(t)
    in_chroot(t)
    as_nobody(t)
    t.finish()


main()
