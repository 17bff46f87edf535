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
# A profile with an op; a range and a step, whose parts have one kernel of two.
cat > "$work/ops.json" << 'END'
{"traceEvents": [
{"ph": "X", "cat": "user_annotation", "name": "forward", "pid": 1, "tid": 1, "ts": 100, "dur": 50},
{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 90, "dur": 70},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 110, "dur": 20},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 115, "dur": 2,
 "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 130, "dur": 40,
 "args": {"correlation": 1, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "late", "pid": 0, "tid": 7, "ts": 300, "dur": 2.5,
 "args": {"device": 0, "stream": 7}}]}
END
"$aqueduct" import "$work/ops.json" --name ops -q > /dev/null 2>&1
PYTHONPATH=$srcdir/python PYTHONDONTWRITEBYTECODE=1 \
  $python "$srcdir/tests/python/use_module.py" \
  "$XDG_DATA_HOME/aqueduct/runs.db" "$work" "$aqueduct"
