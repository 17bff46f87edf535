#!/bin/sh
# SPDX-License-Identifier: MIT
# Functions and files stay readable: at most one function in a hundred has more
# than 60 lines, and 19 of 20 files have at most 450. The command line only reads
# arguments and prints: src/cli/commands has at most 9,000 lines. The figures are printed.
srcdir=${AQ_SRCDIR:-.}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The device library's kernels are compiled for GPUs, as one file.
find "$srcdir/src" -name '*.[ch]' ! -path 'src/*/device/*' ! -path '*/src/*/device/*' |
  sort > "$work/names"

# clang-format puts the braces of a function, and nothing else, at the start of
# a line of their own.
# shellcheck disable=SC2046 # a list of files
awk -v files="$work/files" '
  function end_file() { if (name) print lines, name > files }
  FNR == 1 { end_file(); name = FILENAME; begin = 0; open = 0 }
  { lines = FNR }
  /^$/ || /^#/ || /\*\/$/ { if (!open) begin = 0 }
  /^[A-Za-z_]/ && !begin && !open { begin = FNR }
  /^\{$/ { open = begin ? begin : FNR }
  /^\}$/ && open {
    print FNR - open + 1, FILENAME ":" open
    open = begin = 0
  }
  END { end_file() }' $(cat "$work/names") > "$work/functions"

functions=$(wc -l < "$work/functions")
large=$(awk '$1 > 60' "$work/functions" | wc -l)
sort -n "$work/files" > "$work/sorted"
files=$(wc -l < "$work/sorted")
percentile=$(awk -v at=$(((files * 95 + 99) / 100)) 'NR == at { print $1 }' \
  "$work/sorted")

ok="not ok"
[ "$functions" -gt 1000 ] && [ $((large * 100)) -le "$functions" ] && ok=ok
echo "$ok 1 - $large of $functions functions have more than 60 lines, at most 1 %"
awk '$1 > 60' "$work/functions" | sort -rn | sed 's/^/# /'

ok="not ok"
[ "$percentile" -le 450 ] && ok=ok
echo "$ok 2 - 19 of 20 files have at most $percentile lines, at most 450"
awk '$1 > 450' "$work/sorted" | sort -rn | sed 's/^/# /'

cli=$(cat "$srcdir"/src/cli/commands/*.[ch] | wc -l)
ok="not ok"
[ "$cli" -gt 1000 ] && [ "$cli" -le 9000 ] && ok=ok
echo "$ok 3 - src/cli/commands has $cli lines, at most 9000"
echo "1..3"
