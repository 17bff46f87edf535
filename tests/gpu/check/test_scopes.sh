#!/bin/bash
# SPDX-License-Identifier: MIT
# Defects of programs that use the HSA runtime itself, and of scopes, which
# each processor has in a way of its own.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

# Programs that use the HSA runtime itself.
clang=$(command -v clang-22 || command -v clang-19 || command -v clang)
kernels() { # TARGET
  "$clang" -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa "-mcpu=$1" -nogpulib \
    -g -O1 -o "$work/$1.co" "$here/queues.cl" 2> "$work/log"
}

# shellcheck disable=SC2086 # a compiler may be several words
if [ -n "$clang" ] && [ -e /usr/include/hsa/hsa_ext_amd.h ] &&
  kernels gfx90a && kernels gfx942 &&
  ${AQ_CC:-cc} -g -O0 -o "$work/queues" "$here/queues.c" \
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
scopes() { # TARGET DEVICE
  local case of="$1 "
  device=$2
  if [ ! -x "$work/scopes" ] || ! "$clang" -x cl -cl-std=CL2.0 \
    -target amdgcn-amd-amdhsa "-mcpu=$1" -nogpulib -g -O1 -o "$work/$1.co" \
    "$here/scopes.cl" 2> "$work/log"; then
    echo "ok $((number += 1)) - $1 # SKIP no compiler for it"
    return
  fi
  for case in $(sed -n 's/^kernel void \(.*\)_bad.*/\1/p' \
    "$here/scopes.cl"); do
    try scopes "$case" "$work/$1.co"
  done
  run "$work/scopes" "$work/$1.co" in_group bad
  grep -q "^ERROR (race): race in a workgroup" "$work/report"
  outcome $? "$1: a race of arrays in a workgroup is an error"
}
[ ! -e "$work/queues" ] || ln -f "$work/queues" "$work/scopes"
scopes gfx906 mi50
scopes gfx90a mi210
scopes gfx942 mi300x
scopes gfx1030 rx6900xt
scopes gfx1100 rx7900xtx
scopes gfx1201 rx9070xt
device=mi210
echo "1..$number"
