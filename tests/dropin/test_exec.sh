#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct exec`: unmodified programs on the drop-in, and its exit statuses.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
export AQUEDUCT_PLUGIN_PATH

ends_with() { # STATUS PART-OF-ERROR
  [ "$status" = "$1" ] && contains "$err" "$2"
}

# A program that looks for the driver first and loads HSA by its SONAME, as one
# with a run path of its own would.
cat > "$work/app.c" << 'C'
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
  char line[64] = "";
  FILE *modules = popen("lsmod | grep amdgpu", "r");
  if (!fgets(line, sizeof line, modules) || pclose(modules) != 0)
    return 10;
  if (open("/dev/kfd", O_RDWR) < 0)
    return 11;
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  int (*init)(void) = hsa ? (int (*)(void))dlsym(hsa, "hsa_init") : NULL;
  if (!init || init() != 0)
    return 12;
  printf("%d arguments\n", argc - 1);
  return argc > 1 ? atoi(argv[1]) : 0;
}
C
${AQ_CC:-cc} -o "$work/app" "$work/app.c" -ldl

try "$aqueduct" exec "$work/app"
check "a program finds module, driver and library, and stdout is its own" \
  [ "$status$out" = "00 arguments" ]
try "$aqueduct" exec "$work/app" 7 --json -o x
check "options behind the program are the program's" \
  [ "$status$out" = "74 arguments" ]
try "$aqueduct" exec "$work/app" 0
check "success is passed through" [ "$status" = 0 ]
try "$aqueduct" exec true
check "a program that never called hsa_init is told" \
  ends_with 125 "never called hsa_init"
try "$aqueduct" exec false
check "failure is passed through" [ "$status" = 1 ]
try "$aqueduct" exec no-such-program
check "a missing program is 127" ends_with 127 "No such file"
try "$aqueduct" exec /etc/passwd
check "a program that cannot be run is 126" ends_with 126 "Permission denied"
# shellcheck disable=SC2016 # for that shell
try "$aqueduct" exec sh -c 'kill -9 $$'
check "a killed program is 128 and the signal" [ "$status" = 137 ]
try "$aqueduct" exec --timeout 1s -- sleep 60
check "the timeout ends the program" ends_with 125 "ended by --timeout 1s"
try "$aqueduct" exec --device no-such-device -- "$work/app"
check "a bad device model fails hsa_init and says why" \
  ends_with 12 "unknown device model 'no-such-device'"

name="rocminfo sees every device of a list, and those that are visible"
if command -v rocminfo > /dev/null; then
  try "$aqueduct" exec --device 'mi300x*2' --set 1:gfx=gfx90a -- rocminfo
  all=$(echo "$out" | grep -c 'GPU-[0-9a-f]\{16\}')
  ROCR_VISIBLE_DEVICES=1
  export ROCR_VISIBLE_DEVICES
  try "$aqueduct" exec --device 'mi300x*2' --set 1:gfx=gfx90a -- rocminfo
  unset ROCR_VISIBLE_DEVICES
  check "$name" [ "$all $(echo "$out" | grep -c ' gfx')" = "2 1" ]
  check "the second is the one that was edited" contains "$out" "gfx90a"
else
  skip "$name" "rocminfo is not installed"
  skip "the second is the one that was edited" "rocminfo is not installed"
fi

name="rocminfo ends normally with the agents of the persona"
if command -v rocminfo > /dev/null; then
  try "$aqueduct" exec --set gfx=gfx90a --set cus=104 -- rocminfo
  check "$name" sh -c '[ "$1" = 0 ] && grep -q "Name: *gfx90a" "$2" &&
    grep -q "Compute Unit: *104" "$2" && grep -q "Done" "$2"' \
    sh "$status" "$work/out"
else
  skip "$name" "rocminfo is not installed"
fi
finish
