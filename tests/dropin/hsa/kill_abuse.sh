#!/bin/sh
# SPDX-License-Identifier: MIT
# kill -9 at random moments of a program on the drop-in, of `aqueduct exec`, or of
# both: afterwards the store is whole, and no spool is left. AQ_KILLS times.
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
spools=$XDG_DATA_HOME/aqueduct/runs.db.spool
kills=${AQ_KILLS:-20}

pause() { # a random time below 0.3 s
  sleep "$(awk -v n="$(od -An -N2 -tu2 /dev/urandom)" \
    'BEGIN { printf "%.3f", n % 300 / 1000 }')"
}
ended() { # PID…: none of them lives, for 10 s at most
  tries=0
  for pid; do
    while kill -0 "$pid" 2> /dev/null && [ "$tries" -lt 200 ]; do
      sleep 0.05
      tries=$((tries + 1))
    done
  done
}

i=0
bad=
while [ "$i" -lt "$kills" ]; do
  i=$((i + 1))
  "$aqueduct" exec --quiet --name "run$i" -- "$work/app" loop \
    > /dev/null 2>> "$work/said" &
  exec=$!
  pause
  program=$(pgrep -x -P "$exec" app) # not one that exec only asks
  case $((i % 3)) in
  0) kill -9 "$exec" ;;
  1) [ -z "$program" ] || kill -9 "$program" ;;
  2) kill -9 "$exec" ${program:+"$program"} ;;
  esac 2> /dev/null
  # Ends the program too: after its exec was killed, it has no parent.
  [ -z "$program" ] || kill -9 "$program" 2> /dev/null
  # shellcheck disable=SC2086 # none, or one
  ended $program
  # shellcheck disable=SC2046 # the same
  [ -n "$program" ] || kill -9 "$exec" $(pgrep -x -f "$work/app loop") 2> /dev/null
  wait "$exec" 2> /dev/null
  "$aqueduct" list runs > /dev/null 2>&1 || bad="$bad list:$i"
done
"$aqueduct" list runs > /dev/null 2>&1
check "after $kills kills every run can be listed" [ -z "$bad" ]
try "$aqueduct" store check
check "the store is whole" [ "$status" = 0 ]
check "no spool is left" \
  [ "$(find "$spools" -mindepth 1 -maxdepth 1 2> /dev/null | wc -l)" = 0 ]
check "runs were stored" \
  [ "$("$aqueduct" list runs --names | wc -l)" -ge $((kills / 4)) ]
finish
