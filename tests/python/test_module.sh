#!/bin/sh
# SPDX-License-Identifier: MIT
# The Python module gives the figures that the commands print.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Debian's interpreter has Debian's pandas.
python=/usr/bin/python3
if ! $python -c "import pandas" 2> /dev/null; then
  skip "the Python module" "there is no pandas"
  finish
  exit
fi
"$aqueduct" import "$srcdir/traces/mi300x-resnet18-excerpt.jsonl.gz" \
  --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --name s -q > /dev/null
"$aqueduct" stats m --json > "$work/stats.json"
"$aqueduct" compare s --json > "$work/compare.json"
PYTHONPATH=$srcdir/python PYTHONDONTWRITEBYTECODE=1 \
  $python "$srcdir/tests/python/use_module.py" \
  "$XDG_DATA_HOME/aqueduct/runs.db" "$work"
