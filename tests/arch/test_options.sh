#!/bin/sh
# SPDX-License-Identifier: MIT
# A library has callers without a command line: its texts name neither an option
# nor a command of `aqueduct`. The command line adds the option where it reads it.
# options.tsv lists the files that still do, and why; its numbers only fall.
srcdir=${AQ_SRCDIR:-.}
table=$srcdir/tests/arch/options.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tr '\n' ' ' < "$srcdir/src/cli/table/table_options.c" |
  grep -oE '\] = +\{"[a-z0-9-]+"' | sed 's/.*"\(.*\)"/--\1/' > "$work/words"
options=$(wc -l < "$work/words")
tr '\n' ' ' < "$srcdir/src/cli/table/table.c" |
  grep -oE '\] = +\{(\.name = )?"[a-z]+"' | sed 's/.*"\(.*\)"/aqueduct \1/' >> "$work/words"
commands=$(($(wc -l < "$work/words") - options))

(cd "$srcdir" && find src -name '*.[ch]' -o -name '*.inc' -o -name '*.def') |
  grep -v '^src/cli/' | sort > "$work/files"
# shellcheck disable=SC2046 # a list of files
(cd "$srcdir" && awk '
  FILENAME == words_ { word[$0]; next }
  /^ *(\/\*|\*)/ { next }
  {
    rest = $0
    while (match(rest, /"([^"\\]|\\.)*"/)) {
      literal = substr(rest, RSTART, RLENGTH)
      rest = substr(rest, RSTART + RLENGTH)
      while (match(literal, /--[a-z][a-z0-9-]*|aqueduct [a-z]+/)) {
        if (substr(literal, RSTART, RLENGTH) in word) {
          count[FILENAME]++
          print FILENAME ":" FNR ": " substr(literal, RSTART, RLENGTH) > places
        }
        literal = substr(literal, RSTART + RLENGTH)
      }
    }
  }
  END { for (file in count) print file "\t" count[file] }
' words_="$work/words" places="$work/places" "$work/words" $(cat "$work/files")) |
  sort > "$work/found"

ok="not ok"
[ "$options" -gt 50 ] && [ "$commands" -gt 10 ] && [ -s "$work/found" ] && ok=ok
echo "$ok 1 - $options options and $commands commands are looked for"

# more: without a row, or above its number; fewer: the number can fall
awk -F '\t' -v more="$work/more" -v fewer="$work/fewer" '
  /^#/ { next }
  FILENAME ~ /options.tsv$/ { limit[$1] = $2; if ($3 == "") print $1 ": no reason" > fewer; next }
  { if ($2 > limit[$1]) print $1 > more
    if ($2 < limit[$1]) print $1 ": " $2 > fewer
    found[$1] }
  END { for (file in limit) if (!(file in found)) print file ": none" > fewer }
' "$table" "$work/found"
ok=ok
if [ -s "$work/more" ]; then
  ok="not ok"
  grep -F -f "$work/more" "$work/places" | sed 's/^/# /'
fi
echo "$ok 2 - texts outside src/cli name no option and no command"
ok=ok
if [ -s "$work/fewer" ]; then
  ok="not ok"
  sed 's/^/# /' "$work/fewer"
fi
echo "$ok 3 - each row of options.tsv has its number of texts, and a reason"
echo "1..3"
