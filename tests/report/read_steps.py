#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads the steps of a Kineto trace with no code of the project: what computes,
communicates and copies in each ProfilerStep#N on each GPU, and how much communication
no computation of the GPU hides, of this step or another. Compares it with `aqueduct stats --by step --json`:
read_steps.py TRACE STATS. Prints what differs; exit 1 then."""
import json
import re
import statistics
import sys

from kineto_times import events_read, length, ns

KINDS = {"kernel": "compute", "gpu_memcpy": "copy", "gpu_memset": "copy"}


def main():
    events = events_read(sys.argv[1])
    calls, steps, found, gpus = {}, [], {}, {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
        if e.get("cat") == "user_annotation" and re.match(r"ProfilerStep#\d+$", e["name"]):
            steps.append((e["pid"], ns(e["ts"]), ns(e["dur"]), int(e["name"][13:])))
    for e in events:
        call = calls.get(e.get("args", {}).get("correlation"))
        if e.get("cat") not in KINDS:
            continue
        kind = "communication" if e["name"].startswith("nccl") else KINDS[e["cat"]]
        gpus.setdefault(e["pid"], {}).setdefault(kind, []).append(
            (ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])))
        if not call:
            continue
        for pid, begin, lasts, number in steps:
            if pid == call["pid"] and 0 <= ns(call["ts"]) - begin < lasts:
                at = ns(e["ts"])
                found.setdefault((e["pid"], number), {}).setdefault(kind, []).append(
                    (at, at + ns(e["dur"])))
    expected = []
    for (gpu, number), spans in found.items():
        everything = [s for one in spans.values() for s in one]
        compute, comm = spans.get("compute", []), spans.get("communication", [])
        first, last = min(b for b, _ in everything), max(e for _, e in everything)
        ran = [(max(b, first), min(e, last)) for one in gpus[gpu].values()
               for b, e in one if b < last and e > first]
        hides = gpus[gpu].get("compute", [])
        expected.append({
            "step": number, "dispatches": len(everything), "span_ns": last - first,
            "busy_ns": length(ran), "compute_ns": length(compute),
            "communication_ns": length(comm), "copy_ns": length(spans.get("copy", [])),
            "exposed_ns": length(hides + comm) - length(hides)})
    with open(sys.argv[2], encoding="utf-8") as text:
        told = json.load(text)
    have = [{key: s[key] for key in expected[0]} for s in told["steps"]]
    order = lambda s: (s["step"], s["span_ns"], s["busy_ns"])  # noqa: E731
    wrong = sorted(have, key=order) != sorted(expected, key=order)
    firsts = min(s["step"] for s in expected)
    for key in ("span", "busy", "exposed"):
        slowest = {}
        for s in sorted(expected, key=lambda s: s["span_ns"]):
            slowest[s["step"]] = s[key + "_ns"]
        rest = [value for number, value in slowest.items() if number != firsts]
        wrong |= told["all_but_first"]["count"] != len(rest)
        got = told["all_but_first"][key]
        wrong |= bool(rest) and (abs(got["mean_ns"] - statistics.mean(rest)) > 1
                                 or abs(got["median_ns"] - statistics.median(rest)) > 1)
    print(f"{len(expected)} steps, {'they differ' if wrong else 'equal'}")
    return 1 if wrong else 0


sys.exit(main())
