#!/bin/sh
# SPDX-License-Identifier: MIT
# clang compiles files for a level of the host, whose pragma it ignores.
srcdir=${AQ_SRCDIR:-.}
builddir=${AQ_BUILDDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
clang=$(command -v "${CLANG:-clang}" || command -v clang-22 || true)
[ -n "$clang" ] || { echo "1..0 # SKIP no clang here"; exit 0; }
count=0
for file in $(grep -rl '^#pragma GCC target' --include='*.c' "$srcdir/src"); do
  count=$((count + 1))
  name="${file#"$srcdir/"} compiles"
  if "$clang" -std=gnu11 -D_GNU_SOURCE -I"$srcdir/src" -I"$builddir/src" \
      -I"$builddir" -w -c -o "$work/code.o" "$file" > "$work/log" 2>&1; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    sed 's/^/# /' "$work/log" | head -n 20
  fi
done
echo "1..$count"
