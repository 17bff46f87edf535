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
  check "dependencies are flows" grep -q terminating_flow_ids "$work/m.pftext"
else
  skip "protoc decodes the Perfetto trace" "there is no protoc"
fi

# Errors.
try "$aqueduct" export m --format kineto -o "$work/none"
check "a format that is only read is refused" [ "$status" = 2 ]
check "and nothing is left of it" [ ! -e "$work/none" ]
"$aqueduct" export m --format perfetto > /dev/full 2> "$work/err"
status=$?
check "a full disk is an error" [ "$status" != 0 ]
check "of one line" [ "$(wc -l < "$work/err")" = 1 ]

finish
