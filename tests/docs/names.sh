#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# One name per fact and per class of loss: drivers use those that the public headers list, and the headers list
# none that no driver uses. names.sh ROOT; speaks TAP.
. "$(dirname "$0")/../apps/tap.sh"
cd "$1" || exit 1

listed() { # HEADER TITLE: names in its list, a comment with that title and of lines ` *   name  meaning`
	sed -n "/^\/\* $2/,/\*\//"'s/^ \*   \([a-z_]*\)  .*/\1/p' "$1" | sort
}
used() { # FUNCTION: the literals that it is called with
	find drivers -name '*.[ch]' -exec cat {} + | tr '\n' ' ' |
		grep -oE "$1\([^,;]*,[[:space:]]*\"[^\"]*\"" | sed 's/.*"\(.*\)"/\1/' | sort -u
}
compare() { # WHAT HEADER FUNCTION TITLE
	listed "$2" "$4" >"$tmp/listed"
	used "$3" >"$tmp/used"
	check "some $1 are found" [ "$(wc -l <"$tmp/used")" -gt 5 ]
	none "$1 are listed once in $2" "$(uniq -d "$tmp/listed")"
	none "every name of $3() is listed in $2" "$(comm -13 "$tmp/listed" "$tmp/used")"
	none "every name listed in $2 is used" "$(comm -23 "$tmp/listed" "$tmp/used")"
}
compare facts include/shunt/stats.h shunt_fact 'Keys of facts'
compare losses include/shunt/stats.h shunt_add_loss 'Classes of loss'
finish
