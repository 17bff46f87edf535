#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the work of operators with TraceLens's published tables, with no code of
the project: `read_tables.py trace TABLE OUT` writes a Kineto trace whose operators
have the shapes, counts and mean kernel times of the table; `read_tables.py compare
TABLE STATS` compares `aqueduct stats --by shape --json` of it, within 1 %."""
import ast
import csv
import json
import sys

SIDES = ("", "h100::", "mi300::")
TYPES = {"c10::BFloat16": "bf16", "float": "f32", "double": "f64", "long int": "i64",
         "int": "i32", "bool": "bool", "c10::Half": "f16"}
GFLOPS, MIB, MEAN = "GFLOPS", "Data Moved (MB)", "Kernel Time (µs)_mean"


def rows_of(table):
    csv.field_size_limit(1 << 30)
    with open(table, encoding="utf-8") as text:
        for row in csv.DictReader(text):
            for side in SIDES:
                if row.get(side + MEAN):
                    inputs = [ast.literal_eval(row[key]) for key in
                              ("Input Dims", "Input type", "Concrete Inputs")]
                    yield side, row, inputs, int(float(row[side + "operation_count"]))


def shape_of(row, inputs):
    tensors = [f"{TYPES[kind]}[{','.join(map(str, dims))}]"
               for dims, kind in zip(inputs[0], inputs[1]) if kind in TYPES]
    return f"{row['name']}({', '.join(tensors)})"


def trace(table, out):
    events, at = [], 0

    def add(cat, name, pid, begin, dur, args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": 1,
                       "ts": begin, "dur": dur, "args": args})

    for side, row, inputs, count in rows_of(table):
        time = round(float(row[side + MEAN]), 3)
        for _ in range(count):
            at += 1
            add("cpu_op", row["name"], 9, at * 1000, 900, {"External id": at,
                "Input Dims": inputs[0], "Input type": inputs[1],
                "Concrete Inputs": inputs[2]})
            add("cuda_runtime", "hipLaunchKernel", 9, at * 1000 + 10, 5,
                {"correlation": at})
            add("kernel", side + row["name"], 0, at * 1000 + 50, time,
                {"correlation": at, "device": 0, "stream": 0})
    with open(out, "w", encoding="utf-8") as text:
        json.dump({"traceEvents": events}, text)


def compare(table, stats):
    expected, wrong, known = {}, 0, 0
    for side, row, inputs, count in rows_of(table):
        if not row[side + GFLOPS]:
            continue
        sums = expected.setdefault(shape_of(row, inputs), [0, 0, 0])
        sums[0] += count * 1e9 * float(row[side + GFLOPS])
        sums[1] += count * 2**20 * float(row[side + MIB])
        sums[2] += count * 1e3 * float(row[side + MEAN])
    with open(stats, encoding="utf-8") as text:
        told = {g["name"]: g for g in json.load(text)["groups"]}
    for shape, (flops, moved, ns) in expected.items():
        g = told.get(shape, {})
        have = (g.get("flops"), g.get("work_bytes"), g.get("tflops"), g.get("gbps"))
        want = (flops, moved, flops / ns / 1e3, moved / ns)
        known += g.get("flops") is not None
        if not all(h is not None and abs(h - w) <= 0.01 * w for h, w in zip(have, want)):
            print(f"{shape}: table {want}, told {have}")
            wrong += 1
    print(f"{len(expected)} shapes, {known} known, {wrong} differ")
    return 1 if wrong or not expected else 0


sys.exit({"trace": trace, "compare": compare}[sys.argv[1]](*sys.argv[2:]))
