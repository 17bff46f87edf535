#!/bin/bash
# SPDX-License-Identifier: MIT
# Code that compilers make of an atomic is a note, and no reason to fail.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make cost cost -O2 -g --offload-arch=gfx90a

# Float atomicAdd: a plain read, then a loop of compare-and-swap.
"$aqueduct" exec --quiet --device mi210 --check=race \
  --check-report "$work/report" "$work/cost" reduce 3 > "$work/out" 2>&1 &&
  grep -q '^NOTE (race): race between workgroups: read of 4 bytes' \
    "$work/report" && grep -q 'SUMMARY.*: 0 errors, 1 note' "$work/report"
result $? "the read that begins a loop of compare-and-swap is a note" \
  "$work/report" "$work/out"

grep -A 1 "^NOTE" "$work/report" | grep -q "^    at .* in .*/cost.hip:[0-9]" &&
  grep -A 1 "^    other" "$work/report" | grep -q "^        at .*/cost.hip:[0-9]"
result $? "code of HIP's header has the line that called it" "$work/report"

# The author's line: HIP's atomicAdd is inlined from its header, hipMalloc too.
program_make sites sites -std=c++17 -g -O2 --offload-arch=gfx90a
program_make fixed_place sites -no-pie -std=c++17 -g -O2 --offload-arch=gfx90a
checked() { # PROGRAM OPTION…
  local program=$1
  shift
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" "$@" "$work/$program" write_past_end bad \
    > "$work/out" 2>&1
}
for program in sites fixed_place; do
  checked "$program"
  grep -q "^        write_past_end(bool) at .*/sites.hpp:[0-9]" "$work/report" &&
    grep -q "^        main at .*/sites.hpp:[0-9]" "$work/report" &&
    ! grep -q "^ .*hip_runtime_api.h" "$work/report"
  result $? "$program: frames of the host have the author's lines and names" "$work/report"
done
for pattern in "main" "*/sites.hpp:*" "hipMalloc*"; do
  echo "out of bounds:$pattern" > "$work/suppressed"
  checked sites --suppress "$work/suppressed" &&
    grep -q ", 1 suppressed" "$work/report"
  result $? "a suppression by the frame $pattern" "$work/report"
done

# Debug information that is compressed is read; damage to it is a note.
program_make packed sites -gz=zlib -std=c++17 -g -O2 --offload-arch=gfx90a
readelf -SW "$work/packed" | grep -q " .debug_line .* C " && {
  checked packed
  grep -q "^        main at .*/sites.hpp:[0-9]" "$work/report"
}
result $? "compressed debug information has the lines of frames" "$work/report" "$work/out"
offset=$(readelf -SW "$work/sites" |
  awk '{ sub(/^ *\[ *[0-9]+\]/, "") } $1 == ".debug_line" { print $4 }')
cp "$work/sites" "$work/damaged"
printf '\011' | dd of="$work/damaged" bs=1 seek=$((0x$offset + 4)) conv=notrunc status=none
checked damaged
grep -A 1 "^NOTE (.*source lines unknown: of 1 file whose debug information is not read" \
  "$work/report" > "$work/note" && grep -q "has version 9, 2 to 5 are read" "$work/note"
result $? "and debug information that is not read is a note with the reason" "$work/report" "$work/out"

# The frames of one function that is called from two lines, many times.
cat > "$work/frames.cpp" << 'C'
#include <hip/hip_runtime.h>
__global__ void past(int *p) { p[threadIdx.x + 64] = 1; }
__global__ void before(int *p) { p[-1 - (int)threadIdx.x] = 1; }
static __attribute__((noinline)) int *make()
{
  int *p;
  return hipMalloc(&p, 256) == hipSuccess ? p : nullptr;
}
int main()
{
  int *one = nullptr, *two = nullptr;
  for (int i = 0; i < 3; i++) {
    one = make();
    two = make();
  }
  past<<<1, 1>>>(one);
  before<<<1, 1>>>(two);
  return hipDeviceSynchronize() != hipSuccess;
}
C
hipcc -g -O1 --offload-arch=gfx90a -o "$work/frames" -x hip "$work/frames.cpp" > "$work/log" 2>&1
timeout 120 "$aqueduct" exec --quiet --device mi210 --check=memory \
  --check-report "$work/report" "$work/frames" > "$work/out" 2>&1
awk -v RS= '/ in .*frames.cpp:2\n/ && /main at .*frames.cpp:13\n/ { one = 1 }
  / in .*frames.cpp:3\n/ && /main at .*frames.cpp:14\n/ { two = 1 }
  END { exit !(one && two) }' "$work/report"
result $? "frames are of the call that made the memory" "$work/log" "$work/report" "$work/out"

program_make values values -std=c++17 -g -O1 --offload-arch=gfx90a
"$aqueduct" exec --quiet --device mi210 --check=init \
  --check-report "$work/report" "$work/values" output_by_copy bad \
  > "$work/out" 2>&1
grep -q "^    address .*: 128 bytes into 256 bytes of memory" "$work/report" &&
  grep -A 2 "^    other: load of the unwritten value" "$work/report" |
  grep -q "instruction global_load_dword"
result $? "an uninitialised output names the load and the first unwritten place" "$work/report"
echo "1..$number"
