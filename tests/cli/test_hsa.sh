#!/bin/sh
# SPDX-License-Identifier: MIT
# Measured runs of our own: `run` and `replay` on the transport "hsa", here with
# the drop-in library in the place of ROCm's.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
*thread*) echo "1..0 # SKIP the drop-in is loaded into a sanitized program"
  exit 0 ;;
esac
dropin=${AQ_BUILDDIR:-.}/.libs/libhsa-runtime64.so.1
scenario=$srcdir/traces/scenarios/arrivals.json

try "$aqueduct" run "$scenario" --transport "hsa,lib=$work/none.so"
check "a library that is not there is told, and nothing is stored" \
  [ "$status" = 2 ]
check "with the place where it was searched" contains "$err" "$work/none.so"

AQUEDUCT_LIBHSA_PATH=$dropin
export AQUEDUCT_LIBHSA_PATH
try "$aqueduct" run "$scenario" --transport hsa --name measured
check "a scenario runs on HSA" [ "$status" = 0 ]
check "and it is said that a simulator played the GPU" \
  contains "$err" "the HSA runtime is the simulator"
try "$aqueduct" run "$scenario" --name simulated
try "$aqueduct" show measured
check "the run is stored as measured" contains "$out" "measured"
check "with the transport" contains "$out" "hsa"
check "with the GPU's name" contains "$out" "AMD Instinct MI300X"
check "and who measured it" contains "$out" '"measured_on":"simulator"'

rows() { # RUN: how many have start and end
  "$aqueduct" export "$1" --format jsonl |
    grep -c '"start":[0-9]*,"end":[0-9]'
}
check "each kernel has a row with its times" \
  [ "$(rows measured)" = "$(rows simulated)" ]
try "$aqueduct" export measured --format jsonl
check "and its name" contains "$out" '"name":'

try "$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name trace
try "$aqueduct" replay trace --transport hsa --name replayed
check "a trace is replayed on HSA" [ "$status" = 0 ]
try "$aqueduct" compare trace replayed
check "and compared with where it came from" contains "$out" "scored 4 of 6"

capture=$srcdir/tests/fuzz/corpus/capture/operations.aqcap
try "$aqueduct" replay "$capture" --transport hsa --name captured
check "a capture is replayed on HSA" [ "$status" = 0 ]
check "with the times of each operation" [ "$(rows captured)" = 5 ]
try "$aqueduct" show captured
check "and where its durations come from" contains "$out" "durations"
check "which a simulator gave" contains "$out" '"measured_on":"simulator"'
try "$aqueduct" stats captured
check "its statistics are those of the operations" \
  contains "$err" "operations of host queues"
try "$aqueduct" replay "$capture" --name captured-sim
try "$aqueduct" compare captured-sim captured
check "sim and hsa are compared by their operations" \
  contains "$out" "5 operations of host queues matched by order"
try "$aqueduct" compare captured captured-sim --match correlation --json
check "whichever comes first" contains "$out" '"rows": "operations"'
try "$aqueduct" compare simulated captured
check "kernels and operations are not compared" \
  contains "$err" "no operation of a host queue"

# Metrics of the device, from files that stand for the driver's.
device=$work/sys/bus/pci/devices/a9d0:01:00.0
mkdir -p "$device"
echo 42 > "$device/gpu_busy_percent"
echo 4096 > "$device/mem_info_vram_used"
try env AQUEDUCT_SYSFS="$work/sys" "$aqueduct" run "$scenario" \
  --transport hsa --counters 1ms --name metered
check "counters of a device are sampled on HSA" [ "$status" = 0 ]
try "$aqueduct" show metered
check "and summed up" contains "$(echo "$out" | tr -s ' ')" \
  "gpu_busy device 0"
check "whatever the driver offers" contains "$out" "vram_used"
try "$aqueduct" run "$scenario" --transport hsa --counters 1ms
check "without such files there are no counters" \
  contains "$status $err" "2 aqueduct: error: transport hsa has no counters"

# Command buffers with an indirect grid and markers: their packets have rows too.
capture=$srcdir/tests/fuzz/corpus/capture/marked.aqcap
AQUEDUCT_DEVICE=mi210
export AQUEDUCT_DEVICE
try "$aqueduct" replay "$capture" --transport hsa --name marked
check "an indirect grid is replayed on HSA" [ "$status" = 0 ]
try "$aqueduct" replay "$capture" --device mi210 --name marked-sim
check "and on the simulator" [ "$status" = 0 ]
for run in marked marked-sim; do
  try "$aqueduct" stats "$run" --json
  check "the ranges of $run have a table" contains "$(echo "$out" | tr -d ' \n')" \
    '"name":"indirectfill","on":"device","ranges":3'
done
try "$aqueduct" compare marked-sim marked --by operation
check "operations of sim and hsa are compared side by side" \
  contains "$out" "3 operations of host queues matched by order"
check "by what they are" contains "$out" "execute     3 "
try "$aqueduct" compare marked-sim marked
check "and so are the kernels, by their names" \
  contains "$(echo "$out" | tr -s ' ')" "aq_update 3 "
unset AQUEDUCT_DEVICE

try "$aqueduct" run "$scenario" --transport hsa --device gfx1
check "an agent that is not there is told" [ "$status" = 2 ]
check "with those that are" contains "$err" "gfx942"
try "$aqueduct" run "$scenario" --transport hsa --set interrupt_to_host=1us
check "hardware has no constants to set" [ "$status" = 2 ]
try "$aqueduct" device probe --transport hsa --json -o "$work/probe.json"
check "a GPU is probed" [ "$status" = 0 ]
check "into a file with its constants" \
  grep -q '"key": *"acquire_agent"' "$work/probe.json"
check "that is JSON" is_json "$work/probe.json"
try "$aqueduct" show latest
check "and a run with the packets" contains "$out" "measured"
try "$aqueduct" device probe --device mi300x --set acquire_agent=1234ns
check "a device model is probed" contains "$out" "1234.000 ns"
try "$aqueduct" device
check "device alone says what it takes" [ "$status" = 2 ]
try "$aqueduct" device guess
check "so does another word" contains "$err" "or probe"

try "$aqueduct" doctor
check "doctor says how to use the runtime" contains "$out" "check-hsa"
finish
