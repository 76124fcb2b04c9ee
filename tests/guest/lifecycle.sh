#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In the guest: a card's life with pci:. lifecycle.sh SHUNT MINE PEER KERNEL ROUNDS [phys]: addresses of two cards
# on one wire, both with vfio-pci, or without an IOMMU and with uio_pci_generic, and of one that a kernel
# driver has. Speaks TAP.
shunt=$1 mine=$2 peer=$3 kernel=$4 rounds=$5 phys=${6-}
ours=${phys:+uio_pci_generic}
ours=${ours:-vfio-pci}
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
keys() { # KEY=VALUE...: what follows the address
	local all=${phys:+dma=phys} key
	for key; do [ -z "$key" ] || all+=${all:+&}$key; done
	echo "${all:+?}$all"
}
driver() { basename "$(readlink "/sys/bus/pci/devices/$1/driver")"; }
name() { basename -a /sys/bus/pci/devices/"$1"/net/* /sys/bus/pci/devices/"$1"/virtio*/net/* | grep -v '[*]'; }
hold() { # receives from our card until it is killed
	"$shunt" rx "pci:$mine$(keys)" >"$log.held" 2>&1 &
	holder=$!
	until grep -q packets/s "$log.held" || ! kill -0 $holder; do sleep 0.05; done
}

# dma=phys. What the kernel does for a killed process: bus mastering off (bit 2 of the command register),
# and only then the memory, in the order of its function trace.
after_kill() {
	[ $((0x$(od -An -tx1 -j4 -N1 "/sys/bus/pci/devices/$mine/config" | tr -d ' ') & 4)) = 0 ]
	ok 'kill -9: bus mastering is off' $?
	grep -oE 'pci_clear_master|hugetlbfs_evict_inode' /sys/kernel/tracing/trace >"$log"
	[ "$(head -1 "$log")" = pci_clear_master ] && grep -q hugetlbfs_evict_inode "$log"
	ok 'kill -9: before its memory is freed' $?
	echo nop >/sys/kernel/tracing/current_tracer
}
trace() {
	echo pci_clear_master hugetlbfs_evict_inode >/sys/kernel/tracing/set_ftrace_filter
	echo function >/sys/kernel/tracing/current_tracer
	echo >/sys/kernel/tracing/trace
}
without_iommu() {
	refuses 'uio_pci_generic without the key' 2 "$mine is bound to uio_pci_generic" "$shunt" rx "pci:$mine"
	refuses 'several queues that sleep' 2 'one interrupt' "$shunt" rx "pci:$mine$(keys queues=2 wait=poll)"
	refuses 'no CAP_SYS_ADMIN' 1 'hides most of config space' \
		setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$shunt" rx "pci:$mine$(keys)"
	echo 0 >/proc/sys/vm/nr_hugepages
	refuses 'no huge pages' 1 'no huge pages' "$shunt" rx "pci:$mine$(keys)"
	echo 64 >/proc/sys/vm/nr_hugepages
	refuses 'an unknown driver' 2 "uio_pci_generic, not 'igc'" "$shunt" devices bind --driver igc "$mine"
	"$shunt" devices bind "$mine" >"$log" 2>&1 # vfio-pci wants an IOMMU
	[ $? = 1 ] && grep -q 'cannot bind it to vfio-pci' "$log" && [ "$(driver "$mine")" != "$ours" ]
	ok 'vfio-pci without an IOMMU: back to the kernel' $?
	"$shunt" devices bind --driver "$ours" "$mine" >"$log" 2>&1
}
beside_iommu() {
	refuses 'dma=phys with vfio-pci' 2 'bound to vfio-pci' "$shunt" rx "pci:$mine?dma=phys"
	refuses 'dma=phys with a kernel driver' 2 'bind --driver uio_pci_generic' "$shunt" rx "pci:$kernel?dma=phys"
	"$shunt" devices bind --driver uio_pci_generic "$mine" >"$log" 2>&1
	refuses 'dma=phys behind an IOMMU' 2 'the IOMMU would stop' "$shunt" rx "pci:$mine?dma=phys"
	"$shunt" devices | grep -qE "^$mine .*behind an IOMMU: use vfio-pci$"
	ok 'and devices says so' $?
}
across() { # FRAMES KEYS-OF-THE-RECEIVER GEN-OPTIONS...: how many came
	local frames=$1 keys=$2
	shift 2
	: >"$log"
	"$shunt" rx "pci:$peer$(keys "$keys")" --seconds 60 >"$log" 2>&1 &
	local rx=$!
	until grep -q packets/s "$log" || ! kill -0 $rx; do sleep 0.05; done
	"$shunt" gen "pci:$mine$(keys)" --packets "$frames" --rate 5000 "$@" >"$log.gen" 2>&1 || return
	sleep 1
	kill -TERM $rx
	wait $rx
	awk '$1 == "delivered" { print $2 }' "$log"
}

"$shunt" devices >"$log"
state='[0-9]+ +ready'
[ -z "$phys" ] || state='none +ready, by dma=phys'
[ "$(grep -cE "^($mine|$peer) .*$ours +.*$state$" "$log")" = 2 ] && grep -q "^$kernel .*the kernel's$" "$log"
ok 'devices lists address, driver, group and state' $?
refuses 'a card that the kernel drives' 2 "the kernel's driver $(driver "$kernel") has $kernel" "$shunt" rx "pci:$kernel$(keys)"
refuses 'too many queues' 2 "queues=64: $mine has" "$shunt" rx "pci:$mine$(keys queues=64)"
refuses 'fd=' 2 'cannot use fd=0' "$shunt" rx "pci:$mine$(keys fd=0)"

[ -z "$phys" ] || trace
hold
refuses 'a second process' 1 'is in use: another process' "$shunt" rx "pci:$mine$(keys)"
"$shunt" devices unbind "$mine" >"$log" 2>&1
[ $? = 1 ] && grep -q 'is in use' "$log" && [ "$(driver "$mine")" = "$ours" ]
ok 'refuses to unbind what is in use' $?
kill -KILL $holder
wait $holder 2>/dev/null
[ -z "$phys" ] || after_kill
[ "$(across 100 '')" = 100 ]
ok 'works again after kill -9' $?

for size in 60 61 127 1024 1513 1514; do
	[ "$(across 200 '' --size $size)" = 200 ]
	ok "frames of $size bytes" $?
done
[ "$(across 200 promisc=off)" = 0 ]
ok 'promisc=off: none of another host' $?
[ "$(across 200 promisc=on)" = 200 ]
ok 'promisc=on: all of another host' $?

for ((i = 0; i < rounds; i++)); do
	"$shunt" gen "pci:$mine$(keys)" --packets 1 >"$log" 2>&1 || break
done
[ "$i" = "$rounds" ]
ok "$rounds times opened and closed" $?

for card in "$mine" "$peer"; do
	"$shunt" devices unbind "$card" >"$log" 2>&1 && [ "$(driver "$card")" != "$ours" ]
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
"$shunt" devices bind --driver "$ours" "$mine" "$peer" >"$log" 2>&1 && [ "$(driver "$mine")" = "$ours" ]
ok 'bind takes them again' $?
[ "$(across 100 '')" = 100 ]
ok 'and they work' $?
if [ -n "$phys" ]; then without_iommu; else beside_iommu; fi
echo "1..$n"
