#!/bin/sh
# Prints [number] = "name", for every __NR_name that the C compiler's headers define.
# Usage: syscall_names.sh CC...
set -eu
echo '#include <sys/syscall.h>' | "$@" -E -dM - |
    sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9][0-9]*\)$/[\2] = "\1",/p' | sort -u
