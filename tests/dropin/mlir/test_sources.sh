#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct launch` of source files, and results that are compared.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQUEDUCT_LLVM HIP_DEVICE_LIB_PATH
here=$srcdir/tests/dropin/mlir
missing=$("$aqueduct" doctor 2> /dev/null |
  sed -n 's/^missing *\(clang\|hipcc\|ld.lld\|device libs\).*/\1/p')
if [ -n "$missing" ]; then
  echo "1..0 # SKIP not installed: $(echo "$missing" | tr '\n' ' ')"
  exit 0
fi

launch() { try "$aqueduct" launch "$@"; }

one_line() { # STATUS TEXT
  [ "$status" = "$1" ] && [ "$(echo "$err" | grep -c error:)" = 1 ] &&
    case $err in
    *"$2"*) ;;
    *) echo "# $err"; false ;;
    esac
}

launch "$here/store.s" store --device mi210 --grid 64 --expect iota \
  --args 'out:u32[64]'
check "assembly is run" [ "$status" = 0 ]
launch "$here/store.s" store --device mi210 --grid 64 --expect 1=5:2 \
  --args 'out:u32[64]'
check "a difference is exit status 1 and names the first wrong elements" \
  one_line 1 'elements differ: element 16 is 16, expected 5; element 17'
launch "$here/store.s" store --device mi210 --grid 64 --expect 2=5 \
  --args 'out:u32[64]'
check "an expectation of a buffer that is not there is refused" \
  one_line 2 'number of an out buffer'
sed 's/s_endpgm/s_endprog/' "$here/store.s" > "$work/bad.s"
launch "$work/bad.s" store --device mi210 --grid 64 --args 'out:u32[64]'
check "an error of the assembler has its file and line" \
  one_line 2 "$work/bad.s:12:3: error: "

# exp(0), exp(1), exp(2), exp(3) as floats, little endian.
printf '\000\000\200\077\124\370\055\100\046\163\354\100\054\257\240\101' \
  > "$work/exp.bin"
launch "$here/exp.ll" exp --device mi300x --grid 4 \
  --expect "out=@$work/exp.bin:1e-6" --args 'out:f32[4]'
check "LLVM IR is linked with ocml" [ "$status" = 0 ]
for device in rx6900xt rx7900xtx rx9070xt; do
  launch "$here/exp.ll" exp --device $device --grid 4 \
    --expect "out=@$work/exp.bin:1e-6" --args 'out:f32[4]'
  check "LLVM IR is run on the $device" [ "$status" = 0 ]
done
if [ -x /usr/lib/llvm-15/bin/llvm-link ] && [ -x /usr/lib/llvm-15/bin/clang ]; then
  export AQUEDUCT_LLVM=/usr/lib/llvm-15
  launch "$here/exp.ll" exp --device rx6900xt --grid 4 \
    --expect "out=@$work/exp.bin:1e-6" --args 'out:f32[4]'
  check "a clang that links no libraries into LLVM IR has llvm-link do it" \
    [ "$status" = 0 ]
  unset AQUEDUCT_LLVM
fi
launch "$here/exp.ll" exp --device mi50 --grid 4 -DX --args 'out:f32[4]'
check "a macro for LLVM IR is refused" one_line 2 'no meaning for LLVM IR'

echo '#define FACTOR 3' > "$work/factor.h"
launch "$here/scale.hip" scale --device mi210 --grid 8 -I "$work" -DOFFSET=2 \
  -O1 --save-temps "$work/kept" --expect 5 --args 'out:f32[8]=1' i32:8
check "HIP is compiled with macros and headers" [ "$status" = 0 ]
check "intermediate files are kept" [ -s "$work/kept/code.hsaco" ]
launch "$here/scale.hip" scale --device rx6900xt --grid 8 -I "$work" -DOFFSET=2 \
  --expect 5 --args 'out:f32[8]=1' i32:8
check "HIP is run on a device of RDNA" [ "$status" = 0 ]
try "$aqueduct" show latest
check "the run is that of the source" \
  sh -c 'echo "$1" | grep -q "source .*scale.hip"' - "$out"
finish
