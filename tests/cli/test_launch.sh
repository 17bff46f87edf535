#!/bin/sh
# SPDX-License-Identifier: MIT
# Code objects on the command line: shown, made into a plug-in, launched; with
# the example of doc/examples/kernels, built with public headers alone.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQUEDUCT_KERNELS AQUEDUCT_MISSING_KERNELS MAKEFLAGS MFLAGS MAKELEVEL
builddir=${AQ_BUILDDIR:-.}
code=$srcdir/doc/examples/kernels/device-gfx90a.hsaco
case ${AQ_SANITIZERS:-} in
*thread*) hsa= ;;
*) hsa=$builddir/.libs/libhsa-runtime64.so.1 ;;
esac

try "$aqueduct" show "$code"
check "a code object is shown" [ "$status" = 0 ]
check "with its target" contains "$out" "target          gfx90a"
check "its kernels" contains "$out" "reduce: 20 bytes of arguments"
check "and their arguments" contains "$out" "  offset 24, 4 bytes: by_value"
try "$aqueduct" show "$code" --json -o "$work/code.json"
check "--json is JSON" is_json "$work/code.json"
check "with the kernels" grep -q '"name": *"vadd"' "$work/code.json"
head -c 3000 "$code" > "$work/cut.hsaco"
try "$aqueduct" show "$work/cut.hsaco"
check "a damaged one: exit 2" [ "$status" = 2 ]
check "and the file is named" contains "$err" "$work/cut.hsaco: code object"
try "$aqueduct" show mi300x --stub
check "only code objects have stubs" [ "$status" = 2 ]

if command -v clang-offload-bundler-22 > /dev/null; then
  PATH=$PATH:/usr/lib/llvm-22/bin # it looks for llvm-objcopy without a version
  : > "$work/host"
  clang-offload-bundler-22 -type=o -input="$work/host" -input="$code" \
    -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a \
    -output="$work/plain.bundle"
  clang-offload-bundler-22 -type=o -compress -input="$work/host" \
    -input="$code" -output="$work/small.bundle" \
    -targets=host-x86_64-unknown-linux-gnu,hipv4-amdgcn-amd-amdhsa--gfx90a
  for bundle in plain small; do
    try "$aqueduct" show "$work/$bundle.bundle"
    check "a $bundle bundle is shown" contains "$out" \
      "entry           hipv4-amdgcn-amd-amdhsa--gfx90a"
    check "with its kernels" contains "$out" "vadd: 28 bytes"
  done
else
  skip "bundles are shown" "no clang-offload-bundler-22"
fi

# ---- the plug-in ----

mkdir "$work/example" "$work/stub"
cp "$srcdir"/doc/examples/kernels/*.c "$srcdir"/doc/examples/kernels/Makefile \
  "$work/example"
try make -s -C "$work/example" CC="${AQ_CC:-cc}" \
  CFLAGS='-O1 -Wall -Wextra -Werror' AQ_CFLAGS="-I$builddir/public" kernels.so
check "the example builds with public headers alone" [ "$status" = 0 ]
kernels=$work/example/kernels.so

try "$aqueduct" show "$code" --stub -o "$work/stub/stub.c"
check "a stub is written" [ "$status" = 0 ]
# shellcheck disable=SC2086 # it may have a wrapper before it
try ${AQ_CC:-cc} -std=gnu11 -Wall -Wextra -Werror -fPIC -shared \
  -I"$builddir/public" -o "$work/stub/stub.so" "$work/stub/stub.c"
check "it compiles without a warning" [ "$status" = 0 ]

launch() { # KERNEL PLUGIN OPTION...
  launch_kernel=$1
  launch_plugin=$2
  shift 2
  try "$aqueduct" launch "$code" "$launch_kernel" --kernels "$launch_plugin" \
    "$@"
}
vadd() { # PLUGIN OPTION...
  vadd_plugin=$1
  shift
  launch vadd "$vadd_plugin" --grid 1000 --print 3 "$@" --args \
    'buf:f32[1000]=iota' 'buf:f32[1000]=1' 'out:f32[1000]' u32:1000
}
reduce() { # OPTION...
  launch reduce "$kernels" --grid 1000 "$@" --args 'buf:f32[1000]=iota' \
    'out:f32[4]' u32:1000
}
sums="out:f32[4]: 32640 98176 163712 204972"

vadd "$work/stub/stub.so"
check "the choice of the device is noted with its reason" contains "$err" \
  "device mi210 (gfx90a), the first model that $code has code for (gfx90a); another may be chosen"
check "what is not written yet says so" contains "$err" \
  "kernel vadd: not written yet"
check "and fails" [ "$status" != 0 ]
vadd "$kernels" --name added
check "vadd runs on the simulator" [ "$status" = 0 ]
check "it adds" contains "$out" "out:f32[1000]: 1 2 3 ..."
check "its time is told" contains "$out" "start-end    2.0"
try "$aqueduct" export added --format jsonl
check "the run is stored, with the kernel's name" contains "$out" '"vadd"'
reduce
check "reduce has its group segment and barriers" contains "$out" "$sums"
first=$out
reduce
check "and the same results and times again" [ "$first" = "$out" ]
reduce --lds 2048 --name dynamic
check "a dynamic group segment changes no result" contains "$out" "$sums"
try "$aqueduct" export dynamic --format jsonl
check "it comes behind the kernel's own" contains "$out" '"lds":3072'
reduce --lds 1000000
check "more than the device has stops the queue" [ "$status" != 0 ]
reduce --lds 9999999999
check "and more than any has is refused" contains "$err" "--lds 9999999999"
reduce --workgroup 100
check "what a host function cannot serve stops the queue" contains "$err" \
  "kernel reduce: expected workgroups of 256 work-items"
reduce --json -o "$work/result.json"
check "launch --json is JSON" is_json "$work/result.json"

# A kernel that asks for the size of its dynamic group segment, which stands 120
# bytes into the hidden arguments.
cat > "$work/asked.ll" << 'L'
target triple = "amdgcn-amd-amdhsa"
@dynamic = external addrspace(3) global [0 x i32], align 4
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
define amdgpu_kernel void @asked(ptr addrspace(1) %out) {
  store volatile i32 1, ptr addrspace(3) @dynamic
  %hidden = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %at = getelementptr i8, ptr addrspace(4) %hidden, i64 120
  %size = load i32, ptr addrspace(4) %at
  store i32 %size, ptr addrspace(1) %out
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500}
L
cat > "$work/asked.c" << 'C'
#include <aqueduct/kernel.h>
#include <stdint.h>

static void asked(const aq_kernel_call *call)
{
  uint32_t *const *out = call->kernarg;
  **out = ((const uint32_t *)call->kernarg)[(8 + 120) / 4];
}

const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "asked", .function = asked}, {.name = NULL}};
  static const aq_kernels table = {.abi = AQ_KERNELS_ABI,
                                   .size = sizeof table,
                                   .name = "asked",
                                   .summary = "tells its group segment",
                                   .entries = entries};
  return &table;
}
C
name="a kernel is told the size of its dynamic group segment"
if clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -O1 -nogpulib \
  -Wno-override-module -o "$work/asked.hsaco" "$work/asked.ll" \
  2> "$work/log"; then
  # shellcheck disable=SC2086 # it may have a wrapper before it
  try ${AQ_CC:-cc} -std=gnu11 -fPIC -shared -I"$builddir/public" \
    -o "$work/asked.so" "$work/asked.c"
  for bytes in 4096 0; do
    try "$aqueduct" launch "$work/asked.hsaco" asked --grid 64 --kernels \
      "$work/asked.so" --lds $bytes --args 'out:u32[1]'
    check "$name ($bytes)" contains "$out" "out:u32[1]: $bytes"
  done
else
  skip "$name" "no clang-22 with lld"
fi

# ---- many times, from and to files, for a time ----

rows() { # RUN
  "$aqueduct" export "$1" --format jsonl 2> "$work/err" |
    grep -c '"kind":"kernel"'
}
files() { # OPTION...: one sum of 256 from a file, to a file
  launch vadd "$kernels" --grid 256 "$@" --args 'buf:f32[]=@'"$work/a.bin" \
    'buf:f32[256]=1' 'out:f32[256]:'"$work/sum.bin" u32:256
}
endless() { # OPTION...
  launch reduce "$work/endless.so" --grid 1000 --timeout 300ms "$@" --args \
    'buf:f32[1000]=iota' 'out:f32[4]' u32:1000
}
cat > "$work/endless.c" << 'C'
#include <aqueduct/kernel.h>
#include <unistd.h>

static void reduce(const aq_kernel_call *call)
{
  (void)call;
  for (;;)
    pause();
}

const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "reduce", .function = reduce}, {.name = NULL}};
  static const aq_kernels table = {.abi = AQ_KERNELS_ABI,
                                   .size = sizeof table,
                                   .name = "endless",
                                   .summary = "never ends",
                                   .entries = entries};
  return &table;
}
C
# shellcheck disable=SC2086 # it may have a wrapper before it
try ${AQ_CC:-cc} -std=gnu11 -fPIC -shared -I"$builddir/public" \
  -o "$work/endless.so" "$work/endless.c"
check "a host function that never ends compiles" [ "$status" = 0 ]
launch vadd "$kernels" --grid 256 --args 'buf:f32[256]=iota' 'buf:f32[256]' \
  'out:f32[256]:'"$work/a.bin" u32:256
check "an out buffer is written to a file" \
  [ "$(wc -c < "$work/a.bin")" -eq 1024 ]
check "and to no other" [ ! -e "$work/a.bin.part" ]
both() { # NAME OPTION...: the same on every transport
  both_name=$1
  shift
  files "$@" --name "$both_name"
  check "$both_name: a buffer comes from a file" contains "$out" ": 1 2 3 "
  files "$@" --repeat 5 --name "$both_name-5"
  check "$both_name: repeated, its times have a spread" contains "$out" \
    "start-end    min "
  check "$both_name: and each has a row" [ "$(rows "$both_name-5")" = 5 ]
  try "$aqueduct" launch "$code" vadd --kernels "$kernels" "$@" --grid 256 \
    --args 'buf:f32[256]' 'buf:f32[256]=@'"$work/sum.bin" \
    'out:f32[256]=@'"$work/sum.bin" u32:256
  check "$both_name: what was written is read" contains "$out" ": 1 2 3 "
  files "$@" --repeat 3 --json -o "$work/repeat.json"
  check "$both_name: --json is JSON" is_json "$work/repeat.json"
  check "$both_name: with the spread" sh -c \
    'grep -q duration_ns_min "$1" && grep -q "\"dispatches\": *3" "$1"' sh \
    "$work/repeat.json"
  files "$@" --timeout 60s --repeat 2
  check "$both_name: what ends in time is not stopped" [ "$status" = 0 ]
  endless "$@" --name "$both_name-endless"
  check "$both_name: a kernel that never ends is given up: exit 1" \
    [ "$status" = 1 ]
  check "$both_name: in a line that names it" contains "$err" \
    "kernel reduce: dispatch 1 of 1 did not end within 0.3 s"
  try "$aqueduct" list runs
  check "$both_name: and nothing is stored" [ "$(contains "$out" \
    "$both_name-endless" && echo it is)" = "" ]
}
both sim

if [ -n "$hsa" ]; then
  AQUEDUCT_LIBHSA_PATH=$hsa
  AQUEDUCT_DEVICE=mi210
  export AQUEDUCT_LIBHSA_PATH AQUEDUCT_DEVICE
  reduce --transport hsa --device gfx90a --name measured
  check "the same through HSA" contains "$out" "$sums"
  try "$aqueduct" show measured
  check "is a measured run" contains "$out" "measured"
  both hsa --transport hsa --device gfx90a
  try "$aqueduct" launch "$code" vadd --transport hsa --device gfx90a \
    --grid 64 --args 'buf:f32[64]=iota' --args 'buf:f32[64]=iota' \
    --args 'out:f32[64]' --args u32:64
  check "through HSA the code is executed too" \
    contains "$status $out" "0 2 4 6 8 10 12 14"
  unset AQUEDUCT_LIBHSA_PATH AQUEDUCT_DEVICE
fi

# ---- whose durations ----

try "$aqueduct" show latest
check "durations of kernels are assumed, executed or not" \
  contains "$out" "durations      assumed"
if command -v clang-22 > /dev/null && command -v ld.lld-22 > /dev/null; then
  cat > "$work/clock.c" << 'EOF'
__attribute__((amdgpu_kernel)) void clocked(unsigned long *out)
{
  const unsigned long begin = __builtin_readcyclecounter();
  while (__builtin_readcyclecounter() - begin < 200000)
    ;
  out[__builtin_amdgcn_workitem_id_x()] = 1;
}
EOF
  clang-22 -x c --target=amdgcn-amd-amdhsa -mcpu=gfx90a -nogpulib -O1 \
    -fuse-ld=lld -Wno-unused-command-line-argument --ld-path="$(
    command -v ld.lld-22)" -o "$work/clock.hsaco" "$work/clock.c"
  try "$aqueduct" launch "$work/clock.hsaco" clocked --grid 64 --args \
    'out:u64[64]'
  # 200000 cycles of 2 GHz.
  check "a kernel takes as long as its clock says" contains "$out" " 100."
  try "$aqueduct" show latest
  check "and the run says that its code told" \
    contains "$out" "durations      executed"
else
  skip "a kernel that reads a clock" "no clang-22 with ld.lld-22"
fi

# ---- errors ----

refuses() { # NAME WORDS ARGUMENT...
  refuses_name=$1
  refuses_words=$2
  shift 2
  try "$aqueduct" launch "$@"
  check "$refuses_name: exit 2" [ "$status" = 2 ]
  check "$refuses_name: says why" contains "$err" "$refuses_words"
}
try "$aqueduct" launch "$code" vadd --grid 64 --args 'buf:f32[64]=iota' \
  'buf:f32[64]=0.5' 'out:f32[64]' u32:64
check "without a host function the code is executed" contains "$out" \
  "out:f32[64]: 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5"
try "$aqueduct" launch "$code" vadd --grid 64 --missing-kernels warn --args \
  'buf:f32[64]=iota' 'buf:f32[64]' 'out:f32[64]' u32:64
check "timing only is allowed when asked for" [ "$status" = 0 ]
check "it computes nothing" contains "$out" "out:f32[64]: 0 0 0 0 0 0 0 0"
check "the arguments are listed" contains "$err" "offset 16, 8 bytes"
refuses "no such kernel" "it has no kernel 'vsub'; it has vadd, reduce" \
  "$code" vsub --grid 64
refuses "no grid" "expected --grid" "$code" vadd
refuses "a bad grid" "--grid 0: expected X" "$code" vadd --grid 0
refuses "a grid of four" "expected X" "$code" vadd --grid 1,1,1,1
refuses "a workgroup too large" "takes at most 1024" "$code" vadd --grid 4096 \
  --workgroup 64,32
cat > "$work/required.ll" << 'L'
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @required() !reqd_work_group_size !0 {
  ret void
}
!0 = !{i32 32, i32 2, i32 1}
L
for clang in clang-22 clang-19 clang-15; do
  $clang -target amdgcn-amd-amdhsa -mcpu=gfx90a -O1 -nogpulib \
    -Wno-override-module -o "$work/required.hsaco" "$work/required.ll" \
    2> "$work/log" && break
done
if [ -f "$work/required.hsaco" ]; then
  refuses "a workgroup of another size than the kernel requires" \
    "workgroup of 64x1x1 work-items; kernel required requires 32x2x1" \
    "$work/required.hsaco" required --grid 64 --workgroup 64
  try "$aqueduct" launch "$work/required.hsaco" required --grid 64,2 \
    --workgroup 32,2
  check "the required one is accepted" [ "$status" = 0 ]
else
  skip "a required workgroup" "no clang with lld"
fi
refuses "too few arguments" "takes 4 arguments, 1 given" "$code" vadd \
  --grid 64 --kernels "$kernels" --args u32:1
refuses "an argument of another size" "argument 4 of the kernel is a value of" \
  "$code" vadd --grid 64 --kernels "$kernels" --args 'buf:f32[1]' \
  'buf:f32[1]' 'buf:f32[1]' u64:1
refuses "a number for a buffer" "is a buffer's address" "$code" vadd \
  --grid 64 --kernels "$kernels" --args u64:1 'buf:f32[1]' 'buf:f32[1]' u32:1
for bad in u8:256 i8:-129 u32:-1 f32:x i32: q:1 'buf:f32[0]' 'buf:f32[x]' \
  'buf:f32[4' 'out:f32[4]=x' 'buf:f32[99999999999]' 'buf:f32[]' 'buf:f32[]=1' \
  'buf:f32[4]:file' 'out:f32[4]:' 'out:f32[4]=@' 'buf:f32[]=@'; do
  refuses "$bad" "argument '$bad': expected" "$code" vadd --grid 64 --args "$bad"
done
refuses "a file of another size" "has 1024 bytes; expected 400" "$code" vadd \
  --grid 64 --kernels "$kernels" --args 'buf:f32[100]=@'"$work/a.bin" \
  'buf:f32[1]' 'buf:f32[1]' u32:1
head -c 1023 "$work/a.bin" > "$work/odd.bin"
refuses "a file of half an element" "a multiple of 4" "$code" vadd --grid 64 \
  --kernels "$kernels" --args 'buf:f32[]=@'"$work/odd.bin" 'buf:f32[1]' \
  'buf:f32[1]' u32:1
refuses "no such file" "none.bin: No such file" "$code" vadd --grid 64 \
  --kernels "$kernels" --args 'buf:f32[]=@none.bin' 'buf:f32[1]' 'buf:f32[1]' \
  u32:1
launch vadd "$kernels" --grid 64 --name unwritten --args 'buf:f32[64]' \
  'buf:f32[64]' 'out:f32[64]:'"$work/none/sum.bin" u32:64
check "where it cannot be written it fails" [ "$status" = 2 ]
check "with the file" contains "$err" "none/sum.bin"
refuses "too many repetitions" "--repeat 1000001: expected at most" "$code" \
  vadd --grid 64 --repeat 1000001
refuses "another device" "it has no code for gfx942; it has gfx90a" \
  "$code" vadd --grid 64 --device mi300x --kernels "$kernels" --args u32:1
refuses "no code object" "neither a code object" "$srcdir/README.md" vadd \
  --grid 64
refuses "no file" "No such file" "$work/none.hsaco" vadd --grid 64
refuses "no plug-in" "none.so" "$code" vadd --grid 64 --kernels ./none.so
try "$aqueduct" list runs
check "what failed was not stored" [ "$(echo "$out" | grep -c unwritten)" = 0 ]
runs=$(echo "$out" | grep -c 'simulated\|measured')
vadd "$work/stub/stub.so"
try "$aqueduct" list runs
check "nor what its kernel failed" \
  [ "$(echo "$out" | grep -c 'simulated\|measured')" = "$runs" ]

# The device library's own kernels are built in.
try "$aqueduct" launch "$srcdir/src/gpu/devlib/objects/gfx942.hsaco" aq_spin \
  --grid 64
check "kernels of the device library want arguments too" [ "$status" = 2 ]
# ---- buffers that are too small ----

# The kernel writes 1,024 floats; the buffer has room for fewer.
for room in 16 1008; do
  try "$aqueduct" launch "$code" vadd --device mi210 --grid 1024 \
    --kernels-from isa --args 'buf:f32[1024]=iota' 'buf:f32[1024]=1' \
    "out:f32[$room]" u32:1024
  check "a kernel that leaves its buffer of $room floats is a memory error" \
    [ "$status" = 1 ]
done
try "$aqueduct" launch "$code" vadd --device mi210 --grid 1024 \
  --kernels-from isa --args 'buf:f32[1024]=iota' 'buf:f32[1024]=1' \
  'out:f32[16]' u32:1024
check "which names the place" contains "$err" "past the end of 64 bytes"
try "$aqueduct" launch "$code" vadd 'buf:f32[64]=iota' 'buf:f32[64]=1' \
  'out:f32[64]' u32:64 --device mi210 --grid 64 --kernels-from isa
check "the arguments may follow KERNEL, as the usage has them" [ "$status" = 0 ]

# ---- compilers that do not know the device ----

mkdir "$work/old"
cat > "$work/old/hipcc" << 'S'
#!/bin/sh
case "$*" in
*--offload-arch=gfx90a*) exit 0 ;;
esac
echo "clang: error: invalid target ID" >&2
exit 1
S
chmod +x "$work/old/hipcc"
echo > "$work/k.hip"
try env PATH="$work/old:$PATH" "$aqueduct" launch "$work/k.hip" k --grid 64 \
  --device mi300x
check "a compiler that does not know the device: exit 2" [ "$status" = 2 ]
check "with a device that it knows" contains "$err" \
  "does not know gfx942; it knows gfx90a of --device mi2"

finish
