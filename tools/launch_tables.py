#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables of the launches, graphs and clocks of the published traces.

usage: launch_tables.py AQUEDUCT SRCDIR DATA [WORD]

Imports the traces of traces/accuracy.tsv whose name contains WORD and prints
Markdown tables: launches onto an idle device and the step in their latency, graph
launches, and how long calls return after the work that they awaited.
"""
import collections
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from launches import COLUMNS, COPY, GRAPH, WAIT, onto_idle

COLD = 105  # us, as the formula E parts its two latencies
QUEUED = 4  # us: a kernel submitted so long before an end did not delay its start
BLOCKED = 100  # us: work that ends so late blocked the call that awaited it
SMALL = 65536  # bytes: larger copies go through buffers of the runtime
LEAST = 5  # launches on either side of a step
STEP = 0.3  # us: a smaller difference of medians is none


class Trace:
    """The records of an imported file, times in us."""

    def __init__(self, program, store, path):
        env = dict(os.environ, AQUEDUCT_STORE=store, AQUEDUCT_QUIET="1")
        done = subprocess.run([program, "import", path], env=env, check=False,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"launch_tables: {done.stderr.strip()}")
        self.run = int(done.stdout)
        self.base = sqlite3.connect(store)
        self.idle = [(idle, latency) for _, idle, latency in
                     onto_idle(self.rows(COLUMNS, "kind <= 3", "start_ps"))]

    def rows(self, columns, where, order):
        return self.base.execute(
            f"SELECT {columns} FROM records LEFT JOIN names ON names.run = ? AND"
            f" names.id = records.name WHERE records.id BETWEEN ? << 32 AND"
            f" (? << 32) + 4294967295 AND {where} ORDER BY {order}",
            (self.run, self.run, self.run))


def spread(values):
    """Number, tenth percentile, median and ninetieth."""
    if not values:
        return "–"
    at = sorted(values)
    return f"{len(at)}: " + " / ".join(
        f"{at[int(part * (len(at) - 1))]:.1f}" for part in (.1, .5, .9))


def step(launches):
    """The idle times between which latency steps most, and the medians below and
    above: the split with the least squares, of latencies clipped to the middle 98 %
    so that stalls do not decide."""
    launches = sorted(launches)
    if len(launches) < 2 * LEAST:
        return "–"
    latencies = sorted(latency for _, latency in launches)
    low, high = (latencies[int(part * (len(latencies) - 1))]
                 for part in (.01, .99))
    clipped = [min(max(latency, low), high) for _, latency in launches]
    total, left, best = sum(clipped), 0.0, None
    for n, value in enumerate(clipped[:-LEAST], 1):
        left += value
        if n < LEAST:
            continue
        gain = left ** 2 / n + (total - left) ** 2 / (len(clipped) - n)
        if best is None or gain > best[0]:
            best = gain, n
    sides = launches[:best[1]], launches[best[1]:]
    below, above = (statistics.median(latency for _, latency in side)
                    for side in sides)
    if abs(above - below) < STEP:
        return "–"
    return (f"{sides[0][-1][0]:.1f} to {sides[1][0][0]:.1f}: "
            f"{below:.1f} → {above:.1f}")


def graphs(trace):
    """Graph launches onto an idle device: [nodes, call, idle time before it, call's
    begin -> first node]; and gaps from the last node of a launch to the next packet
    of its queue, where that was submitted early enough to be waiting."""
    launches, gaps, idle_from, before = {}, [], None, None
    for queue, via, call, begin, end, start, done in trace.rows(
            "queue, via, correlation, host_begin_ps, host_end_ps, start_ps, end_ps",
            "kind <= 3 AND start_ps IS NOT NULL", "start_ps"):
        if via == GRAPH and begin is not None:
            idle = None if idle_from is None else (begin - idle_from) / 1e6
            launch = launches.setdefault(
                call, [0, (end - begin) / 1e6, idle, (start - begin) / 1e6])
            launch[0] += 1
        if (before and before[:2] == (queue, GRAPH) and call != before[2]
                and end is not None and end / 1e6 < before[3] / 1e6 - QUEUED):
            gaps.append((start - before[3]) / 1e6)
        before = queue, via, call, done
        idle_from = max(idle_from or done, done)
    return [launch for launch in launches.values()
            if launch[2] is not None and launch[2] > 0], gaps


def direction(text, size):
    """The kind of a copy whose call waits for it, from its row's name."""
    names = {"HtoD": "from the host", "DtoH": "to the host",
             "DtoD": "on the device"}
    for short, name in names.items():
        if short in text:
            return f"copies {name}{' over 64 KiB' if size > SMALL else ''}"
    return "other copies"


def returns(trace):
    """Times from the end of awaited work to the return of the call that blocked
    for it, by the kind of the call. A wait for the device counts where its work ends
    so late that the call blocked, however the clocks differ."""
    found = collections.defaultdict(list)
    copies, works, waits = {}, [], []
    for kind, begin, end, start, done, call, size, text in trace.rows(
            "kind, host_begin_ps, host_end_ps, start_ps, end_ps, correlation, "
            "bytes, text", "(kind <= 3 AND start_ps IS NOT NULL OR kind = "
            f"{WAIT} AND host_end_ps IS NOT NULL)",
            "coalesce(host_begin_ps, start_ps)"):
        if kind == WAIT:
            waits.append((begin, end, call, text))
            continue
        works.append((begin if begin is not None else start, done))
        if kind == COPY:
            copies[call] = direction(text, size or 0), done
    for begin, end, call, text in waits:
        if call in copies:
            kind, done = copies[call]
        else:
            kind = text
            done = max((done for called, done in works if called < begin),
                       default=0)
            if "DeviceSynchronize" not in text or done < begin + BLOCKED * 1e6:
                continue
        found[kind].append((end - done) / 1e6)
    return found


def print_table(title, heads, lines):
    print(f"{title}\n\n| {' | '.join(heads)} |\n{'|---' * len(heads)}|")
    print("".join(f"| {' | '.join(line)} |\n" for line in lines))


def print_tables(traces):
    print_table(
        "Launches onto an idle device, from the call's return (rocprof v1: from the\n"
        f"dispatch) to the start, of up to {COLD} µs of idle time (warm) and beyond\n"
        "(cold). The step: between which idle times latency steps most, and the\n"
        "medians below and above.",
        ("trace", "warm", "cold", "step"),
        [(name, spread([latency for idle, latency in trace.idle if idle <= COLD]),
          spread([latency for idle, latency in trace.idle if idle > COLD]),
          step(trace.idle)) for name, trace in traces if trace.idle])
    scanned = [(name, *graphs(trace)) for name, trace in traces]
    print_table(
        "Graph launches onto an idle device.",
        ("trace", "nodes", "call", "idle before it", "first node after its begin"),
        [(name, str(nodes), *(f"{value:.1f}" for value in times))
         for name, launches, _ in scanned for nodes, *times in launches])
    print_table(
        "Gaps between the last node of a graph launch and the next packet of the\n"
        "queue, which was waiting.", ("trace", "gap"),
        [(name, spread(gaps)) for name, _, gaps in scanned if gaps])
    print_table(
        "Returns of calls after the end of the work for which they blocked; a\n"
        "negative time shows that the clocks of host and device differ.",
        ("trace", "call", "return"),
        [(name, kind, spread(values)) for name, trace in traces
         for kind, values in sorted(returns(trace).items())])


def main():
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    program, srcdir, data = sys.argv[1:4]
    word = sys.argv[4] if len(sys.argv) > 4 else ""
    with open(os.path.join(srcdir, "traces/accuracy.tsv"),
              encoding="utf-8") as file:
        files = [line.split("\t")[0] for line in file
                 if line.strip() and line[0] != "#"]
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "runs.db")
        print_tables([(file.split(".")[0],
                       Trace(program, store, os.path.join(data, "raw", file)))
                      for file in files if word in file])


main()
