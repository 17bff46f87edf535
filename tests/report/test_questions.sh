#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of questions names commands that there are, and the notebook's cells
# run on a published profile.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE

table=$srcdir/doc/tables/questions.md
grep -o 'aqueduct [a-z][^`]*`' "$table" | tr -d '`' > "$work/commands"
check "the table has commands" [ "$(wc -l < "$work/commands")" -gt 10 ]
wrong=
while read -r _ command rest; do
  help=$("$aqueduct" "$command" --help 2>&1) || wrong="$wrong $command"
  for word in $rest; do
    case $word in
    --by) ;;
    --*) echo "$help" | grep -qw -e "$word" || wrong="$wrong $command $word" ;;
    esac
  done
done < "$work/commands"
try echo "$wrong"
check "all of them, with their options" [ -z "$wrong" ]
"$aqueduct" import -q "$srcdir/tests/trace/data/rocprof_v1.csv" --name v1 > /dev/null
for command in "explain v1" "stats v1" "report v1 -o $work/v1.html" "compare v1 v1"; do
  # shellcheck disable=SC2086 # a list of words
  try "$aqueduct" $command --time 0us..
  check "$command takes a part" [ "$status" = 0 ]
done
"$aqueduct" import -q "$srcdir/tests/trace/data/rocprofv3.pftrace" --name ranges > /dev/null
# Of a run without the record that a table needs, a sentence names the record.
while IFS='|' read -r arguments sentence; do
  # shellcheck disable=SC2086 # a list of words
  try "$aqueduct" $arguments
  check "$arguments names the missing record" contains "$out$err" "$sentence"
done << 'END'
stats v1 --by op|0 of 2 dispatches in an op: the run has no ops
stats v1 --by shape|0 of 2 dispatches in an op: the run has no ops
stats ranges --by op|0 of 11 dispatches in an op: the run has no ops, but ranges: --by range
stats ranges --by shape|0 of 11 dispatches in an op: the run has no ops, but ranges: --by range
stats v1 --by module|0 of 2 dispatches with a call stack: none recorded
stats v1 --by range|0 of 2 dispatches launched in a range: none recorded
stats v1 --by rank|0 of 2 dispatches with a rank: the trace names none
stats v1 --by collective|0 collective kernels in 2 dispatches
stats v1 --by step|no steps: no ProfilerStep, and no sequence of kernels that repeats
explain v1 --step 3|0 of 2 dispatches in step 3; the run has no steps
stats v1 --time 5s..6s|0 of 2 dispatches in that time; the last one starts at
stats v1 --memory|run 1 has no allocations
END
try "$aqueduct" stats v1 --memory --time 0us..
check "stats --memory takes none" [ "$status" = 2 ]
check "since it is of the whole run" contains "$err" "--memory is of the whole run"
groupings=$(grep -o -e '--by [a-z]*`\(, `[a-z]*`\)*' "$table" |
  sed 's/--by//' | tr -d '`,' | tr ' ' '\n' | sort -u)
check "the table has groups" [ "$(echo "$groupings" | wc -l)" -gt 5 ]
for by in $groupings; do
  "$aqueduct" stats v1 --by "$by" > /dev/null 2> "$work/err" || wrong="$wrong $by"
done
try echo "$wrong"
check "all of which stats takes" [ -z "$wrong" ]

trace=${AQ_DATA:-$srcdir/../shared/data}/measured/raw/mi300x_qwen05b.json.gz
other=${AQ_DATA:-$srcdir/../shared/data}/measured/raw/mi300x_timesformer.json.gz
if ! python3 -c 'import pandas' 2> /dev/null; then
  skip "the notebook's cells run" "needs python3 with pandas"
elif [ ! -r "$trace" ]; then
  skip "the notebook's cells run" "no published traces in AQ_DATA"
else
  cat > "$work/cells.py" << 'END'
import json, sys
space = {}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec(compile("".join(cell["source"]), "cell", "exec"), space)
END
  AQUEDUCT=$aqueduct
  AQ_TRACE=$trace
  PYTHONPATH=$srcdir/python
  export AQUEDUCT AQ_TRACE PYTHONPATH
  try python3 "$work/cells.py" "$srcdir/doc/examples/questions.ipynb"
  check "the notebook's cells run" [ "$status" = 0 ]
  # read_memory.py and read_tables.py find the same in the profile, in which 74 kernels named
  # Cijk_ have no call.
  for answer in "kernel-bound" "2116.249" "in aten::empty of step 6"; do
    check "one answers: $answer" contains "$out" "$answer"
  done
  check "one has the calls of known and unknown work of a family" \
    [ "$(echo "$out" | awk '$1 == "gemm" && NF > 4 { print $3, $4 }')" = "169 74" ]
  AQ_AGAINST=$other try python3 "$work/cells.py" "$srcdir/doc/examples/questions.ipynb"
  check "and of another profile, what differs" contains "$out" "ms softmax only in the second"
fi
finish
