#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that tests notice bugs: mutants.py SOURCE BUILD [NAME…].

Each row of mutants.tsv is a bug: a text that occurs once in a file, the text
that replaces it, and the tests that must fail then, programs or scripts. The
script copies the tracked files to a folder a processor below BUILD/mutants/,
configures once, and for each row applies the replacement there, builds only the
named programs (for a script, everything that is installed) and runs them: without
their long cases first, then, if nothing failed, with them. The source tree is never
changed.

A row is killed (a test fails), SURVIVED (all pass), HANGS (tests fail only by
their time limits), STALE (the text does not occur once, or the result does not
compile), or skipped (its tests have nothing to run on here). Exit 1 unless all
are killed or skipped. AQ_SLICE=I/N takes every Nth row.
"""
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time

TIMEOUT = 300  # seconds, of one test
FIELDS = ("name", "file", "text", "replacement", "tests")


def table(path):
    rows = []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                fields = line.split("\t")
                if len(fields) != len(FIELDS):
                    sys.exit(f"{path}: expected {len(FIELDS)} columns: {line}")
                rows.append(dict(zip(FIELDS, fields)))
    names = [row["name"] for row in rows]
    for name in set(names):
        if names.count(name) > 1:
            sys.exit(f"{path}: {name} occurs twice")
    return rows


def write_if_other(path, content):
    """Keeps the time stamp of a file that does not change: make relies on it."""
    if os.path.exists(path):
        with open(path, "rb") as old:
            if old.read() == content:
                return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as new:
        new.write(content)
    return True


def copy_tree(source, copy):
    """Copies the tracked files; returns whether the build has to be configured
    again."""
    described = False
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source, check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    names = {name for name in listed.split("\0") if name}
    for root, _, files in os.walk(copy):
        for file in files:
            path = os.path.join(root, file)
            name = os.path.relpath(path, copy)
            if name.startswith(("src/", "tests/")) and name not in names:
                os.remove(path)
    for name in names:
        path = os.path.join(source, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                new = write_if_other(os.path.join(copy, name), file.read())
            shutil.copymode(path, os.path.join(copy, name))
            described |= new and name.endswith((".ac", ".am", ".mk", ".m4"))
    return described


def run(command, where, limit=None, **more):
    done = subprocess.Popen(command, cwd=where, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True,
                            errors="replace", start_new_session=True, **more)
    try:
        out, _ = done.communicate(timeout=limit)
        return done.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, 9)
        out, _ = done.communicate()
        return None, out


def is_script(test):
    return test.endswith(".sh")


def build(where, tests):
    goals = [test for test in tests if not is_script(test)]
    make = ["make", "-s"]
    # One after the other: `all` is a make of its own.
    for some in (["all"] if len(goals) < len(tests) else [], goals):
        code, out = run(make + some, where) if some else (0, "")
        if code:
            break
    return code, out


def failures(out):
    """Messages of failed tests; those of time limits are no help to anybody."""
    marks = re.findall(r"^# (?!.*:\d+:$)(.+)$", out, re.M)
    return [m for m in marks if "Test timeout expired" not in m]


def failed_of(place, where, tests, environment):
    """The first test that fails by more than its time limit; what the tests say
    otherwise."""
    hangs = False
    skips = []
    for test in tests:
        path = os.path.join(place if is_script(test) else where, test)
        code, out = run([path], where, TIMEOUT, env=environment)
        skips += re.findall(r"^1\.\.0 # SKIP (.*)$", out, re.M)
        if code == 0 and not re.search(r"^not ok", out, re.M):
            continue
        if code is not None and failures(out):
            return "killed", test
        hangs = True
    if len(skips) == len(tests):
        return "skipped", skips[0]
    return ("HANGS", "") if hangs else ("SURVIVED", "")


def environment_of(copy, where, **more):
    environment = dict(os.environ, AQ_SRCDIR=copy, AQ_BUILDDIR=where, srcdir=copy)
    for name in ("CK_TAP_LOG_FILE_NAME", "AQ_LONG", "AQ_WHOLE"):
        environment.pop(name, None)
    return dict(environment, **more)


def verdict(copy, where, tests):
    what, by = failed_of(copy, where, tests, environment_of(copy, where))
    if what in ("killed", "HANGS"):
        return what, by
    return failed_of(copy, where, tests,
                     environment_of(copy, where, AQ_LONG="1", AQ_WHOLE="1"))


def prepare(source, base):
    """A copy of the tree, configured and built."""
    copy, where = os.path.join(base, "tree"), os.path.join(base, "build")
    described = copy_tree(source, copy)
    os.makedirs(where, exist_ok=True)
    if described or not os.path.exists(os.path.join(where, "Makefile")):
        for command, folder in ((["./autogen.sh"], copy),
                                (["../tree/configure", "-q", "CFLAGS=-O1"], where)):
            code, out = run(command, folder)
            if code:
                sys.exit(out)
    # Generated headers are dependencies of "all" only.
    code, out = run(["make", "-s", f"-j{os.cpu_count()}"], where)
    if code:
        sys.exit(out)
    return copy, where


def one_row(row, copy, where):
    """Applies the row, tests, and takes it back; what came of it, and by what."""
    path = os.path.join(copy, row["file"])
    tests = row["tests"].split()
    try:
        with open(path, encoding="utf-8") as file:
            right = file.read()
    except OSError:
        right = ""
    if right.count(row["text"]) != 1:
        return "STALE", f"{right.count(row['text'])} times in {row['file']}"
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(right.replace(row["text"], row["replacement"]))
        code, out = build(where, tests)
        if code:
            return "STALE", "does not compile: " + out[-300:]
        return verdict(copy, where, tests)
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(right)


def share(folders, items, job):
    """Does the job on every item, a thread a folder."""
    waiting = queue.SimpleQueue()
    for item in items:
        waiting.put(item)

    def work(copy, where):
        while True:
            try:
                item = waiting.get_nowait()
            except queue.Empty:
                return
            job(item, copy, where)

    threads = [threading.Thread(target=work, args=folder) for folder in folders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, base = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    rows = table(os.path.join(source, "tests/mutants/mutants.tsv"))
    wanted = sys.argv[3:]
    for name in wanted:
        if name not in [row["name"] for row in rows]:
            sys.exit(f"mutants: no row is called {name}")
    rows = [row for row in rows if not wanted or row["name"] in wanted]
    number, slices = map(int, os.environ.get("AQ_SLICE", "1/1").split("/"))
    # Rows of one file follow one another, so that little is built again.
    rows = sorted(rows[number - 1::slices], key=lambda row: row["file"])
    workers = min(os.cpu_count(), len(rows))
    folders = [prepare(source, os.path.join(base, "mutants", str(i)))
               for i in range(workers)]

    every = sorted({test for row in rows for test in row["tests"].split()})
    counts = {"killed": 0, "SURVIVED": 0, "HANGS": 0, "STALE": 0, "skipped": 0}
    turn = threading.Lock()

    def unchanged(test, copy, where):
        code, out = build(where, [test])
        what = "STALE" if code else verdict(copy, where, [test])[0]
        if what not in ("SURVIVED", "skipped"):
            with turn:
                print(f"{test}: {what} without any mutant {out[-300:] if code else ''}")
                counts["STALE"] += 1

    def mutated(row, copy, where):
        begin = time.monotonic()
        what, by = one_row(row, copy, where)
        with turn:
            counts[what] += 1
            print(f"{what:8} {row['name']:44} {by} "
                  f"({time.monotonic() - begin:.0f} s)", flush=True)

    share(folders, every, unchanged)
    if counts["STALE"]:
        return 1
    share(folders, rows, mutated)
    print(", ".join(f"{number} {what}" for what, number in counts.items()))
    return 0 if counts["killed"] + counts["skipped"] == len(rows) else 1


sys.exit(main())
