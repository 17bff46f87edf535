#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the kernels, copies and fills of a Kineto trace by op, module or step with no
code of the project, and compares them with `aqueduct stats --json`:
read_ops.py TRACE op|module|step STATS. Prints what differs; exit 1 then."""
import json
import re
import sys

from kineto_times import events_read, ns

SPANS = {"op": ("cpu_op user_annotation", ""), "module": ("python_function", "nn.Module: "),
         "step": ("user_annotation", r"ProfilerStep#\d+$")}


def sums(events, by):
    """Calls and ns of each group."""
    calls, lanes, expected = {}, {}, {}

    def add(name, duration):
        count, total = expected.get(name, (0, 0))
        expected[name] = (count + 1, total + duration)

    for number, e in enumerate(events):
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
        if e.get("cat") in SPANS[by][0].split() and re.match(SPANS[by][1], e["name"]):
            lane = (e["pid"], by == "step" or e["tid"])
            begin, end = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
            name = int(e["name"].split("#")[1]) if by == "step" else e["name"]
            lanes.setdefault(lane, []).append((begin, 0, -end, number, name))
    for number, e in enumerate(events):
        if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            call = calls.get(e.get("args", {}).get("correlation"))
            if call:
                lanes.setdefault((call["pid"], by == "step" or call["tid"]), []).append(
                    (ns(call["ts"]), 1, 0, number, ns(e["dur"])))
            else:
                add(None, ns(e["dur"]))
    for items in lanes.values():
        around = []
        for at, is_row, end, _, what in sorted(items):
            around = [a for a in around if a[0] > at]
            if is_row:
                add(around[-1][1] if around else None, what)
            else:
                around.append((-end, what))
    return expected


def main():
    trace, by, stats = sys.argv[1:]
    expected = sums(events_read(trace), by)
    with open(stats, encoding="utf-8") as text:
        told = {g["key"] if by == "step" or g["key"] is None else g["name"]:
                (g["calls"], g["kernel"]["total_ns"]) for g in json.load(text)["groups"]}
    wrong = [n for n in {*expected, *told} if expected.get(n) != told.get(n)]
    for name in wrong[:5]:
        print(f"{name}: read {expected.get(name)}, told {told.get(name)}")
    print(f"{len(expected)} groups, {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
