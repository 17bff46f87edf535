#!/bin/sh
# SPDX-License-Identifier: MIT
# The plain walk pays nothing for the hooks of the others: instructions that one
# more dispatch and marker take in each, counted by callgrind.
builddir=${AQ_BUILDDIR:-.}
program=$builddir/tests/cmdbuf/plain_cost
names="plain walks take fewer instructions than those with hooks
a plain dispatch of two slots and a marker take at most 120 instructions"

if ! command -v valgrind > /dev/null || [ -n "${AQ_SANITIZERS-}" ]; then
  echo "ok 1 - plain walks # SKIP valgrind is not there, or sanitizers are"
  echo "1..1"
  exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/aqcost-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# Instructions of a walk and all that it calls.
count() { # WALK DISPATCHES
  libtool=$builddir/libtool
  "$libtool" --mode=execute valgrind --tool=callgrind \
    --toggle-collect="aq_processor_fill$suffix" \
    --callgrind-out-file="$work/out" "$program" "$1" "$2" 2> "$work/log" ||
    return 1
  sed -n 's/^summary: //p; s/^totals: //p' "$work/out" | head -n 1
}

each() { # WALK: what one dispatch and one marker take
  suffix=
  [ "$1" = plain ] || suffix=_$1
  small=$(count "$1" 64) && large=$(count "$1" 1088) || return 1
  echo $(((large - small) / 1024))
}

if ! plain=$(each plain) || ! stats=$(each stats) || ! times=$(each times)
then
  cat "$work/log"
  echo "Bail out! callgrind failed"
  exit 1
fi
echo "# instructions a dispatch and a marker:" \
  "plain $plain, times $times, stats $stats"
number=0
report() { # STATUS
  number=$((number + 1))
  word=ok
  [ "$1" = 0 ] || word="not ok"
  echo "$word $number - $(echo "$names" | sed -n "${number}p")"
}
[ "$plain" -lt "$times" ] && [ "$times" -lt "$stats" ]
report $?
[ "$plain" -le 120 ]
report $?
echo "1..$number"
