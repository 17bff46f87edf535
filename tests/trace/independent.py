# SPDX-License-Identifier: MIT
"""An independent reader of profiles: what is in a Kineto or rocprofv3 JSON, or a
CSV of rocprof, counted from the text alone. Times are whole ps.
"""
import csv
import gzip
import json
from bisect import bisect_left, bisect_right
from collections import Counter

ROWS = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "copy"}
CALLS = {"cuda_runtime", "cuda_driver", "hip_runtime", "privateuse1_runtime"}


def ps(text, unit):
    whole, _, rest = str(text).partition(".")
    places = len(str(unit)) - 1
    return int(whole) * unit + int((rest + "0" * places)[:places] or 0)


def quiet(rows, lost):
    """Idle time of all devices in gaps in which no lost launch begins."""
    total, until, at = 0, {}, sorted(lost)
    for _, _, start, end, _, device in sorted(rows, key=lambda r: r[2]):
        since = until.get(device, start)
        if start > since and bisect_left(at, since) == bisect_right(at, start):
            total += start - since
        until[device] = max(since, end)
    return total


def facts(rows, launches=(), ranges=0):
    """Of rows (kind, name, start, end, id, device) and launches (id, begin)."""
    kernels, times = Counter(), Counter()
    for _, name, start, end, _, _ in rows:
        kernels[name] += 1
        times[name] += end - start
    joined = {row[4] for row in rows}
    lost = [begin for key, begin in launches if key not in joined]
    return {"kernels": sum(r[0] == "kernel" for r in rows),
            "copies": sum(r[0] == "copy" for r in rows), "ranges": ranges,
            "lost": len(lost), "quiet": quiet(rows, lost),
            "calls": dict(kernels), "times": dict(times),
            "span": max(r[3] for r in rows) - min(r[2] for r in rows)}


def kineto(document):
    rows, launches, captures, ranges = [], [], [], 0
    for e in document["traceEvents"]:
        a, cat, name = e.get("args", {}), e.get("cat"), e.get("name")
        if e.get("ph") != "X":
            continue
        start, length = ps(e["ts"], 10**6), ps(e["dur"], 10**6)
        key = (a.get("correlation"), a.get("rank"))
        ranges += cat == "user_annotation"
        if cat in ROWS:
            rows.append((ROWS[cat], name, start, start + length, key, e["pid"]))
        elif cat in CALLS and "Capture" in name and "Stream" in name:
            captures.append((start, "Begin" in name, "End" in name))
        elif cat in CALLS and "Launch" in name and "HostFunc" not in name:
            launches.append((key, start))
    inside = [sum(b and t < at for t, b, _ in captures) >
              sum(n and t < at for t, _, n in captures) for _, at in launches]
    return facts(rows, [l for l, i in zip(launches, inside) if not i], ranges)


def rocprofv3(document):
    rows = []
    for process in document["rocprofiler-sdk-tool"]:
        names = {s["kernel_id"]: s["formatted_kernel_name"]
                 for s in process["kernel_symbols"]}
        for k in process["buffer_records"]["kernel_dispatch"]:
            rows.append(("kernel", names[k["dispatch_info"]["kernel_id"]],
                         ps(k["start_timestamp"], 1000),
                         ps(k["end_timestamp"], 1000), None, 0))
        rows += [("copy", None, ps(c["start_timestamp"], 1000),
                  ps(c["end_timestamp"], 1000), None, 0)
                 for c in process["buffer_records"]["memory_copy"]]
    return facts(rows)


def table(lines):
    rows = []
    for r in csv.DictReader(lines):
        name = r.get("KernelName") or r.get("Kernel_Name")
        start = r.get("BeginNs") or r.get("Start_Timestamp")
        end = r.get("EndNs") or r.get("End_Timestamp")
        rows.append(("kernel", name, ps(start, 1000), ps(end, 1000), None, 0))
    return facts(rows)


def read(path):
    with (gzip.open if path.endswith(".gz") else open)(
            path, "rt", encoding="utf-8", newline="") as text:
        if ".csv" in path:
            return table(text)
        document = json.load(text, parse_float=str, parse_int=str)
    return (kineto if "traceEvents" in document else rocprofv3)(document)
