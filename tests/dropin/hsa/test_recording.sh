#!/bin/sh
# SPDX-License-Identifier: MIT
# The records of `aqueduct exec`, and the rest after a process was killed.
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

field() { # RUN FIELD: what show says of it
  "$aqueduct" show "$1" 2> /dev/null | sed -n "s/^$2  *//p"
}
rows() { # RUN KIND
  "$aqueduct" export "$1" --format jsonl 2> /dev/null | grep -c "\"kind\":\"$2\""
}
waits_for() { # COMMAND…: up to 10 s
  tries=0
  until "$@" || [ "$tries" -ge 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
  done
}
left() { # how many folders of spools there are
  find "$spools" -mindepth 1 -maxdepth 1 | wc -l
}

try "$aqueduct" exec --name a -- "$work/app" once 5
check "the run's id is told on stderr, nothing on stdout" \
  [ "$status$out$(echo "$err" | grep -c 'run 1, ')" = 01 ]
check "packets, waits and calls are rows of the run" [ \
  "$(rows a barrier-and) $(rows a wait) $(rows a call | grep -c '^[1-9]')" = "5 5 1" ]
check "it is a complete simulated run with device model and command" [ \
  "$(field a state) $(field a kind) $(field a 'device model') $(field a command)" \
  = "complete simulated mi300x aqueduct exec --name a -- $work/app once 5" ]
check "one client that waits through the library is reproducible" \
  [ "$(field a reproducible)" = yes ]
check "no spool is left" [ "$(left)" = 0 ]

"$aqueduct" exec --quiet --name b -- "$work/app" once 5 2> "$work/err"
for run in a b; do
  "$aqueduct" export "$run" --format jsonl 2> /dev/null |
    grep '^{"row"' | sed 's/"[pt]id":[0-9]*,//g' > "$work/$run.rows"
done
check "twice the same program gives twice the same rows" \
  cmp "$work/a.rows" "$work/b.rows"
check "quiet is quiet" [ ! -s "$work/err" ]

"$aqueduct" exec --quiet --name n -- "$work/app" nested 5 2> /dev/null
check "references to an open library are counted, not recorded" \
  [ "$(rows n call)" = "$(rows a call)" ]

"$aqueduct" exec --quiet --name box -- "$work/app" box 2> /dev/null
check "a copy of rows is one row, with the bytes of all" \
  [ "$(rows box copy) $("$aqueduct" export box --format jsonl 2> /dev/null |
    grep '"kind":"copy"' | sed 's/.*"bytes":\([0-9]*\).*/\1/')" = "1 120" ]

try "$aqueduct" exec --name a -- "$work/app"
check "a name that is taken is an error before the program runs" \
  [ "$status$(echo "$err" | grep -c "a run named 'a' already")" = 1251 ]
try "$aqueduct" exec --name w -o "$work/id" -- "$work/app"
check "-o gets the id alone" [ "$(cat "$work/id")" = "$(field w run)" ]
try "$aqueduct" exec --store "$work/other.db" -- "$work/app"
check "--store is honoured" \
  [ "$("$aqueduct" list runs --names --store "$work/other.db" | wc -l)" = 1 ]
try "$aqueduct" exec --name l -- "$work/app" leave 2
check "a program that leaves without hsa_shut_down is complete" \
  [ "$status $(field l state) $(rows l barrier-and)" = "3 complete 2" ]
try "$aqueduct" exec --name t -- "$work/app" twice 2
check "HSA opened twice is one run on one clock" \
  [ "$status $(rows t barrier-and) $(rows t wait)" = "0 4 4" ]
try "$aqueduct" exec --name f -- "$work/app" fork 2
child=$(echo "$err" | sed -n 's/.*run \([0-9]*\), .*/\1/p' | tail -n 1)
check "a forked child that opens HSA is a run of its own" \
  [ "$status $(rows f barrier-and) $(rows "$child" barrier-and)" = "0 2 3" ]
try "$aqueduct" exec --name d -- "$work/app" die 4
check "of a program that is killed the rows so far are kept, incomplete" \
  [ "$status $(field d state) $(rows d barrier-and)" = "137 incomplete 4" ]
try "$aqueduct" exec --name k -- "$work/app" \
  kernel "$srcdir/src/gpu/devlib/objects/gfx942.hsaco"
check "a kernel's row has the registers that its descriptor says" sh -c '
  [ "$1" = 0 ] && "$2" export k --format jsonl | grep "\"aq_fill\"" |
  grep -q "\"vgpr\":8,\"agpr\":0,\"sgpr\":48"' sh "$status" "$aqueduct"

# Bounds.
"$aqueduct" exec --quiet --record kernels --name kernels -- "$work/app" once 5
check "of --record kernels other rows are left out" \
  [ "$(rows kernels barrier-and)$(rows kernels wait)$(rows kernels call)" = 000 ]
check "and counted" contains "$(field kernels recorded)" \
  "left out: $("$aqueduct" export a --format jsonl -q | grep -c '^{"row"') other"
try "$aqueduct" exec --record none --name none -- "$work/app" once 5
check "of --record none there is no row" contains "$err" "recorded: no rows"
check "but the run, its device model and end" \
  [ "$(field none state) $(field none 'device model')" = "complete mi300x" ]
try "$aqueduct" exec --record-limit 2K --name limit -- "$work/app" once 5
check "a limit that is reached is reported with the rows left out" \
  contains "$err" "past the limit of 2 KiB"
check "and the first rows are kept" \
  sh -c '[ "$1" -gt 0 ] && [ "$1" -lt "$2" ]' sh \
  "$("$aqueduct" export limit --format jsonl -q | grep -c '^{"row"')" \
  "$("$aqueduct" export a --format jsonl -q | grep -c '^{"row"')"
try "$aqueduct" exec --record some -- "$work/app" once 5
check "a choice that is none is refused before the program runs" \
  [ "$status$out" = 125 ]
check "with what was expected" contains "$err" "expected all, kernels, none"

# Two at once; one exec is killed, then its program.
"$aqueduct" exec --name x -- "$work/app" loop > "$work/x" 2> "$work/x.err" &
x=$!
"$aqueduct" exec --name y -- "$work/app" loop > "$work/y" 2> "$work/y.err" &
y=$!
waits_for grep -q ready "$work/x"
waits_for grep -q ready "$work/y"
program=$(pgrep -P "$x")
kill -9 "$x"
wait "$x" 2> /dev/null
try "$aqueduct" list runs --names
check "the program of a killed exec goes on, and is left alone" \
  sh -c 'kill -0 "$1" && [ "$2" = 2 ]' sh "$program" "$(left)"
kill -9 "$program"
waits_for sh -c "! kill -0 $program 2> /dev/null"
try "$aqueduct" list runs --names
check "a later command recovers its spool and says so" \
  contains "$err" "recovered run"
check "under its name, incomplete, with its rows" \
  [ "$(field x state) $(rows x barrier-and | grep -c '^[1-9]')" = "incomplete 1" ]
kill -9 "$(pgrep -P "$y")"
wait "$y"
check "the other one is told of its program's end" [ $? = 137 ]
check "and stored as if nothing had been" \
  [ "$(field y state) $(rows y wait | grep -c '^[1-9]') $(left)" = "incomplete 1 0" ]

# Of a spool that another version wrote, nothing is lost.
"$aqueduct" exec --name z -- "$work/app" loop > "$work/z" 2> "$work/z.err" &
z=$!
waits_for grep -q ready "$work/z"
program=$(pgrep -P "$z")
kill -9 "$z" "$program"
wait "$z" 2> /dev/null
waits_for sh -c "! kill -0 $program 2> /dev/null"
spool=$(find "$spools" -type f -name '*.spool')
version() { # N: at byte 8 of the header
  printf '%b' "\\00$1" | dd of="$spool" bs=1 seek=8 conv=notrunc 2> /dev/null
}
version 4
try "$aqueduct" list runs --names
check "a spool of another version is left, with a line" sh -c '
  [ -s "$1" ] && echo "$2" | grep -q "was not recovered: .*spool of version 4; expected 3"' \
  sh "$spool" "$err"
version 3
try "$aqueduct" list runs --names
check "and stored by a command that reads it" \
  [ "$(field z state) $(left)" = "incomplete 0" ]
check "the store is whole" \
  [ "$("$aqueduct" list runs --names | wc -l)" -ge 10 ]
finish
