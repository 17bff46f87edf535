#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the figures of doc/tables/whatif.md, from published traces.

usage: whatif_docs.py AQUEDUCT FOLDER table TRACE...
       whatif_docs.py AQUEDUCT FOLDER collectives TRACE
       whatif_docs.py AQUEDUCT FOLDER graphs

`table` has the what-ifs of each trace; `collectives` how the collective kernels of
a trace of several ranks wait and transfer; `graphs` what the folder's traces say
about --graphs.
"""
import csv
import glob
import gzip
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict

CHANGES = ["--launch", "x0.5", "--host", "x0.5", "--graphs", "--clock", "x1.2",
           "--bandwidth", "x1.5"]
RANKS = ["--launch", "x0.5", "--host", "x0.5", "--link", "x2"]
PARTS = ["kernels", "copies", "dispatch", "host", "return", "unknown"]
# Direct launches and graphs of one program, and the model of an unnamed GPU.
PAIRS = [("mi300x_sglang_prefill", "mi300x_sglang_decode_graph", None),
         ("rpd_raptor_mytrace", "rpd_raptor_mytrace", "mi300x-rpd")]
GRAPH_FIRST = 4  # AQ_FLAG_GRAPH_FIRST

csv.field_size_limit(1 << 30)


class Tool:
    def __init__(self, aqueduct, work):
        self.aqueduct, self.work = aqueduct, work
        self.env = dict(os.environ, AQUEDUCT_STORE=os.path.join(work, "runs.db"))

    def run(self, *words):
        return subprocess.run([self.aqueduct, *words], env=self.env, check=True,
                              stdout=subprocess.PIPE, text=True).stdout

    def whatif(self, run, changes):
        return json.loads(self.run("whatif", run, *changes, "--json", "-q"))

    def device_rows(self, run):
        rows = csv.DictReader(io.StringIO(self.run("export", run, "--format", "csv")))
        return sorted((r for r in rows if r["start"]), key=lambda r: int(r["start"]))


def ms(value):
    return f"{value / 1e6:.2f}"


# ---- table ----

def shares(path):
    whole = path["makespan_ns"] or 1
    return " ".join(f"{100 * path[p + '_ns'] / whole:.0f}" for p in PARTS)


def table(tool, folder, traces):
    yield "| trace | change | before | after | range | path before | after | durations | based on |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for trace in traces:
        tool.run("import", f"{folder}/{trace}.json.gz", "--name", trace, "-q")
        for row in tool.whatif(trace, CHANGES)["changes"]:
            basis = row["basis"].split(": AMD-AGI")[0]
            label = "predicted" if row["predicted"] else "replayed"
            yield (f"| {trace} | {row['change']} | {ms(row['before_ns'])} ms | "
                   f"{ms(row['after_ns'])} ms | {ms(row['least_ns'])} to "
                   f"{ms(row['most_ns'])} | {shares(row['critical_path_before'])} | "
                   f"{shares(row['critical_path_after'])} | {label} | {basis} |")


# ---- collectives ----

def all_reduces(events):
    """Of each all-reduce of all ranks: numbers, last start, ends."""
    ranks = defaultdict(list)
    for e in events:
        if e.get("cat") == "kernel" and "Collective name" in e["args"]:
            ranks[e["args"]["rank"]].append(e)
    for of in ranks.values():
        of.sort(key=lambda e: e["ts"])
    for alike in zip(*ranks.values()):
        if all(e["args"]["Collective name"] == "allreduce" for e in alike):
            yield (alike[0]["args"]["In msg nelems"], max(e["ts"] for e in alike),
                   [e["ts"] + e["dur"] for e in alike])


def line(points):
    """Least squares: value at 0, and slope."""
    x, y = ([p[i] for p in points] for i in (0, 1))
    mx, my = statistics.mean(x), statistics.mean(y)
    slope = (sum((a - mx) * (b - my) for a, b in points) /
             sum((a - mx) ** 2 for a in x))
    return my - slope * mx, slope


def collectives(tool, folder, traces):
    trace = traces[0]
    path = f"{folder}/{trace}.json.gz"
    text = gzip.open(path, "rt").read()
    # Under a name of no family a kernel keeps its duration, waiting and all.
    plain = os.path.join(tool.work, "plain.json")
    open(plain, "w").write(text.replace("ncclDevKernel", "otherKernel"))
    tool.run("import", path, "--name", "ranks", "-q")
    tool.run("import", plain, "--name", "plain", "-q")
    found, kept = tool.whatif("ranks", RANKS), tool.whatif("plain", RANKS[:4])
    of = found["collectives"]
    document = json.loads(text)
    sets = list(all_reduces(document if isinstance(document, list)
                            else document["traceEvents"]))
    least = {}
    for n, last, ends in sets:
        least[n] = min([least.get(n, ends[0] - last)] + [end - last for end in ends])
    fixed, slope = line(list(least.items()))
    numbers = [n / 1e6 for n, _, _ in sets]
    yield f"| in {trace} | |"
    yield "|---|---|"
    yield f"| collective kernels that meet | {of['met']} of {of['kernels']} |"
    yield (f"| waiting, and transfer, of {ms(of['waiting_ns'] + of['transfer_ns'])} ms | "
           f"{ms(of['waiting_ns'])} ms, {ms(of['transfer_ns'])} ms |")
    yield (f"| all-reduces, of {min(numbers):.1f} to {max(numbers):.1f} million numbers | "
           f"{len(sets)} |")
    yield ("| largest distance between the ends of an all-reduce's kernels | "
           f"{max(max(ends) - min(ends) for _, _, ends in sets):.1f} us |")
    yield (f"| line through the shortest transfer of each number | {fixed:.1f} us + "
           f"{1e6 * slope:.1f} us a million numbers |")
    yield ""
    yield "| change | before | after | % | range | %, waits kept as measured |"
    yield "|---|---|---|---|---|---|"
    without = {r["change"]: f"{r['percent']:+.1f}" for r in kept["changes"]}
    for row in found["changes"]:
        if row["change"] not in ("none", "all"):
            yield (f"| {row['change']} | {ms(row['before_ns'])} ms | "
                   f"{ms(row['after_ns'])} ms | {row['percent']:+.1f} | "
                   f"{ms(row['least_ns'])} to {ms(row['most_ns'])} | "
                   f"{without.get(row['change'], '–')} |")


# ---- graphs ----

def name_lines(launches):
    """What the kernels of graphs and direct launches have in common, by name."""
    launches = {t: [r for r in rows if r["kind"] == "kernel"]
                for t, rows in launches.items()}
    names = {t: {via: {r["name"] for r in rows if r["via"] == via}
                 for via in ("direct", "graph")} for t, rows in launches.items()}

    def shared(graph, direct):
        both = names[graph]["graph"] & names[direct]["direct"]
        count = lambda t, via: sum(r["via"] == via and r["name"] in both
                                   for r in launches[t])
        of = lambda t, via: sum(r["via"] == via for r in launches[t])
        return (f"{count(direct, 'direct')} of {of(direct, 'direct')} launches, "
                f"{count(graph, 'graph')} of {of(graph, 'graph')} nodes"
                if both else "none")

    yield ("| trace with graphs | nodes | with a grid | names that run directly, too | "
           "most such nodes by another trace |")
    yield "|---|---|---|---|---|"
    for trace, rows in launches.items():
        nodes = [r for r in rows if r["via"] == "graph"]
        if nodes:
            alike = lambda t: sum(r["name"] in names[t]["direct"] for r in nodes)
            other = max((t for t in launches if t != trace), key=alike)
            yield (f"| {trace} | {len(nodes)} | "
                   f"{sum(r['grid_x'] != '' for r in nodes)} | {shared(trace, trace)} | "
                   f"{other + ': ' + shared(trace, other) if alike(other) else 'none'} |")


def gaps(rows, inside):
    """Microseconds between kernels that follow one another inside a graph."""
    out = []
    for a, b in zip(rows, rows[1:]):
        if inside(a) and inside(b) and not int(b["flags"]) & GRAPH_FIRST:
            out.append((int(b["start"]) - int(a["end"])) / 1e6)
    return f"{len(out)} | {statistics.median(out):.3f} | {statistics.mean(out):.2f}"


def gap_lines(tool, launches):
    yield "| graphs | kernels that follow one another | median us | mean us |"
    yield "|---|---|---|---|"
    for direct, graph, device in PAIRS:
        model = ["--device", device] if device else []
        for run, words in ((direct, ["--as-graph"]), (graph, [])):
            name = f"{run}-{'made' if words else 'again'}"
            tool.run("replay", run, "--mode", "closed", *words, *model, "--name", name,
                     "-q")
        from_direct = {r["row"] for r in launches[direct] if r["via"] == "direct"}
        again = lambda r: r["via"] == "graph" and r["kind"] == "kernel"
        made = lambda r: again(r) and r["origin"] in from_direct
        yield (f"| made of {direct}'s direct launches | "
               f"{gaps(tool.device_rows(direct + '-made'), made)} |")
        yield f"| measured in {graph} | {gaps(launches[graph], again)} |"
        yield f"| in its replay | {gaps(tool.device_rows(graph + '-again'), again)} |"


def graphs(tool, folder, _):
    launches = {}
    for path in sorted(glob.glob(f"{folder}/*.json.gz") +
                       glob.glob(f"{folder}/*.rpd.gz")):
        name = os.path.basename(path).split(".")[0]
        tool.run("import", path, "--name", name, "-q")
        launches[name] = tool.device_rows(name)
    yield from name_lines(launches)
    yield ""
    yield from gap_lines(tool, launches)


def main():
    aqueduct, folder, block, traces = (*sys.argv[1:4], sys.argv[4:])
    blocks = {"table": table, "collectives": collectives, "graphs": graphs}
    with tempfile.TemporaryDirectory() as work:
        print("\n".join(blocks[block](Tool(aqueduct, work), folder, traces)))


if __name__ == "__main__":
    main()
