#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How device models do on sources that they were not fitted to.

usage: held_out.py AQUEDUCT SRCDIR DATA [WORD]

Each source of traces/sources.tsv is left out in turn: the constants of its model
are fitted again as traces/calibration.tsv says, without its traces, and the new
model replays them. Prints Markdown tables, of the sources whose name contains
WORD.
"""
import gzip
import json
import math
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from launches import COLUMNS, GRAPH, onto_idle

COLD = 105  # us, as E parts its two latencies
PINNED = 2  # AQ_FLAG_PINNED
# Of runs by what decides their intervals; a class of one source has none.
CLASSES = DIRECT, GRAPHS, GAPS = ("without graph launches",
                                  "with graph launches", "RDNA")


def table(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if line.strip() and line[0] != "#"]


def picoseconds(text):
    number, unit = re.match(r"([0-9.]+) ?(\w*)", text).groups()
    return float(number) * {"": 1, "ps": 1, "ns": 1e3, "us": 1e6}[unit]


class Aqueduct:
    """The program, on a store of its own."""

    def __init__(self, program, data, folder):
        self.program, self.data = program, data
        self.store = os.path.join(folder, "runs.db")
        self.runs = {}

    def ask(self, *words, good=True):
        env = dict(os.environ, AQUEDUCT_STORE=self.store, AQUEDUCT_QUIET="1")
        done = subprocess.run([self.program, *words], capture_output=True,
                              text=True, env=env, check=False)
        if done.returncode and good:
            sys.exit(f"held_out: {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout.strip() if done.returncode == 0 else None

    def run_of(self, trace):
        if trace not in self.runs:
            path = os.path.join(self.data, "raw", trace)
            self.runs[trace] = self.ask("import", path)
        return self.runs[trace]

    def values(self, model):
        """The constants of a model: {key: value with its unit}."""
        shown = json.loads(self.ask("show", model, "--json"))
        return {row["key"]: f"{row['value']} {row['unit'] or ''}".strip()
                for row in shown["values"]}

    def fits(self, traces, model, keys):
        """What calibration makes of traces: {key: value with its unit}. Ramps
        that are none of the keys stay the model's."""
        has = self.values(model)
        kept = [f"--set={ramp}={has[ramp]}"
                for ramp in ("idle_ramp", "remap_ramp") if ramp not in keys]
        out = self.ask("device", "calibrate", "--device", model, "--json",
                       *kept, *[self.run_of(trace) for trace in traces],
                       good=False)
        fits = json.loads(out)["fits"] if out else []
        return {fit["key"]: fit["value"] +
                (f" +- {fit['spread']}" if fit["spread"] else "")
                for fit in fits if fit["fitted"]}

    def score(self, trace, device, *more):
        """The comparison of a replay on a device, and the replay's number."""
        return self.score_run(self.run_of(trace), device, *more)

    def score_run(self, measured, device, *more):
        run = self.ask("replay", measured, "--device", device, *more)
        return json.loads(self.ask("compare", run, "--json")), run


class Models:
    """Copies of the shipped models, with constants fitted again."""

    def __init__(self, aqueduct, srcdir, folder):
        self.aqueduct, self.folder = aqueduct, folder
        self.shipped = os.path.join(srcdir, "src/backend_sim/model/devices")
        self.rows = [(model, keys.split(), files.split()) for model, keys, files
                     in table(os.path.join(srcdir, "traces/calibration.tsv"))]

    def text(self, model):
        with open(os.path.join(self.shipped, model + ".device"),
                  encoding="utf-8") as file:
            return file.read()

    def chain(self, model):
        """The model and its bases, the last base first."""
        found = re.search(r"^base = (\S+)", self.text(model), re.M)
        return (self.chain(found.group(1)) if found else []) + [model]

    def write(self, model, values, nowhere):
        """A copy; constants that no trace gives are the base's, or 0. A model
        with values of other sources keeps no gaps behind kernels."""
        text = re.sub(r"^base = (\S+)", r"base = \1.device", self.text(model),
                      flags=re.M)
        has_base = text.startswith("base") or "\nbase = " in text
        for key, value in values.items():
            line = f"{key} = {value} ; measured: on other sources"
            pattern = rf"^{key} = .*$"
            if re.search(pattern, text, re.M):
                text = re.sub(pattern, line, text, flags=re.M)
            else:
                text += line + "\n"
        for key in nowhere:
            zero = ("1 ns" if key == "timestamp_step" else
                    "0" if re.search(rf"^{key} = \d+ ;", text, re.M) else "0 ns")
            line = "" if has_base else f"{key} = {zero} ; assumed: not measured"
            text = re.sub(rf"^{key} = .*$", line, text, flags=re.M)
        if values or nowhere:
            text = re.sub(r"^after .*\n", "", text, flags=re.M)
        path = os.path.join(self.folder, model + ".device")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def neighbour(self, name, key, left_out):
        """The traces that gave a constant of another model."""
        return [trace for model, keys, files in self.rows
                if model == name and key in keys
                for trace in files if trace not in left_out]

    def borrowed(self, link, near, key, others):
        """A constant from the traces of a neighbour. Of a neighbour on another
        GPU it is what its profiler and software add to that GPU's base."""
        chain, far = self.chain(link), self.chain(near)
        path = os.path.join(self.folder, link + ".device")
        parts = [self.aqueduct.values(model)["gfx"] for model in (link, near)]
        if parts[0] == parts[1] or len(chain) == 1 or len(far) == 1:
            return self.aqueduct.fits(others, path, [key]).get(key)
        fit = self.aqueduct.fits(others, near, [key]).get(key)
        if not fit:
            return None
        value, *spread = fit.split(" +- ")
        below, own = (self.aqueduct.values(model)[key]
                      for model in (far[-2], chain[-2]))
        sum_ps = picoseconds(own) + picoseconds(value) - picoseconds(below)
        return " +- ".join([f"{max(sum_ps, 0) / 1e6:g} us", *spread])

    def without(self, model, near, left_out):
        """Makes the model without some traces: its path, and the constants that
        no other source gives. Fits begin without all constants of those traces,
        for a fit leaves what it does not move as the model has it."""
        missing = []
        for link in self.chain(model):
            lost = [(keys, [trace for trace in files if trace not in left_out])
                    for name, keys, files in self.rows
                    if name == link and set(files) & set(left_out)]
            values, nowhere = {}, [key for keys, _ in lost for key in keys]
            path = self.write(link, values, nowhere)
            for keys, rest in lost:
                fits = self.aqueduct.fits(rest, path, keys) if rest else {}
                for key in keys:
                    if key not in fits and near:
                        others = self.neighbour(near, key, left_out)
                        if others:
                            fits[key] = self.borrowed(link, near, key, others)
                    if fits.get(key):
                        values[key] = fits[key]
                        nowhere.remove(key)
                        path = self.write(link, values, nowhere)
            missing += nowhere
        return path, missing


def errors(scored, by):
    """Median, p90 and mean of the end's error in us, and the makespan's."""
    for row in scored["errors"]:
        if (row["quantity"], row["class"], row["by"]) == ("end", "all", by):
            makespan = [m["error_ns"] for m in scored["makespan"]["errors"]
                        if m["by"] == by]
            figures = [row["median_ns"], row["p90_ns"], row["mean_ns"]]
            return [x / 1000 for x in figures + makespan]
    return None


def latencies(store, run, after=-1):
    """Signed errors in us of launches onto an idle device, warm and cold, that
    start from `after` (ps) on."""
    warm, cold = [], []
    columns = ", ".join("m." + name for name in COLUMNS.split(", "))
    rows = sqlite3.connect(store).execute(
        f"SELECT {columns}, s.start_ps, s.flags"
        " FROM runs JOIN records s ON s.id BETWEEN runs.id << 32 AND"
        " (runs.id << 32) + 4294967295 JOIN records m ON"
        " m.id = (runs.origin << 32) + s.origin"
        " WHERE runs.id = ? AND m.kind <= 3 ORDER BY m.start_ps", (run,))
    for (*_, start, _, got, flags), idle, _ in onto_idle(rows):
        if not (flags or 0) & PINNED and start >= after:
            (cold if idle > COLD else warm).append((got - start) / 1e6)
    return warm, cold


def clocks_differ(store, run):
    """Whether a replay moved doorbells by the offset of the run's clocks."""
    notes, = sqlite3.connect(store).execute(
        "SELECT notes FROM runs WHERE id = ?", (run,)).fetchone()
    return "clock" in json.loads(notes)["replay"]


def class_of(aqueduct, run, device):
    """The class of a replay, for its interval."""
    graphs, = sqlite3.connect(aqueduct.store).execute(
        "SELECT count(*) FROM records WHERE id BETWEEN ? << 32 AND"
        " (? << 32) + 4294967295 AND via = ?", (run, run, GRAPH)).fetchone()
    stamp = aqueduct.values(device.split("*")[0]).get("start_stamp", "")
    return GAPS if stamp.startswith("wave") else GRAPHS if graphs else DIRECT


def off_and_half(scored):
    """Of makespan and median latency the error, and half of the interval that
    the spreads of the constants alone give, in us."""
    half, latency = scored["interval"], scored["median_latency"]
    off = [next(m["error_ns"] for m in scored["makespan"]["errors"]
                if m["by"] == "run"),
           latency["run_ns"] - latency["reference_ns"]]
    halves = [half["makespan_half_ns"], half["latency_half_ns"]]
    return [(abs(error) / 1000, limit / 1000)
            for error, limit in zip(off, halves)]


def unexplained(sources, which):
    """How far beyond their spreads nine in ten traces of a further source are.
    The traces of a source share its weight; of fewer than nine sources, the
    furthest trace counts."""
    beyond = sorted((math.sqrt(max(0, off * off - half * half)),
                     1 / len(source))
                    for source in sources
                    for off, half in [trace[which] for trace in source])
    wanted, weight = 0.9 * (len(sources) + 1), 0
    for value, share in beyond:
        weight += share
        if weight >= wanted - 1e-9:
            return value
    return beyond[-1][0]


def coverage(sources, which, what, kind, by="constants"):
    """A line: the share of traces within their interval, whose unexplained part
    the other sources give; its 95 % interval by drawing sources with
    replacement; the medians of the half widths and of the errors."""
    if len(sources) < 2:
        return
    results = []
    for i, source in enumerate(sources):
        rest = unexplained(sources[:i] + sources[i + 1:], which)
        halves = [(trace[which][0], math.hypot(trace[which][1], rest))
                  for trace in source]
        results.append([(off <= half, half, off) for off, half in halves])

    def share(drawn):
        return statistics.mean(statistics.mean(trace[0] for trace in source)
                               for source in drawn)
    draw = random.Random(1)
    drawn = sorted(share(draw.choices(results, k=len(results)))
                   for _ in range(2000))
    traces = [trace for source in results for trace in source]
    width, error = (statistics.median(trace[i] for trace in traces)
                    for i in (1, 2))
    print(f"- {what}, {kind}: {share(results):.0%} of {len(sources)} sources "
          f"are within (95 % interval by sources {drawn[50]:.0%} to "
          f"{drawn[1949]:.0%}); median half width {width:.1f} µs, median error "
          f"{error:.1f} µs; {unexplained(sources, which):.1f} µs are not "
          f"explained by {by}.")


def intervals(option, covered, by="constants"):
    """Prints coverage by class; `covered` has triples of class, source and
    figures of a trace."""
    print(f"\nThe 90 % intervals of `{option}`, each source left out:\n")
    for which, what in ((0, "makespan"), (1, "median latency")):
        for kind in CLASSES:
            sources = {}
            for own, source, figures in covered:
                if own == kind:
                    sources.setdefault(source, []).append(figures)
            coverage(list(sources.values()), which, what, kind, by)


def show(figures):
    if not figures:
        return "–"
    median, p90, mean, makespan = (f"{x:.2f}" for x in figures)
    return f"{median} / {p90} / {mean}; {makespan}"


def middle(values):
    return f"{statistics.median(values):+.2f} ({len(values)})" if values else "–"


def idle_launches(segments):
    """Prints on how many traces launches are near; `segments` are pairs of
    errors, warm and cold."""
    good = [sum(abs(statistics.median(pair[i])) <= limit for pair in segments
                if pair[i]) for i, limit in ((0, .3), (1, 1.5))]
    of = [sum(bool(pair[i]) for pair in segments) for i in (0, 1)]
    print(f"Median of a trace's idle launches: within 0.3 µs on {good[0]} of "
          f"{of[0]} (warm), within 1.5 µs on {good[1]} of {of[1]} (cold).")


def halves(aqueduct, srcdir, folder, word):
    """Each half of a trace on a model that the other half gave."""
    print("\n| source | half scored | fitted to the other half | base | `E` "
          "| `B` |\n|---|---|---|---|---|---|")
    for name, model, trace in table(os.path.join(srcdir, "traces/halves.tsv")):
        if word not in name:
            continue
        with gzip.open(os.path.join(aqueduct.data, "raw", trace), "rt",
                       encoding="utf-8") as file:
            head, *rows = file.readlines()
        cut = len(rows) // 2
        runs, paths = [], []
        for i, part in enumerate((rows[:cut], rows[cut:])):
            path = os.path.join(folder, f"half{i}.csv")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines([head, *part])
            runs.append(aqueduct.ask("import", path))
            paths.append(os.path.join(folder, f"half{i}.device"))
            aqueduct.ask("device", "calibrate", runs[i], "--device", model,
                         "-o", paths[i])
        for i, half in enumerate(("first", "second")):
            out, _ = aqueduct.score_run(runs[i], paths[1 - i])
            base, _ = aqueduct.score_run(runs[i], model)
            print(f"| {name} | {half} | {show(errors(out, 'run'))} | "
                  f"{show(errors(base, 'run'))} | {show(errors(out, 'E'))} | "
                  f"{show(errors(out, 'B'))} |", flush=True)


def main():
    program, srcdir, data = sys.argv[1:4]
    word = sys.argv[4] if len(sys.argv) > 4 else ""
    sources = table(os.path.join(srcdir, "traces/sources.tsv"))
    print("| source | trace | left out | in sample | `E` | `B` | idle, warm "
          "| idle, cold | from no other source |")
    print("|---|---|---|---|---|---|---|---|---|")
    better, scored_sources, segments, covered = 0, 0, [], []
    unmoved, better_unmoved = [], 0
    with tempfile.TemporaryDirectory() as folder:
        aqueduct = Aqueduct(program, data, folder)
        models = Models(aqueduct, srcdir, folder)
        for name, model, near, files in sources:
            if word not in name:
                continue
            traces = files.split()
            part = model.split("*")
            path, missing = models.without(part[0], near, traces)
            bare = [f"--set=unexplained_{what}=0us" for what in (
                "makespan", "latency", "graph_makespan", "graph_latency")]
            device = "*".join([path] + part[1:])
            sums = [0.0, 0.0, 0.0]
            for trace in traces:
                out, run = aqueduct.score(trace, device, "--interval",
                                          *bare)
                inside, _ = aqueduct.score(trace, model)
                warm, cold = latencies(aqueduct.store, run)
                segments.append((warm, cold))
                covered.append((class_of(aqueduct, run, device), name,
                                off_and_half(out)))
                ours, formula = errors(out, "run"), errors(out, "E")
                sums[0] += ours[2] * out["scored"]
                kept = ours
                if clocks_differ(aqueduct.store, run):
                    kept = errors(aqueduct.score(
                        trace, device, "--clock-offset", "none")[0], "run")
                    unmoved.append(f"{trace.split('.')[0]} {kept[2]:.2f} "
                                   f"instead of {ours[2]:.2f} µs")
                sums[2] += kept[2] * out["scored"]
                sums[1] += (formula or errors(out, "zero"))[2] * out["scored"]
                print(f"| {name} | {trace.split('.')[0]} | {show(ours)} | "
                      f"{show(errors(inside, 'run'))} | {show(formula)} | "
                      f"{show(errors(out, 'B'))} | {middle(warm)} | "
                      f"{middle(cold)} | {', '.join(missing) or '–'} |",
                      flush=True)
            scored_sources += 1
            better += sums[0] < sums[1]
            better_unmoved += sums[2] < sums[1]
    print(f"\nBetter than `E` (`zero` where no row gives a latency) by mean: {better} of {scored_sources} sources, with "
          "constants from other sources.")
    if unmoved:
        print("Host waits of the very trace show that its clocks differ, and "
              f"move its doorbells, on {len(unmoved)} traces; without that "
              f"(`--clock-offset none`) the mean is {', '.join(unmoved)}, and "
              f"{better_unmoved} of {scored_sources} sources are better.")
    idle_launches(segments)
    intervals("replay --interval", covered)
    with tempfile.TemporaryDirectory() as folder:
        halves(Aqueduct(program, data, folder), srcdir, folder, word)


if __name__ == "__main__":
    main()
