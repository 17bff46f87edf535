#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The differences of groups that `aqueduct compare --json` gives are sums of the second run
less sums of the first: of `aqueduct stats --json`, and by kernel, stream, op, module and step
of the traces themselves, with no code of the project.
read_differences.py FOLDER A B BY...: traces A and B; FOLDER has compare_BY, a_BY and b_BY, the
documents by each grouping. Prints what differs; exit 1 then."""
import json
import sys
from collections import Counter

import read_ops
from kineto_times import events_read, ns

NONE = {"no op", "no module", "no step"}  # what read_ops leaves without a name


def trace_sums(events, by):
    if by in read_ops.SPANS:
        return Counter({name: total for name, (_, total) in read_ops.sums(events, by).items()})
    total = Counter()
    for e in events:
        if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
            total[e["name"] if by == "kernel" else e["args"][by]] += ns(e["dur"])
    return total


def is_readable(events, by, documents):
    """Whether the traces themselves say what the groups are."""
    if by == "step":  # others are steps that repeat
        return all(any("ProfilerStep#" in e["name"] for e in own) for own in events)
    if by == "module":  # the reader knows no forward operators of backward ones
        return not any(d["context"]["by_forward_op"] for d in documents)
    return by in ("kernel", "stream", "op")


def key_of(group):
    return group["name"] if group["name"] is not None else group["key"]


def differ(document, was, now):
    expected, told = Counter(now), Counter()
    expected.subtract(was)
    for g in document["groups"]:
        key = key_of(g)
        told[None if key in NONE else key] += g["kernel"]["lost_ns"]
        # one group of two names, or of two numbers of steps
        for other in (g.get("new_name"), g.get("new_key")):
            if other is not None:
                expected[key] += expected.pop(other)
    wrong = [f"{key}: {expected[key]} ns, told {told[key]}" for key in {*expected, *told}
             if abs(expected[key] - told[key]) > 0.01]
    total = sum(now.values()) - sum(was.values())
    for name, sum_ns in (("groups", sum(told.values())), ("kernel", document["kernel"]["lost_ns"])):
        if abs(sum_ns - total) > 1:
            wrong.append(f"sum of {name}: {sum_ns} ns for {total}")
    return wrong


def read(path):
    with open(path, encoding="utf-8") as text:
        return json.load(text)


def main():
    folder, first, second, *groupings = sys.argv[1:]
    events, failed = [events_read(first), events_read(second)], False
    for by in groupings:
        document, stats = read(f"{folder}/compare_{by}")[0], [read(f"{folder}/{r}_{by}") for r in "ab"]
        sums = [Counter({None if key_of(g) in NONE else key_of(g): g["kernel"]["total_ns"]
                         for g in s["groups"]}) for s in stats]
        wrong = differ(document, *sums)
        if is_readable(events, by, stats):
            wrong += differ(document, *(trace_sums(own, by) for own in events))
        failed |= bool(wrong)
        print(f"by {by}: {len(document['groups'])} groups, {len(wrong)} differ", *wrong[:5], sep="\n  ")
    return 1 if failed else 0


sys.exit(main())
