# SPDX-License-Identifier: MIT
"""The memory of PyTorch profiles as an independent reader finds it in the JSON,
against `stats --memory`.

  read_memory.py AQUEDUCT PROFILE...
"""
import gzip
import json
import os
import subprocess
import sys
from collections import Counter
from decimal import Decimal


def events_of(path):
    opened = gzip.open if path.endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as text:
        trace = json.load(text, parse_float=Decimal)
    return [e for e in trace["traceEvents"] if "ts" in e]


def around(spans, event):
    """The innermost of the operators and annotations open at an event."""
    at, best = event["ts"], None
    for span in spans.get((event["pid"], event["tid"]), ()):
        if span["ts"] <= at < span["ts"] + span["dur"] and (
                best is None or span["ts"] >= best["ts"]):
            best = span
    return best and best["name"]


def facts(events):
    memory = sorted((e for e in events if e["name"] == "[memory]"),
                    key=lambda e: e["ts"])
    spans = {}
    for e in events:
        if e.get("ph") == "X" and e.get("cat") in ("cpu_op",
                                                   "user_annotation"):
            spans.setdefault((e["pid"], e["tid"]), []).append(e)
    out = {}
    for host in (False, True):
        mine = [e for e in memory if (e["args"]["Device Type"] == 0) == host]
        if not mine:
            continue
        live, count, total, unsized = {}, 0, 0, 0
        running = peak = None
        for e in mine:
            size, address = e["args"]["Bytes"], e["args"]["Addr"]
            if size > 0:
                live[address] = (size, e)
                count, total = count + 1, total + size
            else:
                live.pop(address, None)
            # The host's totals may be of several threads: add the sizes.
            running = (running or 0) + size
            now = running if host else e["args"]["Total Allocated"]
            if peak is None or now > peak:
                peak, held, last = now, dict(live), e
        by = Counter()
        for size, e in held.values():
            by[around(spans, e)] += size
        out[host] = {
            "peak_bytes": peak, "allocations": count, "bytes": total,
            "not_freed": len(live),
            "not_freed_bytes": sum(size for size, _ in live.values()),
            "before_bytes": peak - sum(size for size, _ in held.values()),
            "peak_op": around(spans, last), "by": by,
            "reserved_bytes": None if host else
            max(e["args"]["Total Reserved"] for e in mine)}
    return out


def compare(aqueduct, path):
    name = os.path.basename(path)
    subprocess.run([aqueduct, "import", "-q", path, "--name", name,
                    "--replace"], check=True, stdout=subprocess.DEVNULL)
    got = json.loads(subprocess.run(
        [aqueduct, "stats", name, "--memory", "--json"], check=True,
        capture_output=True, text=True).stdout)
    want, wrong = facts(events_of(path)), []
    for device in got["devices"]:
        mine = want.pop(device["device"] is None)
        by = mine.pop("by")
        wrong += [f"{k}: {device[k]}, not {v}" for k, v in mine.items()
                  if device[k] != v]
        for op in got["ops"]:
            if op["device"] == device["device"] and \
                    op["peak_bytes"] != by[op["op"]]:
                wrong.append(f"{op['op']} at the peak: {op['peak_bytes']}, "
                             f"not {by[op['op']]}")
    wrong += [f"nothing of {'the host' if h else 'a device'}" for h in want]
    print(f"# {name}: {len(got['ops'])} ops,", "; ".join(wrong[:5]) or "equal")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(any([compare(sys.argv[1], path) for path in sys.argv[2:]]))
