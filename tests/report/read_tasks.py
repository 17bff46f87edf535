#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The answers to a first user's questions, read from Kineto profiles with no code of
the project: read_tasks.py PROFILE. Prints "key value" lines; times are ns."""
import sys
from collections import Counter, defaultdict

from kineto_times import events_read, length, ns

GPU = ("kernel", "gpu_memcpy", "gpu_memset")
PRODUCTS = ("aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm", "aten::linear")


def inside(calls, spans):
    """The innermost of `spans` (lists by thread) around each call."""
    for call in calls:
        best = None
        for span in spans[call["pid"], call["tid"]]:
            if span["t"] <= call["t"] < span["t"] + span["d"] and (
                    best is None or span["t"] >= best["t"]):
                best = span
        yield call, best


def flops_of(op):
    """2 M N K of a product, and M N for its bias; 0: no shapes."""
    dims = op["args"].get("Input Dims", [])
    if op["name"] not in PRODUCTS or not dims or not dims[0]:
        return 0
    if op["name"] in ("aten::addmm", "aten::baddbmm"):
        bias, a, b = dims[:3]
    else:
        (a, b), bias = dims[:2], (dims[2:] or [[]])[0] if op["name"] == "aten::linear" else []
    rows, n = 1, b[0] if op["name"] == "aten::linear" else b[-1]
    for size in a[:-1]:
        rows *= size
    return 2 * rows * n * a[-1] + (rows * n if bias else 0)


def main():
    events = [e for e in events_read(sys.argv[1]) if "ts" in e]
    for e in events:
        e["t"], e["d"] = ns(e["ts"]), ns(e["dur"])
    work = [e for e in events if e.get("cat") in GPU]
    by_device = defaultdict(list)
    for e in work:
        by_device[e["args"]["device"]].append((e["t"], e["t"] + e["d"]))
    first = min(e["t"] for e in work)
    print("span", max(e["t"] + e["d"] for e in work) - first)
    print("busy", sum(length(spans) for spans in by_device.values()))
    names, ops = Counter(), Counter()
    for e in work:
        names[e["name"]] += e["d"]
    print("kernel", names.most_common(1)[0][1], names.most_common(1)[0][0])

    calls = {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver"):
            calls.setdefault(e["args"].get("correlation"), e)
    spans = defaultdict(list)
    for e in events:
        if e.get("cat") in ("cpu_op", "user_annotation"):
            spans[e["pid"], e["tid"]].append(e)
    launched = [(e, calls[e["args"].get("correlation")]) for e in work
                if e["args"].get("correlation") in calls]
    around = dict((id(call), op) for call, op in inside([c for _, c in launched], spans))
    for e, call in launched:
        op = around[id(call)]
        ops[op and op["name"]] += e["d"]
    ops.pop(None, None)
    print("op", ops.most_common(1)[0][1], ops.most_common(1)[0][0])
    products = {id(op): op for op in around.values() if op and op["name"] in PRODUCTS}
    print("gemm", sum(flops_of(op) for op in products.values()))


if __name__ == "__main__":
    main()
