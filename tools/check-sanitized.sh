#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: check-sanitized.sh LIST [TARGET]
# Builds the tree with -fsanitize=LIST in a folder of its own and makes a target
# (check-all) there, its tests unforked (a fork a test costs twenty times as much).
set -eu
list=$1
target=${2:-check-all}
here=$PWD
source=$(cd "$(dirname "$0")/.." && pwd)
build=$here/sanitized-$(echo "$list" | tr , -)
mkdir -p "$build"
cd "$build"
# Nothing else makes its Makefile anew when files come and go.
if [ ! -f Makefile ] || [ -n "$(find "$source/configure" -newer config.status)" ]; then
  "$source/configure" --silent --enable-sanitizers="$list" CFLAGS='-g -O1'
elif [ -n "$(find "$source/Makefile.in" -newer Makefile)" ]; then
  ./config.status --silent
fi
export CK_FORK=no
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
suppressions=$source/tests/tsan.supp
export TSAN_OPTIONS="halt_on_error=1:suppressions=$suppressions:${TSAN_OPTIONS:-}"
# Protected memory is mapped a second time, a terabyte below. TSan leaves a program
# both places only where addresses begin at the top, not at a random one.
run=
case $list in
*thread*) ! setarch "$(uname -m)" -R true 2> /dev/null ||
  run="setarch $(uname -m) -R" ;;
esac
exec $run make -s -j"$(nproc)" "$target"
