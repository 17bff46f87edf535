#!/bin/sh
# SPDX-License-Identifier: MIT
# Parts of HIP's interface that tests/dropin/app.hip leaves out, with the code of
# the kernels executed. The programs print a line a check.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null; then
  echo "1..0 # SKIP hipcc is not installed"
  exit 0
fi

program() { # NAME CHECKS SENTENCE
  if ! hipcc -std=c++17 -O1 --offload-arch=gfx90a \
    -o "$work/$1" "$srcdir/tests/rocm/$1.hip" > "$work/log" 2>&1; then
    skip "$3" "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
    return
  fi
  try "$aqueduct" exec --timeout 60s --device mi210 -- "$work/$1"
  check "$3" [ "$status $(grep -c ' ok$' "$work/out") $(wc -l < "$work/out")" = \
    "0 $2 $2" ]
}

program host_memory 25 "registered memory is the device's by each of its names"
program stream_memory 19 "streams wait for words of memory, and write them"
program newer_blits 3 "kernels named as HIP's own run their code"
if [ -x "$work/newer_blits" ]; then
  try "$aqueduct" exec --timeout 60s --device mi210 --kernels-from host \
    -- "$work/newer_blits"
  check "a host function of other arguments does not stand for them" \
    contains "$err" "__amd_rocclr_copyBuffer"
fi
finish
