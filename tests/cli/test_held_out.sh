#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of sources left out, and the lists of traces that it reads.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Traces of a column of a list, one a line.
traces_of() { # LIST COLUMN
  grep -v '^#' "$srcdir/traces/$1" | cut -f "$2" | tr ' ' '\n' | sort
}

traces_of sources.tsv 4 > "$work/sources"
check "a trace belongs to one source" [ -z "$(uniq -d "$work/sources")" ]
# The table does not score the MI350X: its trace has no host times.
check "each trace that a model is fitted to can be left out" [ \
  "$(traces_of calibration.tsv 3 | uniq | comm -23 - "$work/sources")" = \
  mi350x_aorta_train.json.gz ]
check "each trace of the table of accuracy can be left out" [ \
  -z "$(traces_of accuracy.tsv 1 | uniq | comm -23 - "$work/sources")" ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured
if [ -d "$data/raw" ]; then
  try python3 "$srcdir/tools/held_out.py" "$aqueduct" "$srcdir" "$data" \
    "SGLang"
  check "a source is left out and scored" [ "$status" = 0 ]
  check "with both of its traces" [ \
    "$(echo "$out" | grep -c '^| TraceLens SGLang')" = 2 ]
  check "and counted" contains "$out" "of 1 sources"
else
  skip "a source is left out and scored" "no published traces in AQ_DATA"
fi
finish
