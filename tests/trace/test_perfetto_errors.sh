#!/bin/bash
# SPDX-License-Identifier: MIT
# Perfetto opens every export that it reads without an error: of measured, simulated,
# predicted and executed runs, with ranges, counters, requests and steps of waves, by the rules
# of its trace_processor (perfetto_check.py).
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
checker=$srcdir/tests/trace/perfetto_check.py

if ! command -v python3 > /dev/null; then
  skip "Perfetto opens each export" "needs python3"
  finish
  exit
fi

opens() { # RUN
  for format in perfetto chrome; do
    rm -f "$work/run.$format"
    try "$aqueduct" export "$1" --format $format -q -o "$work/run.$format"
    check "$1 is exported as $format" [ "$status" = 0 ]
    try python3 "$checker" "$work/run.$format"
    check "$1 as $format opens without an error" [ "$status" = 0 ]
  done
}

"$aqueduct" import -q "$srcdir/tests/cli/two-streams.json" --name measured > /dev/null
"$aqueduct" replay measured --device mi300x --name simulated -q > /dev/null 2>&1
"$aqueduct" replay measured --level 2 --device mi210 --name predicted -q > /dev/null 2>&1
"$aqueduct" replay measured --device mi300x --counters 1us --name counted -q > /dev/null 2>&1
"$aqueduct" import -q "$srcdir/tests/report/timeline.jsonl" --name ranges > /dev/null 2>&1
"$aqueduct" import -q "$srcdir/tests/report/hostile.jsonl" --name hostile > /dev/null 2>&1
for run in measured simulated predicted counted ranges hostile; do opens $run; done
for fixture in rocprof_v1.csv ireeperf.jsonl jax.xplane.pb rocprofv3.pftrace; do
  "$aqueduct" import -q "$srcdir/tests/trace/data/$fixture" --name "$fixture" > /dev/null 2>&1
  opens "$fixture"
done

# The checker can fail: a slice that leaves the one around it, an arrow from nowhere, and
# a packet that is cut short.
cat > "$work/bad.json" << 'END_OF_JSON'
{"traceEvents":[
{"ph":"X","pid":1,"tid":1,"name":"outer","ts":0.000600,"dur":0.000600},
{"ph":"X","pid":1,"tid":1,"name":"inner","ts":0.001000,"dur":0.002000},
{"ph":"X","pid":1,"tid":1,"name":"a","ts":10,"dur":5},
{"ph":"X","pid":1,"tid":1,"name":"b","ts":12,"dur":5},
{"ph":"f","pid":1,"tid":1,"cat":"c","name":"n","id":7,"ts":12,"bp":"e"}]}
END_OF_JSON
try python3 "$checker" "$work/bad.json"
check "the checker finds a slice that leaves another" contains "$out" \
  "'slice_drop_overlapping_complete_event': 2"
check "and an arrow without a start" contains "$out" "'flow_end_without_start': 1"
head -c -3 "$work/run.perfetto" > "$work/cut.pftrace"
try python3 "$checker" "$work/cut.pftrace"
check "and a trace that is cut short" [ "$status" != 0 ]

# A file of the run before does not stand for one that is not written.
check "an export that fails is no file that opens" \
  [ "$(opens no_such_run | grep -c '^not ok')" = 4 ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
for trace in mi300x_qwen05b mi300x_bert mixrank_resnet_train_4rank; do
  if [ -r "$data/$trace.json.gz" ]; then
    "$aqueduct" import -q "$data/$trace.json.gz" --name $trace > /dev/null 2>&1
    opens $trace
  else
    skip "$trace opens without an error" "no published traces in AQ_DATA"
  fi
done
finish
