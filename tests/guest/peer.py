# SPDX-License-Identifier: BSD-2-Clause
"""The peer can say no: frames that are missing, twice, out of order, changed, or not its own are told
apart. No guest in it: this is the other end of the socket. peer.py PEER"""
import os
import socket
import struct
import subprocess
import sys
import tempfile

from tap import Tap

program = os.path.abspath(sys.argv[1])
t = Tap()
FRAMES = 100


def frames_of(path):
    with open(path, "rb") as f:
        data = f.read()
    at, found = 24, []
    while at < len(data):
        length = struct.unpack_from("<I", data, at + 8)[0]
        found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


def trial(name, change, want, good=False):
    """The peer's count of what comes out of a guest that sends change(frames)."""
    with tempfile.TemporaryDirectory() as out:
        peer = subprocess.Popen([program, "none", "none", f"{out}/nic0", str(FRAMES), "5", "tx"],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        peer.stdout.readline()
        frames = frames_of(f"{out}/nic0.tx.pcap")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as wire:
            for frame in change(frames):
                wire.sendto(frame, f"{out}/nic0.host")
        peer.terminate()
        line = peer.communicate(timeout=20)[0]
    t.ok(f"sent={FRAMES} {want} " in line and (peer.returncode == 0) == good, name, line)


def changed(frames, at, byte):
    one = bytearray(frames[at])
    one[byte] ^= 1
    return frames[:at] + [bytes(one)] + frames[at + 1:]


trial("all as they were", lambda f: f, "received=100 compared=100 mismatched=0 duplicates=0 disordered=0 strays=0", True)
trial("one is missing", lambda f: f[1:], "received=99 compared=99 mismatched=0 duplicates=0 disordered=0 strays=0")
trial("one comes twice", lambda f: f + f[:1], "received=100 compared=100 mismatched=0 duplicates=1 disordered=0 strays=0")
trial("one comes late", lambda f: f[1:] + f[:1], "received=100 compared=100 mismatched=0 duplicates=0 disordered=1 strays=0")
for byte, what in ((0, "first"), (-1, "last")):
    trial(f"the {what} byte of one is changed", lambda f, b=byte: changed(f, 17, b),
          "received=100 compared=100 mismatched=1 duplicates=0 disordered=0 strays=0")
trial("one is cut", lambda f: f[:9] + [f[9][:-1]] + f[10:], "received=100 compared=100 mismatched=1 duplicates=0 disordered=0 strays=0")
trial("somebody else's", lambda f: f + [b"\xff" * 60], "received=100 compared=100 mismatched=0 duplicates=0 disordered=0 strays=1", True)
t.finish()
