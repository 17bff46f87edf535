#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the long targets and keeps their results: long.py run|status BUILD [NAME…].

`run` makes the stale rows of tests/long.tsv, or the named ones, in a clone of the
commit below BUILD/long/, and writes BUILD/long.tsv: target, commit, date, result,
seconds, cases. It begins no row whose minutes would end after LONG_SECONDS (3600),
so that a further call goes on where this one stopped. A row is stale without a
result, after a failure, and once a file that it covers has changed since its
commit. `status` prints every row with its result, stale ones marked, and exits 1
while one is not green.
"""
import datetime
import os
import re
import subprocess
import sys
import time

FIELDS = ("name", "slices", "minutes", "covers", "judged", "command")
RESULT = ("target", "commit", "date", "result", "seconds", "cases")


def output(*command, cwd):
    return subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def rows_read(path, fields):
    rows = []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                values = line.rstrip("\n").split("\t")
                if line.startswith("#") or values == [""]:
                    continue
                if len(values) != len(fields):
                    sys.exit(f"long: {path}:{number}: expected {len(fields)} columns")
                rows.append(dict(zip(fields, values)))
    return rows


def targets(source):
    """A row for each slice, called NAME or NAME.I."""
    for row in rows_read(os.path.join(source, "tests/long.tsv"), FIELDS):
        slices = int(row["slices"])
        for i in range(1, slices + 1):
            name = row["name"] if slices == 1 else f"{row['name']}.{i}"
            yield dict(row, target=name, slice=f"{i}/{slices}")


def is_stale(source, row, result):
    if not result or result["result"] != "green":
        return True
    changed = subprocess.run(
        ["git", "diff", "--quiet", result["commit"], "HEAD", "--"]
        + row["covers"].split(), cwd=source, check=False,
        stderr=subprocess.DEVNULL)
    return changed.returncode != 0


def results_write(path, results):
    with open(path + ".part", "w", encoding="utf-8") as out:
        out.write("# " + "\t".join(RESULT) + "\n")
        for result in results.values():
            out.write("\t".join(result[field] for field in RESULT) + "\n")
    os.replace(path + ".part", path)


def clone(source, base):
    """The commit in a folder of its own, configured; objects of an earlier one
    are used again."""
    tree, build = os.path.join(base, "tree"), os.path.join(base, "tree", "build")
    if not os.path.exists(tree):
        subprocess.run(["git", "clone", "-q", source, tree], check=True)
    subprocess.run(["git", "fetch", "-q", "origin", "HEAD"], cwd=tree, check=True)
    subprocess.run(["git", "reset", "-q", "--hard", "FETCH_HEAD"], cwd=tree,
                   check=True)
    shared = os.path.join(source, "..", "shared")
    link = os.path.join(base, "shared")
    if os.path.isdir(shared) and not os.path.exists(link):
        os.symlink(os.path.abspath(shared), link)
    if not os.path.exists(os.path.join(build, "Makefile")):
        os.makedirs(build, exist_ok=True)
        subprocess.run(["./autogen.sh"], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run(["../configure", "--silent", "--enable-maintainer-mode"],
                       cwd=build, check=True)
    return tree, build


def cases(log):
    """How many tests passed, mutants died, or inputs' parsers held."""
    with open(log, encoding="utf-8", errors="replace") as text:
        said = text.read()
    for pattern in (r"^# PASS: *(\d+)", r"^\d+ rows: (\d+) killed", r"^ok (\d+)",
                    r"^fuzz: \w+: (\d+) runs, nothing"):
        found = [int(n) for n in re.findall(pattern, said, re.M)]
        if found:
            counted = pattern.startswith(("^ok", "^fuzz"))
            return str(len(found) if counted else sum(found))
    return "-"


def one_run(row, tree, build, log):
    begin = time.monotonic()
    with open(log, "w", encoding="utf-8") as out:
        code = subprocess.run(
            f"make -s -j{os.cpu_count()} && {row['command']}", shell=True, cwd=build,
            check=False, stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT,
            env=dict(os.environ, AQ_SLICE=row["slice"])).returncode
    result = "green" if code == 0 else f"exit {code}"
    changed = output("git", "diff", "--name-only", cwd=tree).split()
    if changed:
        if result == "green" and row["judged"] == "page":
            with open(log, "a", encoding="utf-8") as out:
                out.write(output("git", "diff", cwd=tree) + "\n")
            result = "changed " + " ".join(changed)
        subprocess.run(["git", "checkout", "-q", "--"] + changed, cwd=tree, check=True)
    return result, time.monotonic() - begin


def run(source, where, names):
    path, base = os.path.join(where, "long.tsv"), os.path.join(where, "long")
    results = {r["target"]: r for r in rows_read(path, RESULT)}
    rows = [row for row in targets(source)
            if row["target"] in names or row["name"] in names
            or (not names and is_stale(source, row, results.get(row["target"])))]
    if names and not rows:
        sys.exit(f"long: tests/long.tsv has no target {' '.join(names)}")
    end = time.monotonic() + int(os.environ.get("LONG_SECONDS", "3600"))
    failed = False
    os.makedirs(base, exist_ok=True)
    tree, build = clone(source, base)
    commit = output("git", "rev-parse", "--short=8", "HEAD", cwd=tree)
    for row in rows:
        if time.monotonic() + 60 * int(row["minutes"]) > end and not names:
            print(f"later  {row['target']} ({row['minutes']} min)", flush=True)
            continue
        log = os.path.join(base, row["target"] + ".log")
        result, seconds = one_run(row, tree, build, log)
        results[row["target"]] = {
            "target": row["target"], "commit": commit,
            "date": datetime.datetime.now().strftime("%Y-%m-%dT%H:%M"),
            "result": result, "seconds": f"{seconds:.0f}", "cases": cases(log)}
        results_write(path, results)
        print(f"{result:6} {row['target']} ({seconds:.0f} s)", flush=True)
        if result != "green":
            failed = True
            with open(log, encoding="utf-8", errors="replace") as text:
                sys.stdout.writelines("  " + line for line in text.readlines()[-12:])
    return 1 if failed else 0


def status(source, where):
    results = {r["target"]: r
               for r in rows_read(os.path.join(where, "long.tsv"), RESULT)}
    stale = total = 0
    for row in targets(source):
        result = results.get(row["target"])
        old = is_stale(source, row, result)
        stale += old
        total += 1
        if result:
            print(f"{'stale' if old else 'fresh':6} {row['target']:18} "
                  f"{result['commit']} {result['date']} {result['result']}, "
                  f"{result['seconds']} s, {result['cases']} cases")
        else:
            print(f"stale  {row['target']:18} never run, "
                  f"{row['minutes']} min: {row['command']}")
    print(f"{total - stale} fresh, {stale} stale")
    return 1 if stale else 0


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("run", "status"):
        sys.exit(__doc__)
    source = output("git", "rev-parse", "--show-toplevel",
                    cwd=os.path.dirname(os.path.abspath(__file__)))
    where = os.path.abspath(sys.argv[2])
    if sys.argv[1] == "status":
        return status(source, where)
    return run(source, where, sys.argv[3:])


sys.exit(main())
