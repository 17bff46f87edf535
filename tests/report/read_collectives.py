#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the rank that came last into each collective of Kineto traces with no code of
the project, and compares with `aqueduct stats --by collective --json`:
read_collectives.py STATS TRACE... Kernels say their operation, group and rank
themselves, which Aqueduct takes from the operators around their launches. Prints what
differs; exit 1 then. What the last rank's device did meanwhile is read too: each moment
belongs to the row that started first."""
import gzip
import json
import sys
from collections import Counter, defaultdict

from kineto_times import ns


def divide(rows, begin, end, did):
    """Adds the time between two times to what ran then, or to nothing."""
    until = begin
    for start, stop, name in rows:
        if start >= end:
            break
        stop = min(stop, end)
        if stop <= max(start, until):
            continue
        did["nothing ran"] += max(start - until, 0)
        did[name] += stop - max(start, until)
        until = stop
    did["nothing ran"] += end - until


def main():
    stats, *traces = sys.argv[1:]
    calls = defaultdict(lambda: defaultdict(list))
    work = []  # what ran: its start, end, name and (file, device)
    rank_on = {}
    for trace in traces:
        opened = gzip.open if trace.endswith(".gz") else open
        with opened(trace, "rt", encoding="utf-8", errors="replace") as text:
            document = json.load(text, parse_float=str)
        own = document.get("distributedInfo", {}).get("rank")
        for e in document["traceEvents"]:
            args = e.get("args", {})
            if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
                work.append((ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]), e["name"],
                             (trace, args.get("device"))))
            if e.get("cat") != "kernel" or "nccl" not in e["name"].lower():
                continue
            key = tuple(str(args.get(k)) for k in (
                "Collective name", "dtype", "In msg nelems", "Process Group Name",
                "Process Group Ranks"))
            calls[key][args.get("rank", own)].append(ns(e["ts"]))
            rank_on[trace, args.get("device")] = args.get("rank", own)
    last, late, waited, count = Counter(), Counter(), Counter(), 0
    ran = defaultdict(list)
    for begin, end, name, where in sorted(work, key=lambda w: w[0]):
        ran[rank_on.get(where)].append((begin, end, name))
    did = defaultdict(Counter)
    for ranks in calls.values():
        for starts in zip(*(sorted(times) for times in ranks.values())):
            order = sorted(zip(starts, ranks))
            count += 1
            last[order[-1][1]] += 1
            late[order[-1][1]] += order[-1][0] - order[-2][0]
            divide(ran[order[-1][1]], order[-2][0], order[-1][0], did[order[-1][1]])
            for start, rank in order:
                waited[rank] += order[-1][0] - start
    with open(stats, encoding="utf-8") as text:
        told = json.load(text)["imbalance"]
    wrong = len(told["collectives"]) != count or told["unmatched_calls"] != 0
    for rank in told["ranks"]:
        at = rank["rank"]
        most = max(did[at].values(), default=0)
        wanted = (last[at], late[at], waited[at], late[at] - did[at]["nothing ran"], most)
        got = tuple(round(rank[k] or 0) for k in ("last", "late_ns", "waited_ns", "busy_ns",
                                                  "most_ns"))
        if most and did[at][rank["most"]] != most:
            print(f"rank {at}: most of its late time is {did[at].most_common(1)}, told {rank['most']}")
            wrong = True
        if wanted != got:
            print(f"rank {at}: last, late, waited, busy and most {wanted}, told {got}")
            wrong = True
    print(f"{count} collectives, {'they differ' if wrong else 'equal'}")
    return wrong


sys.exit(main())
