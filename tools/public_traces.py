#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What importers and models make of public traces that no model is fitted to.

usage: public_traces.py measure AQUEDUCT SRCDIR FOLDER > traces/public.tsv
       public_traces.py table SRCDIR

`measure` imports the copies that traces/public-sources.tsv names below FOLDER,
replays those with dispatch times or host calls on the model that replay chooses, else
on that of the table, and prints a line a source. `table` prints these lines as Markdown.
"""
import collections
import glob
import json
import os
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile

from launches import COLUMNS, onto_idle

HEAD = ("name", "files", "imported", "rows", "with times", "repairs",
        "model", "scored", "median", "p90", "mean", "E", "idle", "refused")


def table(path):
    with open(path, encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if line.strip() and line[0] != "#"]


def ask(program, store, *words):
    env = dict(os.environ, AQUEDUCT_STORE=store)
    return subprocess.run([program, *words], capture_output=True, text=True,
                          env=env, check=False)


def idle_latencies(store, run):
    """Submission -> start in us of launches onto an idle device."""
    rows = sqlite3.connect(store).execute(
        f"SELECT {COLUMNS} FROM records WHERE id BETWEEN ? << 32 AND"
        " (? << 32) + 4294967295 AND kind <= 3 ORDER BY start_ps", (run, run))
    return [latency for _, _, latency in onto_idle(rows)]


class Source:
    """Sums over the files of a source."""

    def __init__(self, device):
        self.device = device  # where replay chooses none
        self.counts = collections.Counter()
        self.repairs = collections.Counter()
        self.models, self.refused = collections.Counter(), []
        self.errors = {"run": [], "E": []}
        self.idle = []

    def add(self, program, store, path):
        self.counts["files"] += 1
        done = ask(program, store, "import", path, "--json")
        if done.returncode:
            why = done.stderr.strip().split(": ", 3)[-1]
            self.refused.append(why.split(" (known")[0])
            return
        self.counts["imported"] += 1
        made = json.loads(done.stdout)[0]
        facts, run = made["notes"], made["id"]
        self.counts["rows"] += facts["dispatches"] + facts["copies"]
        self.counts["timed"] += facts["with_host"]
        for what, number in facts["repairs"].items():
            self.repairs[what.replace("_", " ")] += number
        self.idle += idle_latencies(store, run)
        if facts["with_host"]:
            self.replay(program, store, run)

    def replay(self, program, store, run):
        done = ask(program, store, "replay", str(run), "--fit", "none")
        if done.returncode:
            near = re.search(r"same ISA: (\S+);", done.stderr)
            self.models["none" + (f", nearest {near[1]}" if near else "") +
                        f"; {self.device}"] += 1
            done = ask(program, store, "replay", str(run), "--device",
                       self.device)
        else:
            model = re.search(r"device model (\S+), ([^\n]*)", done.stderr)
            how = " (guessed)" if "guessed" in model[2] else \
                " (warning)" if "warning" in model[2] else ""
            self.models[model[1] + how] += 1
        out = json.loads(ask(program, store, "compare", done.stdout.strip(),
                             "--json").stdout)
        self.counts["scored"] += out.get("scored", 0)
        for row in out.get("errors", []):
            if (row["quantity"], row["class"]) == ("end", "all") and \
                    row["by"] in self.errors:
                self.errors[row["by"]].append(
                    [row[key] / 1000
                     for key in ("median_ns", "p90_ns", "mean_ns")])

    def line(self, name):
        def middle(values, at):
            return f"{statistics.median(v[at] for v in values):.2f}" \
                if values else "-"
        ours = [middle(self.errors["run"], at) for at in range(3)]
        counts = [str(self.counts[key])
                  for key in ("files", "imported", "rows", "timed")]
        repairs = "; ".join(f"{n} {what}" for what, n in
                            sorted(self.repairs.items())) or "-"
        models = "; ".join(f"{model} ×{n}" if n > 1 else model
                           for model, n in self.models.most_common()) or "-"
        idle = f"{statistics.median(self.idle):.2f} ({len(self.idle)})" \
            if self.idle else "-"
        return [name, *counts, repairs, models, str(self.counts["scored"]),
                *ours, middle(self.errors["E"], 2), idle,
                "; ".join(sorted(set(self.refused))) or "-"]


def measure(program, srcdir, folder):
    print("# Figures of public traces, made by tools/public_traces.py: errors of "
          "the end time in us,\n# the middle one of a source's files. Sources "
          "and their names: public-sources.tsv.")
    print("# " + "\t".join(HEAD))
    sources = table(os.path.join(srcdir, "traces/public-sources.tsv"))
    for name, files, *_, device in sources:
        found = Source(device)
        with tempfile.TemporaryDirectory() as place:
            for path in sorted(glob.glob(os.path.join(folder, files))):
                found.add(program, os.path.join(place, "runs.db"), path)
        print("\t".join(found.line(name)), flush=True)


def show(srcdir):
    folder = os.path.join(srcdir, "traces")
    sources = {row[0]: row for row in
               table(os.path.join(folder, "public-sources.tsv"))}
    lines = table(os.path.join(folder, "public.tsv"))
    lines.sort(key=lambda row: (sources[row[0]][6], row[0]))
    print("| stack and profiler | GPU | source | files imported | rows, with "
          "times | model that replay chose, else of the GPU | scored: median / p90 / mean | `E`, "
          "mean | idle launches |\n|---|---|---|---|---|---|---|---|---|")
    for (name, files, imported, rows, timed, _, model, scored, median, p90, mean,
         formula, idle, _) in lines:
        _, _, repository, _, _, gpu, stack, _ = sources[name]
        errors = f"{scored}: {median} / {p90} / {mean}" if scored != "0" else "-"
        print(f"| {stack} | {gpu} | {name}, {repository} | {imported} of {files} "
              f"| {rows}, {timed} | {model} | {errors} | {formula} | {idle} |"
              .replace("| - |", "| – |").replace("| - |", "| – |"))
    total = [sum(int(row[i]) for row in lines) for i in range(1, 5)]
    print(f"\n{total[1]} of {total[0]} files are imported: {total[2]} rows, "
          f"{total[3]} with dispatch times or host calls.\n")
    for name, *_, refused in lines:
        if refused != "-":
            print(f"- Refused of {name}: {refused}.")
    print("\n| source | repairs, by the key of `import --json` |\n|---|---|")
    for row in lines:
        if row[5] != "-":
            print(f"| {row[0]} | {row[5]} |")


def main():
    if len(sys.argv) == 5 and sys.argv[1] == "measure":
        measure(*sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "table":
        show(sys.argv[2])
    else:
        sys.exit(__doc__)


main()
