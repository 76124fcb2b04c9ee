# SPDX-License-Identifier: BSD-2-Clause
"""virtio-net through VFIO: split and packed rings, spinning and sleeping, both ways against the host's
peer, every frame compared. No DMA fault may show in the guest's log. virtio.py SHUNT PEER"""
import os
import sys

from guest import move, need_bench
from tap import Tap

FRAMES = 10000
CARDS = (("split", "virtio", "wait=spin"), ("packed", "virtio,packed", "wait=spin"),
         ("split-in-order", "virtio,inorder", "wait=poll"), ("packed-in-order", "virtio,packed,inorder", "wait=adaptive"))

shunt, program = map(os.path.abspath, sys.argv[1:3])
t = Tap()


def main():
    need_bench()
    move(t, shunt, program, [("virtio", *card) for card in CARDS], FRAMES)
    t.finish()


main()
