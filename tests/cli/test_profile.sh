#!/bin/sh
# SPDX-License-Identifier: MIT
# --profile-isa and --trace-isa: counts and steps of a kernel that was written
# so that its figures follow from its text.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQUEDUCT_KERNELS AQUEDUCT_MISSING_KERNELS
code=$srcdir/doc/examples/kernels/device-gfx90a.hsaco

# A line of a table: its first word and the rest.
row() { # WORD FIELD...
  printf '%s\n' "$out" | awk -v word="$1" '$1 == word { $1 = $1; print; exit }'
}
# A line of the code: the counts before the instruction that begins with TEXT.
counts() { # TEXT
  printf '%s\n' "$out" | awk -v text="$1" '{ at = index($0, text) }
    at > 1 { line = substr($0, 1, at - 1); sub(/\+0x.*/, "", line); $0 = line
      $1 = $1; print; exit }'
}
same() { # GOT WANTED
  [ "$1" = "$2" ] || {
    echo "# got '$1', expected '$2'"
    return 1
  }
}
launch_vadd() { # OPTION...: 16 waves, the last of 40 lanes
  try "$aqueduct" launch "$code" vadd --grid 1000 "$@" --args \
    'buf:f32[1000]=iota' 'buf:f32[1000]=1' 'out:f32[1000]' u32:1000
}

launch_vadd --name plain
check "a launch without a profile" [ "$status" = 0 ]
plain=$out
try "$aqueduct" show plain --asm
check "has no counts to show" contains "$err" "run plain has no counts"
check "which is exit 2" [ "$status" = 2 ]
launch_vadd --profile counter
check "a mode that there is not is refused" contains "$err" \
  "profile 'counter': expected all, or"
check "which is exit 2, too" [ "$status" = 2 ]
launch_vadd --name moded --profile counters,dispatch-events
check "a profile by its modes changes no result" [ "$out" = "$plain" ]
try "$aqueduct" show moded --asm
check "its counters have the names of rocprof" same \
  "$(row SQ_WAVES | cut -d' ' -f1,2)" "SQ_WAVES 16"
check "loads and stores are apart" same \
  "$(row SQ_INSTS_VMEM_RD | cut -d' ' -f2) $(row SQ_INSTS_VMEM_WR |
    cut -d' ' -f2)" "32 16"
try "$aqueduct" show moded
check "and the run says that it has rows of kernels only" contains "$out" \
  "dispatch-events only"
launch_vadd --profile executable-traces,counters --trace-isa \
  wave=3,workgroup=2 --name traced
check "an executable trace changes no result" contains "$out" "${plain##*us}"
printf '%s\n' "$err" | sed -n 's/^[-+]0x[0-9a-f]*  \(.*\)/\1/p' |
  sed 's/   .*//; s/ *->.*//' > "$work/printed"
"$aqueduct" export traced --format att -o "$work/traced.json"
python3 - "$work/traced.json" > "$work/kept" << 'P'
import json, sys
trace = json.load(open(sys.argv[1]))
(wave,) = trace["waves"]
assert (wave["workgroup"], wave["wave"], wave["kernel"]) == (2, 3, "vadd")
end = 0
for step in wave["instructions"]:
    assert step["cycle"] >= end
    end = step["cycle"] + step["cycles"]
    print(trace["code"][step["line"]]["text"])
P
check "a stored trace has the steps that --trace-isa prints" cmp "$work/printed" "$work/kept"
check "each instruction of the kernel" [ "$(wc -l < "$work/kept")" = 26 ]
"$aqueduct" export traced --format chrome -o "$work/traced.chrome"
check "timelines show them" [ "$(grep -c '"name":"s_waitcnt' \
  "$work/traced.chrome")" = 3 ]
try "$aqueduct" show traced --asm
check "and the kernel is counted too" same \
  "$(row SQ_WAVES | cut -d' ' -f1,2)" "SQ_WAVES 16"
try "$aqueduct" export plain --format att
check "a run without traced waves has none to export" contains "$err" \
  "the run has no traced waves"
launch_vadd --profile executable-traces --trace-isa wave=0,limit=5
check "steps past the limit are counted" contains "$err" \
  "without 21 steps past the limit of 5"
launch_vadd --name counted --profile-isa
check "a profile changes no result and no time" [ "$out" = "$plain" ]
try "$aqueduct" show counted --asm
check "each of 16 waves issues each instruction" same "$(row all)" \
  "all 26 416 100.0 62.5 12000 189 189 - -"
check "a kernel that was not counted is no kernel of the run" \
  "$aqueduct" show counted --asm vadd -q -o "$work/one"
try "$aqueduct" show counted --asm vsub
check "and named" contains "$err" "no counts of kernel vsub"
"$aqueduct" show counted --asm --json -o "$work/counted.json"
check "--json is JSON" is_json "$work/counted.json"
for command in show stats; do
  try "$aqueduct" $command counted
  check "$command names where the counts are" contains "$err" \
    "1 kernel with counted instructions: aqueduct show 5 --asm"
done
try "$aqueduct" store merge --store "$work/other.db" "$XDG_DATA_HOME"/*/runs.db
try "$aqueduct" show counted --asm --store "$work/other.db"
check "counts are merged with their run" same "$(row all)" \
  "all 26 416 100.0 62.5 12000 189 189 - -"
try "$aqueduct" launch "$code" vadd --grid 64 --trace-isa wave --args u32:1
check "a wave without a number is refused" contains "$err" \
  "trace of instructions: 'wave': expected wave=N"
try "$aqueduct" exec --trace-isa wave=x -- true
check "by exec too, before the program runs" contains "$err" \
  "--trace-isa: 'wave=x': expected wave=N"

# ---- a kernel of known figures ----

cat > "$work/code.s" << 'S'
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text
.p2align 8
.globl known
.type known,@function
known:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_lshlrev_b32 v2, 6, v0
  v_lshlrev_b32 v3, 7, v0
  v_mov_b32 v7, 0
  s_waitcnt lgkmcnt(0)
  global_load_dword v4, v1, s[2:3]
  global_load_dword v5, v2, s[2:3]
  global_load_dword v6, v7, s[2:3]
  ds_write_b32 v1, v0
  ds_write_b32 v3, v0 offset:4
  ds_read_b32 v6, v7
  ds_read2st64_b32 v[10:11], v1 offset1:2
  ds_write_b64 v2, v[0:1]
  s_movk_i32 s4, 10
1:
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 1b
  v_cmp_gt_u32 vcc, 16, v0
  s_and_saveexec_b64 s[6:7], vcc
  v_xor_b32 v8, 5, v0
  s_endpgm
.size known, .-known
.section .rodata
.p2align 6
.amdhsa_kernel known
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_group_segment_fixed_size 8192
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 12
  .amdhsa_next_free_sgpr 16
  .amdhsa_accum_offset 12
.end_amdhsa_kernel
.amdgpu_metadata
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: known
    .symbol: known.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 8192
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 12
    .max_flat_workgroup_size: 64
    .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
.end_amdgpu_metadata
S
name="a kernel with known figures"
if clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -c -o "$work/code.o" \
  "$work/code.s" 2> "$work/log" &&
  ld.lld-22 -shared -o "$work/code.hsaco" "$work/code.o" 2>> "$work/log"; then
  known() { # OPTION...
    try "$aqueduct" launch "$work/code.hsaco" known --grid 64 "$@" --args \
      'buf:u32[1024]'
  }
  known --profile-isa --name known
  check "$name runs" [ "$status" = 0 ]
  try "$aqueduct" show known --asm
  counter() { # NAME
    row "$1" | cut -d' ' -f2
  }
  check "the counter of bank conflicts is cycles less those without" same \
    "$(counter SQ_LDS_IDX_ACTIVE) $(counter SQ_LDS_BANK_CONFLICT)" \
    "$(printf '%s\n' "$out" | awk '$1 == "lds" { print $9, $9 - $10; exit }')"
  check "and some" [ "$(counter SQ_LDS_BANK_CONFLICT)" -gt 31 ]
  check "branches of a loop of ten" same "$(counter SQ_INSTS_BRANCH)" 10
  check "one wave" same "$(counter SQ_WAVES)" 1
  check "instructions of scalar memory" same "$(counter SQ_INSTS_SMEM)" 1
  check "words in a row are 4 segments of 64 bytes" same \
    "$(counts 'global_load_dword v4')" "1 64.0 1.00"
  check "words 64 bytes apart are 64 of them, where 4 would do" same \
    "$(counts 'global_load_dword v5')" "1 64.0 16.00"
  check "one word for all lanes is one" same \
    "$(counts 'global_load_dword v6')" "1 64.0 1.00"
  check "words in a row have no bank conflict" same \
    "$(counts 'ds_write_b32 v1')" "1 64.0 1.00"
  check "words 128 bytes apart lie in one bank" same \
    "$(counts 'ds_write_b32 v3')" "1 64.0 32.00"
  check "one word for all lanes is no conflict" same \
    "$(counts 'ds_read_b32 v6')" "1 64.0 1.00"
  check "each of two addresses of a lane is an access" same \
    "$(counts 'ds_read2st64_b32')" "1 64.0 1.00"
  check "two words a lane, 64 bytes apart: 16 lanes at once, in 4 banks" same \
    "$(counts 'ds_write_b64')" "1 64.0 8.00"
  check "a loop of ten turns branches nine times" same \
    "$(counts 's_cbranch_scc1')" "10 9"
  check "its body is issued ten times" same "$(counts 's_sub_u32')" "10"
  check "behind a mask 16 lanes are left" same "$(counts 'v_xor_b32')" "1 16.0"
  check "branches and the end are a class" same "$(row branch)" \
    "branch 2 11 22.4 - - - - - -"
  check "the loop is a block" contains "$(row +0x60)" "+0x60 L0 3 30 61.2"

  known --trace-isa wave=0
  check "a trace begins with its wave" contains "$err" \
    "kernel known, dispatch 0, workgroup 0 (0,0,0), wave 0"
  check "and has a line a step" [ "$(printf '%s\n' "$err" |
    grep -c '^+0x')" = 49 ]
  check "with the registers read and written" contains "$(printf '%s\n' \
    "$err" | grep 's_sub_u32' | tail -n 1 | tr -s ' ')" \
    "s_sub_u32 s4, s4, 1 s4=00000001 -> s4=00000000"
  check "changes of EXEC" contains "$(printf '%s\n' "$err" |
    grep saveexec)" "exec=000000000000ffff"
  check "and values of lanes" contains "$(printf '%s\n' "$err" |
    grep v_xor_b32)" "v8=[5 4 7 6 1 0 3 2 d c f e 9 8 b a - -"
  known --trace-isa wave=0,limit=3
  check "a limit ends it" [ "$(printf '%s\n' "$err" | grep -c '^+0x')" = 3 ]
  check "with a word" contains "$err" "the trace ends after its limit of 3 steps"
  known --trace-isa wave=1
  check "a wave that is not there has no steps" [ "$(printf '%s\n' "$err" |
    grep -c '^+0x')" = 0 ]
else
  skip "$name" "no clang-22 with lld"
fi

# ---- a program ----

name="exec counts the kernels of a program"
cat > "$work/app.hip" << 'H'
#include <hip/hip_runtime.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main()
{
  int *p;
  if (hipMalloc((void **)&p, 256) != hipSuccess)
    return 1;
  for (int i = 0; i < 3; i++)
    twice<<<1, 64>>>(p);
  return hipDeviceSynchronize() != hipSuccess;
}
H
if [ -z "${AQ_SANITIZERS:-}" ] && command -v hipcc > /dev/null &&
  hipcc --offload-arch=gfx90a -O1 -o "$work/app" "$work/app.hip" \
    > "$work/log" 2>&1; then
  AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
  export AQUEDUCT_PLUGIN_PATH
  try "$aqueduct" exec --device mi210 --profile-isa --name app \
    --trace-isa wave=0,limit=5 -- "$work/app"
  check "$name" [ "$status" = 0 ]
  check "and traces a wave on stderr" contains "$err" \
    "kernel _Z5twicePi, dispatch"
  try "$aqueduct" show app --asm _Z5twicePi
  check "three dispatches together, of a program that does not close HSA" \
    same "$(counts 's_endpgm')" "3"
  try "$aqueduct" exec --device mi210 --profile-isa --record none --name rowless \
    -- "$work/app"
  try "$aqueduct" show rowless --asm _Z5twicePi
  check "the counts are stored where no rows are" same "$(counts 's_endpgm')" "3"
  try "$aqueduct" show app --asm twice
  check "the name as people write it finds the kernel, and prints" contains \
    "$out" "demangled       twice(int*)"
  cat > "$work/overloads.hip" << 'H'
#include <hip/hip_runtime.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void twice(float *p) { p[threadIdx.x] *= 2; }
H
  hipcc --offload-arch=gfx90a -O1 --genco -o "$work/overloads.co" \
    "$work/overloads.hip" > "$work/log" 2>&1
  try "$aqueduct" show "$work/overloads.co"
  check "show FILE prints it too" contains "$out" "  twice(float*)"
  try "$aqueduct" launch "$work/overloads.co" 'twice(int*)' --grid 4 \
    --device mi210 --args 'out:i32[4]=iota'
  check "launch takes it" contains "$out" "0 2 4 6"
  try "$aqueduct" launch "$work/overloads.co" twice --grid 4 \
    --device mi210 --args 'out:i32[4]=iota'
  check "and refuses one of several kernels" contains "$err" \
    "'twice' names 2 kernels; expected one, with its parameters"
  try "$aqueduct" show "$work/overloads.co" --asm twice
  check "show FILE --asm prints all of them" contains "$out" "_Z5twicePf>:"
else
  skip "$name" "no hipcc, or a sanitized library"
fi
finish
