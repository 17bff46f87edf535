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
[ -f Makefile ] || "$source/configure" --silent \
  --enable-sanitizers="$list" CFLAGS='-g -O1'
export CK_FORK=no
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
suppressions=$source/tests/tsan.supp
export TSAN_OPTIONS="halt_on_error=1:suppressions=$suppressions:${TSAN_OPTIONS:-}"
exec make -s -j"$(nproc)" "$target"
