#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What the Markdown files name is there: files that they link to, headings, and paths of the tree in
# `backticks`; and each chapter can be reached from README.md or the reading order.
# links.sh ROOT; speaks TAP.
. "$(dirname "$0")/../apps/tap.sh"
cd "$1" || exit 1

prose() { # FILE: without code blocks
	awk '/^```/ {code = !code; next} !code && !/^    /' "$1"
}
links() { # FILE: targets, those of the web left out
	prose "$1" | grep -oE '\]\([^)]+\)' | sed -e 's/^](//' -e 's/)$//' | grep -vE '^[a-z]+:' | sort -u
}
headings() { # FILE: as anchors
	prose "$1" | sed -n 's/^#\{1,6\} //p' | tr '[:upper:]' '[:lower:]' | sed -e 's/[^a-z0-9 _-]//g' -e 's/ /-/g'
}
dead_links() { # FILE
	links "$1" | while read -r link; do
		path=${link%%#*} at=$1
		[ -z "$path" ] || at=$(dirname "$1")/$path
		if [ ! -e "$at" ]; then
			echo "no such file: $link"
		elif [ "$link" != "$path" ] && ! headings "$at" | grep -qxF -e "${link#*#}"; then
			echo "no such heading: $link"
		fi
	done
}
# A path begins with a folder of the tree; `drivers/x/y.c`, `core/`, `tests/net/tracer*.c`.
dead_paths() { # FILE
	folders=$(find . -maxdepth 1 -type d ! -name '.*' ! -name 'build*' | sed 's|^\./||' | paste -sd '|')
	# shellcheck disable=SC2016
	prose "$1" | grep -oE '`[^`]+`' | tr -d '`' | grep -E "^($folders)/[^ ]*\$" | grep -v NAME | sort -u | while read -r path; do
		# shellcheck disable=SC2086
		ls -d $path >/dev/null 2>&1 || echo "no such path: $path"
	done
}

set -- *.md docs/*.md
[ "$#" -gt 2 ] || none 'there are Markdown files' 'none'
reached=$(for file in README.md docs/reading-order.md; do
	links "$file" | sed -e 's/#.*//' -e "s|^|$(dirname "$file")/|"
done | xargs -r realpath -m --relative-to=. | sort -u)
for file; do
	none "$file" "$(
		dead_links "$file"
		dead_paths "$file"
	)"
done
none 'every chapter is reached from README.md or the reading order' "$(
	for file in docs/*.md; do
		echo "$reached" | grep -qxF "$file" || echo "no link to $file"
	done
)"
finish
