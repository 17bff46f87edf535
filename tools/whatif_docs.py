#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the what-ifs of published traces as a table.

usage: whatif_docs.py AQUEDUCT FOLDER TRACE...
"""
import json
import os
import subprocess
import sys
import tempfile

CHANGES = ["--launch", "x0.5", "--host", "x0.5", "--graphs", "--clock", "x1.2",
           "--bandwidth", "x1.5"]
PARTS = ["kernels", "copies", "dispatch", "host", "return"]


def shares(path):
    whole = path["makespan_ns"] or 1
    return " ".join(f"{100 * path[p + '_ns'] / whole:.0f}" for p in PARTS)


def main():
    aqueduct, folder, traces = sys.argv[1], sys.argv[2], sys.argv[3:]
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, AQUEDUCT_STORE=os.path.join(work, "runs.db"))
        run = lambda *words: subprocess.run(
            [aqueduct, *words], env=env, check=True, capture_output=True,
            text=True).stdout
        print("\n| trace | change | before | after | range | path before | after | durations | rests on |")
        print("|---|---|---|---|---|---|---|---|---|")
        for trace in traces:
            run("import", f"{folder}/{trace}.json.gz", "--name", trace, "-q")
            found = json.loads(run("whatif", trace, *CHANGES, "--json", "-q"))
            for row in found["changes"]:
                ms = lambda key: f"{row[key] / 1e6:.2f}"
                basis = row["basis"].split(": AMD-AGI")[0]
                label = "predicted" if row["predicted"] else "replayed"
                print(f"| {trace} | {row['change']} | {ms('before_ns')} ms | "
                      f"{ms('after_ns')} ms | {ms('least_ns')} to {ms('most_ns')} | "
                      f"{shares(row['critical_path_before'])} | "
                      f"{shares(row['critical_path_after'])} | {label} | {basis} |")
        print()


if __name__ == "__main__":
    main()
