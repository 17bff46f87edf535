#!/bin/bash
# SPDX-License-Identifier: MIT
# The checker changes no program: each prints the same and ends the same with
# and without --check. Here same.hip for gfx90a and the options that change most;
# in make check-whole the others, gfx1030, programs of tests/rocm and the fixed
# cases of this folder.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"

checks='--check --check=memory --check=init'
others='plain --strict-memory_never --schedule_seed=3 --isolation_preload
  --compile_always'
[ -z "${AQ_WHOLE:-}" ] || checks="$checks --check=race,sync --check=wait,api
  --check=all,leak,float"
[ -z "${AQ_WHOLE:-}" ] || others='plain --strict-memory_never --schedule_seed=3
  --schedule_seed=3,start-order --isolation_preload --record_none
  --compile_always --semantics_foundation --seed_9 --profile_queue-events,dispatch-events
  --faults_LATE --timeout_100s --poll-queues'
# A seed may end a program: these only come late.
cat > "$work/late.json" << 'END'
{"faults": [{"fault": "header-late", "queue": 0, "packet": 2, "delay": "30us"},
  {"fault": "header-late", "queue": 1, "packet": 5, "delay": "9us"},
  {"fault": "copy-slow", "copy": 1, "delay": "50us"}]}
END
few='plain --strict-memory_never --schedule_seed=3'

program_run() { # MODEL OPTIONS PROGRAM ARGUMENT…
  local model=$1 options=$2
  shift 2
  # shellcheck disable=SC2086 # options
  timeout 120 "$aqueduct" exec --quiet --device "$model*2" $options \
    -- "$@" > "$work/out" 2> "$work/err" < /dev/null
}

# Runs a program with each option and each check, and counts the runs that differ.
same() { # WHAT MODEL OPTIONS PROGRAM ARGUMENT…
  local what=$1 model=$2 options=$3 option check expected status wrong=0 runs=0
  shift 3
  program_run "$model" "" "$@"
  expected=$?
  mv "$work/out" "$work/plain"
  : > "$work/wrong"
  for option in $options; do
    option=${option//_/ }
    option=${option/LATE/$work/late.json}
    for check in "" $checks; do
      [ "$options" = "$few" ] && [ -n "${check#--check}" ] && continue
      program_run "$model" "${option#plain} $check" "$@"
      status=$?
      runs=$((runs + 1))
      [ "$status" = 1 ] && [ "$expected" = 0 ] &&
        grep -Eq '^CHECK SUMMARY.*: ([1-9]|0 errors, [0-9]+ poss)' "$work/err" &&
        status=0 # findings
      if [ "$status" != "$expected" ] || ! cmp -s "$work/out" "$work/plain"; then
        wrong=$((wrong + 1))
        {
          echo "exec $option $check: status $status, plain $expected"
          diff "$work/plain" "$work/out"
          tail -n 3 "$work/err"
        } >> "$work/wrong"
      fi
    done
  done
  [ $wrong = 0 ]
  result $? "$what is the same in each of $runs runs" "$work/wrong"
}

program_make same same -std=c++17 -O1 --offload-arch=gfx90a
same "same.hip for gfx90a" mi210 "$others" "$work/same" all
[ "$(grep -c "aligned to 2 MiB" "$work/plain")" = 4 ] &&
  ! grep -q unaligned "$work/plain"
result $? "large allocations are aligned as AMD's driver aligns them" \
  "$work/plain"

"$aqueduct" exec --quiet --device mi210 --check "$work/same" heap \
  > "$work/out" 2> "$work/err" && grep -qE ': 0 errors(, [0-9]+ notes?)?$' "$work/err"
result $? "nothing is found in a heap of kernels that is used rightly" \
  "$work/err"

if [ -n "${AQ_WHOLE:-}" ]; then
  program_make same1030 same -std=c++17 -O1 --offload-arch=gfx1030
  same "same.hip for gfx1030" rx6900xt "$others" "$work/same1030" all
  for name in hip_api host_memory stream_memory newer_blits float_atomics \
    textures events; do
    if hipcc -std=c++17 -O1 --offload-arch=gfx90a -o "$work/$name" \
      "$AQ_SRCDIR/tests/rocm/$name.hip" > "$work/log" 2>&1; then
      same "$name.hip" mi210 "$others" "$work/$name"
    else
      result 1 "$name.hip compiles" "$work/log"
    fi
  done
  for name in sites values barriers hazards floats; do
    hipcc -std=c++17 -O1 --offload-arch=gfx90a -o "$work/$name" \
      "$here/$name.hip" > "$work/log" 2>&1
    for case in $("$work/$name" 2> /dev/null); do
      same "$name.hip $case fixed" mi210 "$few" "$work/$name" "$case" fixed
    done
  done
fi
echo "1..$number"
