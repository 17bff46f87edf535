#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of names against the same rows in JSON: different names print differently.
read_names.py check AQUEDUCT GROUP RUN...: stats of each run by GROUP, and compare of each
with the next one, at several widths. Prints what is wrong; exit 1 then.
read_names.py make FOLDER SEED: writes a.json and b.json, profiles of long names in which
b has other versions of some kernels of a."""
import json
import os
import random
import re
import subprocess
import sys

WIDTHS = (None, "80", "120", "150", "200")
VALUE = re.compile(r"(-|[-+]?\d[\d.]*|\d+>\d+)$")


def told(aqueduct, arguments, columns=None):
    environment = {k: v for k, v in os.environ.items() if k != "COLUMNS"}
    if columns:
        environment["COLUMNS"] = columns
    return subprocess.run([aqueduct, *arguments], env=environment, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def rows_of(text, title, count):
    """The first column of the first `count` rows below the last header with a title."""
    lines = text.split("\n")
    first = max(i for i, line in enumerate(lines) if line.startswith(title + " "))
    rows = [re.sub(r"(\d+) > (\d+) ", r"\1>\2 ", line).replace(" *", "").split(" ")
            for line in lines[first + 1:first + 1 + count]]
    rows = [[word for word in row if word] for row in rows]
    values = []
    for row in rows:
        last = len(row)
        while last > 0 and VALUE.match(row[last - 1]):
            last -= 1
        values.append(len(row) - last)
    # A name may end with a number itself; no row has fewer values than the table.
    return [" ".join(row[:len(row) - min(values)]) for row in rows] if rows else []


def tile_of(name):
    found = re.search(r"_MT\d+x[\dx]+", name)
    return found.group(0)[1:] if found else None


def table_check(where, shown, names, wrong):
    if len(shown) != len(names):
        wrong.append(f"{where}: {len(shown)} rows for {len(names)}")
        return
    seen = {}
    for text, name in zip(shown, names):
        if seen.setdefault(text, name) != name:
            wrong.append(f"{where}: {text} twice")


def renamed_check(where, text, pairs, columns, wrong):
    lines = text.split("\n")
    head = next(i for i, line in enumerate(lines) if line.startswith("renamed kernel "))
    second, third = lines[head].index("new name"), lines[head].index("calls before")
    shown = []
    for line, pair in zip(lines[head + 1:], pairs):
        shown += [line[:second].rstrip(), line[second:third].rstrip()]
        if shown[-1] == shown[-2]:
            wrong.append(f"{where}: {shown[-1]} on both sides")
        for one, name in zip(shown[-2:], pair):
            if columns >= 150 and tile_of(name) and tile_of(name) not in one:
                wrong.append(f"{where}: {one} without its tile")
    table_check(where, shown, [name for pair in pairs for name in pair], wrong)


def trace_write(path, names):
    events = []
    for n, name in enumerate(names, 1):
        at = 100 * n
        events += [
            {"ph": "X", "cat": "cpu_op", "name": f"aten::mm_{n % 7}", "pid": 1, "tid": 1,
             "ts": at - 1, "dur": 6,
             "args": {"External id": n, "Input Dims": [[n, 16], [16, 8]],
                      "Input type": ["float", "float"]}},
            {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": 1,
             "ts": at, "dur": 2, "args": {"correlation": n}},
            {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": at + 10,
             "dur": 10 + n, "args": {"correlation": n, "device": 0, "stream": 7,
                                     "grid": [64, 1, 1], "block": [64, 1, 1]}}]
    with open(path, "w", encoding="utf-8") as to:
        json.dump({"traceEvents": events}, to)


def make(folder, seed):
    draw = random.Random(seed)
    sides = [[], []]
    tiles = ["MT128x64x32", "MT256x256x64", "MT16x16x512"]
    for n in range(60):
        flags = "_".join(f"{flag}{draw.choice('001')}" for flag in
                         "AFC AG CLR CADS DTLA DTLB EPS GLS IU LPA LPB SS TIN USL VWA".split())
        was = f"Cijk_A{draw.choice(['lik', 'ilk'])}_Bljk_BBS_BH_Bias_{draw.choice(tiles)}_{flags}"
        now = was.replace("_CLR", draw.choice(["_CB0_CLR", "_CLR"])).replace("_SS", "_SK0_SS")
        if n % 3 == 0:
            space = draw.choice(["at::native", "at::cuda", "caffe2"])
            was = now = f"void {space}::reduce_kernel<{n % 4}, {space}::Sum<float>>(int, {n % 8})"
        sides[0].append(was)
        sides[1].append(now)
    for run, names in zip("ab", sides):
        trace_write(f"{folder}/{run}.json", names)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]))
        return 0
    aqueduct, group, *runs = sys.argv[2:]
    wrong = []
    for run in runs:
        document = json.loads(told(aqueduct, ["stats", run, "--by", group, "--json"]))
        names = [g["name"] or str(g["key"]) for g in document["groups"]]
        for columns in WIDTHS:
            text = told(aqueduct, ["stats", run, "--by", group], columns)
            table_check(f"stats {run}, {columns}", rows_of(text, group, len(names)),
                        names, wrong)
    for run, other in zip(runs, runs[1:]):
        arguments = ["compare", run, other, "--by", group]
        document = json.loads(told(aqueduct, arguments + ["--json"]))[0]
        names = [(g["name"], g.get("new_name")) for g in document["groups"]]
        pairs = [(r["was"], r["is"]) for r in document["renamed"]]
        for columns in WIDTHS:
            where = f"compare {run} {other}, {columns}"
            text = told(aqueduct, arguments, columns)
            table_check(where, rows_of(text, "group", len(names)), names, wrong)
            if pairs:
                renamed_check(where, text, pairs, int(columns or 200), wrong)
    print("\n".join(wrong) if wrong else f"{len(runs)} runs, every name apart")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
