#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the rank that came last into each collective of Kineto traces with no code of
the project, and compares with `aqueduct stats --by collective --json`:
read_collectives.py STATS TRACE... Kernels say their operation, group and rank
themselves, which Aqueduct takes from the operators around their launches. Prints what
differs; exit 1 then."""
import gzip
import json
import sys
from collections import Counter, defaultdict

from kineto_times import ns


def main():
    stats, *traces = sys.argv[1:]
    calls = defaultdict(lambda: defaultdict(list))
    for trace in traces:
        opened = gzip.open if trace.endswith(".gz") else open
        with opened(trace, "rt", encoding="utf-8", errors="replace") as text:
            document = json.load(text, parse_float=str)
        own = document.get("distributedInfo", {}).get("rank")
        for e in document["traceEvents"]:
            args = e.get("args", {})
            if e.get("cat") != "kernel" or "nccl" not in e["name"].lower():
                continue
            key = tuple(str(args.get(k)) for k in (
                "Collective name", "dtype", "In msg nelems", "Process Group Name",
                "Process Group Ranks"))
            calls[key][args.get("rank", own)].append(ns(e["ts"]))
    last, late, waited, count = Counter(), Counter(), Counter(), 0
    for ranks in calls.values():
        for starts in zip(*(sorted(times) for times in ranks.values())):
            order = sorted(zip(starts, ranks))
            count += 1
            last[order[-1][1]] += 1
            late[order[-1][1]] += order[-1][0] - order[-2][0]
            for start, rank in order:
                waited[rank] += order[-1][0] - start
    with open(stats, encoding="utf-8") as text:
        told = json.load(text)["imbalance"]
    wrong = len(told["collectives"]) != count or told["unmatched_calls"] != 0
    for rank in told["ranks"]:
        at = rank["rank"]
        wanted = (last[at], late[at], waited[at])
        got = (rank["last"], round(rank["late_ns"]), round(rank["waited_ns"]))
        if wanted != got:
            print(f"rank {at}: last, late and waited {wanted}, told {got}")
            wrong = True
    print(f"{count} collectives, {'they differ' if wrong else 'equal'}")
    return wrong


sys.exit(main())
