#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Findings of `exec --check` in libraries, by kernel and verdict.

findings.py KNOWN LIBRARY=REPORT...
    reads reports of `--check-report FILE --json` and prints the table of
    doc/tables/libraries.md. Fails where an error is not known, or a report is incomplete.
"""
import json
import re
import sys
from collections import defaultdict


def known_read(path):
    known = {}
    for line in open(path, encoding="utf-8"):
        if not line.startswith("#"):
            library, kind, kernel, why = line.rstrip("\n").split("\t")
            known[library, kind, kernel] = why
    return known


def kernel_of(finding):
    """The kernel's name as its source has it; the caller of a leak."""
    name = finding.get("kernel") or "no kernel"
    name = re.sub(r"[<(].*", "", name.replace("(anonymous namespace)", ""))
    return name.split(" ")[-1].split("::")[-1]


def table(known, reports):
    errors = defaultdict(lambda: [0, 0])
    others = defaultdict(lambda: [0, set()])
    failed = False
    for library, path in (report.split("=", 1) for report in reports):
        report = json.load(open(path, encoding="utf-8"))
        if "incomplete" in report:
            print(f"{path}: {report['incomplete']}", file=sys.stderr)
            failed = True
        for f in report["findings"]:
            key = library, f["kind"], kernel_of(f)
            if f["possible"] or f["note"]:
                row = others["note" if f["note"] else "possible", *key[:2]]
                row[0] += 1
                row[1].add(key[2])
                continue
            errors[key][0] += 1
            errors[key][1] += f["count"]
            if key not in known:
                print(f"not known: {key}: {f['message']}", file=sys.stderr)
                failed = True
    print("| library | error | kernel | sites | times | verdict |")
    print("|---|---|---|---|---|---|")
    rows = [(*key, *counts) for key, counts in errors.items()]
    clean = {r.split("=", 1)[0] for r in reports} - {key[0] for key in errors}
    rows += [(library, "none", "", 0, 0) for library in clean]
    for library, kind, kernel, sites, times in sorted(rows):
        why = known.get((library, kind, kernel), "not looked at")
        print(f"| {library} | {kind} | `{kernel}` | {sites} | {times} | {why} |"
              if kernel else f"| {library} | {kind} | | 0 | 0 | |")
    print("\n| library | not counted as errors | | sites | in kernels |")
    print("|---|---|---|---|---|")
    for (level, library, kind), (sites, kernels) in sorted(others.items()):
        print(f"| {library} | {kind} | {level} | {sites} | "
              f"{', '.join(f'`{k}`' for k in sorted(kernels))} |")
    return failed


sys.exit(table(known_read(sys.argv[1]), sys.argv[2:]))
