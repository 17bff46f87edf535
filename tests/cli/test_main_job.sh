#!/bin/sh
# SPDX-License-Identifier: MIT
# The main job: a measured trace goes in, is simulated, stored and compared.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
trace=$srcdir/tests/cli/small.json

is_id() { # ID
  [ "$status" = 0 ] && [ "$out" = "$1" ]
}

try "$aqueduct" import "$trace" --name m
check "import prints the id of its run alone" is_id 1
check "import says on stderr what it read" contains "$err" "3 kernels"
try "$aqueduct" replay m --device mi300x --name s
check "replay prints the id of its run alone" is_id 2
check "replay says how far its constants can be trusted" \
  contains "$err" "simulated mi300x (constants"
try "$aqueduct" replay m --name t --quiet
check "the device model follows from the GPU of the run" is_id 3
check "--quiet leaves nothing but the id" [ -z "$err" ]

try "$aqueduct" compare s
check "compare finds the origin by itself" [ "$status" = 0 ]
check "compare says how much was scored" \
  contains "$out" "s against m: scored 3 of 4"
check "compare says how far the constants can be trusted" \
  contains "$out" "simulated mi300x (constants"
check "the trivial formulas stand beside the run" \
  contains "$out" "zero median"
check "every quantity is told for all rows" \
  contains "$(echo "$out" | tr -s ' \t' '  ')" "interval all 3"
cp "$work/out" "$work/first"
try "$aqueduct" compare m s
check "the order of the two runs does not matter" \
  cmp -s "$work/out" "$work/first"
try "$aqueduct" compare m m --fail-above end.p99=0 --fail-above makespan=0 \
  --fail-above interval.p99=0 --fail-above wait.p99=0 --fail-above unscored=0
check "a run compared with itself has no error" [ "$status" = 0 ]
try "$aqueduct" compare s --fail-above end.median=1s
check "a threshold with a unit that is none is refused" [ "$status" = 2 ]
try "$aqueduct" compare s --fail-above end.median=1ms
check "a threshold that holds exits 0" [ "$status" = 0 ]
try "$aqueduct" compare m s --set x 2> /dev/null
check "an option of another command is unknown" [ "$status" = 2 ]
try "$aqueduct" replay m --set doorbell_to_fetch=9us --name far
"$aqueduct" compare far --fail-above end.median=1us > "$work/out" 2> "$work/err"
status=$?
err=$(cat "$work/err")
check "a threshold that does not hold exits 1" [ "$status" = 1 ]
check "and says which, in one line" \
  contains "$err" "aqueduct: error: end.median is"
check "and still prints the comparison" contains "$(cat "$work/out")" makespan
try "$aqueduct" show far --json
check "what was changed of the device model is kept" \
  contains "$out" doorbell_to_fetch=9us
try "$aqueduct" compare s --worst 2
check "the worst rows are named" contains "$out" "Memcpy DtoD"

try "$aqueduct" export s --format jsonl -o "$work/s.jsonl"
check "export writes its file" [ -s "$work/s.jsonl" ]
try "$aqueduct" export t --format jsonl -o "$work/t.jsonl"
check "the same replay twice exports the same bytes" \
  cmp -s "$work/s.jsonl" "$work/t.jsonl"
check "no temporary file stays" \
  [ "$(find "$work" -name '*.jsonl.*' | wc -l)" = 0 ]
check "an output has the permissions of any new file" \
  [ "$(umask 022; stat -c %a "$work/s.jsonl")" = "$(
    umask 022
    touch "$work/new"
    stat -c %a "$work/new"
  )" ]

try "$aqueduct" list runs --names
check "list --names prints names only" [ "$out" = "m
s
t
far" ]
try "$aqueduct" show latest
check "show says what is known of a run" contains "$out" "origin         1"
try "$aqueduct" show mi300x
check "show prints the constants of a device model" \
  contains "$out" doorbell_to_fetch

for command in "list runs" "list devices" "list transports" "list formats" \
  "list metrics" "show s" "show mi300x" "compare s --worst 3" doctor help \
  "import $trace" "replay m" \
  "run $srcdir/traces/scenarios/two-queue-pipeline.json"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" $command --json
  check "$command --json prints JSON" is_json "$work/out"
done
try "$aqueduct" import "$trace" "$trace"
check "several files are several runs, an id a line" [ "$out" = "8
9" ]

scenario=$srcdir/traces/scenarios/arrivals.json
for run in a b; do
  "$aqueduct" run -q "$scenario" --name $run > /dev/null
  "$aqueduct" export $run -o "$work/$run.jsonl"
done
check "a scenario run twice gives the same rows" \
  cmp -s "$work/a.jsonl" "$work/b.jsonl"
"$aqueduct" run -q "$scenario" --pace 100000 --name paced > /dev/null
check "a paced run is live, and not reproducible" \
  contains "$("$aqueduct" show paced)" "reproducible   no"
"$aqueduct" run -q "$scenario" --name virtual > /dev/null
check "one in virtual time is" \
  contains "$("$aqueduct" show virtual)" "reproducible   yes"
"$aqueduct" run -q "$scenario" --seed 7 --name c > /dev/null
"$aqueduct" export c -o "$work/c.jsonl"
check "another seed gives others" \
  sh -c "! cmp -s '$work/a.jsonl' '$work/c.jsonl'"
try "$aqueduct" show c --json
check "the seed and the file are kept" \
  contains "$(echo "$out" | tr -d ' \n')" '"seed":7,'

escape=$(printf '\033')
try "$aqueduct" compare s --worst 9
check "control characters of names do not reach the terminal" \
  sh -c "! grep -q '$escape' '$work/out'"
try "$aqueduct" compare s --worst 9 --json
check "nor do they in JSON, where they are escaped" \
  sh -c "! grep -q '$escape' '$work/out' && grep -q u001B '$work/out'"

try "$aqueduct" store prune c a
check "store prune removes the runs that are named" \
  [ "$(echo "$out" | wc -l)" = 2 ]
try "$aqueduct" show c
check "and they are gone" [ "$status" = 2 ]
try "$aqueduct" store prune incomplete --json
check "no run is incomplete here" \
  contains "$(echo "$out" | tr -d ' \n')" '{"removed":[]}'
try "$aqueduct" store prun c
check "an unknown verb of store is refused" [ "$status" = 2 ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw/mi300x_resnet18.json.gz
if [ -r "$data" ]; then
  "$aqueduct" import -q "$data" --name resnet > /dev/null &&
    "$aqueduct" replay -q resnet --device mi300x --name simnet > /dev/null
  try "$aqueduct" compare simnet --fail-above end.median=0.4us \
    --fail-above end.mean=0.6us --fail-above unscored=1
  check "ResNet-18 on MI300X is simulated within its target" [ "$status" = 0 ]
else
  skip "ResNet-18 on MI300X is simulated within its target" "no published traces in AQ_DATA"
fi
finish
