#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cost of large sweeps. `measure PROGRAM SRCDIR` prints a row for each size:
points, seconds of processor time of the sweep, of `store merge` of two shards
and of `study`, bytes of the stores. `requests PROGRAM SRCDIR` does the same for
requests to a language model at step level: requests, seconds, kilobytes of
memory, bytes of the store. `profiles PROGRAM DATA` imports and reports published
profiles of DATA/measured/raw, one of them repeated in time: its name and how often,
then MB of JSON, ops, dispatches, seconds of the import, kilobytes of its memory,
and the same of the report. `page TSV PAGE` writes doc/scale.md's tables
(make scale-docs)."""
import gzip
import json
import math
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile

SEEDS = (100, 300, 1000)  # 10 points each
REQUESTS = (10000, 30000, 100000, 1000000)
PROFILES = (("mi350x_aorta_train", 1), ("mi300x_flux_sage", 1),
            ("mixrank_resnet_train_4rank", 1), ("mixrank_resnet_train_4rank", 6))
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


def alone(command):
    """Seconds of processor time of one process, and its memory in kB."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    status, usage = os.wait4(child.pid, 0)[1:]
    if status:
        sys.exit(f"scale: {' '.join(command)}: wait status {status}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def event_at(event, turn, length):
    """The event of a later turn: its times, ids and step follow."""
    event = dict(event, ts=round(float(event["ts"]) + turn * length, 3))
    arguments = dict(event.get("args", {}))
    for key in ("correlation", "External id"):
        if isinstance(arguments.get(key), int) and arguments[key] > 0:
            arguments[key] += turn * 10 ** 8
    event["args"] = arguments
    if isinstance(event.get("id"), int):
        event["id"] += turn * 10 ** 8
    if event.get("name", "").startswith("ProfilerStep#"):
        event["name"] = f"ProfilerStep#{int(event['name'][13:]) + 3 * turn}"
    return event


def profile_write(source, turns, path):
    with gzip.open(source, "rt", encoding="utf-8", errors="replace") as file:
        text = file.read()
    if turns == 1:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return
    trace = json.loads(text)
    timed = [e for e in trace["traceEvents"] if "ts" in e]
    begins = [float(e["ts"]) for e in timed]
    ends = [float(e["ts"]) + float(e.get("dur", 0)) for e in timed]
    length = max(ends) - min(begins) + 1000
    trace["traceEvents"] = [e for e in trace["traceEvents"] if "ts" not in e] + [
        event_at(e, turn, length) for turn in range(turns) for e in timed]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)


def profiles(program, data):
    for name, turns in PROFILES:
        with tempfile.TemporaryDirectory() as folder:
            path, store = f"{folder}/trace.json", ["--store", f"{folder}/s.db"]
            # A process of its own: the memory of this one would be in the figures.
            writer = multiprocessing.Process(target=profile_write, args=(
                f"{data}/measured/raw/{name}.json.gz", turns, path))
            writer.start()
            writer.join()
            costs = alone([program, "import", path, *store]) + alone(
                [program, "report", "1", "-o", f"{folder}/r.html", *store])
            notes = json.loads(subprocess.run(
                [program, "show", "1", "--json", *store], check=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)["notes"]
            size = os.path.getsize(path) / 1e6
        print("profiles", name, turns, f"{size:.0f}", notes.get("ops", 0),
              notes["dispatches"] + notes["copies"], f"{costs[0]:.2f}", costs[1],
              f"{costs[2]:.2f}", costs[3], sep="\t", flush=True)


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


def profile_table(rows):
    lines = ["| profile | JSON, MB | ops | dispatches | import, s | memory, MB "
             "| report, s | memory, MB |", "|---|---|---|---|---|---|---|---|"]
    for name, turns, size, ops, dispatches, *costs in rows:
        times = "" if turns == "1" else f", {turns} times"
        lines.append(
            f"| `{name}`{times} | {size} | {int(ops):,} | {int(dispatches):,} | "
            + " | ".join([costs[0], f"{int(costs[1]) / 1000:.0f}", costs[2],
                          f"{int(costs[3]) / 1000:.0f}"]) + " |")
    return lines


def page(tsv, path):
    names = {"points": ["sweep, s", "merge, s", "study, s", "bytes"],
             "requests": ["run, s", "memory, kB", "bytes"]}
    rows, measured = {kind: [] for kind in names}, []
    with open(tsv) as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            kind, *values = line.split("\t")
            if kind == "profiles":
                measured.append(values)
            else:
                rows[kind].append([float(value) for value in values])
    with open(path) as file:
        text = file.read()
    tables = {kind: table(kind, columns, rows[kind])
              for kind, columns in names.items()}
    tables["profiles"] = profile_table(measured)
    for kind, lines in tables.items():
        begin, end = f"<!-- {kind}:begin -->", f"<!-- {kind}:end -->"
        head, rest = text.split(begin)
        text = (head + begin + "\n\n" + "\n".join(lines) + "\n\n" + end
                + rest.split(end)[1])
    with open(path, "w") as file:
        file.write(text)


if __name__ == "__main__":
    {"measure": measure, "requests": requests, "profiles": profiles,
     "page": page}[sys.argv[1]](sys.argv[2], sys.argv[3])
