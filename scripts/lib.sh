# SPDX-License-Identifier: BSD-2-Clause
# Sourced by the scripts beside it: strict mode, the system's own tools, the checkout as place.
set -euo pipefail
# Python or compiler shims of other tools in PATH would build with something else than what
# scripts/setup installs.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
export HOME=${HOME:-/root} LC_ALL=C.UTF-8
unset CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR CC CXX PKG_CONFIG_PATH
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

say() { printf '%s: %s\n' "$(basename "$0")" "$*"; }
fail() { # STATUS MESSAGE
	printf '%s: %s\n' "$(basename "$0")" "$2" >&2
	exit "$1"
}

# Names in sections of a list of packages, one per line; those that only part of shunt needs with their `?`.
packages() { # FILE SECTION...
	local file=$1
	shift
	awk -v want=" $* " '/^\[/ { on = index(want, " " substr($1, 2, length($1) - 2) " ") }
		on && /^[^[#]/ { print $1 }' "$file"
}

# Where scripts/guest keeps QEMU and kernels: never in the checkout.
guest_cache() { echo "${XDG_CACHE_HOME:-/var/cache}/shunt-guest"; }

# A build folder that is set up with these options, whatever it was before.
configure() { # FOLDER OPTION...
	local folder=$1
	shift
	if [ -f "$folder/build.ninja" ] && meson configure "$folder" "$@" >/dev/null 2>&1; then
		return 0
	fi
	rm -rf "$folder"
	meson setup "$folder" "$@"
}
