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
if ! command -v hipcc > /dev/null; then
  echo "1..0 # SKIP hipcc is not installed"
  exit 0
fi

library() { # NAME CHECKS LINK…
  lib=$1
  checks=$2
  shift 2
  if [ ! -d "/usr/include/$lib" ]; then
    skip "$lib computes what the host computes" "its headers are not installed"
    return
  fi
  if ! hipcc -std=c++17 -O1 --offload-arch=gfx90a \
    -o "$work/$lib" "$srcdir/tests/rocm/$lib.hip" "$@" > "$work/log" 2>&1
  then
    skip "$lib computes what the host computes" \
      "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
    return
  fi
  try "$aqueduct" exec --timeout 300s --device mi250x -- "$work/$lib"
  check "$lib computes what the host computes" \
    [ "$status $(grep -c ' ok$' "$work/out") $(wc -l < "$work/out")" = \
    "0 $checks $checks" ]
}

library rocrand 7 -lrocrand
library rocprim 8
library rocsparse 6 -lrocsparse
finish
