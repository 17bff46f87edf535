#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/glossary.md has every metric and every exit code.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
page=$srcdir/doc/glossary.md

# Parts of the names in the program's list, and of the names in the page.
"$aqueduct" list metrics --names | awk -F. '
  /^(makespan|unscored|unmatched)|slower$/ { print; next }
  { for (i = 1; i <= NF; i++) print $i }' | sort -u > "$work/listed"
sed -n '/^## Metrics/,/^## Exit/s/^| [a-z ]*| `\([a-z0-9.-]*\)` |.*/\1/p' "$page" |
  sort > "$work/documented"
out=$(diff "$work/listed" "$work/documented")
check "the metrics are those that the program lists" [ -z "$out" ]
check "there are some" [ "$(wc -l < "$work/listed")" -gt 12 ]

# Every status stands beside its code.
sed -n 's/^X([A-Z_]*, "\(.*\)", \([0-9]\))$/\2 \1/p' \
  "$srcdir/src/common/status.def" | sort > "$work/statuses"
sed -n '/^## Exit/,$s/^| \([0-9]\) | [^|]* | \(.*\) |$/\1 \2/p' "$page" |
  awk '{ code = $1; sub(/^[0-9] /, ""); n = split($0, text, "; ")
         for (i = 1; i <= n; i++) print code, text[i] }' | sort > "$work/codes"
out=$(diff "$work/statuses" "$work/codes")
check "exit codes are those of the statuses" [ -z "$out" ]
check "there are more than ten" [ "$(wc -l < "$work/statuses")" -gt 10 ]
try "$aqueduct" replay nosuch
check "bad input exits 2" [ "$status" = 2 ]
finish
