# SPDX-License-Identifier: BSD-2-Clause
# Sourced by tests that are scripts: one line of TAP per check, then `finish`.
n=0
verdict() { # NAME STATUS EVIDENCE
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$3" | sed 's/^/# /'
	fi
}
none() { # NAME COMPLAINTS: there must be none
	[ -z "$2" ]
	verdict "$1" $? "$2"
}
check() { # NAME COMMAND...: it must succeed
	name=$1
	shift
	said=$("$@" 2>&1)
	verdict "$name" $? "$said"
}
# The command fails with this status and prints one line on stderr, which has the text, and nothing else.
refuses() { # NAME STATUS TEXT COMMAND...
	name=$1 want=$2 text=$3
	shift 3
	out=$("$@" 2>"$tmp/stderr")
	got=$?
	lines=$(wc -l <"$tmp/stderr")
	[ $got -eq "$want" ] && [ -z "$out" ] && [ "$lines" -eq 1 ] && grep -qF -e "$text" "$tmp/stderr"
	verdict "$name" $? "status $got, $lines lines on stderr: $out $(cat "$tmp/stderr")"
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}
finish() {
	echo "1..$n"
}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
