#!/bin/sh
# SPDX-License-Identifier: MIT
# The roofline of the report: operations, bytes and peaks by arithmetic, and the
# picture in a browser.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
PYTHONDONTWRITEBYTECODE=1
export AQUEDUCT_STORE PYTHONDONTWRITEBYTECODE
if ! command -v python3 > /dev/null; then
  skip "the page has the work of operators" "needs python3"
  finish
  exit
fi

# A product of 8 x 16 and 16 x 32 in bf16, in 2 us on an MI300X; an operator
# without shapes; one that launches nothing.
cat > "$work/mm.json" << 'END'
{"deviceProperties":[{"id":0,"name":"AMD Instinct MI300X","numSms":304,"computeMajor":9,"computeMinor":4}],
"traceEvents":[
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":7,"ts":100,"dur":20,
 "args":{"Input Dims":[[8,16],[16,32]],"Input type":["c10::BFloat16","c10::BFloat16"],"Concrete Inputs":["",""]}},
{"ph":"X","cat":"cpu_op","name":"aten::mystery","pid":1,"tid":7,"ts":200,"dur":20,"args":{}},
{"ph":"X","cat":"hip_runtime","name":"hipLaunchKernel","pid":1,"tid":7,"ts":105,"dur":3,"args":{"correlation":5}},
{"ph":"X","cat":"hip_runtime","name":"hipLaunchKernel","pid":1,"tid":7,"ts":205,"dur":3,"args":{"correlation":6}},
{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":0,"ts":150,"dur":2,"args":{"device":0,"stream":0,"correlation":5}},
{"ph":"X","cat":"kernel","name":"other","pid":0,"tid":0,"ts":250,"dur":4,"args":{"device":0,"stream":0,"correlation":6}},
{"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":7,"ts":300,"dur":20,
 "args":{"Collective name":"allreduce","In msg nelems":64,"Out msg nelems":64,"dtype":"Float","Group size":2,
  "Process Group Name":"0","Process Group Ranks":"[0, 1]"}},
{"ph":"X","cat":"hip_runtime","name":"hipLaunchKernel","pid":1,"tid":7,"ts":305,"dur":3,"args":{"correlation":7}},
{"ph":"X","cat":"kernel","name":"ncclDevKernel","pid":0,"tid":0,"ts":350,"dur":8,"args":{"device":0,"stream":0,"correlation":7}}
]}
END
"$aqueduct" import -q "$work/mm.json" --name mm > /dev/null
try "$aqueduct" report mm -o "$work/mm.html"
check "the report is made" [ "$status" = 0 ]
cat > "$work/work.py" << 'END'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
at = text.index('"work":') + len('"work":')
work, _ = json.JSONDecoder().raw_decode(text[at:].lstrip())
[group] = work["groups"]
assert group["name"] == "aten::mm(bf16[8,16], bf16[16,32])", group
assert group["flops"] == 2 * 8 * 16 * 32, group
assert group["bytes"] == 2 * (8 * 16 + 16 * 32 + 8 * 32), group
assert group["time"] == 2000, group
assert group["family"] == "gemm" and group["peak_name"] == "bf16 matrix"
# 1307.4 TFLOP/s and 5.3 TB/s: AMD's data sheet of the MI300X.
assert abs(group["peak_flops"] / 1307.4e12 - 1) < 1e-3, group
assert group["peak_bytes"] == 5.3e12, group
assert (work["unknown_calls"], work["calls"]) == (1, 3), work
assert (work["groups_without_point"], work["groups_left_out"]) == (1, 0), work
assert (work["drawn_time"], work["all_time"]) == (2000, 14000), work
END
try python3 "$work/work.py" "$work/mm.html"
check "the page has the operator's work, and counts the others" [ "$status" = 0 ]

# 203 shapes on one device, each some time shorter than the one before it.
cat > "$work/shapes.py" << 'END'
import json, sys
events = []
for i in range(203):
    ts = 1000 * (i + 1)
    events += [
        {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 7,
         "ts": ts - 1, "dur": 900},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 7, "ts": ts, "dur": 20,
         "args": {"Input Dims": [[8, i + 1], [i + 1, 8]], "Concrete Inputs": ["", ""],
                  "Input type": ["float", "float"]}},
        {"ph": "X", "cat": "hip_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 7, "ts": ts + 2,
         "dur": 3, "args": {"correlation": i + 1}},
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 0, "ts": ts + 10,
         "dur": 300 - i, "args": {"device": 0, "stream": 0, "correlation": i + 1}}]
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
cat > "$work/many.py" << 'END'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
at = text.index('"work":') + len('"work":')
work, _ = json.JSONDecoder().raw_decode(text[at:].lstrip())
durations = [1000 * (300 - i) for i in range(203)]
if sys.argv[2] == "all":
    assert len(work["groups"]) == 200 and work["groups_left_out"] == 3, work
    assert work["all_time"] == sum(durations), work
    assert work["all_time"] - work["drawn_time"] == sum(durations[200:]), work
else:
    [group] = work["groups"]
    assert group["flops"] == 2 * 8 * 8 * 5 and group["time"] == durations[4], group
    assert work["calls"] == 1 and work["all_time"] == durations[4], work
END
python3 "$work/shapes.py" "$work/shapes.json"
"$aqueduct" import -q "$work/shapes.json" --name shapes > /dev/null
"$aqueduct" report shapes -o "$work/shapes.html"
try python3 "$work/many.py" "$work/shapes.html" all
check "groups behind the 200 longest are counted, with their time" [ "$status" = 0 ]
"$aqueduct" report shapes --step 4 -o "$work/step.html" 2> "$work/err"
try python3 "$work/many.py" "$work/step.html" step
check "of a part of the run, its operators alone are drawn" [ "$status" = 0 ]
"$aqueduct" import -q "$srcdir/tests/trace/data/rocprof_v1.csv" --name none > /dev/null
"$aqueduct" report none -o "$work/none.html"
check "a run without operators has none" grep -q '"work":null' "$work/none.html"

if command -v chromedriver > /dev/null; then
  cat > "$work/drive.py" << 'END'
import math, sys
sys.path.insert(0, sys.argv[1])
from browser import Browser, Tap
browser = Browser()
try:
    browser.open(sys.argv[3])
    assert browser.run("return document.getElementById('work-section').hidden")
    browser.open(sys.argv[2])
    [[x, y, title]] = browser.run(
        "return [...document.querySelectorAll('#work circle')].map((c) => "
        "[+c.getAttribute('cx'), +c.getAttribute('cy'), c.textContent])")
    # 4.571 FLOP a byte between 1 and 1000, 4.096 GFLOP/s between 1 G and 10 P.
    want = (52 + math.log10(8192 / 1792) / 3 * (560 - 52 - 12),
            300 - 34 - math.log10(4.096) / 7 * (300 - 34 - 10))
    assert abs(x - want[0]) < 0.1 and abs(y - want[1]) < 0.1, (x, y, want)
    assert "4.1 GFLOP/s, 0.0 % of memory" in title, title
    text = browser.text("#work")
    assert ("1 operator with known work; 1 of 3 dispatches without; 1 operator without "
            "operations or bytes, as collectives, not drawn; "
            "12.00 µs of 14.00 µs not drawn.") in text, text
    assert "bf16 matrix: 1.31 PFLOP/s" in text, text
    assert not browser.console()
finally:
    browser.close()
END
  try python3 "$work/drive.py" "$srcdir/tests/report" "$work/mm.html" \
    "$work/none.html"
  check "the browser draws it where its operations and bytes say" \
    [ "$status" = 0 ]
else
  skip "the browser draws it where its operations and bytes say" \
    "there is no chromedriver"
fi
finish
