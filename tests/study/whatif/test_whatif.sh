#!/bin/sh
# SPDX-License-Identifier: MIT
# The table of what-ifs: each change moves the makespan its way.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

"$aqueduct" import "$srcdir/tests/cli/two-streams.json" --name m -q > /dev/null

# The value of a member in the row of a change. Python is slow to start: it
# reads a table once.
member() { # CHANGE KEY
  cmp -s "$work/out" "$work/table" || {
    cp "$work/out" "$work/table"
    python3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["changes"]:
    for key, value in row.items():
        print(row["change"], key, value, sep="\t")' \
      "$work/table" > "$work/members"
  }
  awk -F'\t' -v change="$1" -v key="$2" \
    '$1 == change && $2 == key { print $3; exit }' "$work/members"
}
less() { # A B
  awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

try "$aqueduct" whatif m --host x0.5 --launch x2 --set dispatch_setup=3x \
  --clock x0.5 --queues 1 --json
check "the table is JSON" is_json "$work/out"
before=$(member none after_ns)
check "a faster host shortens the run" less "$(member 'host x0.5' after_ns)" \
  "$before"
check "longer launch calls lengthen it" less "$before" \
  "$(member 'launch x2' after_ns)"
check "so does a slower packet processor" less "$before" \
  "$(member 'set dispatch_setup=3x' after_ns)"
check "a slower clock makes kernels longer" less "$before" \
  "$(member 'clock x0.5' after_ns)"
check "and says that it predicts" [ "$(member 'clock x0.5' predicted)" = True ]
check "a measured duration is no prediction" \
  [ "$(member 'host x0.5' predicted)" = False ]
check "the range contains the middle" less "$(member 'clock x0.5' least_ns)" \
  "$(member 'clock x0.5' after_ns)"
check "all changes have a row" [ -n "$(member all after_ns)" ]
check "the parts of the path make up the makespan" python3 -c '
import json, sys
for row in json.load(open(sys.argv[1]))["changes"]:
    path = row["critical_path_after"]
    parts = sum(path[p + "_ns"] for p in
                ("kernels", "copies", "dispatch", "host", "return",
                 "unknown"))
    assert abs(parts - path["makespan_ns"]) < 0.01, row' "$work/out"

first=$(cat "$work/out")
try "$aqueduct" whatif m --host x0.5 --launch x2 --set dispatch_setup=3x \
  --clock x0.5 --queues 1 --json
check "the same question has the same answer" [ "$first" = "$out" ]
try "$aqueduct" whatif m --host x1 --json
check "a factor of 1 changes nothing" \
  [ "$(member 'host x1' after_ns)" = "$(member none after_ns)" ]
edits=$(for i in $(seq 31); do
  echo "--set dispatch_setup=${i}us"
done)
# shellcheck disable=SC2086 # words
try "$aqueduct" whatif m $edits --json
check "the last of many edits is in force" [ "$(member all after_ns)" = \
  "$(member 'set dispatch_setup=31us' after_ns)" ]
check "and said once" [ "$(member all basis | grep -o edited | wc -l)" = 1 ]
cp "$srcdir/src/backend_sim/model/devices/mi210.device" \
  "$work/$(printf %0200d 0).device"
try "$aqueduct" whatif m --device "$work/$(printf %0200d 0).device" --host x2 \
  --clock x2 --launch x2 --json
check "nothing of a long change is cut" contains "$out" \
  "\"change\": \"device $work/$(printf %0200d 0).device\""
check "nor of a basis" contains "$(member all basis)" "unknown kernels)"
try "$aqueduct" whatif m --graphs
check "as a table" contains "$out" "source of each row"
try "$aqueduct" list runs --json
check "nothing is stored" [ "$(echo "$out" | grep -c '"id"')" = 1 ]

# 100 kernels back to back; every second of the launch calls, or kernels, is lost.
hundred() { # LOST
  awk -v lost="$1" 'BEGIN {
  call = "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"pid\":9,\"tid\":9," \
    "\"name\":\"hipLaunchKernel\",\"ts\":%d,\"dur\":4," \
    "\"args\":{\"correlation\":%d}},\n"
  print "{\"deviceProperties\":[{\"id\":0,\"name\":\"AMD Instinct MI300X\"}],"
  print "\"traceEvents\":["
  for (i = 1; i <= 100; i++) {
    if (lost != "calls" || i % 2)
      printf call, 10 * i, i
    if (lost == "kernels" && i % 2 == 0)
      continue
    printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"pid\":0,\"tid\":0,"
    printf "\"name\":\"k\",\"ts\":%d,\"dur\":100,\"args\":", 101 * i - 80
    printf "{\"device\":0,\"stream\":0,\"correlation\":%d}},\n", i
  }
  printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"pid\":9,\"tid\":9,"
  printf "\"name\":\"hipDeviceSynchronize\",\"ts\":1010,\"dur\":9200,"
  print "\"args\":{\"correlation\":999}}]}"
}' > "$work/$1.json"
  "$aqueduct" import "$work/$1.json" --name "$1" -q > /dev/null
}
hundred kernels
hundred calls
try "$aqueduct" whatif kernels --launch x0.5 --json
check "a replay without the lost kernels is shorter than the run" \
  less "$(member none after_ns)" 9000000
check "whose time its range contains" less 9996999 "$(member none most_ns)"
check "and says by how much it is shorter" contains "$out" \
  " us shorter than the run (4"
path_unknown='.critical_path.unknown_ns - (.causes[] |
  select(.cause == "unknown") | .time_ns) | fabs < 1'
check "the critical path has the unknown time of the causes" \
  [ "$("$aqueduct" explain kernels --json | jq "$path_unknown")" = true ]
try "$aqueduct" whatif kernels --launch x0.5
check "as its table does" contains "$out" \
  "the unchanged replay of the damaged run is"
try "$aqueduct" whatif calls --launch x0.5 --host x0.5 --json
check "rows without a call are none of the submissions" contains \
  "$(member 'launch x0.5' basis)" "50 submissions of the trace's launch calls"
for change in launch host; do
  check "--$change says how many rows it cannot change" contains \
    "$(member "$change x0.5" basis)" "50 of 100 rows without a host call: not"
done
check "and the run that half of them have none" contains "$out" \
  "rows without the host call that earlier rows of the queue have (50.0 % of all)"

"$aqueduct" export m -o "$work/m.jsonl"
python3 - "$work/m.jsonl" "$work/before.jsonl" << 'END'
import json, sys
with open(sys.argv[2], "w") as to:
    for line in open(sys.argv[1]):
        row = json.loads(line)
        for key in ("host_begin", "host_end", "start", "end", "submission"):
            if key in row:
                row[key] -= 10 ** 12
        print(json.dumps(row), file=to)
END
"$aqueduct" import "$work/before.jsonl" --name before -q > /dev/null
row() { # RUN: its times without a change
  "$aqueduct" whatif "$1" --host x0.5 --json | jq -c '[.changes[] | .after_ns]'
}
try "$aqueduct" replay m --name m --replace
check "a replay does not remove its origin" contains "$status $err" \
  "2 aqueduct: error: --replace: would remove run m, which is replayed"
check "times may be before the begin of the clock" [ "$(row before)" = "$(row m)" ]

try "$aqueduct" report m --host x0.5 --graphs -o "$work/page.html"
check "the report has the table" grep -q '"change":"host x0.5"' \
  "$work/page.html"
check "and still all of its data is JSON" python3 -c '
import json, re, sys
text = open(sys.argv[1]).read()
data = re.search(r"id=\"data\">(.*?)</script>", text, re.S).group(1)
table = json.loads(data)["runs"][0]["whatif"]
assert [r["change"] for r in table["changes"]] == [
    "none", "host x0.5", "graphs", "all"]' "$work/page.html"
try "$aqueduct" report m -o "$work/plain.html"
check "without changes it tries the usual ones" \
  grep -q '"change":"launch x0.5"' "$work/plain.html"

# Two ranks: the first waits 100 us in its collective for the other.
rank() { # PID DEVICE KERNEL START LENGTH, of the collective
  cat << EVENTS
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": $1, "tid": $1, "ts": 60, "dur": 3, "args": {"correlation": ${1}1}},
    {"ph": "X", "cat": "kernel", "name": "Cijk_Ailk", "pid": $2, "tid": 0, "ts": 67.7, "dur": $3, "args": {"device": $2, "stream": 0, "correlation": ${1}1, "grid": [64, 1, 1], "block": [256, 1, 1]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": $1, "tid": $1, "ts": 64, "dur": 3, "args": {"correlation": ${1}2}},
    {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_Generic", "pid": $2, "tid": 0, "ts": $4, "dur": $5, "args": {"device": $2, "stream": 0, "correlation": ${1}2, "grid": [64, 1, 1], "block": [256, 1, 1]}},
    {"ph": "X", "cat": "cuda_runtime", "name": "hipDeviceSynchronize", "pid": $1, "tid": $1, "ts": 68, "dur": 170, "args": {"correlation": ${1}3}}
EVENTS
}
ranks() { # NAME: events of ranks from standard input
  {
    echo '{"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000,
      "deviceProperties": [
      {"id": 0, "name": "AMD Instinct MI300X", "numSms": 304},
      {"id": 1, "name": "AMD Instinct MI300X", "numSms": 304}],
      "traceEvents": ['
    cat
    echo ']}'
  } > "$work/$1.json"
  "$aqueduct" import "$work/$1.json" --name "$1" -q > /dev/null
}
{
  rank 7 0 12.3 80 150
  echo ,
  rank 8 1 112.3 180 50
} | ranks two
after() { # CHANGE: its makespan after it, in whole us
  echo "$out" | sed -n "/\"change\": \"$1/,/after_ns/s/.*after_ns\": //p" |
    awk '{ printf "%.0f", $1 / 1000 }'
}
try "$aqueduct" whatif two --link x2 --clock x4 --json
check "collectives are split into waiting" contains "$out" \
  '"waiting_ns": 100000.000'
check "and transfer" contains "$out" '"transfer_ns": 100000.000'
check "those of all ranks meet" contains "$out" \
  "2 of 2 collective kernels wait for the last of 2 ranks"
check "a link scales what is not fixed of the transfer alone" \
  [ "$(($(after none) - $(after link)))" = 11 ]
check "waiting follows the slower rank's kernel" \
  [ "$(($(after none) - $(after clock)))" -gt 50 ]
# The second GPU's launches start 11 us later than the first one's.
try "$aqueduct" replay two --device mi300x,mi300x-rocm6.4-vf --name late
check "a replay has ranks wait for each other" contains "$err" \
  "2 of 2 collective kernels wait for the last of 2 GPUs"
try "$aqueduct" replay two --device mi300x --name alike
ends() { # RUN: of its collective kernels, in whole us
  "$aqueduct" export "$1" --format csv -o "$work/$1.csv" > /dev/null
  python3 -c '
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if "nccl" in r["name"]]
print(*(round(float(r["end"]) / 1000) for r in rows))' "$work/$1.csv"
}
check "kernels of a collective end together" \
  [ "$(ends late | tr ' ' '\n' | sort -u | wc -l)" = 1 ]
check "when the later rank is done" \
  [ "$(($(ends late | cut -d' ' -f1) - $(ends alike | cut -d' ' -f1)))" -gt 9 ]
try "$aqueduct" whatif two --link x2
check "the row of a link is predicted" contains \
  "$(echo "$out" | grep '^link')" yes
rank 7 0 12.3 80 150 | ranks one
try "$aqueduct" whatif one --link x2 --json
check "a rank alone meets nobody" contains "$out" \
  "0 of 1 collective kernels wait for the last of 1 ranks"
try "$aqueduct" whatif m --link 2
check "a link needs a factor" contains "$err" "expected a factor"

try "$aqueduct" whatif m --link x2
check "what nothing depends on is no change of 0 %" contains "$out" \
  "link x2: nothing in this run depends on it;"
try "$aqueduct" whatif m --link x2 --json
check "nor in JSON" contains "$out" '"depends": false'

# 50 products of 1 ms, launched in half a millisecond, and a copy to the host
# whose call waits for them.
events() {
  awk 'BEGIN {
    call = "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"pid\": 1, \"tid\": 1, "
    device = "\"pid\": 0, \"tid\": 0, \"args\": {\"device\": 0, \"stream\": 0, "
    for (i = 0; i < 50; i++) {
      printf "%s\"name\": \"hipLaunchKernel\", \"ts\": %d, \"dur\": 5, \"args\": {\"correlation\": %d}},\n",
        call, 1000 + 10 * i, i + 1
      printf "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"Cijk_Ailk_Bljk_BBS\", \"ts\": %d, \"dur\": 1000, %s\"correlation\": %d, \"grid\": [304, 1, 1], \"block\": [256, 1, 1]}},\n",
        1020 + 1000 * i, device, i + 1
    }
    printf "%s\"name\": \"%s\", \"ts\": 1500, \"dur\": 49556, \"args\": {\"correlation\": 51}},\n",
      call, "'"$1"'"
    printf "{\"ph\": \"X\", \"cat\": \"gpu_memcpy\", \"name\": \"Memcpy DtoH (Device -> Host)\", \"ts\": 51026, \"dur\": 20, %s\"correlation\": 51, \"bytes\": 4096}}\n",
      device
  }'
}
events hipMemcpyWithStream | ranks blocking
try "$aqueduct" whatif blocking --clock x3 --json
check "a run that ends with a blocking copy shrinks with its kernels" \
  less "$(after clock)" 40000
check "by no more than these" less 17000 "$(after clock)"
check "its critical path is its kernels" python3 -c '
import json, sys
row = json.load(open(sys.argv[1]))["changes"][0]
path = row["critical_path_after"]
assert path["kernels_ns"] > 0.98 * path["makespan_ns"], path' "$work/out"
events hipMemcpyAsync | ranks pageable
try "$aqueduct" whatif pageable --clock x3 --json
check "so does one whose copy blocks whatever its name" less "$(after clock)" \
  40000

# The memory's bandwidth moves copies within the device, not those to the host.
sed 's/DtoH (Device -> Host)/DtoD (Device -> Device)/; s/"dur": 20,/"dur": 10000,/
  s/"dur": 49556/"dur": 59536/' "$work/blocking.json" > "$work/within.json"
"$aqueduct" import "$work/within.json" --name within -q > /dev/null
sed 's/"dur": 20,/"dur": 10000,/; s/"dur": 49556/"dur": 59536/' \
  "$work/blocking.json" > "$work/host.json"
"$aqueduct" import "$work/host.json" --name host -q > /dev/null
try "$aqueduct" whatif host --bandwidth x2 --json
to_host=$(($(after none) - $(after bandwidth)))
try "$aqueduct" whatif within --bandwidth x2 --json
check "a copy of 10 ms within the device follows the memory" \
  [ "$(($(after none) - $(after bandwidth) - to_host))" -gt 2500 ]
check "and its basis counts it" contains "$out" "copies and fills: 1"

# No host call is recorded.
grep -v cuda_runtime << 'EVENTS' | ranks silent
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 0, "ts": 10, "dur": 5, "args": {"device": 0, "stream": 0, "grid": [64, 1, 1], "block": [256, 1, 1]}},
    {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 0, "ts": 20, "dur": 5, "args": {"device": 0, "stream": 0, "grid": [64, 1, 1], "block": [256, 1, 1]}}
EVENTS
for change in "launch x0.5" "host x0.5" graphs; do
  # shellcheck disable=SC2086 # words
  try "$aqueduct" whatif silent --$change
  check "--$change of a run without host calls is refused" [ "$status" = 2 ]
  check "and says why" contains "$err" "records no host call"
done
# 15 us, 10 of them kernels, which a clock twice as fast halves at most.
try "$aqueduct" whatif silent --clock x2 --json
check "a host that followed the device is in its range" \
  less "$(member 'clock x2' least_ns)" 10001
check "and so is one that did not" less 14999 "$(member 'clock x2' most_ns)"
check "what its kernels waited for is unknown, not the host" python3 -c '
import json, sys
path = json.load(open(sys.argv[1]))["changes"][0]["critical_path_after"]
assert path["unknown_ns"] == 5000 and path["host_ns"] == 0, path' "$work/out"
try "$aqueduct" report silent -o "$work/silent.html"
check "a report tries what is left" [ "$status" = 0 ]
check "without them" [ "$(grep -c '"change":"launch' "$work/silent.html")" = 0 ]

# A run that does not name its GPU: --device is a change.
sed 's/"name": "AMD Instinct MI300X", "numSms": 304/"name": ""/' \
  "$work/blocking.json" > "$work/unnamed.json"
"$aqueduct" import "$work/unnamed.json" --name unnamed -q > /dev/null
try "$aqueduct" whatif unnamed --device mi300x
check "without a device before the change it is refused" [ "$status" = 2 ]
check "and the line says how to name it" contains "$err" "AQUEDUCT_DEVICE"
try env AQUEDUCT_DEVICE=mi210 "$aqueduct" whatif unnamed --device mi300x
check "so named, it is replayed" [ "$status" = 0 ]
check "on both" contains "$out" "closed loop on mi210"

try "$aqueduct" whatif m
check "without a change there is nothing to ask" [ "$status" = 2 ]
try "$aqueduct" whatif m --host 0.5
check "a bare number is no factor" [ "$status" = 2 ]
check "and the error says so" contains "$err" "expected a factor"
try "$aqueduct" whatif m --device nothing
check "an unknown device is refused" [ "$status" = 2 ]
try "$aqueduct" whatif m --set no_such_key=0.5x
check "so is an unknown constant" [ "$status" = 2 ]

finish
