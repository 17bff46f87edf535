#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function of the libraries that the programs of this folder call, on
# several devices: prints a line each, separated by tabs: library, device,
# function, result (equal, ulps N, failing WHY, refused WHY). Of a library whose
# symbols can be listed, exported functions that no program calls are "not
# called". Fails where a function fails; leaves out a library that is not
# installed.
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

# The functions that a library exports, without the library's prefix: rocsparse_X
# and hipsparseX.
exports() { # LIBRARY
  for so in /usr/lib/*/"lib$1.so" /opt/rocm/lib/"lib$1.so"; do
    [ -e "$so" ] && nm -D --defined-only "$so" |
      sed -n "s/.* T $1_\{0,1\}\([A-Za-z0-9_]*\)$/\1/p" && return
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

compile() { # LIBRARY [OPTION-OR-FILE…]
  lib=$1
  shift
  ${CXX:-c++} -std=c++17 -O1 -D__HIP_PLATFORM_AMD__ \
    -Wno-deprecated-declarations -o "$work/$lib" "$@"
}

library() { # NAME FOLDER DEVICE…
  name=$1
  checks=$2
  shift 2
  echo "#include <$name/$name.h>" > "$work/header.cpp"
  if ! compile header -fsyntax-only "$work/header.cpp" 2> /dev/null; then
    echo "check_libraries: $name is not installed" >&2
    return
  fi
  compile "$name" "$folder/$checks"/*.cpp "$folder"/sparse_common/*.cpp \
    "-l$name" -lamdhip64
  for device; do
    run "$name" "$device" "$work/$name"
  done
}

library rocsparse sparse "$@"
library hipsparse hipsparse "$@"
exit $failed
