#!/bin/sh
# SPDX-License-Identifier: MIT
# replay --fit: constants of a run from its beginning, scored on the rest.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

# Kernels on an idle device: the first FIRST start FROM ns after their doorbell,
# the others THEN; 3 us later where the device was idle for more than 105 us.
measured() { # ROWS FIRST FROM THEN
  awk -v rows="$1" -v first="$2" -v from="$3" -v then="$4" 'BEGIN {
    print "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds," \
      "scr,arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,DispatchNs,BeginNs," \
      "EndNs,CompleteNs"
    end = 1000000
    for (i = 0; i < rows; i++) {
      idle = i % 3 == 2 ? 150000 : 20000
      dispatch = end + idle
      begin = dispatch + (i < first ? from : then) + (i % 3 == 2 ? 3000 : 0)
      end = begin + 10000
      printf "%d,\"k\",0,0,%d,1,1,64,64,0,0,4,0,16,64,0x0,0x1,%d,%d,%d,%d\n",
        i, i, dispatch, begin, end, end + 9000
    }
  }'
}

# A figure of the error of all ends of the comparison in $out.
end_error() { # FIGURE
  echo "$out" | tr -d ' \n' | tr '{' '\n' | grep '"quantity":"end"' |
    grep '"class":"all"' | grep '"by":"run"' |
    sed "s/.*\"$1\":\([0-9.]*\).*/\1/"
}
below() { # NUMBER LIMIT
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a < b) }'
}

measured 300 300 9000 9000 > "$work/even.csv"
measured 300 60 9000 6000 > "$work/turns.csv"
for name in even turns; do
  try "$aqueduct" import "$work/$name.csv" -q --name $name
done

try "$aqueduct" replay even --device mi300x --name without
try "$aqueduct" compare without --json
check "a run whose launches take longer than the model's is off" below 1000 \
  "$(end_error median_ns)"
check "nothing is said of a fit" [ "${out#*\"fit\"}" = "$out" ]

try "$aqueduct" replay even --device mi300x --fit first=20% --name with
check "a replay with a fit succeeds" [ "$status" = 0 ]
check "and prints the rows" contains "$err" \
  "60 of 300 rows fit the constants (first=20%): not scored"
check "and the constant with its number of launches" contains "$err" \
  "us, was 1.100 us (n = 39)"
check "and why another one stays" contains "$err" \
  "barrier_process keeps 8.700 us: 0 cases of 'graph end'; expected at least 3"
try "$aqueduct" compare with
check "the comparison counts the rows that gave constants" contains "$out" \
  "59 rows not scored: used to fit constants (fitted)"
check "and scores the others" contains "$out" ": scored 240 of 300"
check "it prints what was fitted" contains "$out" "doorbell_to_fetch: "
check "and what was not" contains "$out" \
  "unchanged: dispatch_setup, "
check "the formula has the same rows" contains "$out" \
  "formulas fitted to the scored rows"
try "$aqueduct" compare with --json
check "the fit finds the run's constants" below "$(end_error p99_ns)" 60
check "JSON has the part" contains "$(echo "$out" | tr -d ' \n')" \
  '"fit":{"to":"first=20%",'
check "and the constants" contains "$(echo "$out" | tr -d ' \n')" \
  '{"key":"doorbell_to_fetch","was_ns":1100.000,"value_ns":'
errors=$(echo "$out" | grep _ns)
try "$aqueduct" replay even --device mi300x --fit first=20% --name again -q
try "$aqueduct" compare again --json
check "a second replay is the same" [ "$errors" = "$(echo "$out" | grep _ns)" ]

# Rows behind the part give no constant, and rows in it no score.
try "$aqueduct" replay turns --device mi300x --fit first=60 --name turned -q
try "$aqueduct" compare turned --json
check "only the part gives constants" below 2900 "$(end_error median_ns)"
check "only the rest gives a score" below "$(end_error p99_ns)" 3100
try "$aqueduct" replay turns --device mi300x --fit range=6ms..9ms \
  --name ranged -q
try "$aqueduct" compare ranged --json
check "a range may lie behind the beginning" [ "$status" = 0 ]
check "rows before it are scored" below 2900 "$(end_error p99_ns)"
check "most have its constants" below "$(end_error median_ns)" 60
try "$aqueduct" replay even --device mi300x --fit first=2ms --name timed
check "a time is a part too" contains "$err" "rows fit the constants (first=2ms)"

try "$aqueduct" replay even --device mi300x --fit first=2 --name thin
check "one launch is enough" contains "$err" "us, was 1.100 us (n = 1)"
check "none is not" contains "$err" \
  "remap_latency keeps 4.360 us: 0 cases of 'cold launch'; expected at least 1"
try "$aqueduct" replay even --device mi300x --fit first=20% \
  --set doorbell_to_fetch=2us
check "a constant of --set stays" contains "$err" \
  "doorbell_to_fetch keeps 2.000 us: set by hand"

try "$aqueduct" replay turns --device mi300x --fit range=1ms..9ms --name equal
check "launches after equal idle times have no step between them" contains \
  "$err" "unmap_after keeps 105.000 us: no other idle time makes launches longer"

# Constants that a generator knows (fit_truth.py), found again in a part.
for name in late once stray; do
  python3 "$AQ_SRCDIR/tests/cli/fit_truth.py" $name > "$work/$name.csv"
  try "$aqueduct" import "$work/$name.csv" -q --name $name
done
try "$aqueduct" replay late --device mi300x --fit first=20% --name later
check "a part without launches onto an idle queue grows" contains "$err" \
  "first=20% is only 40 rows: extended to launch 10 onto an idle queue"
longer="first=20% and on to the tenth idle launch"
check "and prints its rows" contains "$err" "91 of 200 rows fit the constants ($longer)"
check "ten launches show where they step up" contains "$err" \
  "unmap_after: 16.000 us, was 105.000 us"
try "$aqueduct" compare later --json
check "the fit finds the constants of the rest" below "$(end_error p99_ns)" 100
check "notes have what was asked for" [ "$(jq -r '.run.notes.replay.fit |
  [.rows, .extended_from] | join(" ")' "$work/out")" = "91 40" ]
check "the comparison has the rows" contains \
  "$("$aqueduct" compare later)" "91 of 200 rows fit the constants ($longer)"
try "$aqueduct" compare later --json
check "so does its JSON" [ "$(jq -r '.fit |
  [.to, .part, .extended_from, .rows, .of] | join(";")' "$work/out")" = \
  "first=20%;$longer;40;91;200" ]
try "$aqueduct" replay late --device mi300x --fit first=40
"$aqueduct" replay late --device mi300x --fit first=40 --name stays -q
check "JSON of a part that stays has one name" [ \
  "$("$aqueduct" compare stays --json | jq -r '.fit | [.part, .extended_from] |
    join(";")')" = "first=40;" ]
check "a part of so many rows stays" contains "$err" \
  "40 of 200 rows fit the constants (first=40)"
try "$aqueduct" replay once --device mi300x --fit first=20% --name one
check "one cold launch counts" contains "$err" "was 4.360 us (n = 1)"
try "$aqueduct" compare one --json
check "as 49 of 50, the model as 1" below "$(end_error p99_ns)" 60
try "$aqueduct" replay stray --device mi300x --fit first=80%
check "launches that another queue keeps warm move no step" contains "$err" \
  "unmap_after keeps 105.000 us: no other idle time makes launches longer"

# An import is fitted as it is replayed on the model of its own GPU.
python3 "$AQ_SRCDIR/tests/cli/fit_truth.py" once kineto > "$work/own.json"
try "$aqueduct" import "$work/own.json" -q --name own
usual="40 of 200 rows fit the constants (first=20%): not scored"
try "$aqueduct" replay own --name usual
check "an imported run is fitted on the model of its GPU" contains "$err" "$usual"
try "$aqueduct" compare usual --json
check "the rest is scored" [ "$(jq .scored "$work/out")" = 160 ]
check "and near" below "$(end_error p99_ns)" 60
try "$aqueduct" replay usual --name copied
check "a simulated run is not fitted" [ "${err#*fit the constants}${err#*constants not}" = "$err$err" ]
for words in "--fit none" "--device mi300x" "--mode closed" "--as-graph" \
  "--level 2" "--transport null" "--set packet_fetch=1us"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" replay own $words
  check "nor with $words" [ "$status" = 0 ]
  check "and nothing is said with $words" [ "${err#*fit the constants}${err#*constants not}" = "$err$err" ]
done
latency() { # NAME OPTION… : the median latency of a replay
  try "$aqueduct" replay own --name "$@"
  try "$aqueduct" compare "$1" --json
  jq .median_latency.run_ns "$work/out"
}
check "a fit does not undo a constant of --set" [ \
  "$(latency edited --set packet_fetch=3us)" = \
  "$(latency plain --set packet_fetch=3us --fit none)" ]
check "which moves the latency" below "$(latency none --fit none)" \
  "$(latency edited-too --set packet_fetch=3us)"
"$aqueduct" device show mi300x > "$work/own.device"
try env AQUEDUCT_DEVICE="$work/own.device" "$aqueduct" replay own
check "so is a device file" [ "${err#*fit the constants}${err#*constants not}" = "$err$err" ]
try "$aqueduct" replay own --interval --name own-interval
check "the interval is by the fitted rows" contains "$err" \
  "90 % interval of direct launches, by the errors of 39 fitted rows"

# A launch of a graph that the part cuts has no known length: of four graphs of 20
# nodes, behind 10 kernels, the last one lies half in a part of 80 rows.
awk '
  function event(cat, name, pid, from, length_us) {
    printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d," \
      "\"tid\":0,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"correlation\":%d%s}}",
      comma, cat, name, pid, from, length_us, id,
      cat == "kernel" ? ",\"device\":0,\"stream\":0" : ""
    comma = ",\n"
  }
  BEGIN {
    print "{\"traceEvents\":["
    t = 1000
    for (i = 0; i < 20; i++) {
      id++
      graph = i >= 10 && i < 14
      event("cuda_runtime", graph ? "hipGraphLaunch" : "hipLaunchKernel", 1, t,
        graph ? 40 : 4)
      start = t + (graph ? 30 : 9)
      for (j = 0; j < (graph ? 20 : 1); j++)
        event("kernel", "k", 0, start + 10 * j, 10)
      t = start + 10 * j + 20
    }
    print "]}"
  }' > "$work/graphs.json"
try "$aqueduct" import "$work/graphs.json" -q --name graphs
try "$aqueduct" replay graphs --device mi300x --fit first=95
check "four graphs in the part give a graph its launch" contains "$err" \
  "us, was 2.880 us (n = 4)"
try "$aqueduct" replay graphs --device mi300x --fit first=80
check "one that the part cuts gives nothing" contains "$err" \
  "us, was 2.880 us (n = 3)"

# 19 rows are too few for the usual part.
sed 's/^{"traceEvents"/{"deviceProperties":[{"id":0,"name":"AMD Instinct MI300X"}],&/
  s/,{"traceEvents"/,"traceEvents"/' "$work/graphs.json" > "$work/short.json"
try "$aqueduct" import "$work/short.json" -q --name short
try "$aqueduct" replay short --interval
check "a short run keeps the model's constants" [ "$status" = 0 ]
check "and prints why" contains "$err" "constants not fitted: first=20% is 19 of the 96 rows of the run; expected at least 20"
check "as its interval does" contains "$err" "by the spreads of"
try "$aqueduct" replay short --name not-fitted -q
try "$aqueduct" compare not-fitted --json
check "its notes have the reason" [ "$(jq -r .run.notes.replay.not_fitted \
  "$work/out")" = "first=20% is 19 of the 96 rows of the run; expected at least 20" ]

# A part that extends and is still too short counts the rows that it has then.
python3 "$AQ_SRCDIR/tests/cli/fit_truth.py" brief kineto > "$work/brief.json"
try "$aqueduct" import "$work/brief.json" -q --name brief
try "$aqueduct" replay brief
check "rows are counted with those that the part extends to" contains "$err" \
  "constants not fitted: $longer is 14 of the 61 rows of the run; expected at least 20"

# Constants that would be below 0.
measured 300 300 1000 1000 > "$work/quick.csv"
try "$aqueduct" import "$work/quick.csv" -q --name quick
try "$aqueduct" replay quick --device mi300x --fit first=20% --name quicker
least="which take less than the other constants"
check "a constant below 0 becomes 0, with the reason" contains "$err" "$least"
check "compare has it" contains "$("$aqueduct" compare quicker)" "$least)"
try "$aqueduct" compare quicker --json
check "JSON has it" [ "$(jq -r '.fit.constants[] | select(.at_least) | .key' \
  "$work/out")" = "$(jq -r '.run.notes.replay.fit.constants[] |
  select(.at_least) | .key' "$work/out")" ]
check "of doorbell_to_fetch" contains "$(jq -r '.fit.constants[] |
  select(.at_least) | .key' "$work/out")" doorbell_to_fetch

# Intervals by the rows of the part.
try "$aqueduct" replay even --device mi300x --fit first=20% --interval \
  --name sure
check "the interval is by the rows that were fitted" contains "$err" \
  "90 % interval of direct launches, by the errors of 59 fitted rows: makespan +- 6.500 us"
try "$aqueduct" compare sure
check "the comparison says so" contains "$out" \
  "90 % interval of direct launches by the errors of 59 fitted rows: makespan +- 6.500 us (within)"
try "$aqueduct" replay turns --device mi300x --fit range=1ms..9ms --interval \
  --name unsure
check "rows that one constant does not fit widen it" contains "$err" \
  "makespan +- 7.1"
try "$aqueduct" compare unsure --json
check "JSON has the rows" contains "$(echo "$out" | tr -d ' \n')" \
  '"percent":90,"furthest_of":null,"makespan_half_ns":7'

# Six sources have graph launches, and one is of RDNA: too few for 90 %.
class_of() { # RUN: notes, then the comparison
  try "$aqueduct" compare "$1" --json --as-if
  jq -r '[.run.notes.replay.interval.class, (.interval |
    .class, .percent // "-", .furthest_of // "-")] | join(" ")' "$work/out"
}
check "direct launches have a class" [ "$(class_of sure)" = \
  "direct direct 90 -" ]
wide="interval of graph launches (the furthest of 6 sources)"
try "$aqueduct" replay graphs --device mi300x --fit first=95 --interval \
  --name wide-fit
check "graph launches widen the interval of a fit" contains "$err" "$wide"
check "to that of such runs" contains "$err" "makespan +- 58."
check "of which no 90 % is stated" [ "${err#*90 %}" = "$err" ]
check "graph launches have a class" [ "$(class_of wide-fit)" = \
  "graphs graphs - 6" ]
try "$aqueduct" compare wide-fit
check "the comparison names it" contains "$out" "$wide by the errors of"
check "and states no 90 %" [ "${out#*90 %}" = "$out" ]
try "$aqueduct" replay even --device r9700 --fit first=20% --interval \
  --name gaps-fit
check "RDNA without graphs has their error" contains "$err" \
  "interval of RDNA (the furthest of 6 sources with graph launches), by the errors"
check "and its own class" [ "$(class_of gaps-fit)" = "RDNA RDNA - 6" ]
try "$aqueduct" replay even --device r9700 --interval --name gaps
check "or that of its one source" contains "$err" \
  "interval of RDNA (the only source), by the spreads"
check "with the same class" [ "$(class_of gaps)" = "RDNA RDNA - 1" ]
try "$aqueduct" replay graphs --device mi300x --interval
check "without a fit too" contains "$err" "$wide"
check "by the constants of such runs" contains "$err" "makespan +- 124."
try "$aqueduct" replay even --device mi300x --interval
check "other runs have their own" contains "$err" "makespan +- 7."
check "and say nothing of graphs" [ "${err#*graph launches}" = "$err" ]

# Notes that were damaged leave nothing to score by.
store=$XDG_DATA_HOME/aqueduct/runs.db
damaged() { # MEMBER FROM TO: of the notes of the run `sure`
  cp "$store" "$work/damaged.db"
  sqlite3 "$work/damaged.db" \
    "UPDATE runs SET notes = replace(notes, '$2', '$3') WHERE name = 'sure'"
  try "$aqueduct" compare sure --store "$work/damaged.db"
  check "damaged notes are refused ($1)" [ "$status" = 2 ]
  check "by the member's name ($1)" contains "$err" \
    "its notes of fitted constants are damaged ($1)"
}
damaged until_ps '"until_ps"' '"until"'
damaged from_ps '"from_ps":' '"from_ps":"x","x":'
damaged rows '"of":300' '"of":3'
damaged to '"to":"first' '"to":"\u001bfirst'
damaged constants '"key":"doorbell_to_fetch","was_ps":1100000' '"key":3'
damaged constants '"was_ps"' '"was"'

# Of two replays, the part of the measured run counts, and the parts of both.
try "$aqueduct" replay even --device mi300x --fit first=10% --name tenth
try "$aqueduct" compare sure tenth --json
check "of two replays both parts are told" [ \
  "$(jq -r '[.fit.to, .reference_fit.to] | join(" ")' "$work/out")" = \
  "first=20% first=10%" ]
try "$aqueduct" compare sure tenth
check "and the larger one is left out" contains "$out" "59 rows not scored: used to fit constants"
try "$aqueduct" compare tenth
check "which the smaller one alone is not" contains "$out" "29 rows not scored: used to fit constants"
try "$aqueduct" compare sure sure
check "a run leaves nothing out of a comparison with itself" [ \
  "$(echo "$out" | grep -c '59 rows not scored')" = 0 ]

refuses() { # WORDS OPTION…
  words=$1
  shift
  try "$aqueduct" replay "$@" -q
  check "refused: $*" [ "$status" = 2 ]
  check "with one line: $words" [ "$(echo "$err" | wc -l)" = 1 ]
  check "that says why: $words" contains "$err" "$words"
}
expected="expected first=N% (1 to 90), first=ROWS, first=TIME or"
for part in "" x first= first=0 first=0% first=91% first=20%% first=-3 \
  first=3q first=99999999999 range=1s range=2s..1s range=1s..1s; do
  refuses "--fit: '$part': $expected" even --fit "$part"
done
refuses "first=300 is 300 of the 300 rows" even --device mi300x --fit first=300
refuses "range=9s..10s is 0 of the 300 rows" even --device mi300x \
  --fit range=9s..10s
refuses "8 scored rows of first=9: expected at least 10" even \
  --device mi300x --fit first=9 --interval
refuses "devices mi300x,mi210: constants are fitted to one model" even \
  --device mi300x,mi210 --fit first=20%
refuses "run with is simulated; expected a measured one" with --fit first=20%
finish
