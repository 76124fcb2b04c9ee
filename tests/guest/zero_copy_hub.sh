#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: two cards of the kernel's on one wire, each receives by AF_XDP what the other sends. First
# 100 frames for the card and 100 for somebody else, without and with promiscuous mode; then busy-polling.
# zero_copy_hub.sh SHUNT DIR CARD CARD: leaves reports in DIR, DIR/N.pcap has card N's frames.
shunt=$1 dir=$2
shift 2
echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
cards=()
for bdf in "$@"; do
	name=$(basename -a /sys/bus/pci/devices/"$bdf"/net/* /sys/bus/pci/devices/"$bdf"/virtio*/net/* | grep -v '[*]')
	# With several receive queues, QEMU's igb takes a frame if any of them has room, and then drops it.
	ethtool -L "$name" combined 1
	ip link set "$name" up
	until [ "$(cat "/sys/class/net/$name/carrier")" = 1 ]; do sleep 0.05; done
	cards+=("$name")
done
promiscuity() { ip -d link show "$1" | grep -o 'promiscuity [0-9]*'; }
receive() { # CARD KEYS REPORT: comes back when frames are taken
	"$shunt" rx "xdp:$1?mode=zc&$2" --json --pcap "$dir/$3.pcap" >"$dir/$3.json" &
	rx=$!
	until ip -d link show "$1" | grep -q prog/xdp || ! kill -0 $rx; do sleep 0.05; done
	until [ "$(cat "/sys/class/net/$1/carrier")" = 1 ]; do sleep 0.05; done
	sleep 1
}

for n in 0 1; do
	card=${cards[n]} other=${cards[1 - n]}
	for promisc in off on; do
		receive "$card" "busy=64&promisc=$promisc" "$n-$promisc"
		echo "$n $promisc open $(promiscuity "$card")"
		"$shunt" gen "packet:$other" --pcap "$dir/$n.pcap" >/dev/null || exit
		sleep 1
		kill -INT $rx && wait $rx || exit
		echo "$n $promisc closed $(promiscuity "$card")"
	done
	receive "$card" promisc=on "$n-killed"
	kill -KILL $rx
	wait $rx 2>/dev/null
	echo "$n on killed $(promiscuity "$card")"
done

# Somebody else's program is as good for sending as ours.
"$shunt" rx "xdp:${cards[0]}?action=drop" >/dev/null 2>&1 &
rx=$!
until ip -d link show "${cards[0]}" | grep -q prog/xdp || ! kill -0 $rx; do sleep 0.05; done
until [ "$(cat "/sys/class/net/${cards[0]}/carrier")" = 1 ]; do sleep 0.05; done
"$shunt" gen "xdp:${cards[0]}?mode=zc" --packets 100 2>&1 | sed -nE 's/^(note.*|sent 100) ?(frames.*)?$/foreign \1/p'
kill -INT $rx && wait $rx || exit

settings() { cat "/sys/class/net/$1/napi_defer_hard_irqs" "/sys/class/net/$1/gro_flush_timeout" | xargs; }
set_napi() { # CARD DEFER TIMEOUT
	echo "$2" >"/sys/class/net/$1/napi_defer_hard_irqs"
	echo "$3" >"/sys/class/net/$1/gro_flush_timeout"
}
polls() { # N KEYS NAME: counted from when it says something, once a second
	local log=$dir/$1-$3.log
	"$shunt" rx "xdp:${cards[$1]}?mode=zc&$2" --trace --packets 300 >"$log" 2>&1 &
	rx=$!
	until [ -s "$log" ] || ! kill -0 $rx; do sleep 0.05; done
	"$shunt" gen "packet:${cards[1 - $1]}" --rate 200 >/dev/null 2>&1 &
	wait $rx || { cat "$log" && exit 1; }
	kill -INT $! 2>/dev/null
	wait $! # it may have met a full ring of the card that left
	sed "s/^/$1 $3 /" "$log" | grep -E 'napi_polls|note|delivered'
}
polls 0 wait=spin spin
for n in 0 1; do
	before=$(settings "${cards[n]}")
	set_napi "${cards[n]}" 2 200000
	polls $n busy=64 busy
	echo "$n kept $(settings "${cards[n]}")"
	# shellcheck disable=SC2086 # two words
	set_napi "${cards[n]}" $before
	echo "$n restored $([ "$(settings "${cards[n]}")" = "$before" ] && echo yes)"
done
