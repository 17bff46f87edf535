#!/bin/sh
# SPDX-License-Identifier: MIT
# The program around launches in the report: steps, operators, communication and memory
# of a made profile by arithmetic, in the page's data and in a browser of three sizes.
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
PYTHONDONTWRITEBYTECODE=1
export AQUEDUCT_STORE PYTHONDONTWRITEBYTECODE
if ! command -v python3 > /dev/null; then
  skip "the page has the program around launches" "needs python3"
  finish
  exit
fi

# Two ranks, three steps of 1000 us. In each a product of 100 us + 10 us a step; 200 us
# later an all-reduce of 200 us, into which rank 1 comes 30 us late, and half of which a
# second product hides; then a copy of 50 us. Rank 0 allocates. STEPS, and us between the
# first step and the second one.
cat > "$work/make.py" << 'END'
import json, sys
events, number = [], 0
def add(cat, name, pid, tid, at, dur, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": at,
                   "dur": dur, "args": args})
def launch(rank, cat, name, stream, call, at, dur):
    global number
    number += 1
    add("cuda_runtime", "hipLaunchKernel", 100 + rank, 1, call, 2, correlation=number, rank=rank)
    add(cat, name, rank, stream, at, dur, correlation=number, device=rank, stream=stream, rank=rank)
for rank in (0, 1):
    for step in range(int(sys.argv[2])):
        t, pid = 10000 + 1000 * step + (step > 0) * float(sys.argv[3]), 100 + rank
        add("user_annotation", f"ProfilerStep#{5 + step}", pid, 1, t, 1000)
        add("cpu_op", "aten::mm", pid, 1, t + 10, 40, **{"Input Dims": [[1024, 2048], [2048, 512]],
            "Input type": ["c10::BFloat16"] * 2, "Concrete Inputs": ["", ""]})
        launch(rank, "kernel", "Cijk_a", 7, t + 20, t + 100,
               100 + 10 * min(step, 2))
        add("cpu_op", "record_param_comms", pid, 1, t + 60, 40, **{"Collective name": "allreduce",
            "dtype": "BFloat16", "In msg nelems": 1000000, "Out msg nelems": 1000000, "Group size": 2,
            "Process Group Name": "0", "Process Group Ranks": "[0, 1]"})
        launch(rank, "kernel", "ncclDevKernel_Generic", 8, t + 70, t + 300 + 30 * rank,
               200 - 30 * rank)
        add("cpu_op", "<b>aten::mm</b>", pid, 1, t + 110, 40)
        launch(rank, "kernel", "Cijk_b", 7, t + 120, t + 400, 200)
        launch(rank, "gpu_memcpy", "Memcpy DtoH", 7, t + 200, t + 700, 50)
for at, size, total in ((12, 1000, 1500), (14, 2000, 3500), (200, -1000, 2500)):
    events.append({"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "pid": 100, "tid": 1,
        "ts": 10000 + at, "args": {"Bytes": size, "Addr": 64 * abs(size), "Device Id": 0,
        "Device Type": 6, "Total Allocated": total, "Total Reserved": 4096}})
json.dump({"deviceProperties": [{"id": i, "name": "AMD Instinct MI300X", "numSms": 304,
           "computeMajor": 9, "computeMinor": 4} for i in (0, 1)],
           "traceEvents": events}, open(sys.argv[1], "w"))
END
python3 "$work/make.py" "$work/t.json" 3 0
"$aqueduct" import -q "$work/t.json" --name t > /dev/null 2>&1
try "$aqueduct" report t -o "$work/t.html"
check "the report is made" [ "$status" = 0 ]
cat > "$work/data.py" << 'END'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
start = text.index('id="data">') + len('id="data">')
[run] = json.loads(text[start:text.index("</script>", start)])["runs"]
us = 1000
def steps():
    s = run["steps"]
    assert (s["by"], s["counted"], s["left_out"], s["in_steps"]) == ("ProfilerStep", 2, 0, 24), s
    assert [(x["step"], x["device"], x["rank"], x["first"]) for x in s["list"]] == [
        (5 + i, d, d, i == 0) for d in (0, 1) for i in range(3)], s
    second = s["list"][1]
    assert {k: second[k] / us for k in ("span", "busy", "compute", "communication", "exposed",
                                        "hidden", "copy", "copy_exposed")} == {
        "span": 650, "busy": 460, "compute": 310, "communication": 200, "exposed": 100,
        "hidden": 100, "copy": 50, "copy_exposed": 50}, second
    assert s["span"]["mean"] / us == s["span"]["median"] / us == 650, s["span"]
    # Of each step the slowest device, the first where spans are equal.
    assert s["exposed"]["mean"] / us == 100, s["exposed"]
def groups():
    by = {g["by"]: {x["name"]: (x["calls"], x["time"] / us) for x in g["list"]}
          for g in run["groups"]}
    assert set(by) == {"family", "op"}, by
    assert by["op"] == {"aten::mm": (6, 660), "<b>aten::mm</b>": (6, 1200), "record_param_comms": (6, 1110),
                        **{f"ProfilerStep#{n}": (2, 100) for n in (5, 6, 7)}}, by
    # A kernel whose op has no family has that of its name.
    assert by["family"] == {"gemm": (12, 1860), "communication": (6, 1110), "copy": (6, 300)}, by
def collectives():
    c = run["collectives"]
    [one] = c["list"]
    assert one["name"] == "allreduce bf16[1000000], 2 ranks" and one["calls"] == 6, one
    assert one["bytes"] == 6 * 2e6 and abs(one["bus"] / (12e6 / 1110e-6) - 1) < 1e-6, one
    assert (c["matched"], c["outside"], c["unmatched"], c["unnamed"]) == (3, 0, 0, 0), c
    assert [(r["rank"], r["last"], r["late"] / us, r["waited"] / us) for r in c["ranks"]] == [
        (0, 0, 0, 90), (1, 3, 90, 0)], c
def memory():
    m = run["memory"]
    [d] = m["devices"]
    assert (d["peak"], d["name"], d["before"], d["reserved"], d["blocks"], d["left"]) == (
        3500, "aten::mm", 500, 4096, 2, 1), d
    assert [(o["name"], o["peak"], o["left_bytes"]) for o in m["ops"]] == [
        ("aten::mm", 3000, 2000)], m
def long():
    # The sums are of all steps, also of steps that the list has no room for.
    s, c = run["steps"], run["collectives"]
    assert len(s["list"]) == 1000 and s["left_out"] == 1400, (len(s["list"]), s["left_out"])
    assert [(d["device"], d["rank"], d["communication"] / us, d["exposed"] / us, d["hidden"] / us)
            for d in c["devices"]] == [(0, 0, 240000, 120000, 120000), (1, 1, 204000, 84000, 120000)], c["devices"]
    begin = [x["begin"] - s["list"][0]["begin"] for x in s["list"][:3]]
    assert begin == [0, 900e9 + 1000001, 900e9 + 2000001], begin
def between():
    # Collectives between steps are communication, too.
    s, c = run["steps"], run["collectives"]
    assert s["in_steps"] == 16 and s["list"][0]["communication"] / us == 200, s
    assert [(d["device"], d["rank"], d["communication"] / us, d["exposed"] / us, d["hidden"] / us)
            for d in c["devices"]] == [(0, 0, 600, 300, 300), (1, 1, 510, 210, 300)], c["devices"]
def part():
    assert run["memory"] is None, run["memory"]
    assert [x["step"] for x in run["steps"]["list"]] == [6, 6] and \
        not any(x["first"] for x in run["steps"]["list"]), run["steps"]
    assert run["collectives"]["matched"] == 1 and run["collectives"]["outside"] == 2
    assert sum(x["calls"] for x in run["groups"][0]["list"]) == 8
def nothing():
    assert run["steps"]["by"] is None and len(run["steps"]["list"]) > 0, run["steps"]
    assert run["collectives"] is None and run["memory"] is None and run["work"] is None
    assert [g["by"] for g in run["groups"]] == ["family"], run["groups"]
globals()[sys.argv[2]]()
END
for what in steps groups collectives memory; do
  try python3 "$work/data.py" "$work/t.html" $what
  check "the page has the $what" [ "$status" = 0 ]
done
"$aqueduct" report t --step 6 -o "$work/part.html" 2> /dev/null
try python3 "$work/data.py" "$work/part.html" part
check "of a part of the run, it has those of the part" [ "$status" = 0 ]
jq '.traceEvents |= map(select(.name != "ProfilerStep#7"))' "$work/t.json" > "$work/between.json"
"$aqueduct" import -q "$work/between.json" --name between > /dev/null 2>&1
"$aqueduct" report between -o "$work/between.html"
try python3 "$work/data.py" "$work/between.html" between
check "the communication of a device includes collectives between steps" [ "$status" = 0 ]
python3 "$work/make.py" "$work/long.json" 1200 900000000.001
"$aqueduct" import -q "$work/long.json" --name long > /dev/null 2>&1
"$aqueduct" report long -o "$work/long.html"
try python3 "$work/data.py" "$work/long.html" long
check "sums have all steps, of which the page has 1000, and times are exact" [ "$status" = 0 ]
"$aqueduct" import -q "$srcdir/tests/trace/data/rocprof_v1.csv" --name none > /dev/null
"$aqueduct" report none -o "$work/none.html"
try python3 "$work/data.py" "$work/none.html" nothing
check "a run without operators has families and no more" [ "$status" = 0 ]

if ! command -v chromedriver > /dev/null; then
  skip "the browser shows them" "there is no chromedriver"
  finish
  exit
fi
cat > "$work/drive.py" << 'END'
import base64, pathlib, sys
sys.path.insert(0, sys.argv[1])
from browser import Browser
from drive_timeline import CONTRAST
def hidden(browser):
    return browser.run("return [...document.querySelectorAll('main > section')]"
                       ".filter(s => s.hidden).map(s => s.id)")
def size(browser, width, height):
    browser.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride",
        "params": {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}})
browser = Browser()
try:
    browser.open(sys.argv[3])
    assert {"steps-section", "communication-section", "memory-section"} <= set(hidden(browser))
    browser.open(sys.argv[2])
    assert not {"steps-section", "groups-section", "communication-section", "work-section",
                "memory-section"} & set(hidden(browser)), hidden(browser)
    numbers = browser.run("return [...document.querySelectorAll('.numbers strong')]"
                          ".map(n => n.textContent)")
    assert numbers[0] == "2.650 ms" and numbers[2] == "650.0 µs", numbers
    bars = browser.run("return [...document.querySelectorAll('#diagnosis .charts svg')].map("
                       "svg => [...svg.querySelectorAll('g')].map(g => g.children.length))")
    # Compute, exposed communication, copy, idle, and the title.
    assert bars == [[5, 5, 5], [5, 5, 5]], bars
    text = browser.text("#diagnosis")
    assert ("2 without the first of each device, each on its slowest device, take 650.0 µs in "
            "the mean") in text, text
    assert "gemm" in text and "24 of 24 dispatches" in text, text
    rows = "return [...document.querySelectorAll('#groups tbody td.name')].map(c => c.textContent)"
    assert browser.run(rows)[0] == "<b>aten::mm</b>", browser.run(rows)
    browser.run("const s = document.getElementById('group-by'); s.value = 'family';"
                "s.dispatchEvent(new Event('change'))")
    assert browser.run(rows) == ["gemm", "communication", "copy"], browser.run(rows)
    said = browser.text("#communication")
    assert ("1.110 ms of communication, 510.0 µs without other kernels beside it; 3 collectives "
            "matched over ranks; rank 1 made the others wait the most: it came last into 3, "
            "by 90.00 µs in all, and ran something for 0 ns of that.") in said, said
    said = browser.text("#memory")
    assert "by aten::mm" in said and "2 allocations" in said, said
    curve = browser.run("return document.querySelector('#memory path.curve').getAttribute('d')")
    assert curve.count("L") >= 2, curve
    browser.run("document.querySelector('#steps tbody button').click()")
    assert "Selected: step 5, device 0" in browser.text("#selection").replace("rank 0, ", ""), \
        browser.text("#selection")
    for theme in ("dark", "light"):
        while browser.run("return document.documentElement.dataset.theme") != theme:
            browser.run("document.getElementById('theme').click()")
        for width, height in ((1600, 1000), (1000, 700), (390, 844)):
            size(browser, width, height)
            wide = browser.run("return document.documentElement.scrollWidth")
            assert wide <= width, (theme, width, wide)
            if len(sys.argv) > 5:
                shot = browser.call("POST", "/goog/cdp/execute", {"cmd": "Page.captureScreenshot",
                    "params": {"captureBeyondViewport": True}})
                pathlib.Path(sys.argv[5], f"program-{theme}-{width}.png").write_bytes(
                    base64.b64decode(shot["data"]))
        seen, low = browser.run(CONTRAST)
        assert seen > 100 and not low, low
    browser.open(sys.argv[4])
    said = browser.text("#communication")
    assert "444.0 ms of communication, 204.0 ms without other kernels beside it" in said, said
    assert browser.text("#diagnosis").count("1400 more steps not shown.") == 1
    assert not browser.console()
finally:
    browser.close()
END
try python3 "$work/drive.py" "$srcdir/tests/report" "$work/t.html" "$work/none.html" "$work/long.html" \
  ${AQ_SCREENSHOTS:+"$AQ_SCREENSHOTS"}
check "the browser shows them, at 1600, 1000 and 390 pixels, dark and light" [ "$status" = 0 ]
finish
