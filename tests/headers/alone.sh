#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Each public header compiles alone, twice over, as strict C11 and as C++17, by every compiler that
# there is. alone.sh INCLUDE_DIR; speaks TAP.
include=$1
n=0

one() { # COMPILER LANGUAGE STANDARD HEADER
	n=$((n + 1))
	name="$4 as $3 by $1"
	if ! command -v "$1" >/dev/null; then
		echo "ok $n - $name # SKIP $1 is not installed"
		return
	fi
	said=$(printf '#include <shunt/%s>\n#include <shunt/%s>\nextern int alone;\n' "$4" "$4" |
		"$1" -x "$2" -std="$3" -pedantic -Wall -Wextra -Werror -I "$include" -fsyntax-only - 2>&1)
	if [ $? -eq 0 ]; then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "$said" | sed 's/^/# /'
	fi
}

for path in "$include"/shunt/*.h; do
	header=${path##*/}
	one gcc c c11 "$header"
	one clang c c11 "$header"
	one g++ c++ c++17 "$header"
	one clang++ c++ c++17 "$header"
done
echo "1..$n"
