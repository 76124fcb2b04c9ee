#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: AF_XDP on two cards of the kernel's, zero-copy on the first and copies on the second, with
# the kernel's own functions counted by kprobes beside the tracer. zero_copy.sh SHUNT DIR FRAMES CARD...
shunt=$1 dir=$2 frames=$3
shift 3
probes=(__xsk_map_redirect __xsk_rcv __xsk_generic_xmit skb_store_bits)
tracing=/sys/kernel/tracing

# Their counts begin at 0 anew.
plant() {
	[ ! -e $tracing/events/kprobes/enable ] || echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
	for f in "${probes[@]}"; do
		echo "p:$f $f" >>$tracing/kprobe_events || exit
	done
	echo 1 >$tracing/events/kprobes/enable
}

echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
n=0
for mode in zc copy; do
	name=$(basename -a /sys/bus/pci/devices/"$1"/net/* /sys/bus/pci/devices/"$1"/virtio*/net/* | grep -v '[*]')
	shift
	# With several receive queues, QEMU's igb takes a frame if any of them has room, and then drops it.
	ethtool -L "$name" combined 1
	ethtool -K "$name" rxvlan off >/dev/null
	ip link set "$name" up
	until [ "$(cat "/sys/class/net/$name/carrier")" = 1 ]; do sleep 0.05; done
	plant
	# The peer sends without a pause; what does not fit into RX is lost.
	bash tests/guest/transfer.sh "$shunt" "xdp:$name?mode=$mode&attach=native&depth=8192" "$dir/nic$n" "$frames" --trace >"$dir/said" ||
		{ cat "$dir/said" && exit 1; }
	awk '{ print "hits", $1, $2, "missed", $3 }' $tracing/kprobe_profile | cat "$dir/said" - | sed "s/^/$mode /"
	n=$((n + 1))
done
