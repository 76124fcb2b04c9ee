#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The plain version of a driver that a chapter shows is the one that is compiled and tested: docs/NAME.md has a
# block of C that is the part of tests/drivers/plain_NAME.c between its marks. plain.sh ROOT; speaks TAP.
. "$(dirname "$0")/../apps/tap.sh"
cd "$1" || exit 1

for code in tests/drivers/plain_*.c; do
	page=docs/$(basename "$code" .c | sed 's/^plain_//').md
	sed -n '/^\/\* begin \*\/$/,/^\/\* end \*\/$/p' "$code" | sed '1d;$d' >"$tmp/code"
	awk '/^```c$/ && !done {on = 1; next} /^```$/ && on {on = 0; done = 1} on' "$page" >"$tmp/page"
	check "$code has its marks" [ -s "$tmp/code" ]
	none "$page shows it" "$(diff "$tmp/page" "$tmp/code")"
done
finish
