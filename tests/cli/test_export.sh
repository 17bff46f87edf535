#!/bin/sh
# SPDX-License-Identifier: MIT
# A run leaves in the formats of other tools.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
data=$srcdir/tests/trace/data

"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --name s -q > /dev/null

# Our own: there and back.
for run in m s; do
  "$aqueduct" export $run -o "$work/$run.jsonl"
  "$aqueduct" import "$work/$run.jsonl" --name "$run-back" -q > /dev/null
  "$aqueduct" export "$run-back" -o "$work/$run-back.jsonl"
  check "JSON Lines of $run come back the same" \
    cmp -s "$work/$run.jsonl" "$work/$run-back.jsonl"
done
try "$aqueduct" show s-back --json
check "a simulated run is still one in another store" \
  contains "$(echo "$out" | tr -d ' ')" '"kind":"simulated"'

# rocprofv3: kernels only, in whole nanoseconds.
"$aqueduct" export m --format rocprofv3-csv -o "$work/m_kernel_trace.csv"
"$aqueduct" import "$work/m_kernel_trace.csv" --name k -q > /dev/null
kernels() { # RUN: what rocprofv3 can say of it
  "$aqueduct" export "$1" | grep '"kind":"kernel"' |
    sed 's/.*"flags":[0-9]*,.*\("name":"[pc][^"]*"\).*\("grid_x":[0-9]*\).*\("wg_x":[0-9]*\).*/\1 \2 \3/'
}
kernels m > "$work/m.kernels"
kernels k > "$work/k.kernels"
check "there are kernels in it" [ -s "$work/m.kernels" ]
check "kernel_trace.csv comes back with the same kernels" \
  cmp -s "$work/m.kernels" "$work/k.kernels"

# rocpd: a database, in a file.
for format in rocpd rocpd-kernels; do
  "$aqueduct" export m --format $format -o "$work/m.$format"
  "$aqueduct" import "$work/m.$format" --name "m-$format" -q > /dev/null
  kernels "m-$format" > "$work/k.kernels"
  check "$format comes back with the same kernels" \
    cmp -s "$work/m.kernels" "$work/k.kernels"
done
check "the file is an ordinary one" \
  [ "$(stat -c %a "$work/m.rocpd")" = "$(stat -c %a "$work/m.jsonl")" ]
check "and nothing is beside it" \
  [ "$(find "$work" -name 'm.rocpd*' | wc -l)" = 2 ]
try "$aqueduct" export m --format rocpd
check "without a file it is refused" [ "$status$out" = 2 ]
check "in one line that says what to do" contains "$err" "-o FILE"
try "$aqueduct" list formats
check "list formats has it" contains "$out" "rocpd"
for file in "$srcdir/tests/fuzz/corpus/rocpd/one-of-each.rpd" \
  "$data/ireeperf.jsonl"; do
  try "$aqueduct" import "$file"
  check "$(basename "$file") is found by content" [ "$status" = 0 ]
done

# CSV: a header and a line a row.
"$aqueduct" export s --format csv -o "$work/s.csv"
check "CSV has a line for each row and one more" \
  [ "$(wc -l < "$work/s.csv")" = \
  "$(($(grep -c '"row"' "$work/s.jsonl") + 1))" ]
check "its header is the record" contains "$(head -n 1 "$work/s.csv")" \
  "row,kind,via,flags,origin,name,"

# Chrome.
"$aqueduct" export s --format chrome -o "$work/s.chrome"
check "Chrome JSON is JSON" is_json "$work/s.chrome"
check "it has the phases of packets" \
  contains "$(cat "$work/s.chrome")" '"name":"completes"'
"$aqueduct" export m --format chrome -o "$work/m.chrome"
check "and arrows for dependencies" \
  contains "$(cat "$work/m.chrome")" '"name":"dependency"'

check "the slices of kernels have correlation, stream and sizes" \
  [ "$(grep -c '"correlation":.*"stream":.*"grid_x":.*"wg_z":' "$work/m.chrome")" = \
  "$(grep -c '"kind":"kernel"' "$work/m.jsonl")" ]

# Perfetto, as protoc reads it.
if command -v protoc > /dev/null; then
  for run in m s; do
    "$aqueduct" export $run --format perfetto -o "$work/$run.pftrace"
    protoc -I "$data" --decode aqueduct.Trace perfetto.proto \
      < "$work/$run.pftrace" > "$work/$run.pftext" 2> "$work/err"
    check "protoc decodes the Perfetto trace of $run" [ ! -s "$work/err" ]
    check "and leaves nothing unknown in it" \
      [ "$(grep -cE '^ *[0-9]+[:{ ]' "$work/$run.pftext")" = 0 ]
    check "every slice that begins ends" \
      [ "$(grep -c TYPE_SLICE_BEGIN "$work/$run.pftext")" = \
      "$(grep -c TYPE_SLICE_END "$work/$run.pftext")" ]
  done
  check "phases are named" grep -q 'name: "completes"' "$work/s.pftext"
  check "the depth of a queue is counted" grep -q TYPE_COUNTER "$work/s.pftext"
  check "details are those of Chrome" [ "$(grep -o '"args":{"row":[^}]*' "$work/m.chrome" |
    grep -o '"[a-z_]*":' | tr -d '":' | grep -v args | sort)" = "$(awk '/debug_annotation_names/ {names = 1}
      names && $1 == "iid:" {id = $2} names && $1 == "name:" {gsub(/"/, "", $2); name[id] = $2; names = 0}
      $1 == "name_iid:" && inside {print name[$2]} {inside = $1 == "debug_annotations"}' "$work/m.pftext" | sort)" ]
  check "dependencies are flows" grep -q terminating_flow_ids "$work/m.pftext"
else
  skip "protoc decodes the Perfetto trace" "there is no protoc"
fi

# Tables beside the rows.
cat > "$work/op.json" << 'end'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 0, "dur": 9,
 "args": {"External id": 1}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 1,
 "dur": 2, "args": {"correlation": 1}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 5, "dur": 3,
 "args": {"correlation": 1, "device": 0, "stream": 7}}]}
end
"$aqueduct" import "$work/op.json" --name op -q > /dev/null
try "$aqueduct" export op --format jsonl -o "$work/op.jsonl"
check "an export says what no format has" contains "$err" \
  "left out of jsonl, of the whole run: 1 op, 1 dispatch context"
try "$aqueduct" export m --format jsonl -o "$work/m.jsonl"
check "and nothing where all is in it" [ -z "$err" ]

# Operators: `leaves` ends behind the one around it, and takes another lane.
cat > "$work/ops.json" << 'end'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "outer", "pid": 1, "tid": 1, "ts": 10, "dur": 20,
 "args": {"External id": 1}},
{"ph": "X", "cat": "cpu_op", "name": "inner", "pid": 1, "tid": 1, "ts": 10, "dur": 9,
 "args": {"External id": 2}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 11,
 "dur": 2, "args": {"correlation": 1, "External id": 2}},
{"ph": "X", "cat": "cpu_op", "name": "leaves", "pid": 1, "tid": 1, "ts": 25, "dur": 9,
 "args": {"External id": 3}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1, "ts": 26,
 "dur": 2, "args": {"correlation": 2, "External id": 3}},
{"ph": "X", "cat": "cpu_op", "name": "other", "pid": 1, "tid": 2, "ts": 12, "dur": 9,
 "args": {"External id": 4}},
{"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 2, "ts": 13,
 "dur": 2, "args": {"correlation": 3, "External id": 4}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 15, "dur": 3,
 "args": {"correlation": 1, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 30, "dur": 3,
 "args": {"correlation": 2, "device": 0, "stream": 7}},
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 34, "dur": 3,
 "args": {"correlation": 3, "device": 0, "stream": 7}}]}
end
"$aqueduct" import "$work/ops.json" --name ops -q > /dev/null
try "$aqueduct" export ops --format chrome -o "$work/ops.chrome"
if command -v python3 > /dev/null; then
  check "operators of each thread are slices that nest" \
    python3 - "$work/ops.chrome" << 'end'
import json, sys
events = json.load(open(sys.argv[1]))
events = events["traceEvents"] if isinstance(events, dict) else events
lanes = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
         if e["ph"] == "M" and e["name"] == "thread_name"}
slices = [(lanes[e["pid"], e["tid"]], e["tid"], e["name"], e["ts"], e["dur"]) for e in events
          if e["ph"] == "X" and "ops" in lanes[e["pid"], e["tid"]]]
first = min(s[3] for s in slices)
told = [(s[0], s[2], round(s[3] - first, 3), s[4]) for s in slices]
print(told)
sys.exit(told != [("thread 1 ops", "outer", 0, 20), ("thread 1 ops", "inner", 0, 9),
                  ("thread 1 ops", "leaves", 15, 9), ("thread 2 ops", "other", 2, 9)] or
         len({s[1] for s in slices}) != 3)
end
else
  skip "operators of each thread are slices that nest" "needs python3"
fi
check "and are not said to be left out" [ "$(echo "$err" | grep -c '[0-9] op')" = 0 ]
try "$aqueduct" export ops --time 0us..2us --format chrome -o "$work/part.chrome"
check "but the one outside of a part" contains "$err" "of the whole run: 1 op, "

# Times before the clock's zero, which viewers drop.
sed 's/"start":7700000,"end":10700000/"start":-5000000,"end":-2000000/' "$work/m.jsonl" > "$work/early.jsonl"
"$aqueduct" import "$work/early.jsonl" --name early -q > /dev/null 2>&1
try "$aqueduct" export early --format chrome -o "$work/early.json"
check "an export that moves times says by how much" contains "$err" \
  "times are 5000 ns later than in the run"
check "and the first event is at 0" contains "$(tr -d ' ' < "$work/early.json")" '"ts":0'
try "$aqueduct" export m --format chrome -o "$work/early.json"
check "no other one does" [ "$(echo "$err" | grep -c later)" = 0 ]

# Errors.
try "$aqueduct" export m --format kineto -o "$work/none"
check "a format that is only read is refused" [ "$status" = 2 ]
check "and nothing is left of it" [ ! -e "$work/none" ]
"$aqueduct" export m --format perfetto > /dev/full 2> "$work/err"
status=$?
check "a full disk is an error" [ "$status" != 0 ]
check "of one line" [ "$(wc -l < "$work/err")" = 1 ]

finish
