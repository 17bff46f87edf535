#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of defects, their commits and their tests: defects.py SRCDIR prints
it in Markdown, of tests/arch/defects.tsv. Each test must be there, and in a
clone each commit. Exit status 1, with a line each, where one is not."""
import os
import subprocess
import sys

SOURCE = sys.argv[1]


def commits():
    """Short hashes by subject, the first of each; none outside of a clone."""
    done = subprocess.run(["git", "-C", SOURCE, "log", "--format=%h\t%s"],
                          capture_output=True, text=True, check=False)
    found = {}
    for line in done.stdout.splitlines():
        number, subject = line.split("\t", 1)
        found[subject] = number
    return found


def rows():
    with open(os.path.join(SOURCE, "tests/arch/defects.tsv"),
              encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t") for line in lines
                if line[0] != "#"]


def main():
    known, wrong = commits(), []
    print("| id | defect | commit | test |\n|---|---|---|---|")
    for defect, text, subject, file, name in rows():
        path = os.path.join(SOURCE, file)
        source = open(path, encoding="utf-8").read() \
            if os.path.exists(path) else ""
        if not name or name not in source:
            wrong.append(f"{defect}: {file} has no test '{name}'")
        if known and subject not in known:
            wrong.append(f"{defect}: no commit '{subject}'")
        print(f"| {defect} | {text} | {known.get(subject, '')} `{subject}` | "
              f"`{file}`: `{name}` |")
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(bool(wrong))


main()
