#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the ranges of a Kineto trace with no code of the project, and compares them
with `aqueduct stats --json`: read_ranges.py TRACE STATS. A kernel, copy or fill is
in a range if the call of its correlation id began in it on the same thread. Prints
what differs; exit 1 then."""
import gzip
import json
import sys

WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def main():
    trace, stats = sys.argv[1:]
    with gzip.open(trace, "rt", encoding="utf-8", errors="replace") as text:
        events = [e for e in json.load(text)["traceEvents"] if e.get("ph") == "X"]
    calls, expected, numbers = {}, {}, {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
    launched = {}
    for e in events:
        call = calls.get(e.get("args", {}).get("correlation"))
        if e.get("cat") in WORK and call:
            launched.setdefault((call["pid"], call["tid"]), []).append(
                (float(call["ts"]), e["dur"], id(e)))
    for e in events:
        if e.get("cat") != "user_annotation":
            continue
        begin, end = float(e["ts"]), float(e["ts"]) + float(e["dur"])
        inside = expected.setdefault(e["name"], {})
        numbers[e["name"]] = numbers.get(e["name"], 0) + 1
        for at, duration, which in launched.get((e["pid"], e["tid"]), []):
            if begin <= at < end:
                inside[which] = duration
    with open(stats, encoding="utf-8") as text:
        told = {r["name"]: r for r in json.load(text)["ranges"] if r["on"] == "host"}
    wrong = 0
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
