#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Every planted fault must be found: turns each `not ok` of selftest into `ok`, and the reverse.
# Reports of what was planted go nowhere, so that a report elsewhere is a real one.
export ASAN_OPTIONS=detect_leaks=1:log_path=/dev/null TSAN_OPTIONS=log_path=/dev/null
export UBSAN_OPTIONS=log_path=/dev/null
"$1" 2>/dev/null | sed -n -e 's/^ok \(.*# SKIP\)/keep \1/' -e 's/^ok/fault/' -e 's/^not ok/ok/' \
	-e 's/^fault/not ok/' -e 's/^keep/ok/' -e '/^TAP/p' -e '/^1\.\./p' -e '/^ok/p' -e '/^not ok/p'
