#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the command blocks of pages, as TAP: doc-commands.py BUILD PAGE...

BUILD is a build folder, or "installed" for the programs and libraries of the
system, as a newcomer has them.

A block ```sh has to succeed; a block ```console has commands behind "$ " with
their outputs, which have to be the same, or with --write replace those in the
page. All blocks of a page run in one new folder, which has doc/examples, traces
and an installation that pkg-config finds. Comments of a page steer:

  <!-- needs: PROGRAM... -->   without these the page is skipped
  <!-- setup: COMMAND -->      runs first, or between blocks
  <!-- not run: WHY -->        of the block that follows
  <!-- varies -->              numbers of the block that follows may differ
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

PARTS = re.compile(r"^<!-- (needs|setup|not run|varies)(?:: (.*?))? -->$"
                   r"|^```(sh|console)\n(.*?)^```$", re.M | re.S)
BARE = re.compile(r"^```\n(?:\$ |aqueduct )", re.M)
SECONDS = 300


class Page:
    """A page, and the folder in which its commands run."""

    def __init__(self, path, build, source):
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.folder = tempfile.TemporaryDirectory(prefix="aqdoc-")
        work = pathlib.Path(self.folder.name)
        shutil.copytree(source / "doc/examples", work / "doc/examples")
        shutil.copytree(source / "traces", work / "traces", symlinks=True)
        subprocess.run(["chmod", "-R", "u+w", str(work)], check=True)
        self.environment = {
            key: value for key, value in os.environ.items()
            if not key.startswith("AQUEDUCT_")}
        self.environment.update(
            COLUMNS="80", XDG_DATA_HOME=f"{work}/.data", AQUEDUCT_QUIET="1",
            LC_ALL="C.UTF-8", SOURCE=str(source))
        if build:
            self.use_build(work, build)
        self.problems, self.failed = [], False
        self.commands, self.left = 0, []

    def use_build(self, work, build):
        """The command, the library and the modules of a build folder."""
        source = pathlib.Path(self.environment["SOURCE"])
        version = re.search(r"^VERSION = (.*)$", (build / "Makefile").read_text(),
                            re.M).group(1)
        metadata = work / f".tools/aqueduct-{version}.dist-info"
        (work / ".tools/cmake").mkdir(parents=True)
        metadata.mkdir()
        for folder, files in ((work / ".tools/cmake", "cmake"),
                              (metadata, "python/metadata")):
            for tree in (source, build):
                for file in (tree / files).glob("[AMe]*"):
                    if file.suffix not in (".in", ".mk"):
                        (folder / file.name).symlink_to(file.resolve())
        (work / ".tools/aqueduct").symlink_to(build / "aqueduct")
        (work / ".tools/aqueduct.pc").write_text(
            f"plugindir={work}/plugins\nName: aqueduct\nDescription: built\n"
            f"Version: 0\nCflags: -I{build}/public\nLibs: -L{build}/.libs "
            f"-Wl,-rpath,{build}/.libs -laqueduct\n", encoding="utf-8")
        self.environment.update(
            PATH=f"{work}/.tools:{os.environ['PATH']}",
            Aqueduct_DIR=f"{work}/.tools/cmake",
            PYTHONPATH=f"{work}/.tools:{source}/python",
            PYTHONDONTWRITEBYTECODE="1",
            PKG_CONFIG_PATH=f"{work}/.tools")

    def run(self, script, where):
        """The output of a script; a failure is a problem."""
        try:
            done = subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", script], check=False,
                cwd=self.folder.name, env=self.environment, timeout=SECONDS,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            self.failed = True
            self.problems.append(f"{where}: not done in {SECONDS} s: {script}")
            return ""
        text = done.stdout.decode("utf-8", "replace").replace(
            self.folder.name + "/", "/home/me/")
        if done.returncode != 0:
            self.failed = True
            self.problems.append(f"{where}: status {done.returncode} of "
                                 f"{script.strip()}\n{text}")
        return text

    def console(self, block, where, varies):
        """The block as its commands make it; other outputs are a problem."""
        made = []
        for piece in re.split(r"^\$ ", block, flags=re.M)[1:]:
            lines = piece.split("\n")
            size = 1
            while size < len(lines) and (lines[size] + " ").startswith("> "):
                size += 1
            shown = "\n".join(lines[:size])
            command = "\n".join([lines[0]] + [x[2:] for x in lines[1:size]])
            self.commands += 1
            made.append(f"$ {shown}\n{self.run(command, where)}")
        text = "".join(part if part.endswith("\n") else part + "\n"
                       for part in made)
        text = re.sub(r"[ \t]+$", "", text, flags=re.M)
        same = (lambda t: re.sub(r"[0-9][0-9. ]*", "N", t)) if varies \
            else (lambda t: t)
        if same(text) == same(block):
            return block
        self.problems.append(f"{where}: the output is another:\n{text}")
        return text

    def check(self):
        """Runs everything; returns the page as it should be."""
        out, at, skipped, varies = [], 0, None, False
        for match in BARE.finditer(self.text):
            line = 1 + self.text.count("\n", 0, match.start())
            self.problems.append(f"{self.path.name}:{line}: commands in a "
                                 "block without sh or console")
        for match in PARTS.finditer(self.text):
            kind, words, language, block = match.groups()
            line = 1 + self.text.count("\n", 0, match.start())
            where = f"{self.path.name}:{line}"
            if kind == "setup":
                self.run(words, where)
            elif kind == "not run":
                skipped = words
            elif kind == "varies":
                varies = True
            elif language and skipped:
                self.left.append(f"{where}: {skipped}")
                skipped = None
            elif language == "sh":
                self.commands += 1
                self.run(block, where)
            elif language:
                out.append(self.text[at:match.start(4)])
                out.append(self.console(block, where, varies))
                at = match.end(4)
                varies = False
        return "".join(out) + self.text[at:]

    def missing(self):
        """A needed program that is not there, or None."""
        for words in re.findall(r"^<!-- needs: (.*?) -->$", self.text, re.M):
            for program in words.split():
                if not shutil.which(program):
                    return program
        return None


def main():
    write = "--write" in sys.argv
    words = [word for word in sys.argv[1:] if word != "--write"]
    build = None if words[0] == "installed" else pathlib.Path(words[0]).resolve()
    source = pathlib.Path(__file__).resolve().parent.parent
    failed = 0
    for number, name in enumerate(words[1:], 1):
        page = Page(pathlib.Path(name), build, source)
        title = f"the commands of {name} do as it says"
        gone = page.missing()
        if gone:
            print(f"ok {number} - {title} # SKIP there is no {gone}")
            continue
        begun = time.monotonic()
        text = page.check()
        took = time.monotonic() - begun
        if write and not page.failed:
            page.path.write_text(text, encoding="utf-8")
        good = not page.problems
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {title}: "
              f"{page.commands} commands")
        print(f"# in {took:.1f} s")
        for line in page.left + "\n".join(page.problems).splitlines():
            print(f"# {line}")
    print(f"1..{len(words) - 1}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
