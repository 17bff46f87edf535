#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct mlir`: programs compiled and run, and the one line of each error.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
unset AQUEDUCT_LLVM AQUEDUCT_MLIR_SPOOL AQUEDUCT_CACHE
XDG_CACHE_HOME=$work/cache
export XDG_CACHE_HOME
here=$srcdir/tests/dropin/mlir
sanitizers=${AQ_SANITIZERS:-}

if [ -n "$sanitizers" ]; then
  echo "1..0 # SKIP mlir-runner is not sanitized: it cannot load the runtime"
  exit 0
fi
missing=$("$aqueduct" doctor 2> /dev/null |
  sed -n 's/^missing *\(mlir-opt\|mlir-runner\|ld.lld\|device libs\).*/\1/p')
if [ -n "$missing" ]; then
  echo "1..0 # SKIP not installed: $(echo "$missing" | tr '\n' ' ')"
  exit 0
fi

# The numbers that a program printed, a line a memref.
numbers() { echo "$out" | sed -n 's/^\[\(.*\)\]/\1/p' | tr -d ' '; }

prints() { # TEXT…: a line each
  printf '%s\n' "$@" > "$work/expected"
  numbers | diff "$work/expected" - > "$work/diff" || {
    sed 's/^/# /' "$work/diff"
    return 1
  }
}

# 99, 98 and so on; 100, 101 and so on.
down=$(seq -s, 99 -1 0)
up=$(seq -s, 100 112)

try "$aqueduct" mlir "$here/kernels.mlir" --device mi210 -o "$work/run"
check "kernels with all-reduce, ocml and shared memory give the right numbers" \
  prints 4950,14950 1,1.46869,-3.07493,-19.8845 "$down"
try "$aqueduct" show "$(cat "$work/run")" --json
check "the run has its kernels" \
  sh -c 'echo "$1" | grep -q "\"kernels\": *3"' - "$out"
try "$aqueduct" mlir "$here/kernels.mlir" --device mi210
check "the second time, the program comes from the cache" prints 4950,14950 \
  1,1.46869,-3.07493,-19.8845 "$down"
check "the cache has one file" \
  [ "$(find "$XDG_CACHE_HOME" -type f | wc -l)" = 1 ]

for device in rx6900xt rx7900xtx rx9070xt; do
  try "$aqueduct" mlir "$here/kernels.mlir" --device $device
  check "the $device computes the same" prints 4950,14950 \
    1,1.46869,-3.07493,-19.8845 "$down"
done

try "$aqueduct" mlir "$here/async.mlir" --device mi50
check "streams wait for one another" prints "$up"
dropin=$AQ_BUILDDIR/.libs/libhsa-runtime64.so.1
AQUEDUCT_LIBHSA_PATH=$dropin AQUEDUCT_DEVICE=mi300x \
  try "$aqueduct" mlir "$here/async.mlir" --transport hsa
check "the same program runs over the drop-in" prints "$up"
try "$aqueduct" stats latest --json
check "its run has the kernel, the copies and the fill" \
  sh -c 'for name in main_kernel copy fill; do
      echo "$1" | grep -q "\"$name\"" || exit 1
    done' - "$out"

# The lines of print.mlir, sorted: workgroups may print in any order.
printed() {
  [ "$status" = 0 ] && echo "$out" | sort > "$work/sorted" &&
    for block in 0 1; do
      echo "block $block of a grid has work-items that print lines"
      echo "item 0 of $block: 0.00 and 0, 0, 0, 0"
      echo "item 1 of $block: 0.50 and 1, 1, 1, 1"
    done | sort | diff - "$work/sorted"
}
AQUEDUCT_LIBHSA_PATH=$dropin AQUEDUCT_DEVICE=mi300x \
  try "$aqueduct" mlir "$here/print.mlir" --transport hsa
check "a thread serves kernels that print over the drop-in" printed
for abi in 400 500 600; do
  passes="builtin.module(gpu.module(convert-scf-to-cf,
    convert-gpu-to-rocdl{chipset=%chip runtime=HIP},
    reconcile-unrealized-casts),rocdl-attach-target{chip=%chip abi=$abi},
    convert-arith-to-llvm,convert-func-to-llvm,gpu-to-llvm,
    reconcile-unrealized-casts,gpu-module-to-binary{format=%form})"
  for device in mi25 mi210 rx7900xtx; do
    try "$aqueduct" mlir "$here/print.mlir" --device $device \
      --pipeline "$passes"
    check "a kernel of ABI $abi prints on $device" printed
  done
done

cat > "$work/several.mlir" << 'EOF'
module attributes {gpu.container_module} {
  gpu.module @k [#rocdl.target<chip = "gfx906">, #rocdl.target<chip = "gfx90a">] {
    gpu.func @set(%p: memref<2xi32>) kernel {
      %c0 = arith.constant 0 : index
      %v = arith.constant 7 : i32
      memref.store %v, %p[%c0] : memref<2xi32>
      gpu.return
    }
  }
  func.func @main() {
    %c1 = arith.constant 1 : index
    %m = memref.alloc() : memref<2xi32>
    %c0 = arith.constant 0 : index
    %v = arith.constant 3 : i32
    memref.store %v, %m[%c1] : memref<2xi32>
    %all = memref.cast %m : memref<2xi32> to memref<*xi32>
    gpu.host_register %all : memref<*xi32>
    gpu.launch_func @k::@set blocks in (%c1, %c1, %c1)
      threads in (%c1, %c1, %c1) args(%m : memref<2xi32>)
    call @printMemrefI32(%all) : (memref<*xi32>) -> ()
    return
  }
  func.func private @printMemrefI32(memref<*xi32>)
}
EOF
try "$aqueduct" mlir "$work/several.mlir" --device mi210 --pipeline \
  'builtin.module(gpu.module(convert-gpu-to-rocdl),gpu-to-llvm,
    reconcile-unrealized-casts,gpu-module-to-binary{format=isa})'
check "of a module's objects that for the device is taken, here as assembly" \
  prints 7,3

try "$aqueduct" mlir "$here/async.mlir" --emit hsaco -o "$work/a.hsaco" \
  --device mi50
try "$aqueduct" show "$work/a.hsaco"
check "the code object of --emit is for the device" \
  sh -c 'echo "$1" | grep -q gfx906' - "$out"

one_line() { # TEXT: exit 2, and one line that has it
  [ "$status" = 2 ] && [ "$(echo "$err" | wc -l)" = 1 ] &&
    case $err in
    *"$1"*) ;;
    *) echo "# $err"; false ;;
    esac
}

echo 'func.func @main() { retun }' > "$work/broken.mlir"
try "$aqueduct" mlir "$work/broken.mlir"
check "broken MLIR is one line with its place" one_line broken.mlir:1:21:
cat > "$work/other.mlir" << 'EOF'
gpu.module @k [#rocdl.target<chip = "gfx906">] {
  llvm.func @f() attributes {gpu.kernel, rocdl.kernel} { llvm.return }
}
func.func @main() { return }
EOF
try "$aqueduct" mlir "$work/other.mlir" --device mi210 \
  --pipeline 'builtin.module(gpu-to-llvm,gpu-module-to-binary)'
check "code for another chip names both" \
  one_line 'its code is for gfx906; the device is gfx90a'
try "$aqueduct" mlir "$here/async.mlir" -e test
check "an unknown function names those that there are" one_line 'as main'
AQUEDUCT_LLVM=$work try "$aqueduct" mlir "$here/async.mlir"
check "a missing tool is named with its package" one_line mlir-22-tools
try "$aqueduct" mlir "$work/none.mlir"
check "a file that is not there is named" one_line none.mlir
try "$aqueduct" mlir "$here/async.mlir" --device mi999
check "an unknown device is refused" one_line mi999
cat > "$work/entry.mlir" << 'EOF'
module attributes {gpu.container_module} {
  gpu.binary @k [#gpu.object<#rocdl.target<chip = "gfx90a">, bin = "no code">]
  llvm.func @main() {
    %c1 = llvm.mlir.constant(1 : index) : i64
    gpu.launch_func @k::@f blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      : i64
    llvm.return
  }
}
EOF
try "$aqueduct" mlir "$work/entry.mlir" --device mi210 \
  --pipeline 'builtin.module(gpu-to-llvm)'
check "an object of a gpu.binary that is no code is refused" sh -c \
  '[ "$1" = 2 ] && [ "$(echo "$2" | grep -c error:)" = 1 ] &&
  echo "$2" | grep -q "7 bytes that are neither a code object"' sh "$status" \
  "$err"
try "$aqueduct" mlir "$here/async.mlir" --pipeline canonicalize
check "a pipeline that is none is refused" one_line builtin.module
finish
