#!/bin/sh
# SPDX-License-Identifier: MIT
# The checked-in objects of the device library are what its source compiles to,
# by the compiler and linker that made them (each object names its linker).
srcdir=${AQ_SRCDIR:-.}
clang=${AQ_DEVLIB_CLANG:-clang-22}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! command -v "$clang" > /dev/null 2>&1 ||
  ! command -v ld.lld-22 > /dev/null 2>&1; then
  echo "1..0 # SKIP $clang or ld.lld-22 is not here"
  exit 0
fi
cd "$srcdir" || exit 1
here=$("$clang" --version | grep -o '22\.[0-9]*\.[0-9]*' | head -n 1)
if ! strings src/devlib/objects/gfx942.hsaco | grep -q "LLD $here\$"; then
  echo "1..0 # SKIP the objects were made by another release than $here"
  exit 0
fi
count=0
for object in src/devlib/objects/*.hsaco; do
  count=$((count + 1))
  target=$(basename "$object" .hsaco)
  if sh src/devlib/compile.sh "$clang" "$target" "$work/o" 2> "$work/log" &&
    cmp "$work/o" "$object" >> "$work/log" 2>&1; then
    echo "ok $count - $target compiles to its checked-in object"
  else
    echo "not ok $count - $target compiles to its checked-in object"
    sed 's/^/# /' "$work/log"
  fi
done
echo "1..$count"
