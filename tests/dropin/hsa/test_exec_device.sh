#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct exec` chooses the device by the code objects of the program.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH HSA_XNACK
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE

# Bundles as clang's documentation of offload bundles has them, in the section
# of HIP programs; the program prints the name of the agent.
cat > "$work/bundle.h" << 'C'

#define BUNDLE(name, ID)                                                       \
  __attribute__((section(".hip_fatbin"), aligned(4096), used)) static const    \
  struct __attribute__((packed)) {                                             \
    char magic[24];                                                            \
    unsigned long count, host[3];                                              \
    char host_id[24];                                                          \
    unsigned long entry[3];                                                    \
    char id[sizeof ID - 1], rest[4096 - 104 - sizeof ID + 1], code[8];         \
  } name = {.magic = "__CLANG_OFFLOAD_BUNDLE__",                               \
            .count = 2,                                                        \
            .host = {4096, 0, 24},                                             \
            .host_id = "host-x86_64-unknown-linux",                            \
            .entry = {4096, 4, sizeof ID - 1},                                 \
            .id = ID,                                                          \
            .code = "code"};
C
cat > "$work/app.c" << 'C'
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include "bundle.h"
#ifdef FIRST
BUNDLE(first, "hipv4-amdgcn-amd-amdhsa--" FIRST)
#endif
#ifdef SECOND
BUNDLE(second, "hip-amdgcn-amd-amdhsa-" SECOND)
#endif
void linked(void);
static int show(unsigned long isa, void *user)
{
  char name[64] = "";
  ((int (*)(unsigned long, int, void *))dlsym(user, "hsa_isa_get_info_alt"))(
      isa, 1, name);
  puts(name);
  return 0;
}
static int each(unsigned long agent, void *hsa)
{
  int kind = 0;
  ((int (*)(unsigned long, int, void *))dlsym(hsa, "hsa_agent_get_info"))(
      agent, 17, &kind);
  if (kind == 1)
    ((int (*)(unsigned long, int (*)(unsigned long, void *), void *))dlsym(
        hsa, "hsa_agent_iterate_isas"))(agent, show, hsa);
  return 0;
}
int main(void)
{
#ifdef LINKED
  linked();
#endif
  void *hsa = dlopen("libhsa-runtime64.so.1", RTLD_NOW);
#ifdef CRASH
  raise(SIGSEGV);
#endif
  if (((int (*)(void))dlsym(hsa, "hsa_init"))() != 0)
    return 1;
  return ((int (*)(int (*)(unsigned long, void *), void *))dlsym(
      hsa, "hsa_iterate_agents"))(each, hsa);
}
C
build() { # NAME OPTION…
  name=$1
  shift
  ${AQ_CC:-cc} -w -I "$work" -o "$work/$name" "$@" "$work/app.c" \
    -L "$work" -Wl,-rpath,"$work" ${linked:+-llinked} -ldl
}
ran() { # STATUS AGENT PART-OF-ERROR
  [ "$status" = "$1" ] && [ "$out" = "${2:+amdgcn-amd-amdhsa--$2}" ] &&
    contains "$err" "$3"
}
exec_on() { # ARGUMENT… PROGRAM: with HSA_XNACK if $xnack
  try env ${xnack:+HSA_XNACK=$xnack} "$aqueduct" exec "$@"
}

build plain
exec_on "$work/plain"
check "a program without code gets the default device" \
  ran 0 gfx942:sramecc+:xnack- "simulated mi300x"
check "and no word about it" [ "${err#*has code}" = "$err" ]

while read -r gfx model agent; do
  build app "-DFIRST=\"$gfx\""
  exec_on "$work/app"
  check "a program for $gfx runs on $model" ran 0 "$agent" \
    "device $model ($agent), since $work/app has code for $gfx"
done << 'E'
gfx900 mi25 gfx900:xnack-
gfx906 mi50 gfx906:sramecc+:xnack-
gfx908:xnack- mi100 gfx908:sramecc+:xnack-
gfx90a:sramecc+:xnack- mi210 gfx90a:sramecc+:xnack-
gfx942 mi300x gfx942:sramecc+:xnack-
gfx950 mi350x gfx950:sramecc+:xnack-
gfx1100 rx7900xtx gfx1100
gfx1151 gfx1151 gfx1151
gfx9-generic mi50 gfx906:sramecc+:xnack-
E

build both -DFIRST='"gfx1030"' -DSECOND='"gfx1030"'
exec_on "$work/both"
check "each target is listed once" ran 0 gfx1030 "has code for gfx1030;"

build xnack -DFIRST='"gfx90a:xnack+"'
exec_on "$work/xnack"
check "code for XNACK needs it" ran 125 "" \
  "has code for gfx90a:xnack+: that fits no device with XNACK off; with HSA_XNACK=1 it fits --device mi210"
check "in one line" [ "$(wc -l < "$work/err")" = 1 ]
xnack=1
exec_on "$work/xnack"
check "HSA_XNACK=1 selects it" ran 0 gfx90a:sramecc+:xnack+ "device mi210"
xnack=

build none -DFIRST='"gfx1010"'
exec_on "$work/none"
check "code that fits no model is refused with both sides" ran 125 "" \
  "none has code for gfx1010, which no device model matches; there are mi50 (gfx906), "
check "which lists every processor" contains "$err" "mi350x (gfx950), gfx1151"
exec_on --device mi50 "$work/none"
check "a device of the user's runs it with a warning" \
  ran 0 gfx906:sramecc+:xnack- "warning: --device mi50: "
exec_on --device mi300x,mi100 "$work/app"
check "a device that no code fits names one that would" contains "$err" \
  "warning: no code of $work/app fits --device mi300x,mi100: it has code for gfx9-generic, which --device mi50 runs"
exec_on --device mi300x,mi50 "$work/app"
check "one device of a list is enough" [ "${err#*warning}" = "$err" ]
build crash -DFIRST='"gfx908"' -DCRASH
exec_on -q --device mi300x --junit "$work/junit.xml" "$work/crash"
check "a program that crashes on a device without code has the reason" \
  ran 139 "" "error: $work/crash: ended by signal 11 (SIGSEGV): no code of $work/crash fits --device mi300x: it has code for gfx908, which --device mi100 runs"
check "which JUnit's report counts as its failure" grep -q \
  '<failure message=.*ended by signal 11' "$work/junit.xml"
exec_on -q --device mi100 "$work/crash"
check "a crash where code fits has none" ran 139 "" ""
check "in a line that names the signal alone" [ "${err#*fits}" = "$err" ]
build mi100 -DFIRST='"gfx908"'
try env AQUEDUCT_DEVICE=mi210 "$aqueduct" exec "$work/mi100"
check "AQUEDUCT_DEVICE is a choice of the user's" \
  ran 0 gfx90a:sramecc+:xnack- "which --device mi100 runs"
exec_on --set gfx=gfx908 "$work/mi100"
check "an edit of the processor counts" \
  ran 0 gfx908:sramecc+:xnack- "device mi300x (gfx908"

# A library's code decides where the program has none, and among devices that
# the program's code fits.
cat > "$work/linked.c" << 'C'
#include "bundle.h"
BUNDLE(first, "hipv4-amdgcn-amd-amdhsa--gfx90a")
void linked(void) {}
C
${AQ_CC:-cc} -w -I "$work" -shared -fPIC -o "$work/liblinked.so" "$work/linked.c"
linked=1
build user -DLINKED
exec_on "$work/user"
check "the code of a linked library chooses" \
  ran 0 gfx90a:sramecc+:xnack- "since $work/liblinked.so has code for gfx90a"
build own -DLINKED -DFIRST='"gfx942"'
exec_on "$work/own"
check "the program's own code comes first" \
  ran 0 gfx942:sramecc+:xnack- "since $work/own has code for gfx942"
build fitting -DLINKED -DFIRST='"gfx9-4-generic"' -DSECOND='"gfx90a"'
exec_on "$work/fitting"
check "and its libraries' among the devices that it fits" \
  ran 0 gfx90a:sramecc+:xnack- "has code for gfx9-4-generic, gfx90a"
cat > "$work/script.sh" << E
#!/bin/sh
"$work/own"
"$work/mi100"
E
chmod +x "$work/script.sh"
exec_on "$work/script.sh"
check "each program of a script gets the device of its code" sh -c '
  [ "$1" = 0 ] && [ "$2" = "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-
amdgcn-amd-amdhsa--gfx908:sramecc+:xnack-" ]' sh "$status" "$out"
check "and names it" contains "$err" \
  "device mi100 (gfx908:sramecc+:xnack-), since $work/mi100 has code for gfx908; --device chooses another"
exec_on -q "$work/script.sh"
check "but not with -q" [ "$status$err" = 0 ]
exec_on --device mi50 "$work/script.sh"
check "--device is for all of them" contains "$out" "gfx906"
try "$aqueduct" exec sh -c "'$work/none'"
check "code of such a program that fits no model gets the default device" \
  ran 0 gfx942:sramecc+:xnack- \
  "$work/none has code for gfx1010, which no device model matches: the device is the default one"
if command -v python3 > /dev/null; then
  cat > "$work/app.py" << 'P'
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
hsa = ctypes.CDLL("libhsa-runtime64.so.1")
assert hsa.hsa_init() == 0
name = ctypes.create_string_buffer(64)
callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint64, ctypes.c_void_p)
def each(agent, user):
    hsa.hsa_agent_get_info(ctypes.c_uint64(agent), 0, name)
    if name.value.startswith(b"gfx"):
        print("amdgcn-amd-amdhsa--" + name.value.decode())
    return 0
hsa.hsa_iterate_agents(callback(each), None)
P
  exec_on python3 "$work/app.py" "$work/liblinked.so"
  check "libraries that Python has loaded choose its device" \
    ran 0 gfx90a "since $work/liblinked.so has code for gfx90a"
else
  skip "libraries that Python has loaded choose its device" "no python3"
fi
try env PATH="$work:$PATH" "$aqueduct" exec mi100
check "a program is looked for in PATH" ran 0 gfx908:sramecc+:xnack- \
  "since $work/mi100 has"

sed 's/__CLANG_OFFLOAD_BUNDLE__\(.\)/__CLANG_OFFLOAD_BUNDLE__\xff/' \
  "$work/mi100" > "$work/cut"
chmod +x "$work/cut"
exec_on "$work/cut"
check "damaged bundles are named, and count for no device" \
  ran 0 gfx942:sramecc+:xnack- "header is damaged; its code counts for no device"

# Programs of OpenMP: offload binaries as LLVM's OffloadBinary.h has them, and a
# plain image among the data, beside GCC's table.
cat > "$work/bundle.h" << 'C'
#include <elf.h>
#define BINARY(name, ARCH)                                                     \
  __attribute__((section(".llvm.offloading"), aligned(8), used)) static const  \
  struct {                                                                     \
    unsigned magic, version;                                                   \
    unsigned long size, entry, entry_size;                                     \
    unsigned short image_kind, offload_kind;                                   \
    unsigned flags;                                                            \
    unsigned long strings, count, image, image_size, pairs[4];                 \
    char texts[64], code[8];                                                   \
  } name = {0xad10ff10, VERSION, 176, 32, 40, 1, 1, 0, 72, 2, 168, 4,          \
            {104, 116, 111, 134},                                              \
            "triple\0arch\0amdgcn-amd-amdhsa\0" ARCH, "code"};
#ifndef VERSION
#define VERSION 1
#endif
#ifdef LLVM
BINARY(binary, LLVM)
#endif
#ifdef OTHER
BINARY(other, OTHER)
#endif
#ifdef GCC
__attribute__((section(".gnu.offload_funcs"), used)) static void *funcs[2];
__attribute__((section(".data"), aligned(32), used)) static Elf64_Ehdr image = {
    .e_ident = {0x7f, 'E', 'L', 'F', 2, 1, 1, 64, 2}, .e_type = ET_DYN,
    .e_machine = 224, .e_version = 1, .e_flags = GCC, .e_ehsize = 64,
    .e_shoff = SHOFF, .e_shnum = SHOFF != 0};
#endif
C
linked=
while read -r gfx model agent; do
  build openmp "-DLLVM=\"$gfx\"" '-DOTHER="sm_80"'
  exec_on "$work/openmp"
  check "target regions that LLVM compiled for $gfx run on $model" \
    ran 0 "$agent" "device $model ($agent), since $work/openmp has code for $gfx"
done << 'E'
gfx90a mi210 gfx90a:sramecc+:xnack-
gfx908:xnack- mi100 gfx908:sramecc+:xnack-
E
try "$aqueduct" show "$work/openmp" --target gfx90a
check "show names their processors" contains "$err" \
  "it has openmp-amdgcn-amd-amdhsa--gfx908:xnack-, openmp-amdgcn-amd-amdhsa--sm_80"
build openmp '-DLLVM="gfx1010"'
exec_on "$work/openmp"
check "those that fit no model are refused with both sides" ran 125 "" \
  "openmp has code for gfx1010, which no device model matches; there are mi50"
build openmp '-DLLVM="gfx90a"' -DVERSION=9
exec_on "$work/openmp"
check "a version of the binaries that is not known is named" \
  ran 0 gfx942:sramecc+:xnack- \
  "offload binary: version 9 of its format is not known; its code counts for no"
build gnu -DGCC=0x62f -DSHOFF=0
exec_on "$work/gnu"
check "target regions that GCC compiled run on their processor" \
  ran 0 gfx906:sramecc+:xnack- "since $work/gnu has code for gfx906:xnack-"
build gnu -DGCC=0x62f -DSHOFF=1000000
exec_on "$work/gnu"
check "an image whose tables lie elsewhere is named" \
  ran 0 gfx942:sramecc+:xnack- "offload image: its tables lie outside of it"

# A program of the compiler's.
if command -v hipcc > /dev/null; then
  cat > "$work/v.hip" << 'C'
#include <hip/hip_runtime.h>
__global__ void twice(int *a) { a[threadIdx.x] *= 2; }
int main(void)
{
  int *a, h = 21;
  if (hipMalloc((void **)&a, 4) != hipSuccess)
    return 1;
  hipMemcpy(a, &h, 4, hipMemcpyHostToDevice);
  twice<<<1, 1>>>(a);
  hipMemcpy(&h, a, 4, hipMemcpyDeviceToHost);
  return h;
}
C
  hipcc -O2 --offload-arch=gfx90a -o "$work/v" "$work/v.hip"
  exec_on "$work/v"
  check "a HIP program for gfx90a needs no --device" \
    ran 42 "" "device mi210 (gfx90a"
else
  skip "a HIP program for gfx90a needs no --device" "no hipcc"
fi
# A HIP that names only older processors, and a program without kernels.
mkdir "$work/hip"
cat > "$work/hip/hip.c" << 'C'
const char *const hip_processors[] = {"gfx906", "gfx90a:xnack-", "gfx9422"};
int hsa_init(void);
int hip_open(void)
{
  return hsa_init();
}
C
cat > "$work/hip/app.c" << 'C'
int hip_open(void);
int main(void)
{
  return hip_open();
}
C
hsa=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so
${AQ_CC:-cc} -shared -fPIC -o "$work/hip/libamdhip64.so.5" "$work/hip/hip.c" \
  "$hsa" && ${AQ_CC:-cc} -o "$work/hip/app" "$work/hip/app.c" \
  "$work/hip/libamdhip64.so.5" -Wl,-rpath,"$work/hip" || exit 1
try "$aqueduct" exec "$work/hip/app"
check "the default device is one that the installed HIP knows" contains "$err" \
  "(gfx90a), since libamdhip64.so.5 does not know the processor of mi300x"
try "$aqueduct" exec --device mi300x "$work/hip/app"
check "another one is used, with a line" contains "$err" \
  "libamdhip64.so.5 does not know gfx942 (mi300x)"
try "$aqueduct" exec --device mi50 "$work/hip/app"
check "a processor that it knows needs none" [ "${err#*does not know}" = "$err" ]

finish
