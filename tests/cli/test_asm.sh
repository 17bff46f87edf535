#!/bin/sh
# SPDX-License-Identifier: MIT
# show --asm of files: llvm-objdump's text, the calls that a kernel makes, the
# instructions that are not simulated.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
code=$srcdir/doc/examples/kernels/device-gfx90a.hsaco

# Of a listing the lines of functions.
functions() { # FILE
  awk -f "$srcdir/tests/cli/objdump.awk" "$1"
}
same_functions() { # FILE FILE
  functions "$1" > "$work/one"
  functions "$2" | cmp -s "$work/one" -
}

# device-gfx90a.asm is what objdump.awk makes of llvm-objdump-22's output.
try "$aqueduct" show "$code" --asm
check "a code object is disassembled" [ "$status" = 0 ]
functions "$work/out" > "$work/functions"
check "as llvm-objdump does, in a recorded listing" \
  cmp -s "$work/functions" "$srcdir/tests/cli/device-gfx90a.asm"
check "its kernels execute as a whole" contains "$out" \
  "vadd: 26 instructions can be reached, all execute"
try "$aqueduct" show "$code" --asm vadd
check "one kernel alone" contains "$out" "<vadd>:"
check "is the only one shown" [ "$(printf '%s\n' "$out" | grep -c '<reduce>')" = 0 ]
try "$aqueduct" show "$code" --asm vsub
check "a kernel that is not there: exit 2" [ "$status" = 2 ]
check "and it is named" contains "$err" "no kernel or function vsub"
try "$aqueduct" show "$code" vadd
check "a kernel without --asm is refused" contains "$err" "without --asm"
try "$aqueduct" show mi300x --asm
check "only code objects are disassembled" contains "$err" \
  "show --asm: 'mi300x' is neither a run nor a file with code objects"
"$aqueduct" show "$code" --asm --json -o "$work/asm.json"
check "--json is JSON" is_json "$work/asm.json"
check "with the instructions" grep -q '"text": *"s_endpgm"' "$work/asm.json"
check "and what kernels reach" grep -q '"reachable": *26' "$work/asm.json"

# ---- every kernel of a library ----

library=/usr/lib/x86_64-linux-gnu/librocrand.so.1
name="a library is disassembled as llvm-objdump does it"
if [ -e "$library" ] && command -v llvm-objdump-22 > /dev/null &&
  command -v objcopy > /dev/null &&
  command -v python3 > /dev/null; then
  objcopy -O binary --only-section=.hip_fatbin "$library" "$work/fat"
  python3 - "$work/fat" "$work/library.hsaco" << 'P'
import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.index(b"__CLANG_OFFLOAD_BUNDLE__") + 24
count, at = struct.unpack_from("<Q", data, at)[0], at + 8
for _ in range(count):
    offset, size, length = struct.unpack_from("<QQQ", data, at)
    if b"gfx908" in data[at + 24 : at + 24 + length]:
        code = data[offset : offset + size]
    at += 24 + length
open(sys.argv[2], "wb").write(code)
P
  llvm-objdump-22 -d --symbolize-operands "$work/library.hsaco" > "$work/llvm"
  "$aqueduct" show "$work/library.hsaco" --asm > "$work/ours"
  check "$name" same_functions "$work/ours" "$work/llvm"
  check "all of its kernels execute as a whole" [ "$(grep -c \
    'can be reached.*all execute' "$work/ours")" = "$("$aqueduct" show \
    "$work/library.hsaco" | grep -c 'bytes of arguments')" ]
  try "$aqueduct" show "$library" --asm -q -o "$work/all"
  check "so is the library itself, for each target that has a table" \
    [ "$(grep -c '^entry.*gfx90' "$work/all")" = 5 ]
else
  skip "$name" "no librocrand.so.1, llvm-objdump-22, objcopy or python3"
fi

# ---- instructions that are not simulated ----

cat > "$work/code.s" << 'S'
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text
.p2align 8
.type leaf,@function
leaf:
  ds_gws_sema_v gds
  s_setpc_b64 s[30:31]
.size leaf, .-leaf
.p2align 8
.type pointed,@function
pointed:
  ds_gws_sema_p gds
  s_setpc_b64 s[30:31]
.size pointed, .-pointed
.macro kernel name
.p2align 8
.globl \name
.type \name,@function
\name:
.endm
.macro descriptor name
.size \name, .-\name
.section .rodata
.p2align 6
.amdhsa_kernel \name
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 40
  .amdhsa_accum_offset 8
.end_amdhsa_kernel
.text
.endm
kernel whole
  s_cbranch_scc0 1f
  v_mov_b32 v0, 0
1:
  s_endpgm
  ds_gws_sema_v gds
descriptor whole
kernel caller
  s_getpc_b64 s[4:5]
  s_add_u32 s4, s4, leaf@rel32@lo+4
  s_addc_u32 s5, s5, leaf@rel32@hi+12
  s_swappc_b64 s[30:31], s[4:5]
  s_endpgm
descriptor caller
kernel pointer
  s_load_dwordx2 s[4:5], s[6:7], 0x0
  s_swappc_b64 s[30:31], s[4:5]
  s_endpgm
descriptor pointer
S
name="instructions that are not simulated are reported"
if clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -c -o "$work/code.o" \
  "$work/code.s" 2> "$work/log" &&
  ld.lld-22 -shared -o "$work/code.hsaco" "$work/code.o" 2>> "$work/log"; then
  try "$aqueduct" show "$work/code.hsaco" --asm
  check "a kernel without them, past the end of its code, has none" contains \
    "$out" "whole: 3 instructions can be reached, all execute"
  check "instructions that are not simulated are reported" contains "$out" "caller: 7 instructions can be reached, \
not simulated:
  ds_gws_sema_v, 1 time, first at -0x300"
  check "behind a pointer any function counts" contains "$out" \
    "pointer: 7 instructions can be reached, through pointers too, \
not simulated:"
  try "$aqueduct" show "$work/code.hsaco" --asm caller
  check "a kernel is shown with what it calls" contains "$out" "<leaf>:"
  check "and without what it does not" [ "$(printf '%s\n' "$out" |
    grep -c '<pointed>:')" = 0 ]
else
  skip "$name" "no clang-22 with lld"
fi

# A mask of 64 lanes is no mask of 32.
for lanes in 64 32; do
  {
    echo '.text'
    echo '.p2align 8'
    echo '.globl masks'
    echo '.protected masks'
    echo '.type masks,@function'
    echo 'masks:'
    echo '  s_or_b64 exec, exec, s[4:5]'
    echo '  s_endpgm'
    echo '.size masks, .-masks'
    echo '.section .rodata'
    echo '.p2align 6'
    echo '.amdhsa_kernel masks'
    echo '  .amdhsa_next_free_vgpr 8'
    echo '  .amdhsa_next_free_sgpr 8'
    echo "  .amdhsa_wavefront_size32 $((lanes == 32))"
    echo '.end_amdhsa_kernel'
  } > "$work/masks.s"
  name="what executes depends on the lanes of the kernel's waves, $lanes"
  [ $lanes = 32 ] && finds='not simulated:
  s_or_b64, 1 time' || finds='all execute'
  if clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx1100 \
    "$([ $lanes = 32 ] && echo -mno-wavefrontsize64 || echo -mwavefrontsize64)" \
    -c -o "$work/masks.o" "$work/masks.s" 2> "$work/log" &&
    ld.lld-22 -shared -o "$work/masks.hsaco" "$work/masks.o" 2>> "$work/log"; then
    try "$aqueduct" show "$work/masks.hsaco" --asm
    check "$name" contains "$out" "masks: 2 instructions can be reached, $finds"
  else
    skip "$name" "no clang-22 with lld"
  fi
done
finish
