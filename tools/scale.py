#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of large sweeps. `measure PROGRAM SRCDIR` prints a row for each size:
points, seconds of processor time of the sweep, of `store merge` of two shards
and of `study`, bytes of the stores. `requests PROGRAM SRCDIR` does the same for
requests to a language model at step level: requests, seconds, kilobytes of
memory, bytes of the store. `page TSV PAGE` writes doc/scale.md's tables
(make scale-docs)."""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

SEEDS = (100, 300, 1000)  # 10 points each
REQUESTS = (10000, 30000, 100000, 1000000)
GOALS = {"points": 1e6, "requests": 1e9}


def cpu(command):
    """Seconds of processor time, and the most memory so far in kB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime
            - before.ru_stime, after.ru_maxrss)


def plan_write(path, **members):
    with open(path, "w") as file:
        json.dump({"version": 1, "name": "scale", **members}, file)


def measure(program, srcdir):
    clients = os.path.abspath(f"{srcdir}/tests/cli/clients.json")
    for seeds in SEEDS:
        with tempfile.TemporaryDirectory() as folder:
            plan = f"{folder}/plan.json"
            plan_write(plan, workloads=[{"file": clients, "parameters": {
                "rate": ["20us", "40us"]}}],
                policies=["fifo", "edf", "sjf"], alone=True,
                seeds={"count": seeds})
            stores = [f"{folder}/{i}.db" for i in (1, 2)]
            sweep = sum(cpu([program, "sweep", plan, "--store", store, "--shard",
                             f"{i + 1}/2", "-j", "1"])[0]
                        for i, store in enumerate(stores))
            merged = f"{folder}/all.db"
            merge = cpu([program, "store", "merge", *stores, "--store",
                         merged])[0]
            study = cpu([program, "study", "--plan", "scale", "--store",
                         merged])[0]
            size = sum(os.path.getsize(store) for store in stores)
        print(f"points\t{10 * seeds}\t{sweep:.2f}\t{merge:.2f}\t{study:.2f}"
              f"\t{size}", flush=True)


def requests(program, _):
    for count in REQUESTS:
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/r.csv", "w") as file:
                file.write("# aqueduct requests 1, hash block 0 of prompts\n"
                           "arrival_ns,prompt,output,session,tool_ns,hashes\n")
                for i in range(count):
                    file.write(f"{i * 180000000},{200 + i * 37 % 1900},"
                               f"{20 + i * 53 % 380},,,\n")
            with open(f"{folder}/s.json", "w") as file:
                json.dump({"version": 2, "device": "mi300x", "serving": {
                    "level": "step", "servers": [{
                        "name": "s", "model": "qwen3-8b", "blocks": 52242,
                        "requests": {"file": "r.csv"}}]}}, file)
            plan_write(f"{folder}/plan.json", workloads=["s.json"], seeds=[1])
            seconds, memory = cpu([program, "sweep", f"{folder}/plan.json",
                                   "--store", f"{folder}/s.db", "-j", "1"])
            size = os.path.getsize(f"{folder}/s.db")
        print(f"requests\t{count}\t{seconds:.2f}\t{memory}\t{size}", flush=True)


def fit(xs, ys):
    """y = a * x^b by least squares of logarithms."""
    lx, ly = [math.log(x) for x in xs], [math.log(y) for y in ys]
    mx, my = sum(lx) / len(lx), sum(ly) / len(ly)
    b = (sum((x - mx) * (y - my) for x, y in zip(lx, ly))
         / sum((x - mx) ** 2 for x in lx))
    return math.exp(my - b * mx), b


def table(kind, names, rows):
    lines = ["| " + " | ".join([kind, *names]) + " |",
             "|" + "---|" * (len(names) + 1)]
    lines += ["| " + " | ".join(f"{x:,g}" if x == int(x) else f"{x:g}"
                                for x in row) + " |" for row in rows]
    xs = [row[0] for row in rows]
    fits = [fit(xs, [row[i + 1] for row in rows]) for i in range(len(names))]
    lines.append("| fit | " + " | ".join(f"{a:.3g} · n^{b:.2f}"
                                         for a, b in fits) + " |")
    goal = GOALS[kind]
    lines.append(f"| {goal:.0e} by the fit | "
                 + " | ".join(f"{a * goal ** b:.3g}" for a, b in fits) + " |")
    return lines


def page(tsv, path):
    names = {"points": ["sweep, s", "merge, s", "study, s", "bytes"],
             "requests": ["run, s", "memory, kB", "bytes"]}
    rows = {kind: [] for kind in names}
    with open(tsv) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            kind, *values = line.split("\t")
            rows[kind].append([float(value) for value in values])
    with open(path) as file:
        text = file.read()
    for kind, columns in names.items():
        begin, end = f"<!-- {kind}:begin -->", f"<!-- {kind}:end -->"
        head, rest = text.split(begin)
        text = (head + begin + "\n\n"
                + "\n".join(table(kind, columns, rows[kind])) + "\n\n" + end
                + rest.split(end)[1])
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    {"measure": measure, "requests": requests,
     "page": page}[sys.argv[1]](sys.argv[2], sys.argv[3])
