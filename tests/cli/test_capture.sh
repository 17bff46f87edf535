#!/bin/sh
# SPDX-License-Identifier: MIT
# Captures: shown, replayed, benchmarked, refused when they are damaged.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_CACHE=$work/cache
export AQUEDUCT_CACHE
capture=$srcdir/tests/fuzz/corpus/capture/operations.aqcap

try "$aqueduct" show "$capture"
check "show prints a capture" [ "$status" = 0 ]
check "with its operations" contains "$out" \
  "queue 1: update memory 1 [0, +11) waits for 0>=1 signals 0>=2"
try "$aqueduct" show "$capture" --json
check "and as JSON" contains "$out" '"operations": 5'

try "$aqueduct" replay "$capture" --name a
check "replay runs it and compares what is left" [ "$status" = 0 ]
check "prints the id alone" [ "$out" = 1 ]
try "$aqueduct" show a
check "and stores a run" contains "$out" "format         capture"
check "which says what was checked" contains "$out" '"checked":1'
try "$aqueduct" export a --format jsonl
check "with the packets that the device saw" contains "$out" "aq_fill"
check "and a row for each operation" \
  [ "$(echo "$out" | grep -c '"kind":"operation"')" = 5 ]
check "numbered as they were submitted" \
  contains "$out" '"name":"copy","correlation":3'

try "$aqueduct" replay "$capture" --transport null --bench 3 --name b
check "it is timed on any transport" [ "$status" = 0 ]
check "and the figures are told" contains "$err" "3 repetitions"
try "$aqueduct" show b
check "and kept" contains "$out" '"bench_host_ns":['
try "$aqueduct" replay "$capture" --live --timeout 10s
check "also in live mode" [ "$status" = 0 ]

try "$aqueduct" replay "$capture" --as-graph
check "options of runs are refused" [ "$status" = 2 ]
try "$aqueduct" replay a --bench 3
check "and those of captures for runs" [ "$status" = 2 ]
try "$aqueduct" replay "$capture" --bench 0
check "no repetition is no benchmark" [ "$status" = 2 ]

try "$aqueduct" replay "$capture" --blocks device --name blocks
check "its command buffers may be walked on the device" [ "$status" = 0 ]
try "$aqueduct" replay "$capture" --blocks pm4
check "or become PM4 commands" [ "$status" = 0 ]
try "$aqueduct" replay "$capture" --blocks devices
check "the processor of blocks is one of three" contains "$err" \
  "--blocks devices: expected host, device or pm4"

code=$srcdir/tests/fuzz/corpus/capture/code.aqcap
try "$aqueduct" replay "$code" --device mi210 --name code --profile-isa
check "the code of a capture computes what the captured program computed" \
  [ "$status" = 0 ]
try "$aqueduct" show code
check "all its memory is compared" contains "$out" '"checked":3'
try "$aqueduct" show code --asm vadd
check "and its instructions are counted" contains "$out" \
  "all              26    416 100.0  62.5 12000      189   189"
try "$aqueduct" replay "$code" --device mi210 --trace-isa wave=0,limit=1
check "a wave's steps print" contains "$err" "s_load_dword s0, s[4:5], 0x18"
try "$aqueduct" replay "$code" --device mi210 --kernels-from host
check "with host functions only, a kernel without one is an error" \
  contains "$err" "kernel 'vadd' has no host function"
compiled() { # HOW
  try env AQUEDUCT_STORE="$work/compiled.db" "$aqueduct" replay "$code" \
    --device mi210 --compile "$1"
  check "with --compile $1, the code computes that too" [ "$status" = 0 ]
}
compiled always
try "$aqueduct" replay "$code" --device mi210 --compile often
check "another word for --compile is an error" contains "$status $err" \
  "2 aqueduct: error: compile: \"often\"; expected off, auto or always"
try "$aqueduct" replay "$code" --device mi210 --compile cc-always
check "a word of before names the one that replaced it" contains "$status $err" \
  "2 aqueduct: error: compile: \"cc-always\" is no longer: use always"
try "$aqueduct" replay "$code" --device mi300x
check "code for another processor is an error that names both" \
  contains "$err" "gfx90a does not run on gfx942"
for option in profile-isa trace-isa=wave=0 kernels-from=isa compile=auto; do
  try "$aqueduct" replay code "--$option"
  check "--$option does not apply to a stored run" [ "$status" = 2 ]
done

marked=$srcdir/tests/fuzz/corpus/capture/marked.aqcap
try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" replay "$marked" \
  --device mi210 --name marked
check "a program with markers and an indirect grid is replayed" \
  [ "$status" = 0 ]
try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" export marked
check "its markers are ranges with times of the device" \
  contains "$(echo "$out" | grep '"name":"prepare"')" '"start":'
echo "$out" > "$work/marked.jsonl"
try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" import \
  "$work/marked.jsonl" --name again
check "which come back" [ "$status" = 0 ]
try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" export again
check "the same" [ "$(echo "$out" | grep -c '"kind":"range"')" = 6 ]
env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" export marked \
  --format chrome -o "$work/marked.json"
check "timelines have a track of them" grep -q 'ranges' "$work/marked.json"
check "with their names" grep -q 'indirect fill' "$work/marked.json"
env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" report marked \
  -o "$work/marked.html" > "$work/log" 2>&1
check "and so has the report" grep -q 'indirect fill' "$work/marked.html"
for blocks in device pm4; do
  try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" replay "$marked" \
    --device mi210 --blocks $blocks --name $blocks
  check "with --blocks $blocks it leaves the same bytes" [ "$status" = 0 ]
done
try env AQUEDUCT_STORE="$work/marked.db" "$aqueduct" stats pm4
check "by PM4 it has its ranges too" contains "$out" "indirect fill"

head -c 3000 "$capture" > "$work/cut.aqcap"
try "$aqueduct" replay "$work/cut.aqcap"
check "a capture that was cut is refused" [ "$status" = 2 ]
check "with what is wrong" contains "$err" "3000 bytes"
{ head -c 300 "$capture"; printf X; tail -c +302 "$capture"; } \
  > "$work/bad.aqcap"
try "$aqueduct" replay "$work/bad.aqcap"
check "one that is damaged too" contains "$err" "checksum"
try "$aqueduct" list runs --names
check "and nothing is stored of them" [ "$(echo "$out" | wc -l)" = 7 ]

finish
