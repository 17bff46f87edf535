#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --extract-dispatch N:FILE` and `launch FILE`: the dispatch that is
# repeated executes as often as in the program, from the same memory.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
file=$work/dispatch

try "$aqueduct" exec --extract-dispatch 0:"$file" true
check "dispatches count from 1" contains "$status $err" \
  "125 aqueduct: error: --extract-dispatch: 0:$file: expected N:FILE"
try "$aqueduct" exec --extract-dispatch 1 true
check "a file is needed" contains "$err" "1: expected N:FILE"
try "$aqueduct" launch "$srcdir/doc/examples/kernels/device-gfx90a.hsaco"
check "another file needs a kernel" contains "$status $err" \
  "2 aqueduct: error: launch: $srcdir/doc/examples/kernels/device-gfx90a.hsaco is not a dispatch file: expected KERNEL"
printf AQDI > "$work/cut"
try "$aqueduct" launch "$work/cut"
check "a file that is cut off is refused" contains "$status $err" \
  "2 aqueduct: error: $work/cut: dispatch file: it is cut off"

if ! command -v hipcc > /dev/null; then
  skip "dispatches of a HIP program" "no hipcc"
  finish
  exit 0
fi
# The list is in memory alone: nodes point to each other. The kernel loops as
# long as its values say, and traps where they are not the program's.
cat > "$work/app.hip" << 'C'
#include <hip/hip_runtime.h>
struct node { node *next; int value; };
__global__ void link_up(node *list, int n)
{
  int i = threadIdx.x;
  list[i].next = i + 1 < n ? &list[i + 1] : nullptr;
  list[i].value = i;
}
__global__ void walk(node **head, int *sums, int expected)
{
  int sum = 0, i = threadIdx.x;
  for (node *at = *head; at; at = at->next)
    for (int k = 0; k < at->value % 7; k++)
      sum += at->value;
  if (sum != expected || sums[i] != 0)
    __builtin_trap();
  sums[i] = sum;
}
int main()
{
  node *list, **head;
  int *sums, sum = 0, h[64];
  for (int i = 0; i < 64; i++)
    sum += i % 7 * i;
  if (hipMalloc(&list, 64 * sizeof *list) != hipSuccess ||
      hipMalloc(&head, sizeof list) != hipSuccess ||
      hipMalloc(&sums, sizeof h) != hipSuccess)
    return 1;
  hipMemcpy(head, &list, sizeof list, hipMemcpyHostToDevice);
  hipMemset(sums, 0, sizeof h);
  link_up<<<1, 64>>>(list, 64);
  walk<<<1, 64>>>(head, sums, sum);
  hipMemcpy(h, sums, sizeof h, hipMemcpyDeviceToHost);
  hipFree(list);
  return h[63] != sum;
}
C
if ! hipcc -O2 --offload-arch=gfx90a -o "$work/app" "$work/app.hip" \
  > "$work/log" 2>&1; then
  skip "dispatches of a HIP program" "hipcc cannot compile here"
  finish
  exit 0
fi
counts() { # RUN KERNEL: its instructions and their counts
  "$aqueduct" show "$1" "$2" --asm 2> /dev/null | grep -v '^run'
}
for n in 1 2 3 4 5 6; do
  try "$aqueduct" exec --profile-isa --name "all$n" \
    --extract-dispatch "$n:$file" "$work/app"
  contains "$err" "dispatch $n (kernel _Z4walkPP4nodePii" && break
done
check "the dispatch is named with its kernel" contains "$err" \
  "(kernel _Z4walkPP4nodePii, grid 64x1x1) is in $file"
check "and the program gets its result" [ "$status" = 0 ]
try "$aqueduct" launch "$file" --profile-isa --name again
check "launch repeats it without the program" [ "$status" = 0 ]
check "on the device of its code, and says so" contains "$err" \
  "device mi210 (gfx90a), the first model that $file has code for (gfx90a)"
counts "all$n" _Z4walkPP4nodePii > "$work/first"
counts again _Z4walkPP4nodePii > "$work/second"
check "each instruction is executed as often as in the program" sh -c '
  [ "$(wc -l < "$1")" -gt 10 ] && cmp -s "$1" "$2"' sh "$work/first" \
  "$work/second"
try "$aqueduct" launch "$file" --repeat 3
check "each repetition begins with its memory" [ "$status" = 0 ]
try "$aqueduct" launch "$file" --device mi300x
check "another processor is refused" contains "$status $err" \
  "2 aqueduct: error: $file: it is a dispatch on gfx90a, not on gfx942"
try "$aqueduct" launch "$file" _Z4walkPP4nodePii --grid 64
check "it takes no kernel" contains "$status $err" \
  "2 aqueduct: error: launch: $file is a dispatch: expected no KERNEL"
try "$aqueduct" launch "$file" --grid 64
check "nor a size" contains "$err" "--grid: $file is a dispatch, which has its"
head -c "$(($(wc -c < "$file") - 1))" "$file" > "$work/cut"
try "$aqueduct" launch "$work/cut"
check "one that lacks a byte is refused" contains "$status $err" \
  "2 aqueduct: error: $work/cut: dispatch file: it is cut off"
try env HSA_XNACK=1 "$aqueduct" exec --extract-dispatch "1:$file" \
  --device mi210 "$work/app"
check "with XNACK memory of the whole process would belong to it" contains \
  "$err" "is not extracted: $file: with XNACK all memory of the process"
try "$aqueduct" exec --extract-dispatch "99:$file" "$work/app"
check "a dispatch that is not reached is said" contains "$status $err" \
  "no process made dispatch 99 a file: $file is not there"
finish
