#!/bin/sh
# SPDX-License-Identifier: MIT
# doc/tables/oracles.md has every oracle, and every test of one ran and passed.
src=${AQ_SRCDIR:-.}
list=$src/tests/oracles/oracles.tsv
page=$src/doc/tables/oracles.md
logs=${AQ_BUILDDIR:-.}/tests/oracles
echo 1..3

report() { # NUMBER NAME WRONG
  if [ -z "$3" ]; then
    echo "ok $1 - $2"
  else
    echo "not ok $1 - $2"
    echo "$3" | sed 's/^/# /'
  fi
}

bad=$(cut -f 2 "$list" | grep -v ' ' | while read -r test; do
  cat "$logs"/test_*.log | grep -q "^ok [0-9]* - $test\$" || echo "$test"
done)
report 1 "each oracle in the list was compared with and held" "$bad"

bad=$(sed -n 's/^START_TEST(\(.*\))$/\1/p' "$src"/tests/oracles/test_*.c |
  while read -r test; do
    cut -f 2 "$list" | grep -qx "$test" || echo "$test"
  done)
report 2 "each test is in the list" "$bad"

bad=$(cut -f 1 "$list" | while read -r name; do
  grep -qxF "## $name" "$page" || echo "$name"
done)
report 3 "the page has each oracle (make check-oracles writes it)" "$bad"
