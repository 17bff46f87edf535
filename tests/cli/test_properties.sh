#!/bin/sh
# SPDX-License-Identifier: MIT
# Properties of every published trace (properties.py).
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

data=${AQ_DATA:-$srcdir/../shared/data}/measured
if ! command -v python3 > /dev/null; then
  skip "properties of the published traces" "needs python3"
elif [ ! -d "$data/raw" ]; then
  skip "properties of the published traces" "no published traces in AQ_DATA"
else
  python3 "$srcdir/tests/cli/properties.py" "$aqueduct" "$data" \
    "$srcdir/traces/accuracy.tsv" "$work" || echo "not ok - it did not end"
  exit
fi
finish
