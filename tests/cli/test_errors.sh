#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input: one line that names file and place, exit 2 (125 of exec), nothing
# half-stored.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
trace=$srcdir/tests/cli/small.json

# Exit status, one line on stderr with PART in it, nothing on stdout.
is_error() { # STATUS PART
  [ "$status" = "$1" ] && [ -z "$out" ] && contains "$err" "$2" &&
    [ "$(wc -l < "$work/err")" = 1 ] &&
    case $err in "aqueduct: error: "*) ;; *) return 1 ;; esac
}

refuses() { # NAME PART ARGUMENT…: exit 2
  name=$1 part=$2
  shift 2
  try "$aqueduct" "$@"
  check "$name" is_error 2 "$part"
}

refuses "options without a command" "no command given" --quiet
try "$aqueduct"
check "the program's name alone lists three commands to try" \
  [ "$status $(printf '%s\n' "$out" | grep -c '^aqueduct ')" = "0 3" ]
refuses "an unknown command" "did you mean replay?" repaly m
refuses "an unknown option" "did you mean --device?" replay m --devise x
refuses "an option before the command" "unknown option" --bogus list runs
refuses "an option without its value" "--format: no value; expected FORMAT" \
  import x --format
refuses "a value for a flag" "--json takes no value" list runs --json=1
refuses "an option of one value that comes twice" "--by is given twice" \
  stats m --by kernel --between a --by kernel
refuses "before the command and behind it, too" "--store is given twice" \
  --store a list runs --store b
refuses "by its letter, too" "--output is given twice" export m -o a --output=b
try "$aqueduct" list devices --names --names -q -q
check "a flag may come twice" [ "$status" = 0 ]
try "$aqueduct" replay m --set fetch=1us --set fetch=2us
check "an option of several values, too" [ "$(echo "$err" | grep -c "given twice")" = 0 ]
refuses "the beginning of a word" "--kernels-from hos: expected auto, host or isa" \
  launch k.ll --kernels-from hos
try "$aqueduct" exec --timeout 0s true
check "no time at all" is_error 125 "--timeout 0s: expected a time above 0"
refuses "a new run for no name" "--replace: expected --name NAME too" \
  import "$trace" --replace
refuses "too few arguments" "usage: aqueduct import" import
refuses "too many arguments" "does not take 'b'" show a b
refuses "something that cannot be listed" "did you mean runs?" list rusn
refuses "a file that is not there" "/nonexistent/x.json" \
  import /nonexistent/x.json
check "a failed import leaves a store without runs" \
  [ -z "$("$aqueduct" list runs --names)" ]

head -c 300 "$trace" | gzip -c | head -c 150 > "$work/cut.json.gz"
refuses "a truncated .gz" cut.json.gz import "$work/cut.json.gz"
: > "$work/empty.json"
refuses "an empty file" empty.json import "$work/empty.json"
mkdir "$work/folder"
refuses "a folder without traces" folder import "$work/folder"
refuses "an unknown format" koneto import "$trace" --format koneto
check "none of them stored anything" \
  [ -z "$("$aqueduct" list runs --names)" ]
refuses "one name for two files" "--name is for one file, 2 given" \
  import "$trace" "$trace" --name m

"$aqueduct" import -q "$trace" --name m > /dev/null
refuses "a name that is taken" "named \"m\" already" import "$trace" --name m
refuses "a name that is a number" "cannot be the name" \
  import "$trace" --name 12
refuses "an unknown run" "there is no run \"n\"" compare n
refuses "a measured run without another" "replays no other run" compare m
refuses "an unknown device model" "did you mean mi300x?" \
  replay m --device mi300y
refuses "an unknown key of a device model" bogus_key \
  replay m --device mi300x --set bogus_key=1
refuses "an unknown transport" "did you mean sim?" replay m --transport smi
for pace in 0 -1 1/0 2/ 1.5 x 4294967296; do
  refuses "a pace of $pace" "--pace $pace" replay m --pace "$pace"
done
for time in 0s -1s 2 2m x s 1e30s; do
  refuses "a timeout of $time" "--timeout $time" \
    replay m --live --timeout $time
done
refuses "a timeout in virtual time" "counts in live mode only" replay m --device mi300x \
  --timeout 2s
refuses "other semantics" "expected rocr or foundation" \
  replay m --semantics amd
for option in kernels-from semantics missing-kernels isolation; do
  try "$aqueduct" exec --$option nonsense -- true
  check "exec --$option nonsense" is_error 125 "--$option nonsense: expected"
done
try env AQUEDUCT_SEMANTICS=nonsense "$aqueduct" exec -- true
check "the same word in the environment" is_error 125 \
  "AQUEDUCT_SEMANTICS=nonsense: expected rocr or foundation"
refuses "a transport without live mode" "live mode" \
  replay m --device mi300x --live --transport null
refuses "live faults" "live mode" \
  replay m --device mi300x --live --faults seed=1
refuses "a seed that is no number" "--seed: 'x'" replay m --seed x
refuses "something that is neither run nor device" "did you mean mi300x?" \
  show mi300z
refuses "a scenario that is not there" "/nonexistent/s.json" \
  run /nonexistent/s.json
cat > "$work/cycle.json" << 'END'
{"version": 1, "kernels": {"k": {"grid": 64, "workgroup": 64, "cost": "1us"}},
 "requests": {"r": {"steps": [
   {"id": "one", "kernel": "k", "after": ["two"]},
   {"id": "two", "kernel": "k", "after": ["one"]}]}},
 "clients": [{"request": "r", "open": {"every": "10us"}, "requests": 1}]}
END
refuses "a scenario with a cycle" cycle.json run "$work/cycle.json"
echo '{"version": 1, "kernels": ' > "$work/broken.json"
refuses "a scenario that is no JSON" broken.json run "$work/broken.json"
check "none of them stored anything more" \
  [ "$("$aqueduct" list runs --names)" = m ]

"$aqueduct" replay -q m --device mi300x --name s > /dev/null
refuses "an unknown metric" "did you mean end.median?" \
  compare s --fail-above end.medain=1
refuses "a threshold that is no number" "not a value" \
  compare s --fail-above end.median=few
refuses "a threshold without a value" "METRIC=VALUE" \
  compare s --fail-above end.median
refuses "runs that do not replay each other" "neither run replays" \
  compare s "$("$aqueduct" import -q "$trace")" --match replay

# Kernels without host calls can be stored, but not scored.
sed '/hipLaunchKernel/d; /hipMemcpyAsync/d' "$trace" > "$work/kernels.json"
"$aqueduct" import -q "$work/kernels.json" --name k > /dev/null
"$aqueduct" replay -q k --device mi300x --name ks > /dev/null
refuses "nothing that can be scored" "0 of 4 rows scored" \
  compare ks
check "with advice how to record it" contains "$err" rocprofv3

echo "this is not a database, but it is long enough to be one" > "$work/no.db"
refuses "a store that is not SQLite" no.db list runs --store "$work/no.db"
try "$aqueduct" list runs --store "$work/none.db"
check "a store that is named and missing" is_error 2 none.db
refuses "a replay from a store that is not there" none.db \
  replay m --store "$work/none.db"
check "which is then not made" [ ! -e "$work/none.db" ]
refuses "a store in a folder that is not there" "there is no folder $work/nope" \
  import "$trace" --store "$work/nope/x.db"
check "which is not made either" [ ! -e "$work/nope" ]
try env XDG_DATA_HOME="$work/fresh" "$aqueduct" list runs --json
check "a default store that is not there yet is an empty list" \
  [ "$status$(echo "$out" | tr -d ' \n')" = '0[]' ]

try "$aqueduct" help device calibrate
check "help of a verb is that of its command" contains "$out" \
  "Usage: aqueduct device"
refuses "help of a verb that is none" "expected calibrate, predict or probe" \
  help device fit

try "$aqueduct" show none --json
check "an error with --json keeps its status and its line" \
  [ "$status$(wc -l < "$work/err" | tr -d ' ')" = 21 ]
check "and is a document" contains "$(echo "$out" | tr -d '\n')" \
  '"exit_status": 2}'
check "that has the same text" contains "$out" '"error": '
refuses_report() {
  [ "$status" = 2 ] && contains "$err" "expected -o FILE"
}
try "$aqueduct" report m --json
check "a page is no document" refuses_report
try "$aqueduct" report m --json -o "$work/m.html"
check "a document beside a page lists its runs" contains "$out" '"name": "m"'
check "and the page is there" grep -q '<html' "$work/m.html"

echo before > "$work/kept"
refuses "an export that fails" "there is no run" export none -o "$work/kept"
check "leaves the file as it was" [ "$(cat "$work/kept")" = before ]
check "and no other file" [ "$(find "$work" -name 'kept?*' | wc -l)" = 0 ]
try "$aqueduct" export m -o "$work/no/such/folder/file"
check "an output that cannot be made" is_error 2 no/such/folder
if [ -c /dev/full ]; then
  "$aqueduct" export m > /dev/full 2> "$work/err"
  status=$? err=$(cat "$work/err") out=
  check "a full disk" is_error 2 "No space left"
else
  skip "a full disk" "no /dev/full"
fi

# With --json the error is a document, alone or behind the results before it,
# whatever is wrong; exec leaves the standard output to its program.
are_error_documents() { # FILE…: prints the other ones
  python3 -c '
import json, sys
def is_error(path):
    try:
        d = json.load(open(path))
        d = d[-1] if isinstance(d, list) else d
        return d["error"] and d["exit_status"] >= 1
    except (ValueError, KeyError, IndexError, TypeError):
        return False
bad = [path for path in sys.argv[1:] if not is_error(path)]
sys.exit(" ".join(bad) if bad or len(sys.argv) < 2 else 0)' "$@"
}
if command -v python3 > /dev/null; then
  mkdir "$work/documents"
  for command in $("$aqueduct" --help |
    sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    [ "$command" = exec ] && continue
    try "$aqueduct" "$command" --bogus --json
    mv "$work/out" "$work/documents/$command"
    try "$aqueduct" "$command" nosuch nosuch2 --bogus --json
    mv "$work/out" "$work/documents/$command.nosuch"
  done
  check "a wrong option with --json behind it is a document" \
    are_error_documents "$work/documents"/*
  try "$aqueduct" import "$trace" "$work/nothing.json" --json
  check "an import that fails midway is one document" \
    are_error_documents "$work/out"
  check "with the run before the failure" contains "$out" '"id"'
  AQUEDUCT_JSON=1 try "$aqueduct" staats
  check "AQUEDUCT_JSON counts for an unknown command" \
    are_error_documents "$work/out"
else
  skip "errors as documents" "there is no python3"
fi
finish
