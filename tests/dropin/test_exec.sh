#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct exec`: unmodified programs on the drop-in, and its exit statuses.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH # the tree that the program was built in has all

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

# A driver's way in: it looks for the module by itself, and asks /dev/kfd for
# its version and clocks.
cat > "$work/driver.c" << 'C'
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
struct clocks { uint64_t gpu, cpu, system, hz; uint32_t id, pad; };
int main(void)
{
  struct stat state;
  struct clocks first = {0}, later = {0};
  uint32_t version[2];
  uint64_t ticks = 0;
  char text[8] = "";
  FILE *module = fopen("/sys/module/amdgpu/initstate", "r");
  if (!module || !fgets(text, sizeof text, module) || strcmp(text, "live\n"))
    return 10;
  if (stat("/sys/module/amdgpu", &state) || !S_ISDIR(state.st_mode))
    return 11;
  if (access("/dev/kfd", R_OK | W_OK))
    return 12;
  int kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
  if (kfd < 0 || ioctl(kfd, _IOR('K', 1, uint32_t[2]), version) || version[0] != 1)
    return 13;
  if (!ioctl(kfd, _IOWR('K', 5, struct clocks), &first) || errno != ENODEV)
    return 14;
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  int (*init)(void) = (int (*)(void))dlsym(hsa, "hsa_init");
  int (*info)(uint32_t, void *) =
      (int (*)(uint32_t, void *))dlsym(hsa, "hsa_system_get_info");
  if (init() || ioctl(kfd, _IOWR('K', 5, struct clocks), &first))
    return 15;
  while (ticks < 100000)
    info(2, &ticks);
  if (ioctl(kfd, _IOWR('K', 5, struct clocks), &later))
    return 16;
  if (later.hz != 1000000000 || later.system <= first.system ||
      later.gpu <= first.gpu)
    return 17;
  if (ioctl(kfd, _IO('K', 0x7f)) != -1 || errno != EINVAL)
    return 18;
  int null = open("/dev/null", O_RDWR);
  return ioctl(null, 0x5401, text) == -1 && errno == ENOTTY ? 0 : 19;
}
C
${AQ_CC:-cc} -O2 -D_FORTIFY_SOURCE=2 -o "$work/driver" "$work/driver.c" -ldl
try "$aqueduct" exec -- "$work/driver"
check "a driver finds the module's state, the driver's version and clocks" \
  [ "$status" = 0 ]

# A program with a library of its own, by run path.
mkdir "$work/own"
echo 'int hsa_init(void) { return 0x1008; }' > "$work/own.c"
${AQ_CC:-cc} -shared -fPIC -Wl,-soname,libhsa-runtime64.so.1 \
  -o "$work/own/libhsa-runtime64.so.1" "$work/own.c"
echo 'int hsa_init(void); int main(void) { return hsa_init() ? 20 : 0; }' \
  > "$work/rpath.c"
for tags in disable enable; do
  ${AQ_CC:-cc} -Wl,--$tags-new-dtags -Wl,-rpath,"$work/own" \
    -o "$work/rpath-$tags" "$work/rpath.c" "$work/own/libhsa-runtime64.so.1"
  "$work/rpath-$tags"
  alone=$?
  try "$aqueduct" exec -- "$work/rpath-$tags"
  check "a library of the program's own is passed by ($tags-new-dtags)" \
    [ "$alone $status" = "20 0" ]
done

# Programs with the address sanitizer, which wants to be loaded first.
cat > "$work/asan.c" << 'C'
#include <dlfcn.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  int (*init)(void) = (int (*)(void))dlsym(hsa, "hsa_init");
  int (*end)(void) = (int (*)(void))dlsym(hsa, "hsa_shut_down");
  char *bytes = malloc(8);
  int status = init() || end();
  if (argc > 1)
    bytes[atoi(argv[1])] = 1;
  free(bytes);
  return status;
}
C
for compiler in gcc clang; do
  sound="$compiler -fsanitize=address: a sound program ends normally"
  overflow="$compiler -fsanitize=address: an overflow is still found"
  if $compiler -g -fsanitize=address -o "$work/asan" "$work/asan.c" -ldl \
    2> "$work/log"; then
    try "$aqueduct" exec -- "$work/asan" 7
    check "$sound" [ "$status" = 0 ]
    try "$aqueduct" exec -- "$work/asan" 8
    check "$overflow" ends_with 1 "heap-buffer-overflow"
  else
    skip "$sound" "$compiler has no address sanitizer here"
    skip "$overflow" "$compiler has no address sanitizer here"
  fi
done

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
