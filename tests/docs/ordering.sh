#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every source file with an acquire, a release or a fence is named in docs/memory-ordering.md, so that
# no pair is added without its partner being thought of. ordering.sh ROOT; speaks TAP.
. "$(dirname "$0")/../apps/tap.sh"
cd "$1" || exit 1
page=docs/memory-ordering.md
order='__ATOMIC_(ACQUIRE|RELEASE|ACQ_REL|SEQ_CST)|memory_order_(acquire|release|acq_rel|seq_cst)|mmio_[wr]?mb\('

# shellcheck disable=SC2013
for file in $(grep -rlE --include='*.[ch]' "$order" core drivers xdp tracing bench apps include | sort); do
	grep -qE "[\`/]$(basename "$file" | sed 's/\./\\./')\`" "$page"
	verdict "$file" $? "$page does not name it: give each pair a row, with what it orders before what"
done
# A pattern that finds nothing would pass for ever.
check 'such files were found' [ "$n" -gt 10 ]
finish
