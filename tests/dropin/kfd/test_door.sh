#!/bin/sh
# SPDX-License-Identifier: MIT
# exec --runtime installed without AMD's runtime: refused options, and a program
# that makes the driver's calls itself, alone, in threads and in many processes.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/runs.db
export AQUEDUCT_STORE
# Else the driven program prints TAP of its own.
unset CK_TAP_LOG_FILE_NAME

# ---- options ----

# Each that the driver cannot serve, with a value.
refused=0
while read -r option value; do
  # shellcheck disable=SC2086 # a flag has no value
  try "$aqueduct" exec --runtime installed --$option $value -- true
  check "--$option is refused by one line that names it" \
    [ "$status $(echo "$err" | wc -l) $(echo "$err" | grep -c -e \
      "--$option with --runtime installed: the simulated driver")" = "125 1 1" ]
  refused=$((refused + 1))
done << END
kernels axpy=2us
kernels-from isa
missing-kernels warn
budget 2s
capture $work/capture
faults seed=1
cost isa
schedule ordered
semantics rocr
strict-memory never
poll-queues
extract-dispatch 1
report-fidelity
coverage
profile
END
listed=$(sed -n '/unseen\[\] = {/,/};/p' "$srcdir/src/cli/commands/cmd_exec.c" |
  grep -c AQ_CLI_OPT_)
check "and these are all that exec refuses" [ "$refused" = "$listed" ]

try "$aqueduct" exec --runtime mine -- true
check "an unknown runtime is refused" contains "$err" \
  "--runtime mine: expected aqueduct or installed"
try "$aqueduct" exec --runtime installed -- true
check "a program that opens no driver is told so" contains "$err" \
  "true never opened /dev/kfd: nothing ran on the simulator"
try "$aqueduct" exec --runtime installed --set gfx=mine -- true
check "a device without a topology is one line" contains "$err" \
  "its instruction set mine has no topology"

# ---- files ----

try "$aqueduct" exec --runtime installed --device mi210 -- \
  cat /sys/class/kfd/kfd/topology/nodes/1/name
check "the topology shows the device" [ "$out" = gfx90a ]
try "$aqueduct" exec --runtime installed --device mi210 -- \
  cat /sys/devices/system/cpu/cpu0/cache/index0/level
check "a processor has caches, whether the host tells them or not" [ "$out" = 1 ]

try "$aqueduct" show "mi300x*2" --topology "$work/topology"
check "show writes a topology into a folder" [ "$status $out $(cat \
  "$work/topology/nodes/2/name")" = "0 $work/topology gfx942" ]
try "$aqueduct" show mi300x --json --topology "$work/topology"
printf '%s' "$out" > "$work/json"
check "... and says so in JSON" is_json "$work/json"
try "$aqueduct" show nothing --topology "$work/topology"
check "... of devices alone" [ "$status $(echo "$err" | wc -l)" = "2 1" ]
try "$aqueduct" show mi300x --topology "$work/none/topology"
check "... where its parent is there" [ "$status $(echo "$err" | wc -l)" = "2 1" ]

# ---- programs ----

door=${AQ_BUILDDIR:-.}/tests/dropin/kfd/drive_door
if [ -n "${AQ_SANITIZERS:-}" ]; then
  skip "programs run" "a sanitized library needs its program sanitized"
  finish
  exit
fi
drive() { # ARGUMENT…
  try "$aqueduct" exec --quiet --timeout 100s --runtime installed \
    --device mi210 -- "$door" "$@"
}

drive run 3
check "a program of the driver's calls runs" [ "$out" = "3 dispatches" ]
drive share
check "a block is shared by its file, under a second address" \
  [ "$out" = "shared 42" ]
drive handle
check "a process takes its own handle, and a failing munmap takes nothing" \
  [ "$out" = "handled 42" ]
drive fork
check "a forked child opens a driver of its own" [ "$out" = "1 dispatches
1 dispatches
the child ended with 0" ]
drive processes 4
check "processes at once have a driver each" \
  [ "$(echo "$out" | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = \
    " 4 1 dispatches; 1 4 of 4 processes;" ]
drive threads 8 800
check "threads have a queue each" contains "$out" "8 threads, 800 dispatches"

# The last of many edits counts.
set --
i=0
while [ "$i" -lt 80 ]; do
  set -- "$@" --set "queue_switch=${i}us"
  i=$((i + 1))
done
try "$aqueduct" exec --quiet --runtime installed --device mi210 "$@" \
  --set cus=52 -- "$door" cus
check "the last of 81 edits of the device counts" \
  [ "$out" = "52 compute units" ]

# The memory of a dispatch is free again behind it.
drive memory 20000
more=${out##*, }
check "20000 dispatches take no memory" [ "${more%% *}" -lt 2048 ]
# A checker below the runtime names its limits. This program has no loader.
try "$aqueduct" exec --runtime installed --device mi210 --check=all,leak -- \
  "$door" memory 10
limits=0
for limit in "blocks of a program not seen" "host not seen" \
  "reused memory not followed" "calls not seen" "leaks not seen" \
  "source lines unknown"; do
  limits=$((limits + $(echo "$err" | grep -c "^NOTE ([a-z]*): $limit")))
done
check "--check names what it cannot see" [ "$limits $status" = "6 0" ]
finish
