#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Splits a merged Kineto trace of several ranks into a file for each, with the clocks of
the ranks moved: split_ranks.py TRACE FOLDER NS..., NS of each rank. Merged traces make
pids unique by 10^8 times the rank."""
import gzip
import json
import sys

MERGED = 10 ** 8


def moved(text, ns):
    whole, _, rest = str(text).partition(".")
    time = 1000 * int(whole) + int(rest.ljust(3, "0")[:3]) + ns
    return float(f"{time // 1000}.{time % 1000:03}")


def main():
    trace, folder, *shifts = sys.argv[1:]
    with gzip.open(trace, "rt", encoding="utf-8", errors="replace") as text:
        events = json.load(text)["traceEvents"]
    for rank, shift in enumerate(map(int, shifts)):
        own = []
        for event in events:
            pid = event.get("pid")
            if not isinstance(pid, int) or pid // MERGED != rank or "ts" not in event:
                continue
            args = {k: v for k, v in event.get("args", {}).items() if k != "rank"}
            own.append({**event, "pid": pid % MERGED, "args": args,
                        "ts": moved(event["ts"], shift)})
        with open(f"{folder}/rank{rank}.json", "w", encoding="utf-8") as out:
            json.dump({"distributedInfo": {"rank": rank}, "traceEvents": own}, out)


main()
