#!/bin/sh
# SPDX-License-Identifier: MIT
# Every view of a run names the run's unknowns.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

trace=$srcdir/tests/cli/two-streams.json
size=$(wc -c < "$trace")
head -c $((size * 8 / 10)) "$trace" > "$work/cut.json"

try "$aqueduct" import "$work/cut.json"
check "a truncated trace is refused" [ "$status" = 2 ]
check "and its error names the option that reads it" \
  contains "$err" "--allow-truncated"
try "$aqueduct" import "$work/cut.json" --allow-truncated --name cut
check "which imports the complete part" [ "$status" = 0 ]
check "and says what it did" contains "$err" "1 truncated file"

shows() { # NAME COMMAND…
  shown=$1
  shift
  try "$aqueduct" "$@"
  check "$shown shows that its trace was cut" contains "$out" truncated
}
shows "list runs" list runs
shows "list runs --json" list runs --json
shows "show" show cut
shows "stats" stats cut
shows "stats --json" stats cut --json
shows "explain" explain cut
shows "explain --json" explain cut --json
shows "an export" export cut
"$aqueduct" export cut -o "$work/cut.jsonl"
"$aqueduct" import "$work/cut.jsonl" --name back -q > "$work/id"
shows "its import" show back
"$aqueduct" replay cut --device mi300x --name cut-replay -q > "$work/id"
shows "a replay" show cut-replay
shows "compare" compare cut-replay
"$aqueduct" report cut-replay -o "$work/page.html" -q
check "report shows that its trace was cut" \
  grep -q '"truncated":true' "$work/page.html"

# Three launches, one kernel.
event() { # CAT NAME PID TS DUR ID
  printf '{"ph":"X","cat":"%s","name":"%s","pid":%d,"tid":1,"ts":%d,' \
    "$1" "$2" "$3" "$4"
  printf '"dur":%d,"args":{"device":0,"stream":0,"correlation":%d}}' "$5" "$6"
}
{
  echo '{"traceEvents":['
  event cuda_runtime hipLaunchKernel 9 1000 5 1
  for id in 2 3; do
    printf ,
    event cuda_runtime hipLaunchKernel 9 "${id}000" 5 $id
  done
  for id in 1 4; do
    printf ,
    event kernel k 0 "${id}010" 10 $id
  done
  echo ']}'
} > "$work/lost.json"
try "$aqueduct" import "$work/lost.json" --name lost
check "an import names lost launches" contains "$err" \
  "2 launch calls without a record"
shows_damage() { # NAME COMMAND…
  shown=$1
  shift
  try "$aqueduct" "$@"
  check "$shown shows that launches are lost" contains "$out" \
    "2 launch calls without a record"
}
shows_damage "list runs --json" list runs --json
shows_damage "show" show lost
shows_damage "stats" stats lost
shows_damage "stats --json" stats lost --json
shows_damage "explain" explain lost
shows_damage "explain --json" explain lost --json
shows_damage "an export" export lost
try "$aqueduct" explain lost
check "it counts them in its head" contains "$out" \
  "  2 launch or copy calls without a record"
check "and its document too" contains \
  "$("$aqueduct" explain lost --json | tr -d ' \n')" '"lost":2,"endless":0,'
check "time in which a lost launch may have run is unknown" \
  contains "$out" ": idle for unknown reasons"
"$aqueduct" export lost -o "$work/lost.jsonl"
"$aqueduct" import "$work/lost.jsonl" --name lost-back -q > "$work/id"
shows_damage "its import" show lost-back
"$aqueduct" replay lost --device mi300x --name lost-replay -q > "$work/id"
shows_damage "a replay" show lost-replay
shows_damage "explain of a replay" explain lost-replay
try "$aqueduct" replay lost --device mi300x --name lost-again
check "the end of a replay names the damage" contains "$err" \
  "damaged: 2 launch calls without a record"
shows_damage "a replay --json" replay lost --device mi300x --json
export AQUEDUCT_DEVICE=mi300x
shows_damage "whatif" whatif lost --launch x2
shows_damage "whatif --json" whatif lost --launch x2 --json
"$aqueduct" report lost --launch x2 -o "$work/page.html" -q
unset AQUEDUCT_DEVICE
check "so do the what-ifs of a report" grep -q \
  '"whatif":{"run":[0-9]*,"caveats":."damaged: 2 launch calls' "$work/page.html"

# Every eighth of 400 kernels is lost.
awk 'BEGIN {
  print "{\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Instinct MI300X\"}],"
  print "\"traceEvents\":["
  for (i = 1; i <= 400; i++) {
    printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"pid\":9,\"tid\":9,"
    printf "\"name\":\"hipLaunchKernel\",\"ts\":%d,\"dur\":4,", 20 * i
    printf "\"args\":{\"correlation\":%d}}", i
    print i < 400 ? "," : ""
    if (i % 8 == 0)
      continue
    printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":0,\"tid\":0,"
    printf "\"name\":\"k\",\"ts\":%d,\"dur\":5,\"args\":", 20 * i + 8
    printf "{\"device\":0,\"stream\":0,\"correlation\":%d}},\n", i
  }
  print "]}"
}' > "$work/eighths.json"
"$aqueduct" import "$work/eighths.json" --name eighths -q > "$work/id"
try "$aqueduct" device calibrate eighths --device mi300x -o "$work/fitted.device"
check "calibrate names the damage of its runs" contains "$err" \
  "eighths: damaged: 50 launch calls without a record"
try "$aqueduct" device calibrate eighths --device mi300x --json
check "so does its document" contains "$out" "50 launch calls without a record"
# Of four launches the second and third are lost: between the first kernel and the
# last nothing binds the host.
{
  echo '{"traceEvents":['
  for id in 1 2 3 4; do
    event cuda_runtime hipLaunchKernel 9 "${id}000" 5 $id
    printf ,
  done
  event kernel k 0 1010 10 1
  printf ,
  event kernel k 0 4010 10 4
  echo ']}'
} > "$work/between.json"
"$aqueduct" import "$work/between.json" --name between -q > "$work/id"
"$aqueduct" replay between --device mi300x --mode closed --name closed -q \
  > "$work/id"
try "$aqueduct" explain closed
check "nor does the host of a closed loop bind it" contains "$out" \
  ": idle for unknown reasons"
# The first of four kernels of a stream would end behind the others.
{
  echo '{"traceEvents":['
  for id in 1 2 3 4; do
    event cuda_runtime hipLaunchKernel 9 "${id}000" 5 $id
    printf ,
  done
  event kernel k 0 1010 100000 1
  for id in 2 3 4; do
    printf ,
    event kernel k 0 "${id}010" 10 $id
  done
  echo ']}'
} > "$work/endless.json"
"$aqueduct" import "$work/endless.json" --name endless -q > "$work/id"
try "$aqueduct" replay endless --device mi300x --name endless-replay
check "a replay counts rows that take no time for want of an end" \
  contains "$err" "1 row without an end: replayed with a duration of 0"
try "$aqueduct" explain endless
check "explain counts them" contains "$out" "1 row without an end: idle time"
try env AQUEDUCT_DEVICE=mi300x "$aqueduct" whatif endless --host x2
check "so does whatif" contains "$out" "1 row without an end: no time"
"$aqueduct" report lost -o "$work/page.html" -q
check "report shows that launches are lost" \
  grep -q '"damage":"2 launch calls without a record' "$work/page.html"

cat > "$work/shapeless.jsonl" << 'END'
{"kind":"kernel","name":"a","device":{"id":0},"queue":{"id":0},"start":5000000,"end":9000000,"host_begin":0,"host_end":1000000}
{"kind":"kernel","name":"b","device":{"id":0},"queue":{"id":0},"start":20000000,"end":29000000,"host_begin":0,"host_end":1000000}
END
"$aqueduct" import "$work/shapeless.jsonl" --name shapeless -q > "$work/id"
try "$aqueduct" replay shapeless --device mi300x --name none
check "replay says which kernels have no grid" contains "$err" "without grid"
try "$aqueduct" export none
check "which stays unknown" [ "$(echo "$out" | grep -c grid_x)" = 0 ]
try "$aqueduct" explain none
check "and explain does not guess its tail" \
  contains "$out" "no tail computed"

# Durations come from the measured GPU, whatever the device model.
"$aqueduct" import "$srcdir/tests/trace/data/kineto.json" --name whose -q > "$work/id"
shows_durations() { # WHOSE COMMAND...
  whose=$1
  shift
  try "$aqueduct" "$@"
  check "$* says whose durations it shows" \
    contains "$out$err" "measured on AMD Instinct MI300X$whose"
}
shows_durations "" show whose
shows_durations "" replay whose --name same
shows_durations ", not on" replay whose --device mi50 --name other
for view in show stats explain; do
  shows_durations ", not on AMD" "$view" other
  shows_durations ", not on AMD" "$view" other --json
done
shows_durations "" compare same
try "$aqueduct" compare other
check "a replay on another GPU is not scored" [ "$status" = 2 ]
check "and the reason is said" contains "$err" "another GPU"
shows_durations ", not on AMD" compare other --as-if
try "$aqueduct" replay whose --level 2 --name second
check "predicted durations say how far they are off" \
  contains "$err" "durations: predicted ±"
"$aqueduct" run "$srcdir/tests/cli/clients.json" --name scenario -q > "$work/id"
try "$aqueduct" show scenario
check "durations of a scenario are assumed" contains "$out" "assumed"

# A bound on the recorded rows.
"$aqueduct" run "$srcdir/tests/cli/clients.json" --name part \
  --record sample=4 -q > "$work/id"
shows_bound() { # COMMAND...
  try "$aqueduct" "$@"
  check "$* says that a part of the rows was recorded" \
    contains "$out$err" "1 row in 4; left out: "
}
for view in show stats explain; do
  shows_bound "$view" part
  shows_bound "$view" part --json
done
shows_bound export part
"$aqueduct" export part -o "$work/part.jsonl"
"$aqueduct" import "$work/part.jsonl" --name part-back -q > "$work/id"
shows_bound show part-back
shows_bound replay part --name part-replay
check "a replay says whose rows they were" contains "$err" "the run it replays: 1"
shows_bound compare part-replay
"$aqueduct" report part -o "$work/page.html" -q
check "report shows that a part of the rows was recorded" \
  grep -q '"recorded":"1 row in 4; left out' "$work/page.html"
count_json() { # RUN: its rows, and those it left out
  "$aqueduct" export "$1" --format jsonl -q | grep -c '^{"row"'
  "$aqueduct" show "$1" --json -q | sed -n 's/.*"rows_left_out": *\([0-9]*\).*/\1/p'
}
# shellcheck disable=SC2046 # two words
set -- $(count_json part) $(count_json scenario)
check "rows kept and rows left out are all the rows" \
  [ "$(($1 + $2)) $4" = "$3 0" ]
try "$aqueduct" run "$srcdir/tests/cli/clients.json" --record none --name sums
check "of --record none the run is kept" [ "$status" = 0 ]
check "and its rows are counted" contains "$err" "no rows; left out: $3 rows"
check "and its requests are kept" \
  [ "$("$aqueduct" study sums | tail -n 1)" = \
  "$("$aqueduct" study scenario | tail -n 1)" ]
try "$aqueduct" run "$srcdir/tests/cli/clients.json" --record-limit 10K
check "a limit that is reached is reported" \
  contains "$err" "past the limit of 10 KiB"
try "$aqueduct" replay scenario --device mi300x --record kernels --record-limit none
check "a replay is bounded too" [ "$status" = 0 ]
try "$aqueduct" replay scenario --device mi300x --record-limit 5X
check "a malformed limit is refused" [ "$status" = 2 ]
check "by its value" contains "$err" "limit of rows 5X: expected none, or bytes"
finish
