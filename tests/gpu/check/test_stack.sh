#!/bin/bash
# SPDX-License-Identifier: MIT
# Accesses that leave an object on the stack, on four processors and as three
# levels of optimization make them.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"
checks=memory
clang=$(command -v clang-22) || skip_all "clang-22 is not installed"
[ -e /usr/include/hsa/hsa_ext_amd.h ] || skip_all "no headers of HSA"
# shellcheck disable=SC2086 # a compiler may be several words
${AQ_CC:-cc} -o "$work/stack" "$here/queues.c" -lhsa-runtime64 2> "$work/log" ||
  skip_all "no library of HSA"

names() { # bad|fixed
  sed -n "s/^kernel void \(.*\)_$1(.*/\1/p" "$here/stack.cl"
}

compile() { # TARGET OPTION…
  local target=$1
  shift
  "$clang" -w -x cl -cl-std=CL1.2 -target amdgcn-amd-amdhsa "-mcpu=$target" \
    -nogpulib "$@" -o "$work/code" "$here/stack.cl" 2> "$work/log"
}

# In optimized code some addresses are made in ways that are not followed, and
# an array's begin may be the end of the one before: then nothing is reported but
# a note.
followed() { # TARGET LEVEL CASE
  case $2$3 in
  [12]by_pointer | 1before) false ;;
  2before) [ "$1" = gfx1100 ] ;;
  [12]by_argument) [ "$1" != gfx1100 ] ;;
  esac
}
unseen() { # CASE PROGRAM…
  local case=$1
  shift
  run "$@" "$case" bad &&
    grep -q "^NOTE (memory): stack objects not followed: " "$work/report"
  outcome $? "$of$case: not followed, and a note counts it"
}

while read -r target device; do
  for level in 0 1 2; do
    of="$target -O$level: "
    if ! compile "$target" -g -O$level; then
      outcome 1 "${of}stack.cl compiles"
      continue
    fi
    for case in $(names bad); do
      if followed "$target" "$level" "$case"; then
        try stack "$case" "$work/code"
      else
        unseen "$case" "$work/stack" "$work/code"
      fi
    done
    for case in $(names fixed | grep -vxF "$(names bad)"); do
      run "$work/stack" "$work/code" "$case" fixed &&
        grep -qE ': 0 errors(, [0-9]+ notes?)?$' "$work/report"
      outcome $? "$of$case: silent, for it is right"
    done
  done
done << 'TARGETS'
gfx90a mi210
gfx942 mi300x
gfx1030 rx6900xt
gfx1100 rx7900xtx
TARGETS

# Without debug information.
device=mi210 of="no -g: "
compile gfx90a -O0 && run "$work/stack" "$work/code" past bad &&
  grep -q "^NOTE (memory): stack objects not followed: " "$work/report" &&
  grep -q ': 0 errors, 1 note$' "$work/report"
outcome $? "${of}a note is all that is reported"

# Flat pointers, recursion, bindings: HIP's compiler.
if command -v hipcc > /dev/null; then
  while read -r target device; do
    for level in 0 1; do
      program_make frames frames -std=c++17 -g -O$level --offload-arch="$target"
      of="$target HIP -O$level: "
      run "$work/frames" parts_right fixed &&
        grep -qE ': 0 errors(, [0-9]+ notes?)?$' "$work/report"
      outcome $? "${of}parts, captures and recursion are silent"
      [ $level -eq 0 ] || continue
      unseen by_flat_pointer "$work/frames"
      try frames past_struct
    done
  done << 'TARGETS'
gfx90a mi210
gfx1030 rx6900xt
TARGETS
fi
echo "1..$number"
