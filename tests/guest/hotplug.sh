#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: signals, links that go down and cards that are taken away, under a process that uses them.
# hotplug.sh SHUNT OUT CARD... PEER: addresses, the last one of a card that the kernel has, on the same
# wire. Asks the host for a monitor command by writing OUT/ask, which vanishes when it was given.
# Speaks TAP.
shunt=$1 out=$2 cards=("${@:3:$#-3}") far=${!#}
log=$(mktemp)
n=0
ok() { # NAME STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1" && tail -20 "$log".* | sed 's/^/# /'; fi
}
monitor() {
	echo "$*" >"$out/asking" && mv "$out/asking" "$out/ask"
	while [ -e "$out/ask" ]; do sleep 0.05; done
}
use() { # VERB SPEC: until it moves frames, or ends
	"$shunt" "$1" "$2" >"$log.out" 2>"$log.err" &
	user=$!
	until readlink /proc/$user/fd/* 2>/dev/null | grep -q vfio-device || ! kill -0 $user 2>/dev/null; do sleep 0.05; done
	if [ "$1" = rx ]; then
		until grep -q packets/s "$log.out" || ! kill -0 $user 2>/dev/null; do sleep 0.05; done
	else
		local before
		before=$(cat "/sys/class/net/$peer/statistics/rx_packets")
		until [ "$(cat "/sys/class/net/$peer/statistics/rx_packets")" -gt $((before + 50)) ] || ! kill -0 $user 2>/dev/null; do sleep 0.05; done
	fi
}
ended() { # WORDS: the user ends by itself, with status 1 and one line that has these words
	for ((i = 0; i < 300; i++)); do kill -0 $user 2>/dev/null && sleep 0.1 || break; done
	[ $i -lt 300 ] || kill -KILL $user
	wait $user
	[ $? = 1 ] && [ "$(wc -l <"$log.err")" = 1 ] && grep -qF "$1" "$log.err"
}
works() { # CARD: receives a hundred frames of the peer
	"$shunt" rx "pci:$1" --packets 100 --seconds 30 >"$log.out" 2>"$log.err" &
	local rx=$!
	until grep -q packets/s "$log.out" || ! kill -0 $rx; do sleep 0.05; done
	"$shunt" gen "packet:$peer" --packets 100 --rate 2000 >"$log.gen" 2>&1
	wait $rx && grep -q '^  delivered  *100$' "$log.out"
}
# Bus master enable, of the command register: the kernel clears it when a process ends, however it ends.
masters() { [ $(($(od -An -tu2 -j4 -N2 "/sys/bus/pci/devices/$1/config") & 4)) != 0 ]; }
signal() { # CARD SIGNAL STATUS
	masters "$1" || return
	kill -"$2" $user
	wait $user
	[ $? = "$3" ] && ! masters "$1" && { [ "$2" = KILL ] || grep -q 'unaccounted  *0$' "$log.out"; }
}

echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6
peer=$(basename -a /sys/bus/pci/devices/"$far"/virtio*/net/*)
ip link set "$peer" up promisc on
waits=(spin poll adaptive)
for at in "${!cards[@]}"; do
	card=${cards[at]} wait=${waits[at % 3]} other=${waits[(at + 1) % 3]}
	for sig in INT TERM KILL; do
		use rx "pci:$card?wait=$wait"
		signal "$card" $sig "$([ $sig = KILL ] && echo 137 || echo 0)" 2>/dev/null
		ok "$card, wait=$wait: SIG$sig: it masters the bus no more" $?
	done
	use rx "pci:$card?wait=$wait"
	monitor "set_link net$at off"
	ended "the link of $card went down"
	ok "$card, wait=$wait: the link goes" $?
	use rx "pci:$card"
	ended 'link'
	ok "$card: no start without a link: $(cat "$log.err")" $?
	monitor "set_link net$at on"
	works "$card"
	ok "$card: works when the link is back" $?
	use gen "pci:$card"
	monitor "set_link net$at off"
	ended "the link of $card went down"
	ok "$card: the link goes from a sender" $?
	monitor "set_link net$at on"

	use rx "pci:$card?wait=$other"
	echo 1 >"/sys/bus/pci/devices/$card/remove" &
	ended "the kernel requests the release of $card"
	ok "$card, wait=$other: is taken away" $?
	wait $!
	[ ! -e "/sys/bus/pci/devices/$card" ]
	ok "$card: and is gone" $?
	"$shunt" rx "pci:$card" >"$log.out" 2>"$log.err"
	[ $? = 2 ] && grep -qF "there is no PCI device $card" "$log.err"
	ok "$card: which is said" $?
	echo 1 >/sys/bus/pci/rescan
	"$shunt" devices bind "$card" >"$log.out" 2>"$log.err" && works "$card"
	ok "$card: works when it is found and bound again" $?
done
use gen "pci:${cards[0]}"
echo 1 >"/sys/bus/pci/devices/${cards[0]}/remove" &
ended "the kernel requests the release of ${cards[0]}"
ok "${cards[0]}: is taken from a sender" $?
echo "1..$n"
