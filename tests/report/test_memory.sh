#!/bin/sh
# SPDX-License-Identifier: MIT
# Allocations of profiles: the peak, the ops that held it, and blocks that stay.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
PYTHONDONTWRITEBYTECODE=1
export AQUEDUCT_STORE PYTHONDONTWRITEBYTECODE

# A profile by hand: op `grow` allocates twice, `keep` once and never frees; a
# block of 500 was there before; the address of the first is used again.
memory() { # TS BYTES ADDR TOTAL [DEVICE]
  echo '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,' \
    "\"tid\":7,\"ts\":$1,\"args\":{\"Bytes\":$2,\"Addr\":$3," \
    "\"Total Allocated\":$4,\"Total Reserved\":4096,\"Device Id\":${5:-0}," \
    '"Device Type":6}},'
}
cat > "$work/small.json" << END
{"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":2,"tid":0,"ts":150,"dur":5,
 "args":{"device":2,"stream":0,"correlation":9}},
{"ph":"X","cat":"cpu_op","name":"grow","pid":1,"tid":7,"ts":100,"dur":20,"args":{}},
{"ph":"X","cat":"cpu_op","name":"keep","pid":1,"tid":7,"ts":130,"dur":10,"args":{}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":7,"ts":90,"dur":90,"args":{}},
$(memory 101 1000 256 1500)
$(memory 110 -1000 256 500)
$(memory 112 2000 256 2500)
$(memory 133 64 4096 2564)
$(memory 140 -500 8192 2064)
$(memory 145 -2000 256 64)
{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":7,"ts":3,"args":{"Bytes":1}},
{"ph":"i","cat":"cpu_instant_event","name":"Other","pid":1,"tid":7,"ts":3,"args":{}}
]}
END
try "$aqueduct" import "$work/small.json" --name small
check "an allocation that lacks its address is counted" \
  contains "$err" "skipped 1 unreadable record of an op, call frame or allocation"
check "an op that only allocates is none that launched work" \
  contains "$err" "1 kernel, 0 copies"
check "the allocations are counted, those from before the trace too" \
  contains "$err" "4 allocations of memory"
try "$aqueduct" stats small --memory --json
check "the peak is the recorded total, with its op and step" [ "$(echo "$out" |
  tr -d ' \n' | grep -c '"peak_bytes":2564,"peak_ns":-17000.000,"peak_op":"keep","peak_step":4,"reserved_bytes":4096,"before_bytes":500,"allocations":3,"bytes":3064,"not_freed":1,"not_freed_bytes":64')" = 1 ]
try "$aqueduct" stats small --memory --top 1
check "the op that held the most comes first" contains "$out" "grow"
check "a size of bytes is no 0.0 MiB" [ \
  "$(echo "$out" | grep -c '<0.1') $(echo "$out" | grep -c ' 0\.0 ')" = "2 0" ]
check "the others are a count" contains "$out" "1 more op"
check "in the document, too" [ \
  "$("$aqueduct" stats small --memory --top 1 --json | jq -c '[(.ops | length), .ops_left_out]')" = '[1,1]' ]
check "all blocks have a size" [ \
  "$("$aqueduct" stats small --memory --json | jq '.devices[0].unsized')" = 0 ]
check "which the table does not say" [ "$(echo "$out" | grep -c "of unknown size")" = 0 ]
try "$aqueduct" export small --format chrome -o "$work/small.chrome"
check "a timeline has the counter" \
  grep -q memory_allocated "$work/small.chrome"
try "$aqueduct" store check
check "the store is sound" [ "$status" = 0 ]
for option in "--by op" "--between fwd" "--step 1" "--time 1us.."; do
  # shellcheck disable=SC2086 # an option and its value
  try "$aqueduct" stats small --memory $option
  check "--memory with ${option% *} is refused" [ "$status" = 2 ]
  check "in one line" [ "$err" = "aqueduct: error: --memory is of the whole run, by device and \
op: it takes no --by, --between, --step or --time" ]
done

# Steps that overlap: a kernel and an allocation of one time are in one step.
cat > "$work/steps.json" << END
{"traceEvents":[
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#4","pid":1,"tid":7,"ts":90,"dur":100,"args":{}},
{"ph":"X","cat":"user_annotation","name":"ProfilerStep#5","pid":1,"tid":8,"ts":160,"dur":50,"args":{}},
{"ph":"X","cat":"hip_runtime","name":"hipLaunchKernel","pid":1,"tid":7,"ts":170,"dur":3,"args":{"correlation":9}},
{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":0,"ts":180,"dur":5,
 "args":{"device":0,"stream":0,"correlation":9}},
{"ph":"X","cat":"cpu_op","name":"aten::grow","pid":1,"tid":7,"ts":169,"dur":20,"args":{}},
$(memory 171 1000 256 1000)
{"ph":"i","cat":"cpu_instant_event","name":"Other","pid":1,"tid":7,"ts":3,"args":{}}
]}
END
"$aqueduct" import -q "$work/steps.json" --name steps > /dev/null
check "kernels and allocations of one time are in the same step" [ \
  "$("$aqueduct" stats steps --memory --json | jq '.devices[0].peak_step')" = 5 ]
try "$aqueduct" stats steps --memory
check "tables have the whole names of operators" [ "$(echo "$out" | grep -c "aten::grow")" = 2 ]
check "which began last" [ \
  "$("$aqueduct" stats steps --by step --json | jq '.steps[].step')" = 5 ]

# The trace lost a free: the next block at the address shows it.
begin='{"traceEvents":[
{"ph":"X","cat":"kernel","name":"k","pid":2,"tid":0,"ts":150,"dur":5,
 "args":{"device":0,"stream":0,"correlation":9}},'
end='{"ph":"i","cat":"cpu_instant_event","name":"Other","pid":1,"tid":7,"ts":3,"args":{}}
]}'
echo "$begin $(memory 101 1000 256 1000) $(memory 110 1000 256 1000)
$(memory 120 64 4096 1064) $(memory 130 -1000 256 64) $end" > "$work/again.json"
try "$aqueduct" import "$work/again.json" --name again
check "a lost free is counted" contains "$err" "1 allocation at an address in use"
check "by its address" contains "$err" 'address allocated again: "0x100"'
try "$aqueduct" stats again --memory --json
check "its block is freed: none of it is from before the trace, nor left" [ "$(echo "$out" |
  tr -d ' \n' | grep -c '"peak_bytes":1064,.*"before_bytes":0,"allocations":3,"bytes":2064,"not_freed":1,"not_freed_bytes":64')" = 1 ]
echo "$begin $(memory 101 9000000000000000000 256 1) $(memory 110 1000 512 9000000000000000000)
$(memory 120 64 4096 64) $end" > "$work/huge.json"
try "$aqueduct" import "$work/huge.json" --name huge
check "a size or total that no memory has is left out" contains "$err" \
  "skipped 2 unreadable records of an op, call frame or allocation"
try "$aqueduct" stats huge --memory --json
check "and the others are read" contains "$(echo "$out" | tr -d ' \n')" '"peak_bytes":64,'

# A Device Id that neither a row nor a property of the trace has.
echo "$begin $(memory 101 64 256 64) $(memory 102 64 512 64 7) $end" |
  sed 's/"pid":2/"pid":0/' > "$work/unlisted.json"
try "$aqueduct" import "$work/unlisted.json" --name unlisted
check "an allocation of a device that the profile does not list is counted" contains \
  "$err" "1 record of a device that the source does not list"
check "by its number" contains "$err" 'Device Id: "7"'
sed 's/{"traceEvents"/{"deviceProperties":[{"id":0},{"id":7}],"traceEvents"/' \
  "$work/unlisted.json" > "$work/listed.json"
try "$aqueduct" import "$work/listed.json" --name listed
check "one of a listed device is not" [ "$(echo "$err" | grep -c "does not list")" = 0 ]

# rocprofv3 --memory-allocation-trace: frees name an address alone.
mkdir "$work/csv"
cat > "$work/csv/1_agent_info.csv" << END
"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Name","Product_Name"
0,0,"CPU",64,"cpu","a CPU"
2,1,"GPU",304,"gfx942","AMD Instinct MI300X"
END
cat > "$work/csv/1_kernel_trace.csv" << END
"Kind","Agent_Id","Queue_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp"
"KERNEL_DISPATCH","Agent 2",1,"k",1,5000,6000
END
cat > "$work/csv/1_memory_allocation_trace.csv" << END
"Kind","Operation","Agent_Id","Allocation_Size","Address","Correlation_Id","Start_Timestamp","End_Timestamp"
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 2",1024,"0x00007f0000000000",1,1000,1100
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 2",4096,"0x00007f0000100000",2,2000,2100
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_FREE","",0,"0x00007f0000000000",3,3000,3100
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 2",512,"0x00007f0000000000",4,4000,4100
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE","Agent 0",8192,"0x00007e0000000000",5,4500,4600
"MEMORY_ALLOCATION","MEMORY_ALLOCATION_FREE","",0,"0x0",6,4700,4710
END
try "$aqueduct" import "$work/csv" --name csv
check "allocations of rocprofv3 are read" [ "$status" = 0 ]
try "$aqueduct" stats csv --memory --json
check "its sizes are added" [ "$(echo "$out" | tr -d ' \n' |
  grep -c '"device":0,"peak_bytes":5120,.*"allocations":3,"bytes":5632,"not_freed":2,"not_freed_bytes":4608.*"device":null,"peak_bytes":8192,')" = 1 ]
# An agent that the file of agents lacks, and no agent.
mkdir "$work/unlisted"
cp "$work/csv/1_agent_info.csv" "$work/csv/1_kernel_trace.csv" "$work/unlisted"
sed -e '2s/Agent 2/Agent 9/' -e '3s/Agent 2//' "$work/csv/1_memory_allocation_trace.csv" \
  > "$work/unlisted/1_memory_allocation_trace.csv"
try "$aqueduct" import "$work/unlisted"
check "allocations of agents that the trace does not list are counted" contains "$err" \
  "2 records of a device that the source does not list"
check "the first by its number" contains "$err" "counted as the host's: agent: \"9\""
# Blocks from before the trace are freed: of which size and where is not recorded.
mkdir "$work/before"
cp "$work/csv/1_agent_info.csv" "$work/csv/1_kernel_trace.csv" "$work/before"
sed -e '7s/0x0/0x9000/' "$work/csv/1_memory_allocation_trace.csv" \
  > "$work/before/1_memory_allocation_trace.csv"
"$aqueduct" import -q "$work/before" --name before > /dev/null
check "freed blocks of unknown size are counted" [ "$("$aqueduct" stats before --memory --json |
  jq -c '[.devices[] | [.device, .unsized]]')" = '[[0,0],[null,1]]' ]
try "$aqueduct" stats before --memory
check "the table has a column of them" contains "$out" "of unknown size"
# The same address twice, on one GPU and then on the host, and sizes without end.
mkdir "$work/twice" "$work/endless"
cp "$work/csv/1_agent_info.csv" "$work/csv/1_kernel_trace.csv" "$work/twice"
cp "$work/twice/"* "$work/endless"
row='"MEMORY_ALLOCATION","MEMORY_ALLOCATION_ALLOCATE"'
{
  head -n 1 "$work/csv/1_memory_allocation_trace.csv"
  echo "$row,\"Agent 2\",1024,\"0x1000\",1,1000,1100"
  echo "$row,\"Agent 2\",1000,\"0x1000\",2,2000,2100"
  echo "$row,\"Agent 2\",512,\"0x2000\",3,3000,3100"
  echo "$row,\"Agent 0\",4096,\"0x1000\",4,4000,4100"
  echo "$row,\"Agent 2\",2048,\"0x3000\",5,5000,5100"
} > "$work/twice/1_memory_allocation_trace.csv"
try "$aqueduct" import "$work/twice" --name twice
check "both lost frees are counted" contains "$err" "2 allocations at an address in use"
try "$aqueduct" stats twice --memory --json
check "their sizes are taken off the sum of their device" [ "$(echo "$out" |
  tr -d ' \n' | grep -c '"device":0,"peak_bytes":2560,.*"before_bytes":0,.*"not_freed":2,"not_freed_bytes":2560.*"device":null,"peak_bytes":4096,')" = 1 ]
{
  head -n 1 "$work/csv/1_memory_allocation_trace.csv"
  awk -v row="$row" 'BEGIN { for (i = 1; i <= 8200; i++)
    printf "%s,\"Agent 2\",1125899906842624,\"0x%x\",%d,%d,%d\n", row, 4096 * i, i, i, i }'
} > "$work/endless/1_memory_allocation_trace.csv"
try "$aqueduct" import "$work/endless" --name endless
check "a sum out of range is counted" contains "$err" "sum of the sizes"
try "$aqueduct" stats endless --memory
check "and refused" [ "$status" = 2 ]
check "by name" contains "$err" "add up to more than 2^62 bytes"
# The same as JSON: operations by number, agents by handle, addresses as text.
python3 - "$work/csv/1_memory_allocation_trace.csv" "$work/t.json" << 'END'
import csv, json, sys
operations = ["MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE",
              "MEMORY_ALLOCATION_VMEM_ALLOCATE", "MEMORY_ALLOCATION_FREE"]
agents = {"Agent 0": 10, "Agent 2": 12, "": (1 << 64) - 1}
rows = [{"size": 80, "kind": 0, "operation": operations.index(r["Operation"]),
         "thread_id": 5, "correlation_id": {"internal": int(r["Correlation_Id"]), "external": 0},
         "start_timestamp": int(r["Start_Timestamp"]), "end_timestamp": int(r["End_Timestamp"]),
         "agent_id": {"handle": agents[r["Agent_Id"]]}, "address": r["Address"],
         "allocation_size": int(r["Allocation_Size"])}
        for r in csv.DictReader(open(sys.argv[1]))]
kernel = {"size": 1, "kind": 1, "operation": 0, "thread_id": 5, "stream_id": {"handle": 0},
          "correlation_id": {"internal": 1, "external": 0}, "start_timestamp": 5000,
          "end_timestamp": 6000, "dispatch_info": {"agent_id": {"handle": 12}, "queue_id": {"handle": 1},
          "kernel_id": 1, "workgroup_size": {"x": 1, "y": 1, "z": 1}, "grid_size": {"x": 1, "y": 1, "z": 1}}}
json.dump({"rocprofiler-sdk-tool": [{
    "metadata": {"pid": 1},
    "agents": [{"id": {"handle": 10}, "type": 1, "name": "cpu"},
               {"id": {"handle": 12}, "type": 2, "name": "gfx942", "cu_count": 304}],
    "kernel_symbols": [{"kernel_id": 1, "formatted_kernel_name": "k"}],
    "strings": {"buffer_records": [{"kind": "MEMORY_ALLOCATION", "operations": operations}]},
    "buffer_records": {"kernel_dispatch": [kernel], "memory_allocation": rows}}]},
    open(sys.argv[2], "w"))
END
try "$aqueduct" import "$work/t.json" --name json
check "allocations of its JSON are read" [ "$status" = 0 ]
for name in csv json; do
  "$aqueduct" stats $name --memory --json | jq '.devices, .ops' > "$work/$name.out"
done
check "and equal the CSV's" cmp -s "$work/csv.out" "$work/json.out"
try "$aqueduct" import "$srcdir/tests/trace/data/rocprof_v1.csv" --name none
try "$aqueduct" stats none --memory
check "a run without allocations is refused" [ "$status" = 2 ]
check "with what records them" contains "$err" "profile_memory=True"

# Published profiles.
raw=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
if [ -r "$raw/mi300x_norm.json.gz" ] && command -v python3 > /dev/null; then
  try python3 "$srcdir/tests/report/read_memory.py" "$aqueduct" \
    "$raw/mi300x_norm.json.gz" "$raw/mi300x_bert.json.gz" \
    "$raw/mi300x_nsfw_vit.json.gz" "$raw/mi300x_qwen05b.json.gz" \
    "$raw/mi300x_timesformer.json.gz" "$raw/mi300x_resnet18.json.gz"
  check "an independent reader finds the same in published profiles" \
    [ "$status" = 0 ]
else
  skip "an independent reader finds the same in published profiles" \
    "no published traces in AQ_DATA"
fi
finish
