#!/bin/sh
# SPDX-License-Identifier: MIT
# HIP's interface, with the code of the kernels executed: programs that print a
# line a check. AQ_ROCM=DIR names another HIP, as /opt/rocm, with bin/hipcc and
# lib/libamdhip64.so: its programs run on the newer devices too.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
if [ -n "${AQ_SANITIZERS:-}" ]; then
  echo "1..0 # SKIP a sanitized library needs its program sanitized"
  exit 0
fi
if ! command -v hipcc > /dev/null && [ -z "${AQ_ROCM:-}" ]; then
  echo "1..0 # SKIP hipcc is not installed"
  exit 0
fi

program() { # HIPCC MODEL=PROCESSOR NAME CHECKS SENTENCE
  model=${2%=*}
  if ! "$1" -std=c++17 -O1 --offload-arch="${2#*=}" \
    -o "$work/$3" "$srcdir/tests/rocm/$3.hip" > "$work/log" 2>&1; then
    skip "$5" "hipcc cannot compile here: $(grep -m 1 error "$work/log")"
    return
  fi
  cost=auto
  [ "$3" != events ] || cost=fixed # a time by the number of workgroups
  try "$aqueduct" exec --timeout 120s --device "$model*2" --cost $cost -- "$work/$3"
  check "$5" [ "$status $(grep -c ' ok$' "$work/out") $(wc -l < "$work/out")" = \
    "0 $4 $4" ]
}

programs() { # WHOSE HIPCC MODEL=PROCESSOR
  program "$2" "$3" hip_api 14 "$1: twelve parts of HIP's interface are right"
  program "$2" "$3" host_memory 25 \
    "$1: registered memory is the device's by each of its names"
  program "$2" "$3" stream_memory 19 \
    "$1: streams wait for words of memory, and write them"
  program "$2" "$3" events 6 \
    "$1: times between events are those of the device"
  program "$2" "$3" newer_blits 3 "$1: kernels named as HIP's own run their code"
}

if command -v hipcc > /dev/null; then
  # make check-whole
  [ -z "${AQ_WHOLE:-}" ] ||
    programs "HIP of the system, rx6900xt" hipcc rx6900xt=gfx1030
  programs "HIP of the system, mi210" hipcc mi210=gfx90a
  program hipcc mi210=gfx90a float_atomics 5 \
    "gfx90a drops float atomics in fine-grained memory alone"
fi
if [ -x "$work/newer_blits" ]; then
  try "$aqueduct" exec --timeout 60s --device mi210 --kernels-from host \
    -- "$work/newer_blits"
  check "a host function of other arguments does not stand for them" \
    contains "$err" "__amd_rocclr_copyBuffer"
fi

newer="mi210=gfx90a mi300x=gfx942 mi350x=gfx950 rx7900xtx=gfx1100 rx9070xt=gfx1201"
if [ -z "${AQ_ROCM:-}" ]; then
  skip "the programs run on another HIP" "AQ_ROCM names no folder of one"
elif [ ! -x "$AQ_ROCM/bin/hipcc" ] || [ ! -e "$AQ_ROCM/lib/libamdhip64.so" ]; then
  check "AQ_ROCM=$AQ_ROCM has bin/hipcc and lib/libamdhip64.so" false
else
  LD_LIBRARY_PATH=$AQ_ROCM/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  export LD_LIBRARY_PATH
  for device in $newer; do
    if grep -q -F "${device#*=}" "$AQ_ROCM/lib/libamdhip64.so"; then
      programs "HIP of AQ_ROCM, ${device%=*}" "$AQ_ROCM/bin/hipcc" "$device"
    else
      skip "HIP of AQ_ROCM, ${device%=*}: the programs are right" \
        "it has no ${device#*=}"
    fi
  done
fi
finish
