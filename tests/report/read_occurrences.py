#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads a part of a Kineto trace with no code of the project: the time of the
occurrences of a range on each GPU, and what ran in it. A name ProfilerStep#N is that
step, on any thread of its process.
read_occurrences.py explain TRACE RANGE EXPLAIN: compares it with `aqueduct explain
  --between RANGE --json`: the time, what was busy, and how much communication other
  kernels hid.
read_occurrences.py steps TRACE RANGE STATS: the same of each step with `aqueduct stats
  --by step --json` of that part.
Prints what differs; exit 1 then."""
import gzip
import json
import re
import sys

from kineto_times import ns, union

KINDS = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "copy"}
STEP = re.compile(r"ProfilerStep#(\d+)$")


def events_read(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8", errors="replace") as text:
        return [e for e in json.load(text, parse_float=str)["traceEvents"]
                if e.get("ph") == "X"]


class Row:
    def __init__(self, event, call):
        self.device, self.lane = event["pid"], (event["pid"], event["tid"])
        self.begin = ns(event["ts"])
        self.end = self.begin + ns(event["dur"])
        self.kind = KINDS[event["cat"]]
        if self.kind == "kernel" and event["name"].startswith("nccl"):
            self.kind = "communication"
        self.call = call and (call["pid"], call["tid"], ns(call["ts"]))
        self.step, self.part = None, False


def rows_read(events):
    calls = {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
    rows = [Row(e, calls.get(e.get("args", {}).get("correlation")))
            for e in events if e.get("cat") in KINDS]
    marks = sorted((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["pid"],
                    int(STEP.match(e["name"]).group(1)))
                   for e in events if e.get("cat") == "user_annotation"
                   and STEP.match(e["name"]))
    for row in rows:
        for begin, end, pid, number in marks if row.call else ():
            if pid == row.call[0] and begin <= row.call[2]:
                row.step = number if row.call[2] < end else None
    return rows


def occurrences(events, rows, name):
    """(begin, rows) of each."""
    found = []
    for e in events:
        if e.get("name") != name or e["cat"] not in (
                "user_annotation", *([] if STEP.match(name) else ["gpu_user_annotation"])):
            continue
        begin, end = ns(e["ts"]), ns(e["ts"]) + ns(e["dur"])
        own = []
        for row in rows:
            if e["cat"] == "gpu_user_annotation":
                inside = row.lane == (e["pid"], e["tid"]) and begin <= row.begin < end
            else:
                inside = row.call and begin <= row.call[2] < end and (
                    row.call[0] == e["pid"] if STEP.match(name)
                    else row.call[:2] == (e["pid"], e["tid"]))
            if inside:
                row.part = True
                own.append(row)
        found.append((begin, own))
    return found


def spans_of(device_rows, found, lead):
    """The time of the occurrences on a device; with `lead` also the idle time before
    the first start of each, from the begin of its range on."""
    spans = []
    for begin, own in found:
        own = [row for row in own if row in device_rows]
        if not own:
            continue
        first = min(row.begin for row in own)
        before = [row.end for row in device_rows if row.begin < first]
        if lead and before and max(before) < first and begin < first:
            spans.append((max(begin, *before), first))
        spans.append((first, max(row.end for row in own)))
    return union(spans)


def sweep(spans, rows, window=None):
    """(ns, kinds of the part that run, kinds of all that run) of each piece of time."""
    edges = []
    for place, (begin, end) in enumerate(spans):
        if window:
            begin, end = max(begin, window[0]), min(end, window[1])
        if begin < end:
            edges += [(begin, "in", 1), (end, "in", -1)]
    for row in rows:
        for key in [("all", row.kind)] + ([("part", row.kind)] if row.part else []):
            edges += [(row.begin, key, 1), (row.end, key, -1)]
    running, last = {}, None
    for at, key, change in sorted(edges, key=lambda e: e[0]):
        if running.get("in") and at > last:
            yield (at - last, {k[1] for k, n in running.items() if n and k[0] == "part"},
                   {k[1] for k, n in running.items() if n and k[0] == "all"})
        running[key] = running.get(key, 0) + change
        last = at


def explained(rows, found, lead):
    sums = dict.fromkeys(("time", "kernels", "outside", "communication", "copies",
                          "communicates", "overlap"), 0)
    for device in {row.device for row in rows}:
        own = {row for row in rows if row.device == device}
        for lasts, part, every in sweep(spans_of(own, found, lead), own):
            sums["time"] += lasts
            if "communication" in part:
                sums["communicates"] += lasts
                sums["overlap"] += lasts * ("kernel" in every)
            if "kernel" in part:
                sums["kernels"] += lasts
            elif "communication" in part and "kernel" not in every:
                sums["communication"] += lasts
            elif "copy" in part and every == {"copy"}:
                sums["copies"] += lasts
            elif every:
                sums["outside"] += lasts
    return sums


def steps(rows, found):
    listed, stepped = [], any(row.step is not None for row in rows)
    for device in {row.device for row in rows}:
        own = {row for row in rows if row.device == device}
        spans = spans_of(own, found, False)
        for number in {row.step for row in own
                       if row.part and (row.step is not None or not stepped)}:
            one = [row for row in own if row.part and row.step == number]
            others = {row for row in own if row not in one}
            for row in others:
                row.part = False
            window = (min(r.begin for r in one), max(r.end for r in one))
            sums = dict.fromkeys(("span", "busy", "communication", "exposed", "hidden",
                                  "copy", "copy_exposed"), 0)
            for lasts, part, every in sweep(spans, own, window):
                sums["span"] += lasts
                sums["busy"] += lasts * bool(every)
                if "communication" in part:
                    sums["communication"] += lasts
                    sums["hidden" if "kernel" in every else "exposed"] += lasts
                if "copy" in part:
                    sums["copy"] += lasts
                    sums["copy_exposed"] += lasts * (every == {"copy"})
            listed.append((number, len(one), *sums.values()))
            for row in {r for _, rows_of in found for r in rows_of} & others:
                row.part = True
    return sorted(listed)


def main():
    what, trace, name, told = sys.argv[1:]
    events = events_read(trace)
    rows = rows_read(events)
    found = occurrences(events, rows, name)
    with open(told, encoding="utf-8") as text:
        told = json.load(text)
    if what == "steps":
        expected = steps(rows, found)
        have = sorted((s["step"], s["dispatches"], *(
            s[key + "_ns"] for key in ("span", "busy", "communication", "exposed",
                                       "hidden", "copy", "copy_exposed")))
            for s in told["steps"])
    else:
        expected = explained(rows, found, not STEP.match(name))
        causes = {c["cause"]: c["time_ns"] for c in told["causes"]}
        have = {"time": told["time_ns"], "kernels": causes["kernels"] + causes["tail"],
                "communicates": told["communication_ns"],
                "overlap": told["communication_overlap_ns"],
                **{c: causes[c] for c in ("outside", "communication", "copies")}}
    if have == expected and expected:
        return 0
    print(f"read {expected}, told {have}")
    return 1


sys.exit(main())
