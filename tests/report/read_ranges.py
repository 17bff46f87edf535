#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the ranges of a Kineto trace with no code of the project, and compares them
with `aqueduct stats --json` and `stats --by path --json`: read_ranges.py TRACE STATS
PATHS. A kernel, copy or fill is in a range if the call of its correlation id began in
it on the same thread. Prints what differs; exit 1 then."""
import gzip
import json
import sys

WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def paths_differ(ranges, launched, groups):
    """Calls and kernel time by the names of the ranges around the launch."""
    expected = {}
    for thread, calls in launched.items():
        by_begin = sorted(ranges.get(thread, []), key=lambda r: (r[0], -r[1]))
        for at, duration, _ in calls:
            path = " / ".join(name for begin, end, name in by_begin if begin <= at < end)
            calls_before, time_before = expected.get(path, (0, 0))
            expected[path] = calls_before + 1, time_before + duration
    told = {"" if g["key"] is None else g["name"]: (g["calls"], g["kernel"]["total_ns"] / 1e3)
            for g in groups}
    wrong = [(path, expected.get(path), told.get(path)) for path in expected | told
             if path and (path not in told or path not in expected or
                          told[path][0] != expected[path][0] or
                          abs(told[path][1] - expected[path][1]) > 0.01 + 1e-6 * told[path][1])]
    for path, want, have in wrong:
        print(f"{path}: read {want}, told {have}")
    return len(wrong)


def main():
    trace, stats, paths = sys.argv[1:]
    with gzip.open(trace, "rt", encoding="utf-8", errors="replace") as text:
        events = [e for e in json.load(text)["traceEvents"] if e.get("ph") == "X"]
    calls, expected, numbers = {}, {}, {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
    launched, ranges = {}, {}
    for e in events:
        call = calls.get(e.get("args", {}).get("correlation"))
        if e.get("cat") in WORK and call:
            launched.setdefault((call["pid"], call["tid"]), []).append(
                (float(call["ts"]), e["dur"], id(e)))
    for e in events:
        if e.get("cat") != "user_annotation":
            continue
        begin, end = float(e["ts"]), float(e["ts"]) + float(e["dur"])
        ranges.setdefault((e["pid"], e["tid"]), []).append((begin, end, e["name"]))
        inside = expected.setdefault(e["name"], {})
        numbers[e["name"]] = numbers.get(e["name"], 0) + 1
        for at, duration, which in launched.get((e["pid"], e["tid"]), []):
            if begin <= at < end:
                inside[which] = duration
    with open(stats, encoding="utf-8") as text:
        told = {r["name"]: r for r in json.load(text)["ranges"] if r["on"] == "host"}
    with open(paths, encoding="utf-8") as text:
        wrong = paths_differ(ranges, launched, json.load(text)["groups"])
    for name, inside in expected.items():
        got = told.get(name, {})
        want = (numbers[name], len(inside), sum(inside.values()))
        have = (got.get("ranges"), got.get("dispatches"), got.get("kernel_ns", 0) / 1e3)
        if want[:2] != have[:2] or abs(want[2] - have[2]) > 0.01 + 1e-6 * want[2]:
            print(f"{name}: read {want}, told {have}")
            wrong += 1
    print(f"{len(expected)} names, {wrong} differ")
    return 1 if wrong or not expected else 0


sys.exit(main())
