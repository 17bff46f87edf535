#!/bin/bash
# SPDX-License-Identifier: MIT
# exec --schedule: other orders of waves show a defect that the usual order
# hides, each seed repeats its order, and programs that are right stay right.
aqueduct=$AQ_BUILDDIR/aqueduct
here=$AQ_SRCDIR/tests/check
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac
if ! command -v hipcc > /dev/null ||
  ! hipcc -O1 -g --offload-arch=gfx90a -o "$work/schedule" \
    "$here/schedule.hip" > "$work/log" 2>&1; then
  echo "1..0 # SKIP hipcc is not installed, or cannot compile here"
  exit 0
fi

number=0
result() { # STATUS NAME
  number=$((number + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $number - $2"
  else
    echo "not ok $number - $2"
    sed 's/^/# /' "$work/out" | head -20
  fi
}

run() { # ARGUMENT…
  timeout 120 "$aqueduct" exec --quiet --device mi210 "$@" > "$work/out" 2>&1
}

run --kernels-from isa "$work/schedule" lds
result $? "the usual order hides the defect"

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
result $? "some seed shows it ($wrong of 6)"
[ $same -eq 6 ]
result $? "each seed repeats its result"

run --schedule seed=3 "$work/schedule" chain
result $? "workgroups that wait for earlier ones end under a seed"

run --schedule seed=3,start-order --check=sync --check-report "$work/report" \
  --timeout 15s "$work/schedule" chain
status=$?
[ $status -ne 0 ] && grep -q "order-dependent wait" "$work/report" &&
  grep -q "seed=3,start-order" "$work/report"
result $? "a hang under start-order is called order-dependent"

run --schedule seed=x true
[ $? -eq 125 ] && grep -q "expected seed=N" "$work/out"
result $? "a bad schedule is an error before the program runs"
echo "1..$number"
