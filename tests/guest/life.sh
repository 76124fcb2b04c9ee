#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: a card's life with pci:. life.sh SHUNT MINE PEER KERNEL ROUNDS: addresses of two cards on
# one wire, both with vfio-pci, and of one that a kernel driver has. Speaks TAP.
shunt=$1 mine=$2 peer=$3 kernel=$4 rounds=$5
log=$(mktemp)
n=0
ok() { # NAME STATUS
	n=$((n + 1))
	if [ "$2" = 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1" && sed 's/^/# /' "$log"; fi
}
refuses() { # NAME STATUS WORDS COMMAND...
	local name=$1 status=$2 words=$3
	shift 3
	"$@" >"$log" 2>&1
	[ $? = "$status" ] && [ "$(wc -l <"$log")" = 1 ] && grep -qF "$words" "$log"
	ok "refuses $name" $?
}
driver() { basename "$(readlink "/sys/bus/pci/devices/$1/driver")"; }
name() { basename -a /sys/bus/pci/devices/"$1"/net/* /sys/bus/pci/devices/"$1"/virtio*/net/* | grep -v '[*]'; }
hold() { # receives from our card until it is killed
	"$shunt" rx "pci:$mine" >"$log.held" 2>&1 &
	holder=$!
	until grep -q packets/s "$log.held" || ! kill -0 $holder; do sleep 0.05; done
}
across() { # FRAMES KEYS-OF-THE-RECEIVER GEN-OPTIONS...: how many came
	local frames=$1 keys=$2
	shift 2
	: >"$log"
	"$shunt" rx "pci:$peer$keys" --seconds 3 >"$log" 2>&1 &
	local rx=$!
	until grep -q packets/s "$log" || ! kill -0 $rx; do sleep 0.05; done
	"$shunt" gen "pci:$mine" --packets "$frames" --rate 5000 "$@" >/dev/null || return
	wait $rx
	awk '$1 == "delivered" { print $2 }' "$log"
}

"$shunt" devices >"$log"
[ "$(grep -cE "^($mine|$peer) .*vfio-pci .* [0-9]+ +ready$" "$log")" = 2 ] && grep -q "^$kernel .*the kernel's$" "$log"
ok 'devices lists address, driver, group and state' $?
refuses 'a card that the kernel drives' 2 "the kernel's driver $(driver "$kernel") has $kernel" "$shunt" rx "pci:$kernel"
refuses 'too many queues' 2 "queues=64: $mine has" "$shunt" rx "pci:$mine?queues=64"
refuses 'fd=' 2 'needs its container' "$shunt" rx "pci:$mine?fd=0"

hold
refuses 'a second process' 1 'is in use: another process' "$shunt" rx "pci:$mine"
"$shunt" devices unbind "$mine" >"$log" 2>&1
[ $? = 1 ] && grep -q 'is in use' "$log" && [ "$(driver "$mine")" = vfio-pci ]
ok 'refuses to unbind what is in use' $?
kill -KILL $holder
wait $holder 2>/dev/null
[ "$(across 100 '')" = 100 ]
ok 'works again after kill -9' $?

for size in 60 61 127 1024 1513 1514; do
	[ "$(across 200 '' --size $size)" = 200 ]
	ok "frames of $size bytes" $?
done
[ "$(across 200 '?promisc=off')" = 0 ]
ok 'promisc=off: none of another host' $?
[ "$(across 200 '?promisc=on')" = 200 ]
ok 'promisc=on: all of another host' $?

for ((i = 0; i < rounds; i++)); do
	"$shunt" gen "pci:$mine" --packets 1 >"$log" 2>&1 || break
done
[ "$i" = "$rounds" ]
ok "$rounds times opened and closed" $?

for card in "$mine" "$peer"; do
	"$shunt" devices unbind "$card" >"$log" 2>&1 && [ "$(driver "$card")" != vfio-pci ]
	ok "unbind gives $card back" $?
done
refuses 'to unbind twice' 2 "$mine is not bound to vfio-pci" "$shunt" devices unbind "$mine"
ip netns add far
ip link set "$(name "$peer")" netns far
ip -n far addr add 10.9.9.2/24 dev "$(ip -n far -br link | awk '!/^lo/ { sub("@.*", "", $1); print $1 }')"
ip -n far link set "$(ip -n far -br link | awk '!/^lo/ { sub("@.*", "", $1); print $1 }')" up
ip addr add 10.9.9.1/24 dev "$(name "$mine")"
ip link set "$(name "$mine")" up
# shellcheck disable=SC2086 # words
for ((i = 0; i < 20; i++)); do $SHUNT_PING -c 1 -W 1 10.9.9.2 >"$log" 2>&1 && break; done
[ "$i" != 20 ]
ok "the kernel's driver pings through it" $?
ip route add default via 10.9.9.2
refuses 'to bind a card with the default route' 2 'which has the default route' "$shunt" devices bind "$mine"
ip route del default
ip netns del far
for ((i = 0; i < 40; i++)); do [ -n "$(name "$peer")" ] && break || sleep 0.1; done
"$shunt" devices bind "$mine" "$peer" >"$log" 2>&1 && [ "$(driver "$mine")" = vfio-pci ]
ok 'bind takes them again' $?
[ "$(across 100 '')" = 100 ]
ok 'and they work' $?
echo "1..$n"
