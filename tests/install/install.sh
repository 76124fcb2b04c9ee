#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Install into a folder, and use what lies there as somebody would who has no source tree.
# install.sh MESON BUILD_DIR SOURCE_DIR VERSION; speaks TAP.
meson=$1 build=$2 source=$3 version=$4
dest=$(mktemp -d) || exit 1
trap 'rm -rf "$dest"' EXIT
n=0

check() { # NAME COMMAND...
	n=$((n + 1))
	name=$1
	shift
	if said=$("$@" 2>&1); then
		echo "ok $n - $name"
	else
		echo "not ok $n - $name"
		echo "$said" | sed 's/^/# /'
	fi
}
skip() { # NAME REASON
	n=$((n + 1))
	echo "ok $n - $1 # SKIP $2"
}

# The same names, in a header behind SHUNT_API and in the library's table of what it exports.
declared() {
	cat "$prefix"/include/shunt/*.h | tr '\n\t' '  ' | grep -o 'SHUNT_API [^;]*' |
		grep -o 'shunt_[a-z0-9_]*(' | tr -d '(' | sort -u
}
exported() {
	nm -D --defined-only "$lib" | awk '{ print $NF }' | sed 's/@.*//' | sort -u
}
only_the_api() {
	declared >"$dest/declared"
	exported >"$dest/exported"
	[ -s "$dest/declared" ] && diff "$dest/declared" "$dest/exported"
}
compile() { # COMPILER LANGUAGE PROGRAM
	export PKG_CONFIG_SYSROOT_DIR="$dest" PKG_CONFIG_PATH="${lib%/*}/pkgconfig"
	# shellcheck disable=SC2046
	"$1" -x "$2" "$source/tests/install/use.c" -x none -o "$3" -Wall -Wextra -Werror \
		$(pkg-config --cflags --libs shunt)
}
runs() { # PROGRAM
	[ "$(LD_LIBRARY_PATH=${lib%/*} "$1")" = '320 packets of 99 bytes' ]
}
version_is() {
	[ "$(PKG_CONFIG_PATH=${lib%/*}/pkgconfig pkg-config --modversion shunt)" = "$version" ] &&
		[ "$("$prefix/bin/shunt" version | head -1)" = "shunt $version" ]
}
manual() {
	[ -s "$prefix/share/man/man1/shunt.1" ]
}

check 'meson install' "$meson" install -C "$build" --no-rebuild --quiet --destdir "$dest"
lib=$(find "$dest" -name libshunt.so)
[ -n "$lib" ] || { echo "Bail out! no libshunt.so was installed"; exit 1; }
prefix=$dest$(cd "$source" && sed -n 's/^prefix=//p' "${lib%/*}/pkgconfig/shunt.pc")
check 'version of library and command' version_is
check 'exports what the headers declare and nothing else' only_the_api
check 'manual page' manual
check 'a C program compiles against it' compile cc c "$dest/use-c"
check 'and runs' runs "$dest/use-c"
if command -v g++ >/dev/null; then
	check 'a C++ program compiles against it' compile g++ c++ "$dest/use-cc"
	check 'and runs' runs "$dest/use-cc"
else
	skip 'a C++ program compiles against it' 'g++ is not installed'
fi
echo "1..$n"
