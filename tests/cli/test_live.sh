#!/bin/sh
# SPDX-License-Identifier: MIT
# Live mode on the command line: stored runs, hangs, and the dump on a signal.
# Nothing here depends on how long anything takes.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
scenario=$srcdir/traces/scenarios/arrivals.json

# A kernel that takes ten minutes of wall time when paced 1 to 1.
cat > "$work/slow.json" << 'END'
{"version": 1, "kernels": {"k": {"grid": 64, "workgroup": 64, "cost": "600s"}},
 "requests": {"r": {"steps": [{"id": "one", "kernel": "k"}]}},
 "clients": [{"request": "r", "open": {"every": "10us"}, "requests": 3}]}
END

count_rows() { # RUN
  "$aqueduct" export "$1" | wc -l
}

try "$aqueduct" run -q "$scenario" --live --semantics foundation --timeout 60s \
  --name live
check "a live run ends well" [ "$status" = 0 ]
try "$aqueduct" show live
check "its notes tell how it was asked for" contains "$out" \
  '{"time":"live","timeout":"60s","semantics":"foundation"}'
check "and whether it is reproducible" contains "$out" "reproducible   "
"$aqueduct" run -q "$scenario" --name virtual > /dev/null
check "it has the rows of virtual time" \
  [ "$(count_rows live)" = "$(count_rows virtual)" ]
try "$aqueduct" show virtual
check "a run without any of that has no notes" \
  sh -c '! grep -q "^notes" "$1"' - "$work/out"
try "$aqueduct" replay -q virtual --live --name again
check "a replay may be live too" \
  [ "$(count_rows again)" = "$(count_rows virtual)" ]
try "$aqueduct" run -q "$work/slow.json" --live --timeout 100ms
check "a timeout counts wall time, not that of a long kernel" [ "$status" = 0 ]

try "$aqueduct" run -q "$work/slow.json" --pace 1 --timeout 100ms --name hung
check "a hang ends the run with 1" [ "$status" = 1 ]
check "naming queue, packet and signal" contains "$(tail -n 1 "$work/err")" \
  "nothing completed for 0.1 s: wait for signal 0 (user 0, value 1): the \
deadline passed; it seems that queue 0: packet 0 completes it"
check "every queue is told before" contains "$err" \
  "packet 1: barrier bit: waits for 1 packets to complete (kernel dispatch"
try "$aqueduct" show hung
check "nothing of it is stored" [ "$status" = 2 ]

# Before the run looks for it, the signal is ignored: by the shell before it
# forks, or the first one could end the new process. So the loop sends it until
# the run answers, at most for a minute.
trap '' USR1
"$aqueduct" run -q "$work/slow.json" --pace 1 > /dev/null 2> "$work/dump" &
pid=$!
trap - USR1
tries=0
until grep -q 'packet 0: active, step' "$work/dump" || [ $tries = 1200 ]; do
  kill -USR1 $pid
  tries=$((tries + 1))
  sleep 0.05
done
kill -KILL $pid
wait $pid 2> /dev/null
err=$(cat "$work/dump")
check "SIGUSR1 tells every queue while a run goes on" contains "$err" \
  "queue 0: active, device 0, size 16384"
check "with each packet" contains "$err" "packet 0: active, step"
finish
