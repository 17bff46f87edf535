#!/bin/sh
# SPDX-License-Identifier: MIT
# `exec --junit` and `exec --coverage`.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
report=$work/report.xml

# A program that opens HSA and ends as it is asked to.
cat > "$work/plain.c" << 'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **args)
{
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  if (((int (*)(void))dlsym(hsa, "hsa_init"))() != 0)
    return 1;
  if (count > 2 && *args[1] == 's')
    raise(atoi(args[2]));
  if (count > 1 && *args[1] == 'w')
    pause();
  return count > 1 ? atoi(args[1]) : 0;
}
C
${AQ_CC:-cc} -w -o "$work/plain" "$work/plain.c" -ldl

has() { # TEXT: the report has it
  grep -qF -- "$1" "$report"
}
well_formed() {
  python3 - "$report" << 'P'
import sys, xml.etree.ElementTree as tree
suite = tree.parse(sys.argv[1]).getroot().find("testsuite")
case = suite.find("testcase")
failed = case.find("failure") is not None
error = case.find("error") is not None
sys.exit(suite.get("tests") != "1" or suite.get("failures") != str(int(failed))
         or suite.get("errors") != str(int(error)))
P
}
junit() { # STATUS NAME TEXT COMMAND…
  want=$1 name=$2 text=$3
  shift 3
  try "$aqueduct" exec --device mi210 --junit "$report" "$@"
  check "$name" sh -c '[ "$1" = "$2" ] && grep -qF -- "$3" "$4"' sh \
    "$status" "$want" "$text" "$report"
  if command -v python3 > /dev/null; then
    check "and its XML is well formed" well_formed
  else
    skip "and its XML is well formed" "no python3"
  fi
}
junit 0 "a program that succeeds is a test case that passes" \
  "failures=\"0\" errors=\"0\"" "$work/plain"
check "the case is the command" has "name=\"$work/plain\" time="
check "the device and the run are properties" sh -c '
  grep -q "name=\"device\" value=\"mi210\"" "$1" &&
  grep -q "name=\"run\" value=\"1\"" "$1"' sh "$report"
junit 3 "another exit status is a failure" \
  '<failure message="exit status 3"/>' "$work/plain" 3
junit 139 "a signal is named" \
  "<failure message=\"$work/plain: ended by signal 11 (SIGSEGV); its last HSA call, hsa_init, called at plain+0x" \
  "$work/plain" s 11
junit 125 "a timeout is a failure" "ended by --timeout 1s" --timeout 1s \
  "$work/plain" wait
check "and no error" has "failures=\"1\" errors=\"0\""
junit 125 "a program without HSA is an error" \
  "never called hsa_init: nothing ran" true
junit 127 "so is a program that is not found" "exit status 127" \
  "$work/nothing"
junit 0 "arguments are escaped" 'plain &quot;&lt;&amp;' "$work/plain" '"<&'
junit 0 "bytes that XML cannot have are replaced" "plain $(printf '\357\277\275\357\277\275')" \
  "$work/plain" "$(printf '\001\377')"
try "$aqueduct" exec --device none --junit "$report" "$work/plain"
check "an error before the program is in the report" sh -c '
  [ "$1" = 125 ] && grep -q "<error message=\"unknown device model" "$2"' sh \
  "$status" "$report"
try "$aqueduct" exec --junit - "$work/plain"
check "- is standard error" contains "$err" "</testsuites>"
try "$aqueduct" exec --junit "$work/none/report" "$work/plain"
check "a bad path is an error before the program runs" contains \
  "$status $err" "125 aqueduct: error: --junit $work/none/report: No such file"
try "$aqueduct" exec --coverage "$work/none/report" "$work/plain"
check "so it is for the coverage" contains \
  "$status $err" "125 aqueduct: error: --coverage $work/none/report: No such"
try "$aqueduct" exec --coverage "$work/info" "$work/plain"
check "without kernels the coverage is empty, and a note says so" sh -c '
  [ ! -s "$1" ] && case $2 in *"coverage has no counts"*) true ;; *) false ;;
  esac' sh "$work/info" "$err"

if ! command -v hipcc > /dev/null; then
  skip "the lines of a HIP program" "no hipcc"
  finish
  exit 0
fi
cat > "$work/app.hip" << 'C'
#include <hip/hip_runtime.h>
__device__ __noinline__ int twice(int x)
{
  return 2 * x;
}
__global__ void work(int *a, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (a[i] < 0)
    a[i] = -twice(a[i]);
  for (int k = 0; k < 3; k++)
    a[i] += k;
}
__global__ void never(int *a)
{
  a[0] = 1;
}
int main(int argc, char **)
{
  int *a, h[256] = {0};
  if (hipMalloc((void **)&a, sizeof h) != hipSuccess)
    return 1;
  hipMemcpy(a, h, sizeof h, hipMemcpyHostToDevice);
  for (int i = 0; i < argc; i++)
    work<<<4, 64>>>(a, 256);
  if (argc > 9)
    never<<<1, 1>>>(a);
  hipMemcpy(h, a, sizeof h, hipMemcpyDeviceToHost);
  return h[5] != 3 * argc;
}
C
if ! hipcc -O0 -g --offload-arch=gfx90a -o "$work/app" "$work/app.hip" \
  > "$work/log" 2>&1; then
  skip "the lines of a HIP program" "hipcc cannot compile here"
  finish
  exit 0
fi
info=$work/info
lines() { # "LINE,COUNT …" of app.hip
  awk -F: '$1 == "SF" { own = $2 ~ /app\.hip$/ }
    own && $1 == "DA" { printf "%s%s", sep, $2; sep = " " }' "$info"
}
try "$aqueduct" exec --coverage "$info" "$work/app"
check "a line counts the waves that executed it" [ "$status $(lines)" = \
  "0 3,0 4,0 7,4 8,4 9,4 11,4 12,0 13,16 14,12 15,4 17,0 18,0 19,0" ]
check "a kernel that was not dispatched counts 0" sh -c '
  grep -qx "FNDA:4,_Z4workPii" "$1" && grep -qx "FNDA:0,_Z5neverPi" "$1"' sh \
  "$info"
check "sums follow the lines" sh -c '
  awk -F: "\$1 == \"SF\" { found = hit = 0 }
    \$1 == \"DA\" { found++; split(\$2, part, \",\"); hit += part[2] > 0 }
    \$1 == \"LF\" && \$2 != found { exit 1 }
    \$1 == \"LH\" && \$2 != hit { exit 1 }" "$1"' sh "$info"
check "nothing stays in the folder of spools" \
  [ -z "$(ls "$work/store.db.spool")" ]
try "$aqueduct" exec --coverage "$info" "$work/app" 2
check "dispatches add up" [ "$status $(lines | cut -d ' ' -f 3-5)" = \
  "0 7,8 8,8 9,8" ]
cat > "$work/both.sh" << E
"$work/app" && "$work/app" 2
E
try "$aqueduct" exec --device mi210 --coverage "$info" sh "$work/both.sh"
check "and so do processes" [ "$status $(lines | cut -d ' ' -f 3-5)" = \
  "0 7,12 8,12 9,12" ]
if command -v llvm-dwarfdump-22 > /dev/null &&
  command -v clang-offload-bundler-15 > /dev/null &&
  objcopy -O binary --only-section=.hip_fatbin "$work/app" "$work/fat" &&
  clang-offload-bundler-15 --unbundle --type=o --input="$work/fat" \
    --targets=hipv4-amdgcn-amd-amdhsa--gfx90a --output="$work/code" \
    2> /dev/null; then
  llvm-dwarfdump-22 --debug-line "$work/code" > "$work/dump"
  # A compiler below /tmp writes the file under two names.
  theirs=$(awk '/^file_names/ { n = $2 + 0 } /name: .*app\.hip"/ { is[n] = 1 }
    /^0x/ && ($4 in is) && $2 > 0 { print $2 }' "$work/dump" |
    sort -nu | tr '\n' ' ')
  ours=$(lines | tr ' ' '\n' | cut -d , -f 1 | tr '\n' ' ')
  check "the lines are those of llvm-dwarfdump" [ "$ours" = "$theirs" ]
else
  skip "the lines are those of llvm-dwarfdump" "no LLVM tools"
fi
hipcc -O2 --offload-arch=gfx90a -o "$work/bare" "$work/app.hip" \
  > "$work/log" 2>&1
try "$aqueduct" exec --coverage "$info" "$work/bare"
check "a kernel without lines is named" contains "$err" \
  "1 executed kernel without lines, not in the coverage (_Z4workPii); -gline-tables-only or -g"
finish
