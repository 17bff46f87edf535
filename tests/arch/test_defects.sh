#!/bin/sh
# SPDX-License-Identifier: MIT
# Every defect of defects.tsv has its test, and in a clone its commit; the page
# has the table that tools/defects.py prints.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

page=$srcdir/doc/dropin.md
check "no image is listed as missing" \
  [ -z "$(sed -n '/^## Missing/,/^## /p' "$page" | grep -i image)" ]
if ! command -v python3 > /dev/null; then
  skip "every defect has its test and commit" "needs python3"
  skip "the page of defects has every row" "needs python3"
else
  try python3 "$srcdir/tools/defects.py" "$srcdir"
  check "every defect has its test and commit" [ "$status" = 0 ]
  ids() { # FILE: id and defect of each row
    awk -F '|' '/^\| [A-Z]+[0-9]/ { print $2 $3 }' "$1"
  }
  echo "$out" > "$work/table"
  ids "$work/table" > "$work/now"
  ids "$srcdir/doc/tables/defects.md" > "$work/page"
  check "the page of defects has every row" \
    sh -c '[ -s "$1" ] && cmp "$1" "$2"' sh "$work/now" "$work/page"
fi
finish
