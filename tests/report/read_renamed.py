#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Renamed kernels of two runs, known without the project's code.
read_renamed.py make FOLDER SEED: writes a.json and b.json, two programs of which b has
some kernels under other names, lacks some and has some more, and plan.json, which says so.
read_renamed.py parts FOLDER: writes a.json and b.json, which have the same two names, each
first another. read_renamed.py many FOLDER: the same of 8000 names each, of one operator.
read_renamed.py plan COMPARE FOLDER, read_renamed.py traces COMPARE A B: `aqueduct compare
--json` of these, or of two published traces, agrees. Prints what differs; exit 1 then."""
import json
import random
import sys
from collections import Counter

from kineto_times import events_read, ns


def trace_write(path, calls):
    events, at = [], 1000
    for n, (name, op, dims, lasts) in enumerate(calls, 1):
        def add(cat, text, pid, when, dur, **args):
            events.append({"ph": "X", "cat": cat, "name": text, "pid": pid, "tid": 1,
                           "ts": when, "dur": dur, "args": args})
        if op:
            add("cpu_op", op, 1, at - 1, 6, **{"External id": n, "Input Dims": dims,
                                               "Input type": ["float"] * len(dims)})
        add("cuda_runtime", "hipLaunchKernel", 1, at, 2, correlation=n)
        add("kernel", name, 0, at + 10, lasts, correlation=n, device=0, stream=7,
            grid=[64, 1, 1], block=[64, 1, 1])
        at += lasts + 20
    with open(path, "w", encoding="utf-8") as to:
        json.dump({"traceEvents": events}, to)


BY_NAME = [  # names of both runs, and whether they are one kernel
    (["mystery_v1"], ["mystery_v2"], False),  # of no known family
    (["initialize_weights"], ["fft_of_everything"], False),
    (["elementwise_add"], ["elementwise_divide"], False),
    (["gemm_fp16"], ["gemm_fp32"], False),
    (["gemm"], ["gemm_v2"], True),
    (["softmax_MT128x64_fwd"], ["softmax_MT64x64x2_fwd_3"], True),
    (["reduce_v1", "reduce_v2"], ["reduce_v3"], False),
]


def make(folder, seed):
    draw = random.Random(seed)
    kinds = [("Cijk_", "aten::mm"), ("relu_", "aten::relu"), ("norm_", "aten::layer_norm")]
    first, second, plan = [], [], {"renamed": []}
    for i in range(12):
        prefix, op = kinds[i % 3]
        dims = [[8 * (i + 1), 16], [16, 8]][:2 if op == "aten::mm" else 1]
        fate = draw.choice(["same", "renamed", "renamed", "gone", "new"])
        was, now = f"{prefix}old_{i}", f"{prefix}{'old' if fate == 'same' else 'new'}_{i}"
        calls = draw.randint(2, 5)
        sides = [[], []]
        for _ in range(calls):
            for side, name in zip(sides, (was, now)):
                side.append((name, op, dims, draw.randint(3, 90)))
        if fate != "new":
            first += sides[0]
        if fate != "gone":
            second += sides[1]
        if fate == "renamed":
            plan["renamed"].append([was, now, calls, calls] + [
                1000 * sum(c[3] for c in side) for side in sides])
    # Without recorded inputs the name decides, never the number of workgroups.
    for was, now, certain in BY_NAME:
        first += [(name, None, [], 40) for name in was]
        second += [(name, None, [], 50) for name in now]
        if certain:
            plan["renamed"].append([was[0], now[0], 1, 1, 40000, 50000])
    # Two names a run of one operator: first the stem decides, then the one that is left.
    dims = [[640, 16], [16, 8]]
    for calls, names in ((first, "split_v1 Cijk_left"), (second, "Cijk_right split_v2")):
        calls += [(name, "aten::mm", dims, 40) for name in names.split()]
    plan["renamed"] += [["split_v1", "split_v2", 1, 1, 40000, 40000],
                        ["Cijk_left", "Cijk_right", 1, 1, 40000, 40000]]
    # Of two names neither is certain, nor is one that has half of the calls.
    for i, (calls, names) in enumerate(((first, "Cijk_one"), (second, "Cijk_two Cijk_three"))):
        calls += [(name, "aten::mm", [[648, 16], [16, 8]], 40) for name in names.split()]
        calls += [(f"Cijk_half{i}", "aten::mm", [[656 + 8 * i * n, 16], [16, 8]], 40)
                  for n in range(2)]
    draw.shuffle(first)
    second.sort(key=lambda c: (draw.random(), c[0]))
    plan["times"] = [1000 * sum(c[3] for c in calls) for calls in (first, second)]
    trace_write(f"{folder}/a.json", first)
    trace_write(f"{folder}/b.json", second)
    with open(f"{folder}/plan.json", "w", encoding="utf-8") as to:
        json.dump(plan, to)


def parts(folder):
    names = [["gemm_v1"] * 4, ["gemm_v2"] * 4]
    for run, order in (("a", names), ("b", names[::-1])):
        trace_write(f"{folder}/{run}.json", [(name, None, [], 10) for name in ["copy", *sum(order, [])]])


def many(folder):
    for run in "ab":
        trace_write(f"{folder}/{run}.json",
                    [("Cijk_both", None, [], 5)] +
                    [(f"Cijk_{run}{i}", "aten::mm", [[16, 16], [16, 8]], 5)
                     for i in range(8000)])


def told(path):
    with open(path, encoding="utf-8") as text:
        return json.load(text)[0]


def rows_of(document):
    return sorted([r["was"], r["is"], r["was_calls"], r["calls"], round(r["was_ns"]),
                   round(r["is_ns"])] for r in document["renamed"])


def sums_differ(document, times):
    """What adds up: pairs, added and removed of all and by group, to the runs' times."""
    wrong, kernel = [], document["kernel"]
    parts = kernel["changed_ns"] + kernel["added_ns"] - kernel["removed_ns"]
    groups = sum(g["kernel"]["lost_ns"] for g in document["groups"])
    for name, sum_ns in (("parts", parts), ("groups", groups)):
        if abs(sum_ns - (times[1] - times[0])) > 1:
            wrong.append(f"{name}: {sum_ns} for {times[1] - times[0]}")
    return wrong


def plan_check(document, folder):
    with open(f"{folder}/plan.json", encoding="utf-8") as text:
        plan = json.load(text)
    wrong = sums_differ(document, plan["times"])
    if rows_of(document) != sorted(plan["renamed"]):
        wrong.append(f"renamed: {rows_of(document)} for {sorted(plan['renamed'])}")
    names = {g["name"] for g in document["groups"]}
    wrong += [f"{now} is a group of its own" for _, now, *_ in plan["renamed"] if now in names]
    return wrong


def kernels_read(path):
    calls, times, other = Counter(), Counter(), 0
    for e in events_read(path):
        if e.get("cat") == "kernel":
            calls[e["name"]] += 1
            times[e["name"]] += ns(e["dur"])
        elif e.get("cat") in ("gpu_memcpy", "gpu_memset"):
            other += ns(e["dur"])
    return calls, times, other


def traces_check(document, paths):
    (calls, times, other), (new_calls, new_times, new_other) = map(kernels_read, paths)
    wrong = sums_differ(document, [sum(times.values()) + other,
                                   sum(new_times.values()) + new_other])
    for was, now, *told_rest in rows_of(document):
        if was in new_calls or now in calls:
            wrong.append(f"{was}, {now}: in both")
        if told_rest != [calls[was], new_calls[now], times[was], new_times[now]]:
            wrong.append(f"{was}: {told_rest}")
    partners = [r[0] for r in rows_of(document)], [r[1] for r in rows_of(document)]
    wrong += ["a name has two partners"] * any(len(set(p)) < len(p) for p in partners)
    return wrong


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2], int(sys.argv[3]))
        return 0
    if sys.argv[1] in ("parts", "many"):
        (parts if sys.argv[1] == "parts" else many)(sys.argv[2])
        return 0
    document = told(sys.argv[2])
    wrong = (plan_check(document, sys.argv[3]) if sys.argv[1] == "plan"
             else traces_check(document, sys.argv[3:5]))
    print("\n".join(wrong) if wrong else f"{len(document['renamed'])} renamed, equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
