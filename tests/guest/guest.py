# SPDX-License-Identifier: BSD-2-Clause
"""What tests of suite guest share: the bench, or the reason why it can't be had."""
import os
import random
import subprocess
import tempfile

from tap import skip_all

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BENCH = os.path.join(ROOT, "scripts/guest")
BOOT_S = 60  # more than any boot took, on a machine that does other things beside
SEED = int(os.environ.get("SHUNT_SEED", "0")) or random.randrange(1, 1 << 30)


def need_bench(kernel="backports"):
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME") or "/var/cache", "shunt-guest")
    done = subprocess.run([os.path.join(ROOT, "scripts/guest.d/fetch"), cache, kernel],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        skip_all("no guest: " + (done.stderr.strip().splitlines() or ["scripts/guest.d/fetch fails"])[-1])


def words(options, command, timeout=BOOT_S + 30):
    return [BENCH, "--timeout", str(timeout), *options, "--", *command]


def guest(options, command, timeout=BOOT_S + 30, **env):
    """Run to its end: exit status, stdout and stderr of the bench. `timeout` ends it in any case."""
    return subprocess.run(words(options, command, timeout), capture_output=True, text=True, errors="replace",
                          check=False, stdin=subprocess.DEVNULL, env={**os.environ, **env},
                          timeout=timeout + 300)


def said(done):
    return f"exit status {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"


class Peer:
    """tests/guest/peer.c beside a guest: it is ready when this returns."""

    def __init__(self, program, nic, ring, base, frames, seed=SEED):
        self.name = f"{nic} {ring}"
        self.frames = frames
        self.process = subprocess.Popen([program, nic, ring, base, str(frames), str(seed), "tx", "rx"],
                                        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.process.stdout.readline()

    def finish(self, t):
        """Its verdict, in its own words, one check per direction."""
        self.process.terminate()
        text = self.process.communicate(timeout=60)[0]
        for direction in ("tx", "rx"):
            line = next((x for x in text.splitlines() if f" dir={direction} " in x), "")
            n = self.frames
            t.ok(f"sent={n} received={n} compared={n} mismatched=0 duplicates=0 disordered=0" in line,
                 line or f"{self.name} {direction}: the peer printed nothing", text)
        t.equal(self.process.returncode, 0, f"{self.name}: the peer saw no difference")


# Card N of the guest, with the N-th of SHUNT_KEYS, against the peer at nicN of SHUNT_OUT.
MOVE = """
n=0
for keys in $SHUNT_KEYS; do
    bdf=NIC$n
    bash tests/guest/transfer.sh "$SHUNT_EXE" "pci:${!bdf}?$keys" "$SHUNT_OUT/nic$n" "$SHUNT_FRAMES" || exit
    n=$((n + 1))
done
"""


def move(t, shunt, program, cards, frames, script=MOVE, options=(), timeout=BOOT_S + 30):
    """Frames both ways over each card, compared by a peer of its own on the host. `cards`: nic and ring as
    the peer prints them, what --nic takes, and keys for the script."""
    with tempfile.TemporaryDirectory() as out:
        peers = [Peer(program, nic, ring, f"{out}/nic{n}", frames) for n, (nic, ring, _, _) in enumerate(cards)]
        nics = [word for _, _, card, _ in cards for word in ("--nic", card)]
        done = guest([*nics, *options, "--wire", "host", "--out", out], ["bash", "-c", script], timeout=timeout,
                     SHUNT_EXE=shunt, SHUNT_OUT=out, SHUNT_FRAMES=str(frames),
                     SHUNT_KEYS=" ".join(keys for _, _, _, keys in cards))
        t.equal(done.returncode, 0, "the guest exits with 0")
        for peer in peers:
            peer.finish(t)
        if done.returncode or t.failed:
            print("\n".join("# " + line for line in said(done).splitlines()))
