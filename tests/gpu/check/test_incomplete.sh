#!/bin/bash
# SPDX-License-Identifier: MIT
# A program that the timeout or a signal ends still has a report: its findings, a
# summary that names the cause, valid JSON and SARIF.
# shellcheck source=tests/gpu/check/programs.sh
. "$AQ_SRCDIR/tests/gpu/check/programs.sh"
program_make ends ends -std=c++17 -g -O1 --offload-arch=gfx90a

run() { # OPTION… -- PROGRAM…
  timeout 120 "$aqueduct" exec --quiet --device mi210 --check \
    --check-report "$work/report" --sarif "$work/sarif" "$@" \
    > "$work/out" 2>&1
}

ended="incomplete: .*/ends: ended by --timeout 5s"
run --timeout 5s "$work/ends" flag_never_set bad
[ $? -eq 125 ] && grep -q "^ERROR (sync): endless wait" "$work/report" &&
  grep -q "^CHECK SUMMARY (all): 1 error; $ended\$" "$work/report"
result $? "a program that the timeout ends has its findings and a summary" "$work/report" "$work/out"
python3 - "$work/sarif" << 'PY' > "$work/log" 2>&1
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
assert len(run["results"]) == 1, run
assert run["invocations"][0]["executionSuccessful"] is False, run
PY
result $? "its SARIF says that the run was not successful" "$work/report" "$work/out"
run --timeout 5s "$work/ends" lock_never_freed bad
[ $? -eq 125 ] && grep -q "^ERROR (sync): endless wait" "$work/report"
result $? "a lock that nobody frees is an endless wait" "$work/report" \
  "$work/out"
run --timeout 5s --json "$work/ends" flag_never_set bad
python3 - "$work/report" << 'PY' > "$work/log" 2>&1
import json, sys
report = json.load(open(sys.argv[1]))
assert report["errors"] == 1 and "--timeout" in report["incomplete"], report
PY
result $? "its JSON is whole and says what ended it" "$work/report" "$work/out"
# A sanitizer takes SIGSEGV.
# shellcheck disable=SC2016 # the child's own number
run sh -c '"$0" flag_never_set fixed; kill -ABRT $$' "$work/ends"
[ $? -eq 134 ] &&
  grep -q "^CHECK SUMMARY (all): 0 errors; incomplete: sh: ended by signal 6 (SIGABRT)" \
    "$work/report"
result $? "a program that a signal ends is no clean one" "$work/report" "$work/out"
run "$work/ends" flag_never_set fixed && grep -qE ': 0 errors(, [0-9]+ notes?)?$' \
  "$work/report" && grep -q '"executionSuccessful": true' "$work/sarif"
result $? "a program that ends by itself is complete" "$work/report" "$work/out"

# Each copy of HSA's is an access of the host that reads and one that writes; the
# checker distinguishes 2^20 - 1 accesses.
sed "s/COPIES/524300/" << 'C' > "$work/copies.cpp"
#include <dlfcn.h>
#include <hip/hip_runtime.h>
int main()
{
  int *p, from = 1, to = 0;
  if (hipMalloc(&p, 4) != hipSuccess)
    return 3;
  auto *copy = (int (*)(void *, const void *, size_t))dlsym(RTLD_DEFAULT, "hsa_memory_copy");
  for (int i = 0; i < COPIES; i++)
    if (!copy || copy(&to, &from, 4) != 0)
      return 4;
  return hipFree(p) != hipSuccess;
}
C
hipcc -g -O1 --offload-arch=gfx90a -o "$work/copies" -x hip "$work/copies.cpp" > "$work/log" 2>&1
run "$work/copies"
[ $? -eq 1 ] && grep -q "^CHECK SUMMARY (all): 0 errors; incomplete: the checker ran out of memory or dispatches$" "$work/report"
result $? "a checker that ran out of acts is no clean one" "$work/log" "$work/report" "$work/out"
run "$work/none"
[ $? -eq 127 ] && grep -q "^CHECK SUMMARY (all): 0 errors; incomplete: the program did not run$" "$work/report"
result $? "a program that is not there is no clean one" "$work/report" "$work/out"

cat > "$work/trap.cpp" << 'C'
#include <hip/hip_runtime.h>
__global__ void stops(int *p)
{
  if (*p == 0)
    __builtin_trap();
}
int main()
{
  int *p;
  if (hipMalloc(&p, 4) != hipSuccess || hipMemset(p, 0, 4) != hipSuccess)
    return 3;
  stops<<<1, 64>>>(p);
  return hipDeviceSynchronize() != hipSuccess;
}
C
hipcc -g -O1 --offload-arch=gfx90a -o "$work/trap" -x hip "$work/trap.cpp" > "$work/log" 2>&1
run "$work/trap"
grep -A 1 "^ERROR (memory): trap: s_trap 2: workgroup 0,0,0" "$work/report" |
  grep -q "^    at stops(int\*) in .*/trap.cpp:5$"
result $? "a trap has its line, and its kernel once" "$work/log" "$work/report" "$work/out"
echo "1..$number"
