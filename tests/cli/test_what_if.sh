#!/bin/sh
# SPDX-License-Identifier: MIT
# The choices of a replay: queues, dependencies, loops, graphs, levels.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
trace=$srcdir/tests/cli/two-streams.json

notes_have() { # RUN PART
  "$aqueduct" show "$1" --json > "$work/show" 2> /dev/null
  contains "$(tr -d ' \n' < "$work/show")" "$2"
}

refuses() { # NAME WORDS ARGUMENT…
  refuses_name=$1
  refuses_words=$2
  shift 2
  try "$aqueduct" replay m -q "$@"
  check "$refuses_name is refused" [ "$status" = 2 ]
  check "$refuses_name: the line says why" contains "$err" "$refuses_words"
}

try "$aqueduct" import "$trace" --name m
check "import tells the dependencies that it found" \
  contains "$err" "1 by host calls, 0 inferred"
check "the run's notes count them" notes_have m '"edges":{"call":1,"inferred":0,"calls_without":0}'

try "$aqueduct" replay m -q --name s
check "streams share four hardware queues" \
  notes_have s '"queues_from":"streams","queues":4'
check "dependencies count from 50 % on" \
  notes_have s '"edges":1,"edge_confidence":50'
try "$aqueduct" compare s --fail-above end.p99=1us
check "the row that waited starts when it did" [ "$status" = 0 ]
check "it is a class of its own" contains "$(echo "$out" | tr -s ' ')" "end edge 1"
check "compare says loop and level" contains "$out" "open loop, level 1"
try "$aqueduct" replay m -q --name free --edges none
"$aqueduct" compare free --fail-above end.p99=100us > /dev/null 2>&1
check "without dependencies it starts too early" [ $? = 1 ]

try "$aqueduct" replay m -q --name one --queues 1
check "the number of queues is kept" notes_have one '"queues":1'
try "$aqueduct" show one
check "two streams ran on one queue" \
  [ "$(echo "$out" | grep -c '^ .*AMD Instinct MI300X')" = 1 ]

try "$aqueduct" replay m -q --name c --mode closed
check "a closed loop goes by the host's waits" \
  notes_have c '"mode":"closed"'
try "$aqueduct" compare c --fail-above end.p99=2us
check "on the same device it stays where it was" [ "$status" = 0 ]
check "compare says that it was closed" contains "$out" "closed loop, level 1"
try "$aqueduct" replay m -q --name slow --mode closed --set release_agent=50us
"$aqueduct" compare slow --fail-above idle.start.p99=40us > /dev/null 2>&1
check "a slower device holds the host up" [ $? = 1 ]
try "$aqueduct" replay m -q --name waits --set release_agent=50us
"$aqueduct" compare waits --fail-above idle.start.p99=40us > /dev/null 2>&1
check "which an open loop does not show" [ $? = 0 ]

try "$aqueduct" replay m -q --name g --as-graph
check "as graphs: the notes count them" notes_have g '"graphs":'
try "$aqueduct" replay m --as-graph
check "and it says where graphs end" \
  contains "$err" "where the host makes no call for over 200 us"
try "$aqueduct" replay m -q --name l --level 2
check "level 2: the notes count what was predicted" \
  notes_have l '"predicted":3,"unlike":'
try "$aqueduct" compare l
check "rows that were learned of are not scored" contains "$out" "learned"
check "compare says that durations are predicted" \
  contains "$out" "level 2: predicted durations"

sed 's/"schemaVersion": 1/"hip_runtime_version": 71460850/' "$trace" \
  > "$work/new.json"
try "$aqueduct" import -q "$work/new.json" --name new
try "$aqueduct" replay new
check "the version of HIP chooses the device model too" \
  contains "$err" "device model mi300x-rocm7.14"

refuses "an unknown mode" "--mode must be open or closed, not" --mode shut
refuses "an unknown level" "--level must be 1 or 2" --level 3
refuses "a confidence above all" "a percentage or none" --edges 101
refuses "no queue at all" "queues" --queues 0

scenario='{"version": 1, "kernels": {"k": {"cost": "5us"}}, "requests":
  {"r": {"steps": [{"kernel": "k", "stream": "a"}, {"kernel": "k", "stream":
  "b"}]}}, "clients": [{"request": "r", "open": {"at": ["0us"]}}]}'
echo "$scenario" > "$work/two.json"
for queues in 1 2; do
  try "$aqueduct" run "$work/two.json" -q --name "on$queues" --queues "$queues"
  try "$aqueduct" show "on$queues"
  check "the streams of a scenario run on $queues queues" \
    [ "$(echo "$out" | grep -c 'AMD Instinct MI300X')" = "$queues" ]
  check "the number of queues of a scenario is kept" \
    notes_have "on$queues" '"queues":'"$queues"
done
finish
