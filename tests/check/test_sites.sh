#!/bin/bash
# SPDX-License-Identifier: MIT
# Each defect of these programs is found with its kind at its line, and its fixed
# twin is silent. "FINDS CASE: KIND" in the source is the expectation; a case
# with several such lines needs one of them.
aqueduct=$AQ_BUILDDIR/aqueduct
sources="sites values barriers hazards floats ends"
checks=all
device=mi210
of=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/store.db
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP TSan needs its program sanitized"; exit 0 ;;
esac

skip_all() {
  echo "1..0 # SKIP $1"
  exit 0
}

command -v hipcc > /dev/null || skip_all "hipcc is not installed"
printf 'int main() { return 0; }\n' > "$work/empty.hip"
hipcc --offload-arch=gfx90a -o "$work/empty" "$work/empty.hip" \
  > "$work/log" 2>&1 ||
  skip_all "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
# The report has a paragraph a finding: kind in its first line, source line in
# another.
found() { # KIND FILE LINE
  awk -v RS= -v kind="): $1: " -v line="/$2:$3\n" \
    'index($0, kind) && index($0 "\n", line) { ok = 1 }
    END { exit !ok }' "$work/report"
}

limit=100s
run() { # PROGRAM ARGUMENT…
  timeout 120 "$aqueduct" exec --quiet --timeout "$limit" --device "$device" --check="$checks" \
    --check-report "$work/report" "$@" > "$work/out" 2>&1
}

number=0
result() { # OK NAME
  number=$((number + 1))
  echo "$1 $number - $2"
  [ "$1" = ok ] || sed 's/^/# /' "$work/report" "$work/out" | head -40
}

try() { # NAME CASE ARGUMENT…
  local name=$1 case=$2 status ok="not ok" path line kind ends=1
  shift 2
  grep -Hn "FINDS.*\<$case\>.*: " "$AQ_SRCDIR/tests/check/$name."* \
    > "$work/expected"
  if grep -q "FINDS.*\<$case\>.*: endless wait" "$work/expected"; then
    ends=125 limit=20s # ended by the timeout
  fi
  run "$work/$name" "$@" "$case" bad
  status=$?
  limit=100s
  while IFS=: read -r path line kind; do
    [ $status -eq $ends ] && found "${kind##*: }" "${path##*/}" "$line" && ok=ok
  done < "$work/expected"
  result "$ok" "$of$case: found at its line"
  ok="not ok"
  run "$work/$name" "$@" "$case" fixed && grep -q "nothing found" \
    "$work/report" && ok=ok
  result "$ok" "$of$case: silent once it is fixed"
}

for name in $sources; do
  if ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/$name" \
    "$AQ_SRCDIR/tests/check/$name.hip" > "$work/log" 2>&1; then
    result "not ok" "$name.hip compiles"
    sed 's/^/# /' "$work/log"
    continue
  fi
  case $name in
  floats) checks=all,float ;;
  ends) checks=all,leak ;;
  esac
  for case in $("$work/$name" 2> /dev/null); do
    try "$name" "$case"
  done
done

checks=all

# Unwritten values again, in RDNA's code.
if hipcc -std=c++17 -g -O1 --offload-arch=gfx1030 -o "$work/values" \
  "$AQ_SRCDIR/tests/check/values.hip" > "$work/log" 2>&1; then
  device=rx6900xt of="gfx1030 "
  for case in $("$work/values"); do
    try values "$case"
  done
  device=mi210 of=
else
  result "not ok" "values.hip compiles for gfx1030"
fi

# Programs that use the HSA runtime itself.
clang=$(command -v clang-19 || command -v clang)
kernels() { # TARGET
  "$clang" -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa "-mcpu=$1" -nogpulib \
    -g -O1 -o "$work/$1.co" "$AQ_SRCDIR/tests/check/queues.cl" 2> "$work/log"
}

# shellcheck disable=SC2086 # a compiler may be several words
if [ -n "$clang" ] && [ -e /usr/include/hsa/hsa_ext_amd.h ] &&
  kernels gfx90a && kernels gfx942 &&
  ${AQ_CC:-cc} -g -O0 -o "$work/queues" "$AQ_SRCDIR/tests/check/queues.c" \
    -lhsa-runtime64 2> "$work/log"; then
  for case in $("$work/queues"); do
    case $case in
    scalar_to_vector | wide_store) device=mi300x try queues "$case" "$work/gfx942.co" ;;
    *) try queues "$case" "$work/gfx90a.co" ;;
    esac
  done
else
  echo "ok $((number += 1)) - queues # SKIP no clang, HSA headers or library"
fi

# Defects that each processor's code shows in a way of its own.
scopes() { # TARGET DEVICE CERTAINTY: of a race in a workgroup
  local case ok="not ok" of="$1 "
  device=$2
  if [ ! -x "$work/scopes" ] || ! "$clang" -x cl -cl-std=CL2.0 \
    -target amdgcn-amd-amdhsa "-mcpu=$1" -nogpulib -g -O1 -o "$work/$1.co" \
    "$AQ_SRCDIR/tests/check/scopes.cl" 2> "$work/log"; then
    echo "ok $((number += 1)) - $1 # SKIP no compiler for it"
    return
  fi
  for case in $(sed -n 's/^kernel void \(.*\)_bad.*/\1/p' \
    "$AQ_SRCDIR/tests/check/scopes.cl"); do
    try scopes "$case" "$work/$1.co"
  done
  run "$work/scopes" "$work/$1.co" in_group bad
  grep -q "^$3 (race): race in a workgroup" "$work/report" && ok=ok
  result "$ok" "$1: a race in a workgroup is $3"
}
[ ! -e "$work/queues" ] || ln -f "$work/queues" "$work/scopes"
scopes gfx906 mi50 POSSIBLE
scopes gfx90a mi210 POSSIBLE
scopes gfx942 mi300x ERROR # whose workgroup scope has a bit
scopes gfx1030 rx6900xt POSSIBLE
scopes gfx1100 rx7900xtx POSSIBLE
scopes gfx1201 rx9070xt POSSIBLE
device=mi210

# Target regions of OpenMP. Its library keeps memory to the end, which
# LeakSanitizer would report.
export ASAN_OPTIONS=detect_leaks=0
clang=$(command -v "${AQ_OPENMP_CLANG:-clang-19}")
if [ -n "$clang" ] && "$clang" -g -O2 -fopenmp --offload-arch=gfx90a \
  --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode \
  -o "$work/offload" "$AQ_SRCDIR/tests/check/offload.c" 2> "$work/log"; then
  libraries=$(dirname "$("$clang" -print-file-name=libomptarget.so)")
  export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for case in $("$work/offload"); do
    try offload "$case"
  done
else
  echo "ok $((number += 1)) - OpenMP # SKIP no clang that compiles for gfx90a"
fi

# Programs in MLIR, without source lines: the finding names the kernel.
mlir() { # WAY NAME FILE KIND
  local ok="not ok"
  run "$aqueduct" mlir "$3" --transport hsa
  case $?$1 in
  1bad) grep -A 1 "): $4: " "$work/report" | grep -q "^    at $2" && ok=ok ;;
  0fixed) grep -q "nothing found" "$work/report" && ok=ok ;;
  esac
  result "$ok" "MLIR, $2, $1: $4"
}

here=$AQ_SRCDIR/tests/check
export XDG_CACHE_HOME=$work/cache
if "$aqueduct" mlir "$here/total.mlir" --device mi210 > "$work/log" 2>&1; then
  sed 's/(%sx = %c13,/(%sx = %c14,/
    s/  %c13 = .*/&\n  %c14 = arith.constant 14 : index/' \
    "$here/../mlir/async.mlir" > "$work/async.mlir"
  sed 's/ *\/\/ FIXED //; /\/\/ BAD/d' "$here/total.mlir" > "$work/total.mlir"
  mlir bad total "$here/total.mlir" "race between workgroups"
  mlir fixed total "$work/total.mlir" "race between workgroups"
  mlir bad main_kernel "$work/async.mlir" "out of bounds"
  mlir fixed main_kernel "$here/../mlir/async.mlir" "out of bounds"
else
  echo "ok $((number += 1)) - MLIR # SKIP $(grep -m 1 . "$work/log")"
fi
echo "1..$number"
