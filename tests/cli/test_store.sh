#!/bin/sh
# SPDX-License-Identifier: MIT
# Stores in bad places, used by several at once, and with hostile names.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
# shellcheck disable=SC2016,SC2086 # scripts for other shells; lists of words
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
trace=$srcdir/tests/cli/two-streams.json
a=$work/a.db

# ---- care ----
"$aqueduct" import "$trace" --store "$a" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --store "$a" --name s -q > /dev/null
try "$aqueduct" store check --store "$a"
check "a sound store has no findings" [ "$status$out$err" = 0 ]
try "$aqueduct" store check --store "$a" --json
check "also as a document" contains "$out" '"problems": 0'
# SQLite's page 1 has the tables; pages are of 16384 bytes.
broken=$work/broken.db
cp "$a" "$broken"
dd if=/dev/zero of="$broken" bs=1 seek=100 count=4000 conv=notrunc 2> /dev/null
try "$aqueduct" store check --store "$broken"
check "a damaged file is a finding" \
  contains "$status $out" "1 problem: the file cannot be read: "
check "with how to save what is left" contains "$out" \
  "remark: the rest may be saved by \`sqlite3 $broken .recover | sqlite3 NEW\`"
try "$aqueduct" store check --store "$broken" --json
check "also as a document" contains "$out" '"level": "problem"'
try "$aqueduct" list runs --store "$broken"
check "other commands name the check" \
  contains "$status $err" "(a check of the store says more)"
dd if="$a" of="$broken" bs=16384 count=5 2> /dev/null
try "$aqueduct" store check --store "$broken"
check "a truncated file is a finding" contains "$status $out" "1 problem: the file "
check "also with the hint" contains "$out" ".recover"
mkdir -p "$a.spool/left"
try "$aqueduct" store check --store "$a"
check "spools that were left are a remark" contains "$status $out" "0 remark: "
rm -r "$a.spool"
"$aqueduct" import "$trace" --store "$work/b.db" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --store "$work/b.db" -q > /dev/null
try "$aqueduct" store merge "$work/b.db" --store "$a" -q
check "merge prints the new ids" [ "$status $out" = "0 3
4" ]
try "$aqueduct" store merge "$work/b.db" --store "$a"
check "again it copies nothing" [ "$status$out" = 0 ]
check "and says so" contains "$err" "already stored as run 3"
try "$aqueduct" compare 4 --store "$a"
check "a merged replay is compared with its origin" contains "$out" \
  "run 4 against m-2"
try "$aqueduct" store merge "$a" --store "$a"
check "a store is not merged into itself" [ "$status" = 2 ]
try "$aqueduct" store chek --store "$a"
check "a misspelt verb" contains "$status $err" "did you mean check?"
try "$aqueduct" store prune 3 4 --store "$a"
check "prune removes runs" [ "$out" = "3
4" ]
cp "$a" "$work/prune.db"
try "$aqueduct" store prune 1 99 --json --store "$work/prune.db"
check "runs removed before a bad name are in the document, with the error" \
  [ "$status $(jq -c '[.removed, .exit_status, (.error | contains("no run \"99\""))]' \
    "$work/out")" = "2 [[1],2,true]" ]
try "$aqueduct" store merge "/$work/b.db" --store "$work/slashes.db"
check "a path may begin with two slashes" [ "$status" = 0 ]
try "$aqueduct" store vacuum --store "$a"
check "vacuum tells the sizes" contains "$status $err" "bytes"
"$aqueduct" export s --store "$a" -o "$work/s.before"

# ---- no room, no rights ----
one_line() { # exit 2 and one line that is an error
  [ "$status" = 2 ] && [ "$(wc -l < "$work/err")" = 1 ] &&
    contains "$err" "aqueduct: error: "
}
same_as_before() {
  "$aqueduct" store check --store "$a" > "$work/found" 2>&1 || return 1
  ! grep -q problem "$work/found" &&
    "$aqueduct" export s --store "$a" -o "$work/s.after" &&
    cmp -s "$work/s.before" "$work/s.after"
}
awk 'BEGIN { for (i = 0; i < 20000; i++)
  printf "{\"kind\":\"kernel\",\"name\":\"k\",\"device\":{\"id\":0},\"queue\":{\"id\":0},\"start\":%d,\"end\":%d}\n", i * 1000, i * 1000 + 900 }' \
  > "$work/long.jsonl"
# Files may not grow beyond some sizes; the signal of that is ignored.
for blocks in 100 300 1000 2000; do
  try sh -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' sh "$blocks" \
    "$aqueduct" import "$work/long.jsonl" --store "$a" -q
  check "no room beyond $blocks blocks is an error of one line" one_line
  check "and nothing is lost" same_as_before
  try sh -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' sh "$blocks" \
    "$aqueduct" list runs --store "$a"
  check "and runs are listed" contains "$out" "two-streams"
done
"$aqueduct" store prune incomplete --store "$a" -q > /dev/null
"$aqueduct" import "$work/long.jsonl" --store "$work/big.db" -q > /dev/null
try sh -c 'trap "" XFSZ; ulimit -f "$1"; shift; exec "$@"' sh 1000 \
  "$aqueduct" store merge "$work/big.db" --store "$a" -q
check "no room for a merge" one_line
check "it leaves nothing" same_as_before
check "not even an incomplete run" [ ! -s "$work/found" ]
if [ "$(id -u)" = 0 ]; then
  unshare=unshare
else
  unshare='unshare -r'
fi
if $unshare -m mount -t tmpfs -o size=64k none /mnt 2> /dev/null; then
  cat > "$work/full.sh" << 'END'
mount -t tmpfs -o size=600k none "$1" && cp "$2" "$1/a.db" || exit 99
"$3" import "$4" --store "$1/a.db" -q
code=$?
"$3" store check --store "$1/a.db" > "$1/found" || exit 98
grep -q problem "$1/found" && exit 97
exit $code
END
  mkdir "$work/disk"
  try $unshare -m sh "$work/full.sh" "$work/disk" "$a" "$aqueduct" \
    "$work/long.jsonl"
  check "a full disk is an error of one line, and the store stays sound" one_line
else
  skip "a full disk" "a file system cannot be mounted here"
fi
cat > "$work/readonly.sh" << 'END'
mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 99
shift
exec "$@"
END
mkdir "$work/still"
cp "$a" "$work/still/a.db"
if $unshare -m sh "$work/readonly.sh" "$work/still" true 2> /dev/null; then
  read_only() {
    try $unshare -m sh "$work/readonly.sh" "$work/still" "$aqueduct" "$@" \
      --store "$work/still/a.db"
  }
  read_only import "$trace" -q
  check "a read-only store is an error of one line" one_line
  read_only store merge "$work/b.db" -q
  check "also for a merge" one_line
  read_only list runs -q
  check "but can be read" contains "$status $out" two-streams
  read_only store check -q
  check "and checked" [ "$status$out" = 0 ]
  try $unshare -m sh "$work/readonly.sh" "$work/still" "$aqueduct" store \
    merge "$work/still/a.db" --store "$work/from-ro.db" -q
  check "and merged from" [ "$status" = 0 ]
  check "all of it" [ "$("$aqueduct" list runs --names \
    --store "$work/from-ro.db" | wc -l)" = 2 ]
else
  skip "a read-only store" "a file system cannot be mounted here"
fi
try "$aqueduct" import "$trace" --store /proc/runs.db -q
check "a folder that takes no files is an error of one line" one_line

# ---- several at once ----
shared=$work/shared.db
"$aqueduct" import "$trace" --store "$shared" --name m -q > /dev/null
for n in 1 2 3; do
  {
    "$aqueduct" import "$work/long.jsonl" --store "$shared" -q --name "i$n" &&
      "$aqueduct" replay m --device mi300x --store "$shared" -q --name "r$n"
  } > "$work/writer$n" 2>&1 || echo failed >> "$work/writers" &
done
{
  for n in 1 2 3 4 5 6 7 8; do
    "$aqueduct" list runs --store "$shared" && "$aqueduct" export m \
      --store "$shared"
  done
} > "$work/reader" 2> "$work/reader.err" || echo failed >> "$work/writers" &
"$aqueduct" store merge "$a" --store "$shared" -q > "$work/merger" 2>&1 ||
  echo failed >> "$work/writers"
wait
err=$(cat "$work"/writer? "$work/reader.err")
check "writers and readers at once all succeed" [ ! -e "$work/writers" ]
try "$aqueduct" store check --store "$shared"
check "and leave a sound store" [ "$status$out" = 0 ]
check "with all their runs" \
  [ "$("$aqueduct" list runs --store "$shared" --names | sort | tr '\n' ' ')" = \
  "i1 i2 i3 m m-2 r1 r2 r3 s " ]
check "readers always saw the same rows of a run" \
  [ "$(grep -c '"row":0,' "$work/reader")" = 8 ]
check "the journal is gone when all have closed" [ ! -e "$shared-wal" ]

# ---- names that would be more than names ----
bad=$work/bad.db
hostile=$srcdir/tests/report/hostile.jsonl
esc=$(printf '\033]0;owned\007\033[31m')
"$aqueduct" import "$hostile" --store "$bad" -q > /dev/null
cp "$hostile" "$work/a${esc}b.jsonl"
"$aqueduct" import "$work/a${esc}b.jsonl" --store "$bad" -q \
  --name "x$esc'; DROP TABLE runs; --" > /dev/null
"$aqueduct" import "$hostile" --store "$bad" -q --name '<b>$(reboot)`id`' \
  > /dev/null
"$aqueduct" replay 1 --device mi300x --store "$bad" -q \
  --name "$(printf 'two\nlines')" --counters 1us > /dev/null
raw() { # FILE: bytes that a terminal would obey
  LC_ALL=C tr -d '\n\t -~\200-\377' < "$1" | wc -c
}
calm() { # what was printed has none, and no direction marks
  [ "$(raw "$work/out")" = 0 ] && [ "$(raw "$work/err")" = 0 ] &&
    ! grep -q "$(printf '\342\200\256')" "$work/out" "$work/err"
}
for run in 1 2 3 4; do
  for command in "show $run" "stats $run" "explain $run" "show $run --json" \
    "stats $run --json" "explain $run --json"; do
    try "$aqueduct" $command --store "$bad"
    [ "$status" -lt 2 ] || break 2
    case $command in
    *--json) is_json "$work/out" || break 2 ;;
    *) calm || break 2 ;;
    esac
  done
done
check "show, stats and explain keep names tame" [ "$run/$command" = "4/explain 4 --json" ]
for command in "list runs" "list runs --names" "compare 4 --worst 5" \
  "store check" "show nosuch" "store prune nosuch" "compare $esc" \
  "export $esc" "replay 1 --device $esc"; do
  try "$aqueduct" $command --store "$bad"
  calm || break
done
check "so do lists, comparisons and errors" calm
try "$aqueduct" import "$work/a${esc}b.jsonl" --store "$bad" --format koneto
check "and errors about files" calm
try "$aqueduct" import "$hostile" --store "$bad" \
  --name "x$esc'; DROP TABLE runs; --"
check "and about names" calm
for format in jsonl chrome; do
  "$aqueduct" export 2 --store "$bad" --format $format -o "$work/x"
  check "$format has them as data" [ "$(raw "$work/x")" = 0 ]
done
"$aqueduct" export 2 --store "$bad" --format chrome -o "$work/x"
check "Chrome JSON stays JSON" is_json "$work/x"
"$aqueduct" export 1 --store "$bad" -o "$work/one"
"$aqueduct" import "$work/one" --store "$bad" --name back -q > /dev/null
"$aqueduct" export back --store "$bad" -o "$work/back"
check "names come back the same" cmp -s "$work/one" "$work/back"
for format in csv rocprofv3-csv perfetto; do
  try "$aqueduct" export 2 --store "$bad" --format $format -o "$work/x"
  [ "$status" = 0 ] && [ -s "$work/x" ] || break
done
check "every format is written" [ "$status" = 0 ]
try "$aqueduct" report 1 4 --store "$bad" -o "$work/page.html"
check "the report has no names as markup" \
  [ "$(grep -c "<img src=x\|<b>\$(reboot)" "$work/page.html")" = 0 ]
try "$aqueduct" store check --store "$bad"
check "the store is sound" [ "$status$out" = 0 ]
"$aqueduct" store merge "$bad" --store "$work/merged.db" -q > /dev/null
try "$aqueduct" list runs --store "$work/merged.db"
check "they are merged as they are" contains "$status $out" "DROP TABLE runs"
completion=${AQ_BUILDDIR:-.}/src/cli/gendoc/aqueduct
if command -v bash > /dev/null && [ -e "$completion" ]; then
  bash -c '. "$1"; COMP_WORDS=(aqueduct show --store "$2" "") COMP_CWORD=4
    _aqueduct "$3"; printf "%s\n" "${COMPREPLY[@]}"' sh "$completion" "$bad" \
    "$aqueduct" > "$work/out" 2> "$work/err"
  check "completion offers them quoted" [ "$(raw "$work/out")" = 0 ]
  check "and executes nothing" [ ! -s "$work/err" ]
  check "all are there" grep -q 'reboot' "$work/out"
else
  skip "completion" "no bash"
fi
finish
