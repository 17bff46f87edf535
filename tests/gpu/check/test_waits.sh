#!/bin/bash
# SPDX-License-Identifier: MIT
# The compiler's s_waitcnt are all needed: a kernel is silent with them, and
# each of them that waits for nothing, or for one access less, is a missing wait.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make mix.bundle waits --genco -DKERNEL -O2 --offload-arch=gfx90a
program_make waits waits -O1 --offload-arch=gfx90a

run() { # N
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check=wait \
    --check-report "$work/report" "$work/waits" "$work/mix.bundle" "$1" \
    > "$work/out" 2>&1
}

# Whether the last run did as expected.
outcome() { # STATUS NAME
  result "$1" "$2" "$work/report" "$work/out"
}

count=$("$work/waits" "$work/mix.bundle")
[ "$count" -ge 30 ]
outcome $? "$count ways to weaken a wait of the kernels"
run "$count" && grep -qE ': 0 errors(, [0-9]+ notes?)?$' "$work/report"
outcome $? "the compiler's waits are enough"
for ((i = 0; i < count; i++)); do
  run "$i"
  [ $? -eq 1 ] && grep -q "(wait): missing wait" "$work/report"
  outcome $? "wait $i is missed, once it is weaker"
done

# None of the compiler's is redundant: wait states around matrix instructions
# (nops), counters of RDNA's waits (waitsN).
clang=$(command -v clang-19)
weaken() { # TARGET DEVICE WAY SOURCE KIND OPTION…
  local target=$1 device=$2 way=$3 from=$4 kind=$5 count caught=0 i
  shift 5
  # shellcheck disable=SC2086 # a compiler may be several words
  if [ -z "$clang" ] || [ ! -e /usr/include/hsa/hsa_ext_amd.h ] ||
    ! "$clang" -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa \
      "-mcpu=$target" -nogpulib -O2 "$@" -o "$work/$target.co" \
      "$here/$from" > "$work/log" 2>&1 ||
    ! ${AQ_CC:-cc} -o "$work/queues" "$here/queues.c" \
      -lhsa-runtime64 > "$work/log" 2>&1; then
    echo "ok $((number += 1)) - $target # SKIP no clang, HSA headers or library"
    return
  fi
  shorter() { # N
    timeout 120 "$aqueduct" exec --quiet --device "$device" --check=wait \
      --check-report "$work/report" "$work/queues" "$work/$target.co" "$way" \
      "$@" > "$work/out" 2>&1
  }
  shorter && count=$(tail -n 1 "$work/out")
  [ "${count:-0}" -ge 8 ] && shorter -1 && grep -qE ': 0 errors(, [0-9]+ notes?)?$' \
    "$work/report"
  outcome $? "$target: the compiler's $count $way are enough"
  for ((i = 0; i < ${count:-0}; i++)); do
    shorter "$i"
    [ $? -eq 1 ] && grep -q "(wait): $kind" "$work/report" &&
      caught=$((caught + 1))
  done
  [ "$caught" -eq "${count:-0}" ]
  outcome $? "$target: $caught of them are missed when they are weaker"
}
states="missing wait states"
# make check-whole: of the code that LLVM 19 makes, where each of them is needed.
if [ -n "${AQ_WHOLE:-}" ]; then
  weaken gfx908 mi100 nops matrices.cl "$states"
  weaken gfx90a mi210 nops matrices.cl "$states" -DDOUBLES
  weaken gfx942 mi300x nops matrices.cl "$states" -DDOUBLES
  weaken gfx1030 rx6900xt waits10 waits.cl "missing wait:"
  weaken gfx1100 rx7900xtx waits11 waits.cl "missing wait:"
  weaken gfx1201 rx9070xt waits12 waits.cl "missing wait:"
fi
echo "1..$number"
