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
  const char *name = getenv("APP_LIBRARY");
  void *hsa = dlopen(name ? name : "libhsa-runtime64.so.1", RTLD_NOW);
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
for name in libhsa-runtime64.so /opt/nowhere/lib/libhsa-runtime64.so \
  /opt/nowhere/libhsa-runtime64.so.1.15.0; do
  try env APP_LIBRARY="$name" "$aqueduct" exec "$work/app"
  check "a program that opens $name gets the drop-in" \
    [ "$status$out" = "00 arguments" ]
done
try env APP_LIBRARY=libhsa-runtime64.software.so "$aqueduct" exec "$work/app"
check "libraries of other names stay what they are" [ "$status" = 12 ]
try "$aqueduct" exec "$work/app" 7 --json -o x
check "options behind the program are the program's" \
  [ "$status$out" = "74 arguments" ]
try "$aqueduct" exec "$work/app" 0
check "success is passed through" [ "$status" = 0 ]
try "$aqueduct" exec true
check "a program that never called hsa_init is told" \
  ends_with 125 "never called hsa_init"
try "$aqueduct" exec --host-only allow -- /bin/true
check "--host-only allow keeps the status of a program of the host" \
  ends_with 0 "ran on the host only"
try "$aqueduct" exec --host-only allow -- /bin/false
check "and its failure" [ "$status" = 1 ]
try "$aqueduct" exec --host-only maybe -- /bin/true
check "--host-only takes two words" ends_with 125 "expected fail or allow"
try "$aqueduct" exec false
check "failure is passed through" [ "$status" = 1 ]
try "$aqueduct" exec no-such-program
check "a missing program is 127" ends_with 127 "No such file"
try "$aqueduct" exec /etc/passwd
check "a program that cannot be run is 126" ends_with 126 "Permission denied"
# shellcheck disable=SC2016 # for that shell
try timeout 60 sh -c 'trap "" CHLD; exec "$0" exec "$1" 7' "$aqueduct" "$work/app"
check "an inherited SIGCHLD that is ignored loses no exit status" \
  [ "$status$out" = "71 arguments" ]
# shellcheck disable=SC2016 # for that shell
try "$aqueduct" exec sh -c 'kill -9 $$'
check "a killed program is 128 and the signal" [ "$status" = 137 ]
try "$aqueduct" exec --timeout 1s -- sleep 60
check "the timeout ends the program" ends_with 125 "ended by --timeout 1s"
# shellcheck disable=SC2016 # for that shell
try setsid "$aqueduct" exec -- sh -c 'trap "exit 5" TERM; kill 0; sleep 60'
check "a SIGTERM of the program's own group leaves its status" [ "$status" = 5 ]
# shellcheck disable=SC2016
try "$aqueduct" exec -- sh -c 'trap "exit 6" TERM; sh -c "kill $PPID; :"; sleep 60 & wait'
check "a SIGTERM for exec goes to the program" [ "$status" = 6 ]
# shellcheck disable=SC2016
try setsid "$aqueduct" exec --timeout 1s -- sh -c \
  'trap "trap : TERM; kill 0; exit 5" TERM; sleep 60 & wait'
check "a program that ends its group at the timeout is said to be late" \
  ends_with 125 "ended by --timeout 1s"
try "$aqueduct" exec -- sh -c \
  'AQUEDUCT_DEVICE=no-such-device "$1"' - "$work/app"
check "a bad device model fails hsa_init and says why" \
  ends_with 12 "unknown device model 'no-such-device'"

# ---- ended by a signal ----

cat > "$work/crash.c" << 'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
  unsigned long signal[1];
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
  int (*init)(void) = (int (*)(void))dlsym(hsa, "hsa_init");
  int (*make)(long, int, void *, void *) =
      (int (*)(long, int, void *, void *))dlsym(hsa, "hsa_signal_create");
  if (!init || init() != 0)
    return 1;
  int made = make(1, 0, 0, signal); /* HERE */
  raise(atoi(argv[argc - 1]));
  return made;
}
C
${AQ_CC:-cc} -g -o "$work/crash" "$work/crash.c" -ldl
line=$(grep -n HERE "$work/crash.c" | cut -d : -f 1)
try "$aqueduct" exec "$work/crash" 11
check "a program that a signal ends is named, with the signal" \
  ends_with 139 "error: $work/crash: ended by signal 11 (SIGSEGV)"
check "and with the last HSA call and its place" contains "$err" \
  "its last HSA call, hsa_signal_create, called at $work/crash.c:$line, had returned"
try "$aqueduct" exec "$work/crash" 9
check "so is one that is killed" \
  ends_with 137 "ended by signal 9 (SIGKILL); its last HSA call, hsa_signal"
try "$aqueduct" exec --record none "$work/crash" 6
check "and one whose calls are not recorded" \
  ends_with 134 "ended by signal 6 (SIGABRT); its last HSA call, hsa_signal"
objcopy --dump-section .debug_line="$work/lines" "$work/crash"
printf '\143' | dd of="$work/lines" bs=1 seek=4 conv=notrunc 2> /dev/null # version 99
objcopy --update-section .debug_line="$work/lines" "$work/crash" "$work/damaged"
try "$aqueduct" exec "$work/damaged" 11
check "lines that cannot be read are told beside the offset" contains "$err" \
  "hsa_signal_create, called at damaged+0x"
check "with the reason" contains "$err" " (its lines are not read: "
strip "$work/crash"
try "$aqueduct" exec "$work/crash" 11
check "without lines the place is an offset in the file" contains "$err" \
  "hsa_signal_create, called at crash+0x"
# shellcheck disable=SC2016 # for that shell
try "$aqueduct" exec sh -c 'kill -4 $$'
check "without an HSA call the signal alone is named" \
  ends_with 132 "sh: ended by signal 4 (SIGILL)"
check "in one line" [ "$(echo "$err" | grep -c signal)" = 1 ]
try "$aqueduct" exec --junit "$work/crash.xml" "$work/crash" 11
check "in the JUnit report it is a failure of the program" \
  grep -q '<failure message=".*ended by signal 11 (SIGSEGV); its last HSA call' \
  "$work/crash.xml"

# ---- packets without a doorbell ----

cat > "$work/bell.c" << 'C'
#include <stdint.h>
#include <string.h>
typedef struct { uint64_t handle; } handle;
typedef struct { uint32_t type, features; uint64_t *base; handle doorbell; } queue;
int hsa_init(void), hsa_shut_down(void);
int hsa_iterate_agents(int (*each)(handle, void *), void *);
int hsa_agent_get_info(handle, int, void *);
int hsa_queue_create(handle, uint32_t, uint32_t, void *, void *, uint32_t,
                     uint32_t, queue **);
int hsa_signal_create(int64_t, uint32_t, void *, handle *);
void hsa_queue_store_write_index_relaxed(queue *, uint64_t);
void hsa_signal_store_screlease(handle, int64_t);
int64_t hsa_signal_wait_scacquire(handle, int, int64_t, uint64_t, int);
static handle gpu;
static int find(handle agent, void *user)
{
  int kind = 0;
  hsa_agent_get_info(agent, 17, &kind);
  gpu = kind == 1 ? agent : gpu;
  return 0;
}
/* ./bell RING WAIT: two packets; the doorbell rings for RING, if any. */
int main(int argc, char **argv)
{
  queue *q;
  handle done[2];
  if (hsa_init() || hsa_iterate_agents(find, 0) ||
      hsa_queue_create(gpu, 64, 1, 0, 0, 0, 0, &q))
    return 10;
  for (int i = 0; i < 2; i++) {
    uint64_t *packet = q->base + 8 * i;
    hsa_signal_create(1, 0, 0, &done[i]);
    memset((char *)packet + 4, 0, 60);
    packet[7] = done[i].handle;
    hsa_queue_store_write_index_relaxed(q, i + 1);
    __atomic_store_n((uint32_t *)packet, 3, __ATOMIC_RELEASE);
  }
  if (argv[1][0] != '-')
    hsa_signal_store_screlease(q->doorbell, argv[1][0] - '0');
  const uint64_t wait = argv[2][0] == 'e' ? UINT64_MAX : 200000000;
  int ran = 0;
  for (int i = 0; i < 2; i++)
    ran |= (hsa_signal_wait_scacquire(done[i], 2, 1, wait, 0) < 1) << i;
  return ran; /* a bit a packet */
}
C
${AQ_CC:-cc} -o "$work/bell" "$work/bell.c" \
  "${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so" || exit 1
try "$aqueduct" exec "$work/bell" 1 some
check "a doorbell announces its packet and those before" [ "$status" = 3 ]
try "$aqueduct" exec "$work/bell" 0 some
check "but none behind it" [ "$status" = 1 ]
try "$aqueduct" exec "$work/bell" - some
check "packets without a doorbell do not execute" [ "$status" = 0 ]
try "$aqueduct" exec --poll-queues "$work/bell" - some
check "with --poll-queues they do" [ "$status" = 3 ]
try "$aqueduct" exec --timeout 8s "$work/bell" 0 ever
check "a program that forgot a doorbell hangs until the timeout" \
  ends_with 125 "ended by --timeout 8s"
check "whose first line says so" contains "$(echo "$err" | head -n 1)" \
  "at the timeout: queue 0: packet 1 is published, but no doorbell announced it"
try "$aqueduct" exec --check=api "$work/bell" 0 some
check "--check names it" contains "$err$out" \
  "packet 1 of queue 0 was published, but no doorbell announced it"
try "$aqueduct" exec --check=api "$work/bell" 2 some
check "and a doorbell beyond the write index" contains "$err$out" \
  "a doorbell for packet 2 of queue 0, whose write index is 2"
try "$aqueduct" exec --check=api "$work/bell" 1 some
check "of a right program it says nothing" contains "$err$out" ": 0 errors"

# ---- names ----

try "$aqueduct" exec --name kept "$work/app"
try "$aqueduct" exec --name kept "$work/app"
check "a name that is taken is refused before the program runs" \
  ends_with 125 "choose another name, or --replace"
try "$aqueduct" exec --name kept --replace "$work/app" 5
check "with --replace the new run takes it" [ "$status" = 5 ]
"$aqueduct" show kept > "$work/kept"
check "and the old one is gone" [ "$("$aqueduct" list runs --names |
  grep -c kept)$(grep -c 'app 5' "$work/kept")" = 11 ]
try "$aqueduct" exec --replace "$work/app"
check "--replace needs --name" ends_with 125 "--replace: expected --name"

# A driver of its own reads the clocks of KFD before time has moved.
cat > "$work/kfd.c" << 'C'
#include <fcntl.h>
#include <stdint.h>
#include <sys/ioctl.h>
struct clocks { uint64_t gpu, cpu, system, hz; uint32_t id, pad; };
int hsa_init(void);
int main(void)
{
  struct clocks c = {0};
  int kfd = open("/dev/kfd", O_RDWR);
  return hsa_init() || kfd < 0 || ioctl(kfd, _IOWR('K', 5, struct clocks), &c) ||
         !c.gpu || !c.cpu || !c.system || !c.hz;
}
C
${AQ_CC:-cc} -o "$work/kfd" "$work/kfd.c" \
  "${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so" || exit 1
try "$aqueduct" exec "$work/kfd"
check "the clock counters of KFD are never 0" [ "$status" = 0 ]

# A program that no preloaded library reaches: linked statically, with system
# calls of its own.
cat > "$work/static.c" << 'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
  char state[8] = "";
  if (syscall(SYS_openat, AT_FDCWD, "/dev/kfd", O_RDWR) < 0)
    return 10;
  long fd = syscall(SYS_openat, AT_FDCWD, "/sys/module/amdgpu/initstate", 0);
  if (fd < 0 || syscall(SYS_read, fd, state, 7) != 5 || strcmp(state, "live\n"))
    return 11;
  return 42;
}
C
# The environment that a program sees: the same outside, by preload and in a
# namespace.
cat > "$work/seen.sh" << 'S'
read -r line
pwd
id -u
id -g
umask
ps -o pgid= -p $$ | tr -d ' ' | sed "s/^$(ps -o pgid= -p "$PPID" | tr -d ' ')\$/group/"
test -t 0 || echo "no terminal"
echo "read $line" > /dev/null && echo "read $line"
ls -A /sys/module | grep -vx amdgpu | cksum
ls -A /dev | grep -vx -e kfd -e aqueduct | cksum
echo last >&2
kill -USR1 $$
S
seen() { # COMMAND…: what it sees and how it ends, in $sight
  (cd /dev && umask 027 &&
    echo something | "$@" sh "$work/seen.sh" > "$work/sight" 2>&1
    echo "$?" >> "$work/sight") 2> "$work/log"
  # exec alone names the signal.
  sight=$(grep -v '^aqueduct: error: sh: ended by signal 10' "$work/sight")
}
seen
alone=$sight
seen "$aqueduct" exec --quiet --isolation=preload --
check "the shim alone changes nothing else that a program sees" \
  [ "$sight" = "$alone" ]
try "$aqueduct" exec --device nonsense -- sh -c 'touch "$1"' - "$work/ran"
check "an unknown device is refused" ends_with 125 \
  "unknown device model 'nonsense'"
check "before the program runs" [ ! -e "$work/ran" ]
try "$aqueduct" exec --no-option -- true
check "an option that there is not ends as any other mistake of exec's" \
  ends_with 125 "unknown option"
try "$aqueduct" exec --isolation=none -- true
check "another isolation is refused" ends_with 125 \
  "--isolation none: expected auto, namespace or preload"
if ${AQ_CC:-cc} -static -o "$work/static" "$work/static.c" 2> "$work/log"; then
  try "$aqueduct" exec --isolation=preload -- "$work/static"
  check "the shim does not reach a program that is linked statically" \
    [ "$status" = 10 ]
else
  rm -f "$work/static"
fi

namespace_checks() { # HOW PREFIX…
  how=$1
  shift
  seen "$@" "$aqueduct" exec --quiet --isolation=namespace --
  check "a namespace changes nothing else that a program sees ($how)" \
    [ "$sight" = "$alone" ]
  try "$@" "$aqueduct" exec --isolation=namespace -- env -u LD_PRELOAD sh -c \
    'lsmod | grep -q amdgpu && test -c /dev/kfd && exit 42'
  check "lsmod on the PATH shows the module ($how)" [ "$status" = 42 ]
  try "$@" "$aqueduct" exec -- "$work/app" 7
  check "a program in it is told of and stored ($how)" \
    [ "$status$out" = "71 arguments" ]
  # shellcheck disable=SC2016 # for that shell
  try "$@" "$aqueduct" exec --isolation=namespace --device 'mi210*2' -- sh -c '
    for at in 01 02; do
      cd "/sys/bus/pci/devices/a9d0:$at:00.0" || exit 1
      cat vendor current_link_width current_link_speed pp_dpm_sclk
    done
    exit 42'
  if [ -d /sys/bus/pci/devices ]; then
    check "the devices are on the PCI bus, with link and clock ($how)" \
      [ "$status" = 42 ]
    one='0x1002 16 16.0 GT/s PCIe 0: 1700Mhz *'
    check "of their models ($how)" \
      [ "$(echo "$out" | tr '\n' ' ')" = "$one $one " ]
  fi
  if [ -x "$work/static" ]; then
    try "$@" "$aqueduct" exec -- "$work/static"
    check "a static program that makes system calls finds the driver ($how)" \
      [ "$status" = 42 ]
  else
    skip "a static program finds the driver ($how)" "no static libc"
  fi
}
namespaces() { # PREFIX…: whether they can be made
  "$@" "$aqueduct" doctor | grep -q '^ok *isolation *namespace'
}
without="setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin"
if namespaces; then
  namespace_checks "as we are"
else
  skip "the checks in a namespace" "they are blocked here"
  try "$aqueduct" exec --isolation=namespace -- true
  check "a namespace that cannot be made is told" ends_with 125 "--isolation"
fi
# shellcheck disable=SC2086 # several words
if [ "$(id -u)" != 0 ] || ! $without true 2> "$work/log"; then
  skip "the checks without privilege" "we are not root: they were these"
elif namespaces $without; then
  namespace_checks "without privilege" $without
else
  skip "the checks without privilege" "user namespaces are blocked here"
fi
if command -v script > /dev/null && namespaces; then
  try "$aqueduct" exec -- script -qec 'test -t 0 && exit 42' /dev/null
  check "pseudo terminals can be opened in a namespace" [ "$status" = 42 ]
else
  skip "pseudo terminals can be opened in a namespace" "no script, or blocked"
fi

# A driver's way in: it looks for the module alone, and asks /dev/kfd for its
# version and clocks.
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
clang="clang-22"
command -v $clang > /dev/null || clang=clang
for compiler in gcc $clang; do
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
