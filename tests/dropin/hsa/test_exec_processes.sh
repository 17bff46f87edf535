#!/bin/sh
# SPDX-License-Identifier: MIT
# `aqueduct exec`: programs of several processes and images, and their ends.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
case ${AQ_SANITIZERS:-} in
?*) echo "1..0 # SKIP a sanitized library needs its program sanitized"; exit 0 ;;
esac
unset AQUEDUCT_PLUGIN_PATH # the tree that the program was built in has all
steps=$work/steps
${AQ_CC:-cc} -D_GNU_SOURCE -I"$srcdir/src" -o "$steps" \
  "$srcdir/tests/dropin/hsa/steps.c" -ldl || exit 1

stored() { # how many runs exec has said it stored
  echo "$err" | grep -c 'stored run'
}
waits_for() { # COMMAND…: up to 20 s
  tries=0
  until "$@" || [ "$tries" -ge 400 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
}

# ---- execve ----

try "$aqueduct" exec -- "$steps" open exec open exec open exit 3
check "each image that execve makes opens HSA and gets a run" \
  [ "$status $(stored)" = "3 3" ]
try "$aqueduct" exec --report-fidelity "$work/fidelity" -- "$steps" open exec open
check "and a part of its own in the report of fidelity" \
  [ "$status $(grep -c "^fidelity of run.*process" "$work/fidelity")" = "0 2" ]
try "$aqueduct" exec --runtime installed -- "$steps" kfd exec kfd exit 4
check "each image opens the driver and gets a run" \
  [ "$status $(stored)" = "4 2" ]

# ---- the timeout ----

cat > "$work/family" << 'S'
sleep 60 & echo $! >> "$1"
(sleep 60 & echo $! >> "$1")
(trap "" TERM; exec sleep 60) & echo $! >> "$1"
setsid sh -c 'echo $$ >> "$1"; exec sleep 60' sh "$1" &
wait
S
try "$aqueduct" exec --timeout 1s -- sh "$work/family" "$work/pids"
check "the timeout is told" [ "$status" = 125 ]
alive=
for pid in $(cat "$work/pids"); do
  [ ! -d "/proc/$pid" ] || alive="$alive $pid"
done
check "the timeout ends children, orphans, those that ignore SIGTERM and sessions" \
  [ "$(grep -c . "$work/pids")$alive" = 4 ]
# shellcheck disable=SC2086
[ -z "$alive" ] || kill -9 $alive

# ---- processes that outlive exec ----

"$aqueduct" exec --host-only allow -- "$steps" daemon wait "$work/go" \
  open make "$work/opened" exit 0 > "$work/out" 2> "$work/err" < /dev/null
touch "$work/go"
waits_for test -e "$work/opened"
check "a process that opens HSA after the end of exec can" test -e "$work/opened"
check "and says once that it is not recorded" \
  [ "$(grep -c "outlived its exec: not recorded" "$work/err")" = 1 ]
rm "$work/go"
"$aqueduct" exec -- "$steps" daemon open make "$work/late" wait "$work/go" \
  make "$work/gone" > "$work/out" 2> "$work/err" < /dev/null
waits_for test -e "$work/late"
touch "$work/go"
waits_for test -e "$work/gone"
recovered() { # a later command stores the run, once its process has ended
  "$aqueduct" list runs 2>> "$work/err" > /dev/null
  grep -q "recovered run" "$work/err"
}
waits_for recovered
check "a run that outlived exec is not said to be one of a killed exec" \
  grep -q "recovered run .*, which left a process running" "$work/err"

# ---- findings at the end of a process ----

leaks() { # the summary
  echo "$err" | grep '^CHECK SUMMARY'
}
for end in exit _exit _Exit quick; do
  try "$aqueduct" exec --check=leak -- "$steps" open leak "$end" 0
  check "a process that ends by $end has its leaks told" \
    [ "$status $(leaks)" = "1 CHECK SUMMARY (leak): 1 error" ]
done
try "$aqueduct" exec --check=leak -- "$steps" open leak vfork exit 0
check "a child of vfork that ends leaves the end to its parent" \
  [ "$status $(leaks)" = "1 CHECK SUMMARY (leak): 1 error" ]
try "$aqueduct" exec --check=leak -- "$steps" fork open leak _exit 0
check "a child that ends by _exit has its leaks told" \
  [ "$status $(leaks)" = "1 CHECK SUMMARY (leak): 1 error" ]
why="a process ended without its exit handlers"
for end in "syscall 0" exec; do
  # shellcheck disable=SC2086
  try "$aqueduct" exec --check=leak --junit "$work/junit" --sarif "$work/sarif" \
    -- "$steps" open leak $end
  check "a process that ends by $end is no clean one" \
    [ "$status $(leaks)" = "1 CHECK SUMMARY (leak): 0 errors; incomplete: $why" ]
  check "nor in the reports" sh -c 'grep -q "incomplete.*$1" "$2" &&
    grep -q "$1" "$3" && grep -q "executionSuccessful\": *false" "$3"' sh \
    "$why" "$work/junit" "$work/sarif"
done
try "$aqueduct" exec --check --json --check-report "$work/report" -- "$steps" \
  open syscall 0
check "without leaks to lose, it is said and the status stays" sh -c '
  [ "$1" = 0 ] && grep -q "\"incomplete\": *\"$2\"" "$3"' sh "$status" "$why" \
  "$work/report"
try "$aqueduct" exec -- "$steps" open stuck _exit 5
check "an end that hangs keeps the status" [ "$status" = 5 ]
try "$aqueduct" exec --check -- sh -c 'exit 127'
check "a program that ends with 127 has run" \
  [ "$status $(leaks)" = "127 CHECK SUMMARY (all): 0 errors" ]

# ---- signals and the command line ----

# shellcheck disable=SC2016 # for that shell
ignored='trap "" INT QUIT; exec "$@"'
want=$(sh -c "$ignored" sh grep SigIgn /proc/self/status)
try sh -c "$ignored" sh "$aqueduct" exec --host-only allow -- \
  grep SigIgn /proc/self/status
check "an inherited SIGINT and SIGQUIT that are ignored stay so" [ "$out" = "$want" ]
long=$(head -c 100000 /dev/zero | tr '\0' x)
try "$aqueduct" exec --name long -- "$steps" '#' "$long" open
try "$aqueduct" exec --name long --replace -- "$steps" '#' "$long" open
try "$aqueduct" show long
check "a command of any length keeps name, source and --replace" sh -c '
  [ "$1" = 0 ] && echo "$2" | grep -q "^source  *$3$"' sh "$status" "$out" "$steps"
finish
