#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function of the libraries that the programs of this folder call, on
# several devices: prints a line each, separated by tabs: library, device,
# function, result (equal, ulps N, failing WHY). Of a library whose symbols can be
# listed, exported functions that no program calls are "not called". Fails where
# a function fails.
#
#   check_libraries.sh AQUEDUCT [DEVICE...]
set -eu
aqueduct=$1
shift
[ $# -gt 0 ] || set -- mi50 mi100 mi210
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/aqrocm-XXXXXX")
trap 'rm -rf "$work"' EXIT
failed=0

# The functions that a library exports, without the library's prefix.
exports() { # LIBRARY
  for so in /usr/lib/*/"lib$1.so" /opt/rocm/lib/"lib$1.so"; do
    [ -e "$so" ] && nm -D --defined-only "$so" |
      sed -n "s/.* T $1_\([a-z0-9_]*\)$/\1/p" && return
  done
}

run() { # LIBRARY DEVICE PROGRAM
  "$aqueduct" exec -q --store "$work/runs.db" --record none --device "$2" \
    -- "$3" > "$work/out" || failed=1
  sed "s/ /	/; s/^/$1	$2	/" "$work/out"
  cut -d ' ' -f 1 "$work/out" | LC_ALL=C sort > "$work/called"
  exports "$1" | LC_ALL=C sort | LC_ALL=C comm -13 "$work/called" - |
    sed "s/^/$1	$2	/; s/$/	not called/"
  rm -rf "$work"/runs.db*
}

${CXX:-c++} -std=c++17 -O1 -D__HIP_PLATFORM_AMD__ -o "$work/rocsparse" \
  -Wno-deprecated-declarations "$folder"/sparse/*.cpp \
  "$folder"/sparse_common/*.cpp -lrocsparse -lamdhip64
for device in "$@"; do
  run rocsparse "$device" "$work/rocsparse"
done
exit $failed
