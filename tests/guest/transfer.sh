#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: send the frames that the peer wrote, and receive as many from it, over one device.
# transfer.sh SHUNT SPEC BASE FRAMES [RX-OPTION...]. BASE: tests/guest/peer.c.
shunt=$1 spec=$2 base=$3 frames=$4
log=$(mktemp)
shift 4

"$shunt" gen "$spec" --pcap "$base.tx.pcap" >"$log" 2>&1 || { cat "$log" && exit 1; }
grep -E '^(sent|refused|note|xdp:)' "$log"

: >"$log"
"$shunt" rx "$spec" --packets "$frames" --seconds 40 --pcap "$log.pcap" "$@" >"$log" 2>&1 &
# It says something once a second as soon as it receives.
until [ -s "$log" ] || ! kill -0 $! 2>/dev/null; do sleep 0.05; done
touch "$base.go"
wait $! || { cat "$log" && exit 1; }
grep -v packets/s "$log" | head -30
cp "$log.pcap" "$base.rx.pcap"
