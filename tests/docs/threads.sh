#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each public call of a device, a queue or a region says which thread may make it. threads.sh ROOT
cd "$1" || exit 1
n=0
bad=0
for header in dev queue mem flood trace; do
	while IFS=: read -r line name; do
		n=$((n + 1))
		# The comment that ends right before the declaration.
		if sed -n "1,$((line - 1))p" "include/shunt/$header.h" | tac | awk '
			/\/\*/ { found = found || /Thread: (any|control|queue)/; exit }
			/Thread: (any|control|queue)/ { found = 1 }
			!/^( \*|\/\*)/ { exit }
			END { exit !found }'; then
			echo "ok $n - $name"
		else
			echo "not ok $n - $name"
			echo "# include/shunt/$header.h:$line: its comment has no 'Thread: any', 'control' or 'queue'"
			bad=1
		fi
	done < <(grep -nE '^(SHUNT_API|static inline)' "include/shunt/$header.h" |
		sed -E 's/^([0-9]+):.*[ *](shunt_[a-z_]+)\(.*/\1:\2/; s/^([0-9]+):SHUNT_API.*[^a-z_](shunt_[a-z_]+)\($/\1:\2/')
done
n=$((n + 1))
[ $n -gt 15 ] && echo "ok $n - the calls were found" || { echo "not ok $n - the calls were found"; bad=1; }
echo "1..$n"
exit $bad
