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
    [ "$(echo "$remarks" | grep -cE 'left out|lost|unreadable')" = 0 ]
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
  "8 gaps and chunks that the tracing buffer lost"
check "so are slices without their names" contains "$remarks" \
  "19 rows that could not be read and were left out"
check "and the run is marked" contains "$("$aqueduct" stats lost 2>&1)" \
  "8 gaps and chunks lost by the tracing buffer"
read_back shared 1
check "a slice without its end, an end without its begin, and one without its name are counted" \
  contains "$remarks" "3 rows that could not be read and were left out"

read_back big 1
check "numbers over 2^63 - 1 are unknown, and counted" contains "$remarks" \
  "2 numbers that are unreadable or out of range"
check "by the annotation's name" contains "$remarks" 'annotation over 2^63 - 1: "grid_size"'

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

# Our own timeline names no categories of a profiler.
"$aqueduct" export rocprofv3 --format perfetto -o "$work/own.pftrace"
try "$aqueduct" import "$work/own.pftrace"
check "a trace without work of a GPU is refused" [ "$status" = 2 ]
check "by name" contains "$err" "no kernel, copy or fill in this perfetto trace"

finish
