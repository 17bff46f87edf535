#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the sentences of doc/accuracy.md: accuracy_summary.py PAGE summary|intervals.

PAGE is doc/tables/accuracy.md, whose tables `make held-out` and `make fit-table` write;
the sentences name the figures of those.
"""
import re
import statistics
import sys

SMALL = 3  # us


def block(page, name):
    found = re.search(rf"<!-- {name}:begin.*?-->(.*?)<!-- {name}:end", page, re.S)
    if not found:
        sys.exit(f"accuracy_summary: no block {name}")
    return found[1]


def means(text, column):
    """The mean errors of a column "median / p90 / mean…" of the first table."""
    rows = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    at = [cell.strip() for cell in rows[0]].index(column)
    width = len(rows[0])
    return [float(re.split(r"[/;]", row[at])[2]) for row in rows[1:]
            if len(row) == width and row[at].count("/") == 2]


def told(text, pattern):
    found = re.search(pattern, text)
    if not found:
        sys.exit(f"accuracy_summary: no line {pattern}")
    return found.groups()


def spread(errors):
    small = sum(error <= SMALL for error in errors)
    return (f"at most {SMALL} µs on {small} of {len(errors)} traces (median "
            f"{statistics.median(errors):.1f}, largest {max(errors):.0f} µs)")


def widths(text):
    """(half width, median error) of each class of intervals."""
    return [tuple(map(float, pair)) for pair in re.findall(
        r"median half width ([\d.]+) µs, median error ([\d.]+) µs", text)]


def summary(held, fitted):
    better = told(held, r"by mean: (\d+ of \d+) sources")[0]
    with_fit = told(fitted, r"by mean: (\d+ of \d+) sources")[0]
    (plain, _), (graphs, _) = widths(held)[:2]
    (plain_fit, _), (graphs_fit, _) = widths(fitted)[:2]
    print(f"""1. We replay published traces of real GPUs and compare when each kernel ends, simulated
   and measured; the kernels' own durations are the measured ones.
2. With constants fitted to other sources, the mean error of a kernel's end is
   {spread(means(held, 'left out'))};
   with constants fitted to the first fifth of the trace,
   {spread(means(fitted, 'fitted'))}.
3. It beats a formula fitted to the very trace (`E`: two launch latencies) on {better}
   sources, with the fit on {with_fit}.
4. `replay --interval` states an interval, the median half of it for the makespan
   ±{plain} µs, with the fit ±{plain_fit} µs; with graph launches ±{graphs} and ±{graphs_fit} µs.
5. Predicted durations of kernels are another matter, with larger errors:
   [durations.md](durations.md).""")


def intervals(held):
    ratios = [width / error for width, error in widths(held)]
    print(f"""Half widths are {min(ratios):.0f} to {max(ratios):.0f} times the median error, not twice: even normal errors of
known width have 2.4 times their median at 90 %, and the errors of sources are far from normal.""")


def main():
    if len(sys.argv) != 3 or sys.argv[2] not in ("summary", "intervals"):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as text:
        page = text.read()
    held, fitted = block(page, "held-out"), block(page, "fit-table")
    if sys.argv[2] == "summary":
        summary(held, fitted)
    else:
        intervals(held)


main()
