#!/bin/sh
# SPDX-License-Identifier: MIT
# A probe of a GPU feeds calibration: a model with other constants gets the
# constants of the GPU. The drop-in stands for an MI300X.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP the drop-in is loaded into a sanitized program"
  exit 0 ;;
esac
AQUEDUCT_LIBHSA_PATH=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so.1
export AQUEDUCT_LIBHSA_PATH

probed="acquire_agent acquire_system barrier_process copy_latency
  dependency_poll dispatch_setup doorbell_to_fetch interrupt_to_host
  release_agent release_system remap_latency signal_write timestamp_step
  unmap_after"
{
  echo "base = mi300x ; same part"
  for key in $probed; do
    echo "$key = 20 us ; assumed"
  done
  echo "copy_bandwidth = 10 GB/s ; assumed"
  echo "workgroup_interval = 77 ns ; assumed"
} > "$work/other.device"

# Whether a fitted constant is the model's, within the resolution of the probe.
same() { # KEY
  { "$aqueduct" show mi300x | grep "^$1 " && grep "^$1 = " "$work/new.device"
  } | awk '
    function number(value, unit) {
      return value * (unit == "us" ? 1000 : unit == "GB/s" ? 1e9 : \
        unit == "ps" ? 0.001 : 1)
    }
    NR == 1 { model = number($2, $3) }
    NR == 2 {
      fitted = number($3, $4)
      for (i = 1; i <= NF; i++)
        if ($i == "+-") { sub(/;/, "", $(i + 2)); within = number($(i + 1), $(i + 2)) }
      off = fitted > model ? fitted - model : model - fitted
      found = off <= within + 0.5
    }
    END { exit !found }'
}

probe_and_fit() { # TRANSPORT NAME KEY...
  probe_transport=$1
  probe_name=$2
  shift 2
  try "$aqueduct" device probe --transport "$probe_transport" \
    --name "$probe_name" -q
  check "$probe_name: the GPU is probed" [ "$status" = 0 ]
  try "$aqueduct" device calibrate "$probe_name" \
    --device "$work/other.device" -o "$work/new.device"
  check "$probe_name: calibrate takes the probe" [ "$status" = 0 ]
  for key in "$@"; do
    check "$probe_name: $key is the GPU's" same "$key"
  done
}

# shellcheck disable=SC2086 # a list of words
probe_and_fit hsa host-functions $probed copy_bandwidth workgroup_interval
check "a source says what was measured, how well, and in which run" grep -q \
  '^dispatch_setup = .* us ; measured: dispatch_setup, +- 40 ns; runs' \
  "$work/new.device"
# The drop-in's spin kernel does not wait for the dispatch of workgroups.
# shellcheck disable=SC2086
probe_and_fit hsa,kernels=objects objects $probed copy_bandwidth
check "what the probe did not see says so" contains "$err" \
  "workgroup_interval: not fitted, keeps 77 ns: the probe did not see it"
try "$aqueduct" device calibrate objects --device "$work/other.device" --json \
  -o "$work/fit.json"
check "--json is JSON" is_json "$work/fit.json"
check "--json has the resolution" grep -q '"resolution": "40 ns"' \
  "$work/fit.json"
try "$aqueduct" run "$srcdir/traces/scenarios/arrivals.json" \
  --device "$work/new.device" -q
check "the model runs" [ "$status" = 0 ]

# Durations of every kind are spun by the code object's kernel.
try "$aqueduct" run "$srcdir/traces/scenarios/arrivals.json" \
  --transport hsa,kernels=objects --name spun -q
check "a scenario runs on code objects" [ "$status" = 0 ]
try "$aqueduct" run "$srcdir/traces/scenarios/arrivals.json" \
  --transport hsa --name played -q
ends() { # RUN
  "$aqueduct" export "$1" --format jsonl | grep -c '"end":[0-9]'
}
check "as many kernels as on host functions" [ "$(ends spun)" = "$(ends played)" ]

cat > "$work/roofline.json" << 'SCENARIO'
{
  "version": 1, "name": "roofline", "device": "mi300x", "seed": 1,
  "kernels": {
    "gemm": {"grid": 65536, "workgroup": 256,
             "cost": {"roofline": {"flops": 1000, "bytes": 1000}}}
  },
  "requests": {"one": {"steps": [{"kernel": "gemm"}]}},
  "clients": [
    {"name": "c", "request": "one", "open": {"every": "5ms"}, "until": "20ms"}
  ]
}
SCENARIO
try "$aqueduct" run "$work/roofline.json" -q
check "the simulator takes a roofline" [ "$status" = 0 ]
try "$aqueduct" run "$work/roofline.json" --transport hsa,kernels=objects
check "what only spins refuses it" [ "$status" = 2 ]
check "and says which kernel" contains "$err" "kernel 'gemm': its roofline"
try "$aqueduct" run "$work/roofline.json" --transport hsa,kernels=none
check "a setting that is not known is told" contains "$err" \
  "expected lib=PATH or kernels=objects"
finish
