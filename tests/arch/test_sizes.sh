#!/bin/sh
# SPDX-License-Identifier: MIT
# Files have at most 800 lines, functions at most 100: more is two things in one.
# sizes.tsv lists the files that may be longer, and why. Whether folders form a
# circle is test_circles.sh.
srcdir=${AQ_SRCDIR:-.}
table=$srcdir/tests/arch/sizes.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The device library's kernels are compiled for GPUs, as one file.
(cd "$srcdir" && find src tests -name '*.[ch]' -o -name '*.inc' -o -name '*.def') |
  grep -v '/device/[^/]*\.[ch]$' | sort > "$work/names"

# clang-format puts the braces of a function, and nothing else, at the start of
# a line of their own.
# shellcheck disable=SC2046 # a list of files
(cd "$srcdir" && awk '
  function end_file() { if (name) print lines, name }
  FNR == 1 { end_file(); name = FILENAME; begin = 0; open = 0 }
  { lines = FNR }
  /^\{$/ { open = FNR }
  /^\}$/ && open { print FNR - open + 1, FILENAME ":" open > functions; open = 0 }
  END { end_file() }' functions="$work/functions" $(cat "$work/names")) > "$work/files"

ok="not ok"
functions=$(wc -l < "$work/functions")
awk '$1 > 100' "$work/functions" | sort -rn > "$work/large"
[ "$functions" -gt 5000 ] && [ ! -s "$work/large" ] && ok=ok
echo "$ok 1 - none of $functions functions has more than 100 lines"
sed 's/^/# /' "$work/large"

awk -F '\t' '!/^#/ { print $1 }' "$table" | sort > "$work/excepted"
awk '$1 > 800 { print $2 }' "$work/files" | sort > "$work/long"
ok="not ok"
comm -13 "$work/excepted" "$work/long" > "$work/new"
[ "$(wc -l < "$work/files")" -gt 1000 ] && [ ! -s "$work/new" ] && ok=ok
echo "$ok 2 - no file without a row in sizes.tsv has more than 800 lines"
sed 's/^/# /' "$work/new"

ok="not ok"
comm -23 "$work/excepted" "$work/long" > "$work/gone"
awk -F '\t' '!/^#/ && $2 == "" { print $1 ": no reason" }' "$table" >> "$work/gone"
[ ! -s "$work/gone" ] && ok=ok
echo "$ok 3 - each row of sizes.tsv has a file of more than 800 lines, and a reason"
sed 's/^/# /' "$work/gone"
echo "1..3"
