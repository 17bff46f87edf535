#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reads parts of runs with no code of the project.
read_part.py step TRACE N: of a Kineto trace, the dispatches launched in ProfilerStep#N:
  how many, the ns of the kernels among them, and the kernels' names, sorted.
read_part.py outside WHOLE STORE RUN FROM TO: of a run and its JSON Lines, what lies
  outside of the part of dispatches that start FROM to TO us behind the first: edges,
  samples, requests and preemptions.
read_part.py kernels FORMAT FILE: the names of the kernels in an export, sorted; of chrome the names
  of all rows, of perfetto each of the form k1 once."""
import csv
import gzip
import json
import re
import sqlite3
import sys

from kineto_times import ns

WORK = ("kernel", "gpu_memcpy", "gpu_memset")


def step(trace, number):
    opened = gzip.open if trace.endswith(".gz") else open
    with opened(trace, "rt", encoding="utf-8", errors="replace") as text:
        events = [e for e in json.load(text, parse_float=str)["traceEvents"]
                  if e.get("ph") == "X"]
    steps = [e for e in events if e["name"] == f"ProfilerStep#{number}"
             and e["cat"] == "user_annotation"]
    calls = {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
    inside = []
    for e in events:
        call = calls.get(e.get("args", {}).get("correlation"))
        if e.get("cat") in WORK and call and any(
                s["pid"] == call["pid"] and
                0 <= ns(call["ts"]) - ns(s["ts"]) < ns(s["dur"]) for s in steps):
            inside.append((ns(e["ts"]), e["name"], ns(e["dur"]), e["cat"]))
    kernels = [(at, name, dur) for at, name, dur, cat in inside if cat == "kernel"]
    print(len(inside), sum(dur for _, _, dur in kernels),
          *sorted(name for _, name, _ in kernels))


def outside(whole, store, run, begin, end):
    with open(whole, encoding="utf-8") as text:
        lines = list(map(json.loads, text))
    rows = {line["row"]: line for line in lines if "row" in line}
    work = {n: r for n, r in rows.items() if r["kind"] in ("kernel", "copy", "fill")
            and "start" in r and "end" in r}
    first = min(r["start"] for r in work.values())
    part = {n: r for n, r in work.items()
            if int(begin) * 10 ** 6 <= r["start"] - first < int(end) * 10 ** 6}
    times = [r[k] for r in part.values() for k in ("host_begin", "start", "end") if k in r]
    least, most = min(times), max(times)

    def is_out(at, until):
        return until < least or at > most
    taken = set(part)
    for n, r in rows.items():
        own = [r[k] for k in ("host_begin", "host_end", "submit", "start", "end", "complete")
               if k in r]
        if n not in work and own and not is_out(min(own), max(own)):
            taken.add(n)
    edges = sum(line["from"] not in taken or line["to"] not in taken
                for line in lines if line["kind"] == "edge")
    samples = sum(is_out(line["time"], line["time"])
                  for line in lines if line["kind"] == "sample")
    db = sqlite3.connect(store)
    regions = [sum(is_out(at, until) for at, until in db.execute(
        f"SELECT {a}, {b} FROM {table} WHERE run = ? AND {a} >= 0 AND {b} >= 0", (run,)))
        for table, a, b in (("requests", "arrival", "complete"),
                            ("preemptions", "asked", "freed"))]
    print(edges, samples, *regions)


def kernels(form, path):
    with open(path, encoding="utf-8") as text:
        if form == "chrome":
            found = [e["name"] for e in json.load(text)["traceEvents"]
                     if e["ph"] == "X" and "row" in e.get("args", {})]
        elif form == "csv":
            found = [r["name"] for r in csv.DictReader(text) if r["kind"] == "kernel"]
        elif form == "rocprofv3-csv":
            found = [r["Kernel_Name"] for r in csv.DictReader(text)]
        else:
            found = [r["name"] for r in map(json.loads, text) if r["kind"] == "kernel"]
    print(*sorted(found))


def texts(path):
    """Names like k1 in a protobuf: fields of two bytes."""
    with open(path, "rb") as data:
        print(*sorted({m.decode() for m in re.findall(rb"\x02(k\d)", data.read())}))


def main():
    command, *arguments = sys.argv[1:]
    if command == "kernels" and arguments[0] == "perfetto":
        texts(arguments[1])
    else:
        {"step": step, "outside": outside, "kernels": kernels}[command](*arguments)


main()
