#!/bin/sh
# SPDX-License-Identifier: MIT
# Every test that doc/tables/driver.md names is in its file.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

page=$srcdir/doc/tables/driver.md
sed -n 's/^|.*| `\(tests[^`]*\)`: `\([^`]*\)` |$/\1	\2/p' "$page" > "$work/rows"
check "the page names tests" [ "$(wc -l < "$work/rows")" -gt 40 ]
tab=$(printf '\t')
while IFS=$tab read -r file name; do
  grep -qF -e "$name" "$srcdir/$file" 2> /dev/null || echo "$file: $name"
done < "$work/rows" > "$work/missing"
check "each of them is in its file" [ ! -s "$work/missing" ]
sed 's/^/# /' "$work/missing"
check "other rows have a reason" \
  sh -c '! grep "^| [^|]* |" "$1" | grep -v "tests/\|none: \|^| feature\|^| quantity\|^|--"' \
  sh "$page"
finish
