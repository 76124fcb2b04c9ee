#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every source file with an acquire, a release or a fence is named in docs/memory-ordering.md, so that
# no pair is added without its partner being thought of. ordering.sh ROOT; speaks TAP.
cd "$1" || exit 1
page=docs/memory-ordering.md
order='__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|memory_order_(acquire|release|acq_rel|seq_cst)|mmio_[wr]?mb\('
n=0

# shellcheck disable=SC2013
for file in $(grep -rlE --include='*.[ch]' "$order" core drivers xdp tracing bench apps include | sort); do
	n=$((n + 1))
	if grep -qE "[\`/]$(basename "$file" | sed 's/\./\\./')\`" "$page"; then
		echo "ok $n - $file"
	else
		echo "not ok $n - $file"
		echo "# $page does not name it: give each pair a row, with what it orders before what"
	fi
done
n=$((n + 1)) # a pattern that finds nothing would pass for ever
[ "$n" -gt 10 ] || printf 'not '
echo "ok $n - such files were found"
echo "1..$n"
