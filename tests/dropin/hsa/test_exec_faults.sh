#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct exec --faults` and `--capture`.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
AQUEDUCT_PLUGIN_PATH=${AQ_BUILDDIR:-.}/.libs
export AQUEDUCT_PLUGIN_PATH
${AQ_CC:-cc} -D_GNU_SOURCE -I"$srcdir/src" -o "$work/app" \
  "$srcdir/tests/dropin/hsa/recorded.c" "$AQUEDUCT_PLUGIN_PATH/libhsa-runtime64.so" \
  || exit 1
LD_LIBRARY_PATH=$AQUEDUCT_PLUGIN_PATH
export LD_LIBRARY_PATH

end_of() { # RUN PACKET: when it was complete, ps
  "$aqueduct" export "$1" --format jsonl 2> /dev/null |
    sed -n "s/.*\"packet\":$2,.*\"complete\":\([0-9]*\).*/\1/p"
}
with() { # FAULT…: runs three packets with these faults
  echo "{\"faults\": [$*]}" > "$work/f.json"
  rm -rf "$work/data/aqueduct"
  try "$aqueduct" exec --timeout 1s --name f --faults "$work/f.json" -- \
    "$work/app" once 3
}

try "$aqueduct" exec --name plain -- "$work/app" once 3
usual=$(end_of plain 1)
with '{"fault": "header-late", "queue": 0, "packet": 1, "delay": "40us"}'
check "a late header: the packet is complete that much later" \
  [ "$status $(end_of f 1)" = "0 $((usual + 40000000))" ]
with '{"fault": "dependency-missing", "queue": 0, "barrier": 2}'
check "a dependency that is missing: it hangs, and what went before is stored" \
  [ "$status $(end_of f 1)" = "125 $usual" ]
with '{"fault": "queue-error", "queue": 0, "packet": 1, "reason": 64}'
check "a queue error: told, and its packet is never complete" sh -c '
  [ "$1" = 125 ] && grep -q "packet 1 .*: injected queue error" "$2" &&
  [ -z "$3" ]' sh "$status" "$work/err" "$(end_of f 1)"
with '{"fault": "header-corrupted", "queue": 0, "packet": 2, "type": 255}'
check "a corrupted header: the queue stops there" sh -c '
  [ "$1" = 125 ] && grep -q "queue 0: packet 2 " "$2"' sh "$status" "$work/err"
with '{"fault": "out-of-memory", "allocation": 1}'
check "out of memory: the call fails, as the program sees" \
  [ "$status" = 10 ]
with '{"fault": "doorbell-lost", "queue": 0, "doorbell": 1}'
check "a fault that cannot happen there is an error before the program runs" \
  sh -c '[ "$1" = 125 ] && grep -q "doorbell-lost cannot happen" "$2"' \
  sh "$status" "$work/err"
try "$aqueduct" exec --timeout 2s --faults seed=x -- "$work/app"
check "a seed that is none is an error" \
  contains "$err" "expected a file or seed=N"
for run in 1 2; do
  try "$aqueduct" exec --timeout 2s --name "seed$run" --faults seed=11 -- \
    "$work/app" once 20
  "$aqueduct" export "seed$run" --format jsonl 2> /dev/null |
    grep '"barrier-and"' | sed 's/"[pt]id":[0-9]*,//g' > "$work/seed$run"
done
check "a seed gives the same faults again" sh -c '
  [ -s "$1" ] && cmp "$1" "$2"' sh "$work/seed1" "$work/seed2"

try "$aqueduct" exec --capture "$work/c.jsonl" -- "$work/app" fork 2
check "a capture has a line a packet, of every process" sh -c '
  grep "\"event\":\"packet\"" "$1" > "$1.packets"
  [ "$(wc -l < "$1.packets")" = 5 ] &&
    [ "$(cut -d, -f1 "$1.packets" | sort -u | wc -l)" = 2 ]' sh "$work/c.jsonl"
check "which is JSON with the 64 bytes of the packet" sh -c '
  [ "$(grep -c "\"queue\":0,\"packet\":[0-2],\"type\":3,\"bytes\":\"0300[0-9a-f]\{124\}\"}$" \
    "$1")" = 5 ]' sh "$work/c.jsonl"
try "$aqueduct" replay "$work/c.jsonl"
check "captures of two processes are not replayed as one" sh -c '
  [ "$1" = 2 ] && grep -q "second process; expected the lines of one process" "$2"' sh "$status" "$work/err"
try "$aqueduct" exec --capture /no/where -- "$work/app"
check "a capture that cannot be written is an error before the program runs" \
  sh -c '[ "$1" = 125 ] && grep -q "/no/where" "$2"' sh "$status" "$work/err"
finish
