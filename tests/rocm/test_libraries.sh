#!/bin/sh
# SPDX-License-Identifier: MIT
# Libraries of ROCm, unmodified, under exec: their results against the host's.
# The programs print a line a check.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi

# Whether hipcc compiles an empty kernel: then a test's source that does not
# compile is a failure.
hipcc_works() {
  echo '__global__ void empty() {} int main() { return 0; }' > "$work/empty.hip"
  hipcc --offload-arch=gfx90a -include hip/hip_runtime.h \
    -o "$work/empty" "$work/empty.hip" > "$work/log" 2>&1
}

library() { # NAME CHECKS LINK…
  lib=$1
  checks=$2
  shift 2
  if ! command -v hipcc > /dev/null; then
    skip "$lib computes what the host computes" "hipcc is not installed"
    return
  fi
  if [ ! -d "/usr/include/$lib" ]; then
    skip "$lib computes what the host computes" "its headers are not installed"
    return
  fi
  if ! hipcc_works; then
    skip "$lib computes what the host computes" \
      "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
    return
  fi
  hipcc -std=c++17 -O1 --offload-arch=gfx90a \
    -o "$work/$lib" "$srcdir/tests/rocm/$lib.hip" "$@" > "$work/log" 2>&1 ||
    sed 's/^/# /' "$work/log"
  try "$aqueduct" exec --timeout 300s --device mi250x -- "$work/$lib"
  check "$lib computes what the host computes" \
    [ "$status $(grep -c ' ok$' "$work/out") $(wc -l < "$work/out")" = \
    "0 $checks $checks" ]
}

# The page's tables: the worst of the devices counts.
rows() { # LINE…: fields by blanks
  for row; do
    echo "$row" | sed 's/ /	/; s/ /	/; s/ /	/'
  done
}
rows 'l mi50 sgemm equal' 'l mi50 dgemm ulps 2.5' 'l mi50 zgemm not called' \
  'l mi50 csort equal' 'l mi100 sgemm ulps 0.5' 'l mi100 dgemm failing why' \
  'l mi100 zgemm equal' 'l mi100 csort equal' \
  'm mi100 Sgemm equal' 'm mi100 Dgemm refused why' 'm mi100 Csort equal' |
  awk -f "$srcdir/tests/rocm/table.awk" > "$work/table"
check "the table counts what each device has" grep -q -x -F \
  '| l | mi50 | 2 | 1, 2.5 | 0 | 0 | 1 |' "$work/table"
check "a cell is the worst of the devices" grep -q -x -F \
  '| Xgemm | 0.5 | failing why |  | not called |' "$work/table"
check "a name that begins like a type has none without its like" \
  grep -q -x -F '| csort | = |' "$work/table"

check "a library's capitals name types too" grep -q -x -F \
  '| Xgemm | = | refused why |  |  |' "$work/table"
check "the table counts what a library refuses" grep -q -x -F \
  '| m | mi100 | 2 | 0, 0 | 0 | 1 | 0 |' "$work/table"

# The checker finds no error that known_findings.tsv lacks: it has the libraries'
# own ones, which later versions may not have.
is_clean() { # NAME
  if [ ! -x "$work/$1" ]; then
    skip "$1 has no errors under --check" "it was not compiled"
    return
  fi
  "$aqueduct" exec -q --timeout 300s --device mi210 --check=all,leak \
    --suppress "$work/known" --check-report "$work/report" -- "$work/$1" \
    > "$work/out" 2>&1
  check "$1 has no errors under --check" \
    grep -q '^CHECK SUMMARY (all,leak): 0 errors' "$work/report"
}

library rocrand 11 -lrocrand
library rocprim 8
# rocSPARSE takes 1.3 GB: make check-whole and check-rocm need it.
sparse=
if [ -n "${AQ_WHOLE:-}" ] || [ -d /usr/include/rocsparse ]; then
  sparse=1
fi
[ -z "$sparse" ] || library rocsparse 6 -lrocsparse
awk -F '\t' '!/^#/ { print $2 ":*" $3 "<*" }' \
  "$srcdir/tests/rocm/known_findings.tsv" > "$work/known"
is_clean rocprim
[ -z "$sparse" ] || is_clean rocsparse
finish
