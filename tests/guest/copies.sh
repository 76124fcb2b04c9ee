#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# In a guest with two igb on one wire, the first with its kernel driver: copies and calls per packet on three
# receive paths, as `shunt rx --trace` counts them. One JSON document per path on stdout. copies.sh SHUNT PACKETS
shunt=$1 packets=$2
eth=$(ls "/sys/bus/pci/devices/$NIC0/net")
ip link set "$eth" up

receive() { # SPEC, while the other end sends
	"$shunt" rx "$1" --packets "$packets" --seconds 60 --trace --json
}
sending() { # SPEC COMMAND...
	"$shunt" gen "$1" --rate 2000 --seconds 120 --json >/dev/null & local gen=$!
	shift
	"$@"
	kill -INT $gen && wait $gen
}
kernel() {
	receive "packet:$eth?mode=recv&wait=poll&depth=256"
	receive "xdp:$eth?mode=zc&wait=spin&depth=256"
}
"$shunt" doctor | grep tracing: >&2
sending "pci:$NIC1" kernel
sending "packet:$eth" receive "pci:$NIC1?wait=spin&depth=256"
