#!/bin/sh
# SPDX-License-Identifier: MIT
# Each format that make check-fuzz mutates (AQ_FUZZ_FORMATS) has a seed that is a
# whole trace of it: mutations of others would lose nothing.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

has_whole_seed() { # FORMAT FOLDER
  for seed in "$srcdir/tests/fuzz/corpus/$2"/*; do
    ! "$aqueduct" import --format "$1" "$seed" > /dev/null 2>&1 || return 0
  done
  return 1
}

pairs=$(sed -n '/^AQ_FUZZ_FORMATS/,/[^\\]$/p' "$srcdir/tests/fuzz/local.mk" |
  tr -d '\134' | sed 's/.*=//')
for pair in $pairs; do
  check "${pair%%:*} has a whole seed" has_whole_seed "${pair%%:*}" "${pair#*:}"
done
check "there are formats" [ "$count" -gt 5 ]
finish
