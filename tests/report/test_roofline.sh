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
{"ph":"X","cat":"kernel","name":"other","pid":0,"tid":0,"ts":250,"dur":4,"args":{"device":0,"stream":0,"correlation":6}}
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
assert (work["unknown_calls"], work["calls"]) == (1, 2), work
END
try python3 "$work/work.py" "$work/mm.html"
check "the page has the operator's work, and counts the other" [ "$status" = 0 ]
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
    assert "1 operators with known work; 1 of 2 dispatches have none." in text
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
