#!/bin/sh
# SPDX-License-Identifier: MIT
# Durations predicted from executed code: exec --cost, device predict RUN.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null ||
  ! hipcc --offload-arch=gfx90a -O1 -w -o "$work/counted" \
    "$srcdir/tests/predict/counted.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed or cannot compile here"
  exit 0
fi

try "$aqueduct" exec --cost executed --name all -q -- "$work/counted" 262144
check "the program computes what it does otherwise" [ "$out" = 0 ]
try "$aqueduct" device predict all --json
check "its work is predicted, as JSON" is_json "$work/out"
check "labelled" contains "$out" '"durations": "predicted ±'
check "of all workgroups" contains "$out" '"groups": 1024'
check "a part of them counted" contains "$out" '"counted": 192'
here=$out
try "$aqueduct" device predict all --device mi300a --json
check "another device needs no execution" contains "$out" '"device": "mi300a"'
check "and has other durations" [ "$out" != "$here" ]
try "$aqueduct" device predict all --set workgroup_interval=100x
check "constants of the model change them" contains "$out" " workgroups "
try "$aqueduct" device predict all
check "each row of the table has the word" contains "$out" " predicted "
for view in "show all" "stats all"; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" $view
  check "$view says that durations are predicted" contains "$out$err" \
    "predicted ±"
done

try "$aqueduct" stats all
check "stats has the shares of the peaks" contains "$out" "memory %"
# The kernel reads and writes 2^18 numbers; a MI210 moves 1638.4 GB/s.
"$aqueduct" stats all --json > "$work/shares"
check "that of memory is the kernel's bytes over its time" \
  [ "$(awk '/"name": "_Z5twice/ { ours = 1 }
    ours && /"memory_percent"/ { share = $2 }
    ours && /"kernel"/ { kernel = 1 }
    kernel && /"total_ns"/ {
      printf "%.0f", share / 100 * $2 * 1638.4 / 1000
      exit
    }' "$work/shares")" = 2097 ]
try "$aqueduct" stats all --by queue
check "only kernels have them" [ "${out#*memory %}" = "$out" ]

try "$aqueduct" exec --cost sampled --name part -q -- "$work/counted" 262144
try "$aqueduct" device predict part --json
check "a sampled grid has the same counts" \
  [ "$(echo "$out" | grep predicted_ns)" = \
  "$(echo "$here" | grep predicted_ns)" ]

try "$aqueduct" exec --cost some -q -- "$work/counted"
check "another word is refused" [ "$status" = 125 ]
check "with those there are" contains "$err" "expected fixed, executed or"
try "$aqueduct" exec --cost executed --check -q -- "$work/counted"
check "a checked run is not counted" contains "$err" "counts executed code"
"$aqueduct" exec --name plain -q -- "$work/counted" > /dev/null
try "$aqueduct" device predict plain
check "a run without counts is refused" contains "$err" "no counted work"
check "with status 2" [ "$status" = 2 ]
try "$aqueduct" stats plain
check "and has no shares of peaks" [ "${out#*memory %}" = "$out" ]

finish
