#!/bin/sh
# SPDX-License-Identifier: MIT
# Every option of every command has a variable; the terminal gets what suits.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
trace=$srcdir/tests/cli/small.json

try env AQUEDUCT_NAME=m AQUEDUCT_QUIET=1 AQUEDUCT_STORE="$work/e.db" \
  "$aqueduct" import "$trace"
check "AQUEDUCT_QUIET leaves only the id" [ "$status$out$err" = 01 ]
AQUEDUCT_STORE=$work/e.db
export AQUEDUCT_STORE
check "AQUEDUCT_STORE and AQUEDUCT_NAME are heard" \
  [ "$("$aqueduct" list runs --names)" = m ]
try env AQUEDUCT_QUIET=0 "$aqueduct" import "$trace"
check "a flag that is 0 is not given" contains "$err" kernels
try env AQUEDUCT_JSON=1 "$aqueduct" list runs
check "AQUEDUCT_JSON asks for JSON" is_json "$work/out"
try env AQUEDUCT_OUTPUT="$work/metrics" "$aqueduct" list metrics --names
check "AQUEDUCT_OUTPUT names the output" grep -q end.median "$work/metrics"
try env AQUEDUCT_DEVICE=nope "$aqueduct" replay m
check "AQUEDUCT_DEVICE names the device model" contains "$err" "'nope'"
try env AQUEDUCT_DEVICE=nope "$aqueduct" replay m --device mi300x
check "the command line wins over the environment" [ "$status" = 0 ]
try env AQUEDUCT_TRANSPORT=nope "$aqueduct" replay m
check "AQUEDUCT_TRANSPORT names the transport" contains "$err" "'nope'"
AQUEDUCT_SEED=42 "$aqueduct" replay -q m > /dev/null
try "$aqueduct" show latest
check "AQUEDUCT_SEED gives the seed" contains "$out" "seed           42"
try env AQUEDUCT_LIBHSA_PATH="$work/none.so" "$aqueduct" doctor
check "AQUEDUCT_LIBHSA_PATH names the HSA runtime" contains "$out" none.so
check "doctor is content without a GPU" [ "$status" = 0 ]
try "$aqueduct" doctor --store "$trace"
check "doctor exits 1 when the store is broken" [ "$status" = 1 ]

# On a terminal of its own, made by script(1).
on_terminal() { # COMMAND: its output is in $out
  TERM=xterm script -qec "$1" /dev/null > "$work/out" 2>&1 < /dev/null
  out=$(cat "$work/out")
}
escape=$(printf '\033')
if script -qec true /dev/null > /dev/null 2>&1 < /dev/null; then
  on_terminal "'$aqueduct' show nope"
  check "errors are coloured on a terminal" contains "$out" "${escape}[31m"
  NO_COLOR=1 on_terminal "'$aqueduct' show nope"
  check "NO_COLOR is honoured" sh -c "! grep -q '$escape' '$work/out'"
  on_terminal "'$aqueduct' import '$trace'"
  check "progress is shown on a terminal" contains "$out" "####"
  check "with a rate" contains "$out" " MB/s "
  check "and the time left" contains "$out" "0:00 left"
  on_terminal "'$aqueduct' import -q '$trace'"
  check "but not with --quiet" sh -c "! grep -q '####' '$work/out'"
else
  skip "colour and progress on a terminal" "script(1) gives none here"
fi
finish
