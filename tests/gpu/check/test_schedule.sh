#!/bin/bash
# SPDX-License-Identifier: MIT
# exec --schedule: other orders of waves show a defect that the usual order
# hides, each seed repeats its order, and programs that are right stay right.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make schedule schedule -O1 -g --offload-arch=gfx90a

run() { # ARGUMENT…
  timeout 120 "$aqueduct" exec --quiet --device mi210 "$@" > "$work/out" 2>&1
}

run --kernels-from isa "$work/schedule" lds
result $? "the usual order hides the defect" "$work/out"

wrong=0 right=0 same=0
for seed in 1 2 3 4 5 6; do
  run --schedule seed=$seed "$work/schedule" lds
  status=$?
  cp "$work/out" "$work/first"
  [ $status -eq 1 ] && wrong=$((wrong + 1))
  [ $status -eq 0 ] && right=$((right + 1))
  run --schedule seed=$seed "$work/schedule" lds
  [ $? -eq $status ] && cmp -s "$work/out" "$work/first" && same=$((same + 1))
done
[ $wrong -ge 1 ] && [ $((wrong + right)) -eq 6 ]
result $? "some seed shows it ($wrong of 6)" "$work/out"
[ $same -eq 6 ]
result $? "each seed repeats its result" "$work/out"

run --schedule seed=3 "$work/schedule" chain
result $? "workgroups that wait for earlier ones end under a seed" "$work/out"

run --schedule seed=3,start-order --check=sync --check-report "$work/report" \
  --timeout 15s "$work/schedule" chain
status=$?
[ $status -ne 0 ] && grep -q "order-dependent wait" "$work/report" &&
  grep -q "seed=3,start-order" "$work/report"
result $? "a hang under start-order is called order-dependent" "$work/out"

run --schedule seed=x true
[ $? -eq 125 ] && grep -q "expected seed=N" "$work/out"
result $? "a bad schedule is an error before the program runs" "$work/out"
echo "1..$number"
