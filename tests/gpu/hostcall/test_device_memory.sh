#!/bin/sh
# SPDX-License-Identifier: MIT
# malloc and free of kernels: under exec, whose HIP serves them, and in launch,
# which serves them itself; code objects of V3 to V6.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
source=$srcdir/tests/gpu/hostcall
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
export AQUEDUCT_PLUGIN_PATH
compiles() { # COMMAND...
  "$@" > "$work/log" 2>&1
}
launch() { # FILE KERNEL OPTION...
  launch_file=$work/$1
  launch_kernel=$2
  shift 2
  try "$aqueduct" launch "$launch_file" "$launch_kernel" --device mi210 \
    --timeout 60s "$@"
}

if command -v hipcc > /dev/null &&
  compiles hipcc --offload-arch=gfx90a -O1 -o "$work/app" \
    "$source/device_memory.hip"; then
  try "$aqueduct" exec --device mi210 --timeout 60s -- "$work/app"
  check "exec: what a kernel allocates another one reads and frees" \
    [ "$status$out" = "03 768
49995000 52545000" ]
  for version in 3 4; do
    if ! compiles hipcc --offload-arch=gfx90a -O1 --genco \
      -mcode-object-version=$version -o "$work/$version.co" \
      "$source/device_memory.hip"; then
      skip "launch, V$version" "hipcc does not compile V$version"
      continue
    fi
    launch $version.co both --grid 256 --workgroup 64 \
      --args i32:10000 'out:i32[256]' --print 2
    check "launch, V$version: each item has a block of its own" contains "$out" \
      "49995000 50005000"
    launch $version.co both --grid 256 --workgroup 64 \
      --args i32:10 'out:i32[256]' --print 2
    check "launch, V$version: and a small one, a part of one" contains "$out" \
      "out:i32[256]: 45 55"
    launch $version.co again --grid 1 --args u64:100000000 'out:i32[40]' \
      --print 40
    check "launch, V$version: blocks that were freed are used again" contains \
      "$out" "9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30"
  done
  if [ -e "$work/4.co" ]; then
    launch 4.co greedy --grid 1 --args u64:100000000 'out:i32[1]'
    check "launch: malloc returns null when the heap is used up" contains \
      "$out" "out:i32[1]: 10"
    check "and a line counts the requests" contains "$err" \
      "greedy: 1 malloc call of kernels answered with null: limit 1024 MiB"
    launch 4.co after_free --grid 1 --args 'out:i32[1]'
    check "launch: a read after free is a fault" [ "$status" = 1 ]
    check "that names the block" contains "$err" \
      "bytes of memory for malloc of kernels of device 0 at"
    AQUEDUCT_DEVICE=mi210
    AQUEDUCT_LIBHSA_PATH=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so.1
    export AQUEDUCT_DEVICE AQUEDUCT_LIBHSA_PATH
    on_hsa() { # KERNEL OPTION...
      hsa_kernel=$1
      shift
      try "$aqueduct" launch "$work/4.co" "$hsa_kernel" --transport hsa \
        --timeout 60s --print 40 "$@"
    }
    on_hsa again --grid 1 --args u64:100000000 'out:i32[40]'
    check "over hsa, blocks that were freed are used again" contains "$out" \
      "34 35 36 37 38 39"
    on_hsa greedy --grid 1 --args u64:100000000 'out:i32[1]'
    check "over hsa, malloc returns null when the heap is used up" contains \
      "$out" "out:i32[1]: 10"
    check "over hsa, a line counts the requests" contains "$err" \
      "greedy: 1 malloc call of kernels answered with null: limit 1024 MiB"
    on_hsa after_free --grid 1 --args 'out:i32[1]'
    check "over hsa, a read after free ends the launch with one error" sh -c \
      '[ "$1" = 1 ] && [ "$(grep -c error: "$2")" = 1 ] &&
        grep -q "memory fault of device 0" "$2"' sh "$status" "$work/err"
    on_hsa checked --grid 4 --args i32:3 'out:i32[4]'
    check "over hsa, a kernel prints, and one whose assertion fails says so" \
      sh -c '[ "$1" = 1 ] && grep -q "^item 3$" "$2" &&
        grep -qi "assertion .item < limit. failed" "$2"' sh "$status" "$work/err"
    on_hsa checked --grid 4 --args i32:4 'out:i32[4]'
    check "over hsa, one whose assertions hold goes on" contains "$out" \
      "out:i32[4]: 0 1 2 3"
  fi
else
  skip "hipcc's kernels" "hipcc is not installed or cannot compile here"
fi

libraries=
for folder in /usr/lib/*/amdgcn/bitcode /opt/rocm*/amdgcn/bitcode; do
  [ -e "$folder/ockl.bc" ] && libraries=$folder
done
if [ -z "$libraries" ] || ! command -v clang-22 > /dev/null; then
  skip "V5 and V6" "clang-22 or the device libraries are not installed"
  finish
  exit
fi
for library in ockl oclc_isa_version_90a oclc_wavefrontsize64_on \
  oclc_abi_version_500; do
  set -- "$@" -Xclang -mlink-builtin-bitcode -Xclang "$libraries/$library.bc"
done
for version in 5 6; do
  if ! compiles clang-22 -target amdgcn-amd-amdhsa -mcpu=gfx90a -O2 \
    -nogpulib -mcode-object-version=$version "$@" -o "$work/$version.co" \
    "$source/kernels.c"; then
    skip "V$version" "clang-22 does not compile it"
    continue
  fi
  launch $version.co sum --grid 2 --args u32:10000 'out:u32[2]'
  check "V$version: a kernel allocates, frees and prints" sh -c \
    '[ "$1" = 0 ] && grep -qx "item 1: 49995000" "$2" &&
    grep -qx "out:u32\[2\]: 49995000 49995000" "$2"' sh "$status" "$work/out"
  launch $version.co heap --grid 1 --repeat 3 --args 'out:u32[2]'
  check "V$version: the heap begins as zeros and outlives dispatches" contains \
    "$out" "out:u32[2]: 3 3"
done
finish
