#!/bin/bash
# SPDX-License-Identifier: MIT
# A first user's twelve tasks with published profiles, each in two commands at most.
# Readers of their own have the answers.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
q=$data/mi300x_qwen05b.json.gz ranks=$data/mixrank_resnet_train_4rank.json.gz
if [ ! -r "$q" ] || [ ! -r "$ranks" ] || ! command -v python3 > /dev/null; then
  skip "twelve tasks in two commands each" "no published traces in AQ_DATA"
  finish
  exit
fi
python3 "$srcdir/tests/report/read_tasks.py" "$q" > "$work/facts"
fact() { sed -n "s/^$1 //p" "$work/facts"; } # KEY

# TASK COMMAND [COMMAND]: a command is its arguments in one text; the last one's
# document is in $work/out.
tasks=0
task() {
  name=$1
  shift
  tasks=$((tasks + 1))
  status=0
  for command; do
    # shellcheck disable=SC2086 # a list of words
    [ "$status" != 0 ] || try "$aqueduct" $command
  done
  check "$name ($# commands)" [ "$status" = 0 -a $# -ge 1 -a $# -le 2 ]
}
answer() { # NAME FILTER-OF-THE-DOCUMENT WANTED
  check "$1" [ "$(jq -r "$2" "$work/out")" = "$3" ]
}

task "Where did the time go?" "import -q $q --name q" "explain q --json"
answer "the time in which something ran is a reader's" '[.causes[] | select(.cause |
  IN("kernels", "tail", "copies", "communication")) | .time_ns] | add | round' "$(fact busy)"
task "Which kernel took the longest?" "stats q --json"
answer "it is the reader's" '.groups[0] | "\(.kernel.total_ns) \(.name)"' "$(fact kernel)"
task "Which operator?" "stats q --by op --json"
answer "it is the reader's" '[.groups[] | select(.key)][0] | "\(.kernel.total_ns) \(.name)"' \
  "$(fact op)"
task "Which line of my program launches the longest work?" "stats q --by line --json"
answer "a line of a file" '[.groups[] | select(.key)][0].name | test("\\.py\\([0-9]+\\): ")' true
task "How good are my products of matrices?" "stats q --by family --json"
answer "their operations are the reader's" '.groups[] | select(.name == "gemm") | .flops' \
  "$(fact gemm)"
task "How much memory, and who held it?" "stats q --memory --json"
# read_memory.py finds the same.
answer "the peak and its op" '.devices[] | select(.device == 0) | "\(.peak_op) \(.peak_step)"' \
  "aten::empty 6"
task "What if the host were twice as fast?" "whatif q --host x0.5 --json"
answer "the run is shorter" '.changes[1] | .after_ns < .before_ns and
  .least_ns <= .after_ns and .after_ns <= .most_ns' true
task "I send a colleague a page, and one looks at it in Perfetto." \
  "report q -o $work/q.html" "export q --format perfetto -o $work/q.pftrace"
check "both are there" [ -s "$work/q.html" -a -s "$work/q.pftrace" ]

task "How long is a step, and did communication hide?" \
  "import -q $ranks --name ranks" "stats ranks --by step --json"
cp "$work/out" "$work/steps"
check "steps and communication are a reader's" \
  python3 "$srcdir/tests/report/read_steps.py" "$ranks" "$work/steps"
task "Which rank makes the others wait?" "stats ranks --by collective --json"
cp "$work/out" "$work/late"
check "it is the reader's" \
  python3 "$srcdir/tests/report/read_collectives.py" "$work/late" "$ranks"
step=$(jq '[.steps[] | select(.first | not)][0].step' "$work/steps")
task "Why is this step as long as it is?" "explain ranks --step $step --json"
want=$(jq --argjson step "$step" '[.steps[] | select(.step == $step) | .span_ns] | add | round' \
  "$work/steps")
answer "its causes are the spans of its devices" '[.causes[].time_ns] | add | round' "$want"
task "What changed from the one to the other?" "import -q $data/mi300x_bert.json.gz --name b" \
  "compare q b --json"
answer "the items of the verdict are the difference" '.[0].verdict |
  .is_ns - .was_ns - ([.items[].delta_ns] | add) | fabs < 0.001' true
answer "from the reader's time" '.[0].verdict.was_ns | round' "$(fact span)"
check "twelve tasks" [ "$tasks" = 12 ]
finish
