#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that tests notice bugs: mutants.py SOURCE BUILD [NAME or FOLDER…].

Each row of mutants.tsv is a bug: a text that occurs once in a file, the text
that replaces it, and the tests that must fail then, programs or scripts. The
script copies the tracked files to a folder a processor below BUILD/mutants/,
configures once (by ccache where it is installed), and for each row applies the
replacement there and runs the named tests until one fails: first the programs, then
the scripts, without their long cases; then, if nothing failed, all with them. A test
ends at its first failure. The objects of the core that are made of a file, a
header's too, as far as the test has them, are linked before the archive, into the
one program that a test needs; if no test fails so, the row is judged again with
everything that is installed built from it. Tests that killed a row then run once on
the sources as they are, with the same cases, and must pass. The source tree is never
changed.

A row is killed (a test fails), timed out (a case fails because its own time is over,
twice: no other failure says that something never ends), SURVIVED (all pass), HANGS
(the script here had to end the test, which no `make check` does), STALE (the text
does not occur once, the result does not compile, or the test fails without the bug
too), or skipped (its tests have nothing to run on here). Rows that timed out are
killed. Exit 1 unless all are killed or skipped. Killed rows and passed tests are
kept in BUILD/mutants/kept.tsv: a run that was interrupted goes on, as long as all
tracked files but the table, and the compiler, are the same. With AQ_CARRY=1 the
killed rows of other sources count too, if the row, its file, its tests and what
their folders have besides tests are the same; the last line says how many.
AQ_SLICE=I/N takes every Nth row.
"""
import hashlib
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

FIELDS = ("name", "file", "text", "replacement", "tests")
FLAGS = ("CC", "CFLAGS", "LDFLAGS")
TABLE = "tests/mutants/mutants.tsv"
KILLED = ("killed", "timed out")
RESULTS = KILLED + ("SURVIVED", "HANGS", "STALE", "skipped")
# The cases of a test: variables of its environment, and the seconds it may take.
CASES = {"short": ({}, 300), "long": ({"AQ_LONG": "1", "AQ_WHOLE": "1"}, 900)}
MAKE = ("make", "-s")
# With the mutant's object before the archive, which is not made anew: that and its
# index would take longer than all else.
LINKED = ("-o", "libaqcore.a")
LIBRARIES = "AQ_CORE_LDADD={} libaqcore.a $(AQ_CORE_LIBS)"


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


def chosen(rows, wanted):
    """The rows with the wanted names, or whose files lie in a wanted folder."""
    for name in wanted:
        if not any(name == row["name"] or row["file"].startswith(name + "/")
                   for row in rows):
            sys.exit(f"mutants: no row is called {name} or changes a file in {name}/")
    return [row for row in rows if not wanted or row["name"] in wanted
            or any(row["file"].startswith(name + "/") for name in wanted)]


def tracked(source):
    """The tracked files and their contents."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=source, check=True,
                            stdout=subprocess.PIPE).stdout.decode()
    files = {}
    for name in sorted(filter(None, listed.split("\0"))):
        path = os.path.join(source, name)
        if os.path.isfile(path):
            with open(path, "rb") as file:
                files[name] = file.read()
    return files


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


def copy_tree(source, files, copy):
    """Copies the files; returns whether the build has to be configured again."""
    described = False
    for top in ("src", "tests"):
        for root, _, names in os.walk(os.path.join(copy, top)):
            for name in names:
                path = os.path.join(root, name)
                if os.path.relpath(path, copy) not in files:
                    os.remove(path)
    for name, content in files.items():
        path = os.path.join(copy, name)
        new = write_if_other(path, content)
        shutil.copymode(os.path.join(source, name), path)
        described |= new and name.endswith((".ac", ".am", ".mk", ".m4"))
    return described


def compiler_version():
    compiler = os.environ.get("CC", "gcc").split()
    return subprocess.run(compiler + ["--version"], check=False,
                          stdout=subprocess.PIPE).stdout


def digest(*parts):
    key = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else part.encode()
        key.update(f"{len(part)}\0".encode() + part)
    return key.hexdigest()[:16]


class Kept:
    """Results of earlier runs, and of this one: a line each, (how, test, cases) by a
    row or a test. Each has the key of all sources, and that of the row's file and of
    its tests."""

    def __init__(self, path, files):
        self.path, self.files = path, files
        self.key = digest(*(part for name in sorted(files) if name != TABLE
                            for part in (name, files[name])),
                          *(f"{name}={os.environ.get(name)}" for name in FLAGS),
                          compiler_version())
        self.results, self.older = {}, {}
        self.lock = threading.Lock()
        lines = []
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                lines = [line.rstrip("\n").split("\t") for line in file]
        os.makedirs(os.path.dirname(path), exist_ok=True)
        last = {tuple(line[2:3]): line for line in lines if len(line) == 6}
        with open(path, "w", encoding="utf-8") as out:
            for line in last.values():
                out.write("\t".join(line) + "\n")
                of = self.results if line[0] == self.key else self.older
                of[line[2]] = (line[1], tuple(line[3:]))

    def near(self, name, tests):
        """Of a file, and of what the tests' folders have for them."""
        folders = {os.path.dirname(test) for test in tests}
        return digest(*(part for file in sorted(self.files)
                        if file == name or os.path.splitext(file)[0] in tests
                        or file in tests or (os.path.dirname(file) in folders and
                                             not file.split("/")[-1].startswith("test_"))
                        for part in (file, self.files[file])))

    @staticmethod
    def of_row(row):
        return "row " + digest(*(row[field] for field in FIELDS))

    @staticmethod
    def of_test(by):
        return "test " + " ".join(by[1:])

    def get(self, what):
        return self.results.get(what, (None, None))[1]

    def get_older(self, row):
        """A result on other sources, of which the row's file and tests are the
        same."""
        near, by = self.older.get(self.of_row(row), (None, None))
        return by if near == self.near(row["file"], row["tests"].split()) else None

    def add(self, what, by, name="", tests=()):
        near = self.near(name, tests)
        with self.lock, open(self.path, "a", encoding="utf-8") as out:
            self.results[what] = (near, by)
            out.write("\t".join((self.key, near, what) + by) + "\n")


def session(leader):
    """The processes that a test began, itself among them."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
                state, _, _, group = file.read().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(group) == leader and state != "Z":
            found.append(int(pid))
    return found


def session_end(leader):
    """Check's tests have process groups of their own: the leader's is not all."""
    for how in (signal.SIGTERM, signal.SIGKILL):
        for pid in session(leader):
            try:
                os.kill(pid, how)
            except ProcessLookupError:
                pass
        until = time.monotonic() + 5
        while session(leader) and time.monotonic() < until:
            time.sleep(0.02)


def output(command, where):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    done = subprocess.run(command, cwd=where, stdout=subprocess.PIPE, check=False,
                          stderr=subprocess.STDOUT, text=True, errors="replace",
                          env=dict(environment, CCACHE_NOHASHDIR="1"))
    return done.returncode, done.stdout


def is_script(test):
    return test.endswith(".sh")


def is_of_core(made):
    return os.path.basename(made).startswith("libaqcore_a-")


OVER = "Test timeout expired"  # Check's words


def is_message(line):
    """Whether a line of a failed test says more than where it failed, or that its
    time was over."""
    return (line.startswith("# ") and not re.search(r":\d+:$", line)
            and OVER not in line
            and not re.match(r"# \d+ cases do not apply: ", line))


def objects_of(where):
    """The objects of a built folder that each file is part of, by the compiler's own
    lists."""
    found = {}
    for root, _, names in os.walk(where):
        if os.path.basename(root) != ".deps":
            continue
        for name in names:
            stem, kind = os.path.splitext(name)
            made = os.path.relpath(os.path.join(os.path.dirname(root), stem), where)
            with open(os.path.join(root, name), encoding="utf-8") as file:
                for part in set(re.findall(r"\.\./([^\s:]+)", file.read())):
                    found.setdefault(os.path.normpath(part), set()).add(
                        made + (".lo" if kind == ".Plo" else ".o"))
    return found


class Place:
    """A copy of the tree, configured and built."""

    def __init__(self, source, files, copy):
        self.copy, self.where = copy, os.path.join(copy, "build")
        described = copy_tree(source, files, copy)
        os.makedirs(self.where, exist_ok=True)
        commands = [MAKE + (f"-j{os.cpu_count()}", goal)
                    for goal in ("all", "check-data")]
        # Another compiler, or other flags, than the copy was made with.
        made_with = "".join(f"{name}={os.environ.get(name)}\n" for name in FLAGS)
        if write_if_other(os.path.join(copy, "made-with"),
                          made_with.encode() + compiler_version()):
            shutil.rmtree(self.where)
            os.makedirs(self.where)
        if described or not os.path.exists(os.path.join(self.where, "Makefile")):
            compiler = os.environ.get("CC", "gcc")
            if shutil.which("ccache") and "ccache" not in compiler:
                compiler = "ccache " + compiler
            flags = os.environ.get("CFLAGS", "-O1")
            commands[:0] = [("sh", "-c", "cd .. && ./autogen.sh"),
                            ("../configure", "-q", f"CC={compiler}", f"CFLAGS={flags}")]
        for command in commands:
            code, out = output(command, self.where)
            if code:
                sys.exit(out)
        self.mixed = set()  # goals that were made with all their libraries
        self.objects = objects_of(self.where)
        self.parts = {}  # of the core that a program has, by its name

    def build(self, test, linked=None):
        """Why a test, or what is installed for a script, cannot be built; nothing if
        it can. With objects: only the program of the test, linked with them."""
        goal = "aqueduct" if linked and is_script(test) else (
            "all" if is_script(test) else test)
        if linked and len(linked) > 1:
            has = self.parts_of(goal)
            linked = [name for name in linked
                      if not has or os.path.basename(name) in has]
        self.unlink(goal)
        if not linked:
            self.mixed.add(goal)
            code, out = output(MAKE + (goal,), self.where)
            return out[-300:] if code else None
        # A test may include the source file itself, and the command has its own.
        core = " ".join(name for name in linked if is_of_core(name))
        for first in [core] * bool(core) + [""]:
            code, out = output(MAKE + LINKED + (LIBRARIES.format(first), *linked, goal),
                               self.where)
            if code == 0:
                return None
        return out[-300:]

    def unlink(self, goal):
        try:
            os.remove(os.path.join(self.where, goal))
        except FileNotFoundError:
            pass

    def parts_of(self, goal):
        """The names of the objects of the core that a program has; none if the
        linker does not say."""
        if goal not in self.parts:
            self.unlink(goal)
            flags = "LDFLAGS=" + os.environ.get("LDFLAGS", "") + " -Wl,--trace"
            _, out = output(MAKE + LINKED + (flags, goal), self.where)
            self.parts[goal] = set(re.findall(r"libaqcore_a-\S+?\.o\b", out))
        return self.parts[goal]

    def restore(self):
        """Builds anew, from the sources as they are, all that may hold a mutant."""
        if self.mixed:
            code, out = output(MAKE + tuple(self.mixed), self.where)
            if code:  # later rows would be linked with this mutant
                print(out, flush=True)
                os._exit(1)  # of all threads
            self.mixed.clear()

    def linkable(self, name):
        """The objects of the core that a file is part of, or else of the command."""
        of = self.objects.get(name, ())
        return sorted(filter(is_of_core, of)) or sorted(
            made for made in of if os.path.basename(made).startswith("aqueduct-"))

    def run(self, test, cases):
        """Runs a test until it fails: what came of it, and why it was skipped."""
        more, limit = CASES[cases]
        environment = dict(os.environ, AQ_SRCDIR=self.copy, AQ_BUILDDIR=self.where,
                           srcdir=self.copy)
        for name in ("CK_TAP_LOG_FILE_NAME", "AQ_LONG", "AQ_WHOLE"):
            environment.pop(name, None)
        path = os.path.join(self.copy if is_script(test) else self.where, test)
        failed = said = over = False
        skip = ""
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
            process = subprocess.Popen(
                [path], cwd=self.where, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                errors="replace", start_new_session=True,
                env=dict(environment, TMPDIR=work, **more))
            ended = []

            def end():
                ended.append(test)
                session_end(process.pid)

            last = threading.Timer(limit, end)
            last.start()
            for line in process.stdout:
                failed |= line.startswith("not ok")
                said |= is_message(line)
                over |= OVER in line
                if line.startswith("1..0 # SKIP "):
                    skip = line[len("1..0 # SKIP "):].strip()
                if failed and said:
                    break
            else:
                process.wait()
            last.cancel()
            session_end(process.pid)
            process.stdout.close()
            code = process.wait()
        if ended:
            return "HANGS", ""
        if failed and over and not said:
            return "timed out", ""
        if code or failed:
            return "killed", ""
        return ("skipped", skip) if skip else ("SURVIVED", "")

    def said(self, tests, cases, linked=None):
        """What the tests say together, and what killed or why they were skipped."""
        said = []
        for test in sorted(tests, key=is_script):
            wrong = self.build(test, linked)
            if wrong:
                return "STALE", "does not compile: " + wrong
            what, why = self.run(test, cases)
            if what == "killed":
                return what, (test, cases)
            # Twice, since a busy machine may have taken the time once.
            if what == "timed out":
                what, why = self.run(test, cases)
                why = (test, cases) if what in ("killed", "timed out") else why
            said.append((what, why))
        results = [what for what, _ in said]
        for what in "killed", "timed out":
            if what in results:
                return said[results.index(what)]
        if "HANGS" in results:
            return "HANGS", ""
        return said[0] if all(what == "skipped" for what in results) else ("SURVIVED", "")

    def row(self, row):
        """Applies the row, tests, and takes it back."""
        path = os.path.join(self.copy, row["file"])
        tests = row["tests"].split()
        try:
            with open(path, encoding="utf-8") as file:
                right = file.read()
        except OSError:
            right = ""
        if right.count(row["text"]) != 1:
            return "STALE", f"{right.count(row['text'])} times in {row['file']}"
        linked = self.linkable(row["file"])
        if linked:
            self.restore()
        try:
            with open(path, "w", encoding="utf-8") as file:
                file.write(right.replace(row["text"], row["replacement"]))
            result = self.said(tests, "short", linked) if linked else ("SURVIVED", "")
            if result[0] in ("SURVIVED", "STALE"):
                result = self.said(tests, "short")
            return self.said(tests, "long") if result[0] == "SURVIVED" else result
        finally:
            with open(path, "w", encoding="utf-8") as file:
                file.write(right)


def share(places, groups, job):
    """Does the job on every item, a thread a place; items of a group follow one
    another in one of them."""
    waiting = queue.SimpleQueue()
    for group in groups:
        waiting.put(group)

    def work(place):
        while True:
            try:
                group = waiting.get_nowait()
            except queue.Empty:
                return
            for item in group:
                job(item, place)

    threads = [threading.Thread(target=work, args=[place]) for place in places]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, base = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    base = os.path.join(base, "mutants")
    number, slices = map(int, os.environ.get("AQ_SLICE", "1/1").split("/"))
    rows = chosen(table(os.path.join(source, TABLE)), sys.argv[3:])
    rows = rows[number - 1::slices]
    files = tracked(source)
    kept = Kept(os.path.join(base, "kept.tsv"), files)
    counts = dict.fromkeys(RESULTS, 0)
    killers = {}
    turn = threading.Lock()

    def mutated(row, place):
        begin = time.monotonic()
        what, by = place.row(row)
        if what in KILLED:
            by = (what,) + by
            kept.add(kept.of_row(row), by, row["file"], row["tests"].split())
            killers[row["name"]] = by
            by = by[1]
        with turn:
            counts[what] += 1
            print(f"{what:9} {row['name']:44} {by} "
                  f"({time.monotonic() - begin:.0f} s)", flush=True)

    def unchanged(by, place):
        test, cases = by
        why = place.build(test)
        if not why:
            what, _ = place.run(test, cases)
            if what == "SURVIVED":
                by = ("passed", test, cases)
                return kept.add(kept.of_test(by), by, "", [test])
            why = f"{what} with its {cases} cases"
        with turn:
            for name, killer in killers.items():
                if killer[1:] == by:
                    counts[killer[0]] -= 1
                    counts["STALE"] += 1
                    print(f"STALE     {name:44} {test} without any mutant: {why}")

    by_file = {}
    older = 0
    for row in rows:
        by = kept.get(kept.of_row(row))
        if not by and os.environ.get("AQ_CARRY"):
            by = kept.get_older(row)
            older += bool(by)
            counts[by[0] if by else "killed"] += bool(by)
        elif by:
            killers[row["name"]] = by
            counts[by[0]] += 1
        if not by:
            by_file.setdefault(row["file"], []).append(row)
    earlier = len(killers)

    def unproved():
        return sorted({by[1:] for by in killers.values()
                       if not kept.get(kept.of_test(by))})

    places = [Place(source, files, os.path.join(base, str(i)))
              for i in range(min(os.cpu_count(), len(rows)))
              if by_file or unproved()]
    # Rows that leave libraries with a mutant come last.
    share(places, sorted(by_file.values(), key=lambda group: (
        not places[0].linkable(group[0]["file"]), -len(group))), mutated)
    share(places, [[by] for by in unproved()], unchanged)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{len(rows)} rows: "
          + ", ".join(f"{number} {what}" for what, number in counts.items())
          + f"; {earlier} judged earlier, {older} on older sources;"
          f" {used.ru_utime + used.ru_stime:.0f} s of processors")
    return 0 if sum(counts[what] for what in KILLED + ("skipped",)) == len(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
