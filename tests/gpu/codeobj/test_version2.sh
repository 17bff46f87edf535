#!/bin/sh
# SPDX-License-Identifier: MIT
# Code object version 2, as a compiler writes it: read, disassembled and run
# like version 3 of the same source.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
cat > "$work/vadd.cl" << 'C'
__kernel void vadd(__global const float *a, __global const float *b,
                   __global float *c, unsigned n)
{
  __local float got[64];
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 +
               __builtin_amdgcn_workitem_id_x();
  unsigned at = __builtin_amdgcn_workitem_id_x();
  got[at] = i < n ? a[i] : 0;
  __builtin_amdgcn_s_barrier();
  if (i < n)
    c[i] = got[at] + b[i];
}
__kernel void second(__global unsigned *out) { *out = 7; }
C
for clang in clang-15 clang-14 clang-16 clang; do
  for v in 2 3; do
    "$clang" -x cl -Xclang -finclude-default-header -nogpulib -O2 \
      --target=amdgcn-amd-amdhsa -mcpu=gfx906 -mcode-object-version=$v \
      -o "$work/v$v.hsaco" "$work/vadd.cl" 2> "$work/log" || continue 2
  done
  break
done
if [ ! -s "$work/v3.hsaco" ]; then
  echo "1..0 # SKIP no clang writes code object version 2 and 3 here:" \
    "$(grep -m 1 error "$work/log")"
  exit 0
fi

asm() { # FILE
  "$aqueduct" show --asm "$1" | sed 's/ *\/\/.*//; s/^[0-9a-f]* </</'
}
try "$aqueduct" show "$work/v2.hsaco"
check "version 2 is shown" [ "$status" = 0 ]
check "as such" contains "$out" "version         2, metadata 1.0"
"$aqueduct" show "$work/v2.hsaco" | grep -v '^version' > "$work/two"
"$aqueduct" show "$work/v3.hsaco" | grep -v '^version' > "$work/three"
check "with the kernels, sizes and arguments of version 3" \
  cmp "$work/two" "$work/three"
asm "$work/v2.hsaco" > "$work/two"
asm "$work/v3.hsaco" > "$work/three"
check "it has code" contains "$(cat "$work/two")" "v_add_f32"
check "which is that of version 3, without the heads of kernels" \
  cmp "$work/two" "$work/three"
try "$aqueduct" launch "$work/v2.hsaco" vadd --device mi50 --grid 1024 \
  --workgroup 64 --args 'buf:f32[1000]=iota' 'buf:f32[1000]=1' \
  "out:f32[1000]:$work/sums" u32:1000
check "a kernel runs" [ "$status" = 0 ]
check "and adds" [ "$(od -A n -t f4 -j 3996 "$work/sums" | tr -d ' ')" = 1000 ]
try "$aqueduct" launch "$work/v2.hsaco" second --device mi50 --grid 1 \
  --print 1 --args 'out:u32[1]'
check "the second kernel of a file runs" contains "$out" "out:u32[1]: 7"

# The note of the ISA: gfx907 is gfx906 with XNACK, gfx90f is nothing.
python3 - "$work/v2.hsaco" "$work/other.hsaco" << 'END'
import struct, sys
code = open(sys.argv[1], "rb").read()
for stepping in 6, 7:
    code = code.replace(struct.pack("<3I", 9, 0, stepping),
                        struct.pack("<3I", 9, 0, 15))
open(sys.argv[2], "wb").write(code)
END
try "$aqueduct" show "$work/other.hsaco"
check "a note that e_flags contradict: exit 2" [ "$status" = 2 ]
check "in one line that has both" contains "$err" "ISA 9.0.15 with e_flags 0x"

finish
