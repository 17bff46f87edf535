#!/bin/sh
# SPDX-License-Identifier: MIT
# The cost of the block processor by a kernel beside the host's, over the random
# programs of tests/cmdbuf/test_device_walk, as a table: walk_docs.sh TEST
# It needs valgrind, which counts the host's instructions.
set -eu
test=$1
work=$(mktemp -d "${TMPDIR:-/tmp}/aqwalk-XXXXXX")
trap 'rm -rf "$work"' EXIT
CK_FORK=no
export CK_FORK

AQ_WALK_PROGRAMS=1000 "$test" > "$work/device"
AQ_WALK_PROGRAMS=200 \
  CK_RUN_CASE=the_kernel_of_gfx90a_makes_the_packets_of_the_host \
  valgrind --tool=callgrind --toggle-collect=aq_device_walk_step \
  --callgrind-out-file="$work/out" "$test" > "$work/host" 2> "$work/log" ||
  { cat "$work/log" >&2 && exit 1; }
packets=$(sed -n 's/^# gfx90a: .* programs, \([0-9]*\) packets.*/\1/p' \
  "$work/host")
count=$(sed -n 's/^totals: //p' "$work/out")

echo "| processor | instructions a packet | runs of the kernel a program |"
echo "|---|---|---|"
sed -n 's/^# \(gfx[^:]*\): \([0-9]*\) programs, [0-9]* packets, \([0-9]*\) runs of the kernel, \([0-9.]*\) wave.*/\1 \2 \3 \4/p' \
  "$work/device" |
  awk '{ printf "| %s | %s | %.1f |\n", $1, $4, $3 / $2 }'
awk -v count="$count" -v packets="$packets" \
  'BEGIN { printf "| the host | %.1f | |\n", count / packets }'
