#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How replays do whose constants are fitted to the beginning of the trace.

usage: fit_table.py AQUEDUCT SRCDIR DATA [PART]

Each source of traces/sources.tsv is left out of its model, as held_out.py does.
Its traces are replayed with that model and with the constants that replay --fit
PART (first=20%) finds; both are scored on the rest. Prints a Markdown table.
"""
import json
import os
import sqlite3
import sys
import tempfile

from held_out import (Aqueduct, Models, PINNED, class_of, errors, idle_launches,
                      intervals, latencies, middle, off_and_half, table)


def notes_of(store, run):
    notes, = sqlite3.connect(store).execute(
        "SELECT notes FROM runs WHERE id = ?", (run,)).fetchone()
    return json.loads(notes)["replay"]


def rest_errors(store, run, fit):
    """Median, p90 and mean in us of the ends of the rows that `fit` leaves, as
    compare takes them; and their number."""
    rows = sqlite3.connect(store).execute(
        "SELECT abs(s.end_ps - m.end_ps) FROM runs JOIN records s ON s.id"
        " BETWEEN runs.id << 32 AND (runs.id << 32) + 4294967295"
        " JOIN records m ON m.id = (runs.origin << 32) + s.origin"
        " WHERE runs.id = ? AND m.kind <= 3 AND m.start_ps IS NOT NULL"
        " AND m.end_ps IS NOT NULL AND NOT m.start_ps BETWEEN ? AND ? - 1"
        " AND (coalesce(s.flags, 0) | coalesce(m.flags, 0)) & ? = 0"
        " AND coalesce(m.host_end_ps, m.submit_ps) IS NOT NULL ORDER BY 1",
        (run, fit["from_ps"], fit["until_ps"], PINNED)).fetchall()
    values = [row[0] / 1e6 for row in rows]
    count = len(values)
    return ([values[count // 2], values[count * 9 // 10],
             sum(values) / count], count)


def off_and_part(aqueduct, trace, device, part):
    """Of makespan and median latency the error, and the errors of the part, in
    us; None where the part has too few rows."""
    run = aqueduct.ask("replay", aqueduct.run_of(trace), "--device", device,
                       "--fit", part, "--interval", good=False)
    if not run:
        return None
    scored = json.loads(aqueduct.ask("compare", run, "--json"))
    half = notes_of(aqueduct.store, run)["interval"]
    return [(off, half[key] / 1e6) for (off, _), key in
            zip(off_and_half(scored), ("part_makespan_ps", "part_latency_ps"))]


def show(figures):
    return " / ".join(f"{x:.2f}" for x in figures[:3])


def constants(fit):
    """The fitted ones; a graph launch that only keeps its sum is none."""
    found = [f"`{c['key']}` {c['was_ps'] / 1e6:.2f} → {c['value_ps'] / 1e6:.2f}"
             for c in fit["constants"]
             if c["kept_because"] is None and c["samples"] != 0]
    return ", ".join(found) or "–"


def main():
    program, srcdir, data = sys.argv[1:4]
    part = sys.argv[4] if len(sys.argv) > 4 else "first=20%"
    print("| source | trace | rows of the rest | model | fitted | `E` | idle, "
          "warm | idle, cold | fitted constants, µs |\n"
          "|---|---|---|---|---|---|---|---|---|")
    sources, traces, nearer, further = [0, 0, 0], [0, 0, 0], 0, 0
    covered, thin, segments = [], 0, []
    with tempfile.TemporaryDirectory() as folder:
        aqueduct = Aqueduct(program, data, folder)
        models = Models(aqueduct, srcdir, folder)
        for name, model, near, files in table(
                os.path.join(srcdir, "traces/sources.tsv")):
            chip = model.split("*")
            path, _ = models.without(chip[0], near, files.split())
            device = "*".join([path] + chip[1:])
            sums = [0.0, 0.0, 0.0]
            for trace in files.split():
                scored, run = aqueduct.score(trace, device, "--fit", part)
                fit = notes_of(aqueduct.store, run)["fit"]
                plain = aqueduct.ask("replay", aqueduct.run_of(trace),
                                     "--device", device)
                before, count = rest_errors(aqueduct.store, plain, fit)
                if count != scored["scored"]:
                    sys.exit(f"fit_table: {trace}: {count} rows of the rest, "
                             f"compare scores {scored['scored']}")
                after = errors(scored, "run")
                formula = errors(scored, "E") or errors(scored, "zero")
                for i, mean in enumerate((before[2], after[2], formula[2])):
                    sums[i] += mean * count
                off = off_and_part(aqueduct, trace, device, part)
                thin += off is None
                if off:
                    covered.append((class_of(aqueduct, run, device), name, off))
                segments.append(latencies(aqueduct.store, run, fit["until_ps"]))
                traces[0] += before[2] < formula[2]
                traces[1] += after[2] < formula[2]
                traces[2] += 1
                nearer += after[2] < before[2] - 0.005
                further += after[2] > before[2] + 0.005
                print(f"| {name} | {trace.split('.')[0]} | {count} | "
                      f"{show(before)} | {show(after)} | {show(formula)} | "
                      f"{' | '.join(map(middle, segments[-1]))} | "
                      f"{constants(fit)} |", flush=True)
            sources[0] += sums[0] < sums[2]
            sources[1] += sums[1] < sums[2]
            sources[2] += 1
    print(f"\nBetter than `E` by mean: {sources[1]} of {sources[2]} sources and "
          f"{traces[1]} of {traces[2]} traces with the fit, {sources[0]} and "
          f"{traces[0]} without. The fit lowers the mean of {nearer} traces and "
          f"raises that of {further}, each by more than 0.005 µs.")
    idle_launches(segments)
    intervals("--fit --interval", covered, "the part")
    print(f"\n{thin} traces have too few rows in the part for an interval.")


main()
