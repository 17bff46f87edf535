#!/bin/sh
# SPDX-License-Identifier: MIT
# Perfetto traces that perfetto.py wrote, as Perfetto's own library does for
# AMD's profilers: every row is imported as it was written, or counted.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
writer="$srcdir/tests/trace/perfetto.py"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE

if ! command -v python3 > /dev/null; then
  skip "every row of a Perfetto trace is imported" "needs python3"
  finish
  exit
fi

read_back() { # STYLE CALLS
  python3 "$writer" write "$1" "$2" "$work/$1.pftrace" "$work/$1.json"
  try "$aqueduct" import "$work/$1.pftrace" --name "$1" --replace
  remarks=$err
  "$aqueduct" export "$1" --format csv -o "$work/$1.csv"
  try python3 "$writer" check "$work/$1.json" "$work/$1.csv"
  check "$1 of $2 calls: every row is as it was written" [ "$status" = 0 ]
}

for calls in 20 300; do
  read_back rocprofv3 $calls
  check "none is counted as damaged" \
    [ "$(echo "$remarks" | grep -cE 'skipped|missing|unreadable')" = 0 ]
  read_back systems $calls
  check "kernels of a stream, whose agent is not recorded, are counted" \
    contains "$remarks" "no device or agent is recorded"
  check "so is the growth of scratch, of every fourth call" contains "$remarks" \
    "$((calls / 4)) changes of scratch memory"
  "$aqueduct" stats rocprofv3 --by family --json > "$work/out"
  check "$calls calls: kernels without an op have the family of their name" \
    python3 - "$work/rocprofv3.json" "$work/out" << 'END'
import json, sys
rows, told = (json.load(open(path)) for path in sys.argv[1:])
want = {}
for row in rows:
    if row.get("lost") or row["kind"] not in ("kernel", "copy"):
        continue
    family = ("copy" if row["kind"] == "copy" else
              "gemm" if "gemm" in row["name"] else "other kernels")
    calls, time = want.get(family, (0, 0))
    want[family] = (calls + 1, time + row["span"][1] - row["span"][0])
have = {g["name"]: (g["calls"], g["kernel"]["total_ns"]) for g in told["groups"]}
print(want, have)
sys.exit(len(want) < 3 or have != want)
END
done
read_back lost 60
check "gaps and lost chunks are counted" contains "$remarks" \
  "8 gaps of the tracing buffer: records missing"
check "so are slices without their names, once each" contains "$remarks" \
  "skipped 10 unreadable rows"
check "and the run is marked" contains "$("$aqueduct" stats lost 2>&1)" \
  "8 gaps of the tracing buffer"
read_back shared 1
check "a slice without its end, an end without its begin, and one without its name are counted" \
  contains "$remarks" "skipped 3 unreadable rows"

read_back big 1
check "numbers over 2^63 - 1 are unknown, and counted" contains "$remarks" \
  "2 numbers unreadable or out of range"
check "by the annotation's name" contains "$remarks" 'annotation over 2^63 - 1: "grid_size"'

read_back clocks 40
check "no time of a clock that a suspend moved is counted as damaged" \
  [ "$(echo "$remarks" | grep -cE 'skipped|missing|unreadable')" = 0 ]
read_back steps 1
read_back headless 1
check "slices of a sequence whose begin is lost are counted" contains "$remarks" \
  "skipped 2 unreadable rows"
read_back others 1
check "events of other kinds are counted" contains "$remarks" \
  "ignored 5 events of other kinds"
check "by their kind" contains "$remarks" 'slice of another category: "host"'

read_back trackless 1
check "a slice of no track is counted once, not at its end again" contains "$remarks" \
  "skipped 1 unreadable row (first: byte "
read_back beheaded 1
check "an end whose begin was in front of a sequence's first packet is counted" \
  contains "$remarks" "skipped 1 unreadable row"
read_back back 1
check "readings of clocks that convert no time are counted" contains "$remarks" \
  "skipped 2 readings of a clock"
read_back packed 300

# The writer made the fixture of the unit tests.
python3 "$writer" write rocprofv3 12 "$work/fixture" "$work/fixture.json"
check "the fixture is the writer's" \
  cmp -s "$work/fixture" "$srcdir/tests/trace/data/rocprofv3.pftrace"
if command -v protoc > /dev/null; then
  protoc -I "$srcdir/tests/trace/data" --decode aqueduct.Trace perfetto.proto \
    < "$work/fixture" > "$work/fixture.text" 2> "$work/err"
  check "protoc decodes it by the published numbers" [ ! -s "$work/err" ]
  check "and leaves nothing unknown in it" \
    [ "$(grep -cE '^ *[0-9]+[:{ ]' "$work/fixture.text")" = 0 ]
else
  skip "protoc decodes it by the published numbers" "there is no protoc"
fi

python3 "$writer" write others 0 "$work/none.pftrace" "$work/none.json"
python3 - "$work/none.pftrace" << 'END'
import sys
data = open(sys.argv[1], "rb").read()
open(sys.argv[1], "wb").write(data.replace(b"kernel_dispatch", b"kernel_nonsense"))
END
try "$aqueduct" import "$work/none.pftrace"
check "a trace without work of a GPU is refused" [ "$status" = 2 ]
check "by name" contains "$err" "no kernel, copy or fill in this perfetto trace"

# Our own timelines lack most of a row.
for format in perfetto chrome; do
  "$aqueduct" export rocprofv3 --format $format -o "$work/own.$format"
  try "$aqueduct" import "$work/own.$format"
  check "a timeline that aqueduct drew ($format) is refused" [ "$status" = 2 ]
  check "with what to do instead" contains "$err" "export the run as jsonl instead"
done

finish
