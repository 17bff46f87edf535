#!/bin/sh
# SPDX-License-Identifier: MIT
# `show --workgroup`: the occupancy of kernels is what LLVM says it is, for
# every processor, and HIP on the drop-in; errors name their cause.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
code=$srcdir/doc/examples/kernels/device-gfx90a.hsaco

refuses() { # NAME PART ARGUMENT…
  name=$1 part=$2
  shift 2
  try "$aqueduct" show "$@"
  check "$name" test "$status:$out:$(contains "$err" "$part" && echo yes)" = \
    "2::yes"
}

refuses "a device model" "has no code objects" mi210 --workgroup 64
refuses "LDS alone" "expected --workgroup" "$code" --lds 64
refuses "no workgroup" "--workgroup 0: expected" "$code" --workgroup 0
refuses "a kernel that is not there" "no kernel nope" "$code" nope \
  --workgroup 64
refuses "a device of another processor" "does not run on gfx942" "$code" \
  --workgroup 64 --device mi300x
refuses "an unknown device" "mi999" "$code" --workgroup 64 --device mi999

# KERNEL LDS: workgroups in all, and the limit
of() {
  "$aqueduct" show "$code" "$1" --workgroup 16,16 --lds "$2" --device mi210 \
    --json | python3 -c "import json, sys
row, = json.load(sys.stdin)['occupancy']
print(row['workgroups'], row['limit'] or row['refused'])"
}
check "wave slots limit a small kernel" \
  test "$(of vadd 0)" = "832 wave slots"
check "group segment memory limits a larger one" \
  test "$(of vadd 32768)" = "208 group segment memory"
check "what no compute unit holds is refused in its row" \
  contains "$(of vadd 65537)" "65537 bytes of group segment memory"
try "$aqueduct" show "$code" vadd --workgroup 1025 --device mi210
check "so is a workgroup that the kernel does not take" \
  contains "$out" "takes workgroups of at most 1024"
check "all device models of the processor have a row" test \
  "$("$aqueduct" show "$code" vadd --workgroup 64 | grep -c '^vadd')" = \
  "$(for d in $("$aqueduct" list devices --names); do
    "$aqueduct" show "$d" | grep -q 'gfx *gfx90a' && echo "$d"
  done | wc -l)"

if command -v clang-22 > /dev/null && command -v ld.lld-22 > /dev/null; then
  try python3 "$srcdir/tests/cli/occupancy.py" "$aqueduct" clang-22
  check "LLVM says the same of kernels with many sizes: $out" test "$status" = 0
else
  skip "LLVM says the same" "no clang-22 with lld"
fi
if [ "${AQ_SANITIZERS:-}" != "${AQ_SANITIZERS#*thread}" ]; then
  skip "HIP says the same" "TSan needs its program sanitized"
elif command -v hipcc > /dev/null &&
  hipcc --offload-arch=gfx90a -O2 -o "$work/occupancy" \
    "$srcdir/tests/cli/occupancy.hip" 2> /dev/null; then
  try python3 "$srcdir/tests/cli/occupancy.py" "$aqueduct" \
    --hip "$work/occupancy"
  check "HIP says the same on the drop-in: $out" test "$status" = 0
else
  skip "HIP says the same" "no hipcc"
fi
finish
