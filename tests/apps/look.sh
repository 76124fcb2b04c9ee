#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# shunt help, version, devices and doctor, as root and as nobody. look.sh SHUNT; speaks TAP.
. "$(dirname "$0")/tap.sh"
shunt=$1

json() { # EXPRESSION FILE: true of the document d
	/usr/bin/python3 -c "import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not ($1))" "$2"
}
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"
}

check 'help succeeds' "$shunt" help
check 'every verb has help' sh -c '"$1" help | sed -n "s/^  \([a-z-]*\) .*/\1/p" |
	while read -r verb; do "$1" help "$verb" | grep -q "^usage: shunt $verb" || exit 1; done' - "$shunt"
check 'version succeeds' "$shunt" version
refuses 'an unknown verb' 2 "no verb 'nonsense'" "$shunt" nonsense
refuses 'an unknown option of devices' 2 --nonsense "$shunt" devices --nonsense
refuses 'bind without an address' 2 'PCI addresses' "$shunt" devices bind
refuses 'bind of what is no address' 2 "'eth0' is not a PCI address" "$shunt" devices bind eth0
refuses 'unbind of a card that is not there' 2 'no PCI device ffff:ff:1f.7' "$shunt" devices unbind ffff:ff:1f.7
refuses 'pci: without an address' 2 "'01:00.0' is not a PCI address" "$shunt" rx pci:01:00.0
refuses 'pci: of a card that is not there' 2 'no PCI device ffff:ff:1f.7' "$shunt" rx pci:ffff:ff:1f.7
refuses 'an argument too many for doctor' 2 "'extra'" "$shunt" doctor extra

check 'devices lists null and lo' sh -c '"$1" devices -v >"$2" && grep -q "^null" "$2" &&
	grep -q "^lo " "$2" && grep -q "example: null:" "$2"' - "$shunt" "$tmp/out"
"$shunt" devices --json >"$tmp/json"
check 'devices --json' json "d['schema'] == 'shunt-devices/1' and
	[x for x in d['drivers'] if x['name'] == 'null' and x['usable'] and x['queue_bytes'] > 0] and
	all(x['usable'] or x['reason'] for x in d['drivers']) and
	[x for x in d['interfaces'] if x['name'] == 'lo' and x['mtu'] >= 1500]" "$tmp/json"

"$shunt" doctor --json >"$tmp/json"
status=$?
check 'doctor --json' json "d['schema'] == 'shunt-doctor/1' and len(d['items']) > 12 and
	all(x['text'] and x['state'] in ('ok', 'warn', 'no') for x in d['items'])" "$tmp/json"
check 'doctor exits 1 exactly when something needed is missing' json "d['ready'] == ($status == 0)
	== (not [x for x in d['items'] if x['needed'] and x['state'] == 'no'])" "$tmp/json"
check 'doctor: what is missing has a remedy' json \
	"all(x['state'] != 'no' or x.get('remedy') for x in d['items'])" "$tmp/json"

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	# Where nobody can reach it.
	chmod 755 "$tmp"
	cp "$shunt" "$tmp/shunt" && chmod 755 "$tmp/shunt"
	check 'devices works for nobody' as_nobody "$tmp/shunt" devices -v
	as_nobody "$tmp/shunt" doctor --json >"$tmp/json"
	verdict 'doctor exits 1 for nobody' $(($? != 1)) "$(cat "$tmp/json")"
	check 'doctor names what nobody lacks' json "[x for x in d['items'] if x['state'] == 'no' and
		'CAP_NET_RAW' in x['text'] and 'root' in x['remedy']] and not d['ready']" "$tmp/json"
else
	skip 'devices and doctor for nobody' 'not root, or no setpriv'
fi
finish
