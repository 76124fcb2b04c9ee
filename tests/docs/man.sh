#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The manual page renders without a warning, and says the same as the code: every verb, its options
# as `shunt help VERB` has them, and every driver's keys as `shunt devices -v` has them; and no other
# options and keys. man.sh SHUNT PAGE; speaks TAP.
shunt=$1 page=$2
. "$(dirname "$0")/../apps/tap.sh"

lacks() { # TEXT WHAT WORD...: those that TEXT does not have as they are
	where=$1 what=$2
	shift 2
	for word in "$@"; do
		echo "$where" | grep -qE -e "(^|[[:space:](])$(quote "$word")([[:space:],.;:)]|\$)" || echo "$what: $word"
	done
}
quote() { # for a regular expression; a key without choices is followed by its value
	echo "$1" | sed -e 's/[|.]/\\&/g' -e 's/=$/=[A-Za-z|]+/'
}
options() { # of text on stdin
	grep -oE '(^|[^a-z-])--[a-z][a-z-]+' | grep -oE -e '--[a-z-]+' | sort -u
}
section() { # VERB: the page's text of it
	echo "$text" | awk -v verb="$1" '/^   [^ ]/ {on = $1 == verb} /^[^ ]/ {on = 0} on'
}
scheme() { # SCHEME: the page's text of it; "every": of the keys of every scheme
	echo "$text" | awk -v scheme="$1" '
		/^   ?[^ ]/ {on = 0}
		/^     [a-z]+:[A-Z]*[ ,]/ {on = index($1, scheme ":") == 1}
		/keys belong to every scheme/ {on = scheme == "every"}
		on'
}
keys() { # SCHEME: its keys by the code, "key=a|b", or "key=" where any value goes
	echo "$devices" | awk -v scheme="$1" '
		/^[a-z_]+: / {on = $1 == scheme ":"}
		on && sub(/^ *keys: /, "") {gsub(/=(N|TEXT)/, "="); gsub(/,/, ""); print}'
}
tags() { # keys that text on stdin describes
	grep -oE '^     [a-z]+=[^ ]*' | sed -e 's/^ *//' -e 's/=.*[A-Z].*/=/'
}

if command -v mandoc >/dev/null; then
	none 'mandoc has no warning' "$(mandoc -Tlint -Wwarning "$page" 2>&1 | grep "$page")"
	text=$(mandoc -Tascii "$page" | sed 's|.\x08||g')
elif command -v man >/dev/null; then
	none 'man has no warning' "$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)"
	text=$(MANWIDTH=100 man -E ascii -l "$page")
else
	echo '1..0 # SKIP neither man nor mandoc is installed'
	exit 0
fi

verbs=$("$shunt" help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
[ -n "$verbs" ] || none 'shunt help lists verbs' 'none'
# shellcheck disable=SC2046,SC2086
for verb in $verbs; do
	here=$(section "$verb")
	help=$("$shunt" help "$verb")
	none "$verb and its options" "$([ -n "$here" ] || echo "not in the page: $verb"
		lacks "$here" 'not in the page' $(echo "$help" | options)
		lacks "$help" 'not in the help' $(echo "$here" | grep -E '^     -' | options))"
done

devices=$("$shunt" devices -v)
schemes=$(echo "$devices" | sed -n 's/^\([a-z_]*\): .*/\1/p')
[ -n "$schemes" ] || none 'shunt devices -v lists schemes' 'none'
common=$(scheme every)
# shellcheck disable=SC2046,SC2086
for scheme in $schemes; do
	here=$(scheme "$scheme")
	keys=$(keys "$scheme" | tr '\n' ' ')
	none "$scheme: and its keys" "$([ -n "$here" ] || echo "not in the page: $scheme:"
		[ -n "$keys" ] || echo 'the code has no keys for it'
		lacks "$common
$here" 'not in the page' $keys
		echo "$here" | tags | while read -r key; do
			echo " $keys " | grep -qF " $key " || echo "not in the code: $key"
		done)"
done
finish
