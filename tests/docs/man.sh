#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual page renders without a warning, and knows every verb and every option that `shunt
# help` names. man.sh SHUNT PAGE; speaks TAP.
shunt=$1 page=$2
n=0

verdict() { # NAME COMPLAINTS
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		echo "not ok $n - $1"
		echo "$2" | sed 's/^/# /'
	fi
}
absent() { # HOW PATTERN...: those that the page does not have
	how=$1
	shift
	for word in "$@"; do
		echo "$text" | grep -q "$how" -e "$word" || echo "not in the page: $word"
	done
}

if command -v mandoc >/dev/null; then
	verdict 'mandoc has no warning' "$(mandoc -Tlint -Wwarning "$page" 2>&1 | grep "$page")"
	text=$(mandoc -Tascii "$page" | sed 's|.\x08||g')
elif command -v man >/dev/null; then
	verdict 'man has no warning' "$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)"
	text=$(MANWIDTH=100 man -E ascii -l "$page")
else
	echo '1..0 # SKIP neither man nor mandoc is installed'
	exit 0
fi
verbs=$("$shunt" help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[ -n "$verbs" ] || verdict 'shunt help lists verbs' 'none'
for verb in $verbs; do
	options=$("$shunt" help "$verb" | grep -oE '(^|[^a-z-])--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u)
	# shellcheck disable=SC2086
	verdict "$verb and its options" "$(absent -E "^ +$verb( |\$)"; absent -Fw $options)"
done
echo "1..$n"
