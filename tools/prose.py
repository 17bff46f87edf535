#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lists English to improve: prose.py [--count] [FILE…], all tracked files else.

Prints FILE:LINE: TEXT (what to write) for each match of a pattern of prose.tsv
in comments, strings and documents, then the number. Without FILE, exit 1 when
there are more than the limit of prose.tsv.
"""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
C_PROSE = re.compile(r'/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'',
                     re.S)
INCLUDE = re.compile(r"^\s*#\s*include.*$", re.M)
SCRIPT_PROSE = re.compile(r"(?:^[ \t]*#(?!!).*\n)+", re.M)
FENCE = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"`[^`\n]*`")
PARAGRAPH = re.compile(r"(?:^.*\S.*\n?)+", re.M)


def patterns():
    limit, rows = 0, []
    with open(os.path.join(HERE, "prose.tsv"), encoding="utf-8") as table:
        for line in table:
            if line.startswith("#") or not line.strip():
                continue
            pattern, advice = line.rstrip("\n").split("\t")
            if pattern == "limit":
                limit = int(advice)
            else:
                rows.append((re.compile(pattern, re.I), advice))
    return limit, rows


def blank(match):
    """As many lines and characters, without the text."""
    return re.sub(r"[^\n]", " ", match.group())


def flatten(text, first):
    """One line of words, and the line number of each character."""
    out, lines, line = [], [], first
    for row in text.split("\n"):
        words = re.sub(r"^\s*(?:/?\*+/?|#+)?\s?", "", row)
        out.append(words.rstrip(" */") + " ")
        lines += [line] * len(out[-1])
        line += 1
    return "".join(out), lines


def passages(name, text):
    if name.endswith((".c", ".h", ".def", ".inc")):
        text = INCLUDE.sub(blank, text)
        found, last, joined = C_PROSE.finditer(text), None, ""
        for match in found:
            if match.group()[0] == "'":
                continue
            line = text.count("\n", 0, match.start()) + 1
            # Literals that follow each other are one string.
            if match.group()[0] == '"':
                if last and not text[last[1]:match.start()].strip():
                    joined += "\n" * (line - last[2]) + match.group()[1:-1]
                    last = (last[0], match.end(), line)
                    continue
                if last:
                    yield last[0], joined
                joined = match.group()[1:-1]
                last = (line, match.end(), line)
                continue
            yield line, match.group()
        if last:
            yield last[0], joined
        return
    if name.endswith(".md"):
        text = CODE.sub(blank, FENCE.sub(blank, text))
        prose = PARAGRAPH
    else:
        prose = SCRIPT_PROSE
    for match in prose.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group()


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "*.c", "*.h", "*.def", "*.md", "*.sh", "*.py",
         "*.mk", "*.ac"], cwd=os.path.dirname(HERE), check=True,
        stdout=subprocess.PIPE, text=True).stdout.split("\n")
    return [name for name in listed if name and not name.startswith("tools/prose")]


def main():
    limit, rows = patterns()
    names = [name for name in sys.argv[1:] if name != "--count"]
    quiet = "--count" in sys.argv[1:]
    top = "" if names else os.path.dirname(HERE)
    number, by_folder = 0, {}
    for name in names or tracked():
        with open(os.path.join(top, name), encoding="utf-8") as file:
            text = file.read()
        for first, passage in passages(name, text):
            words, lines = flatten(passage, first)
            for pattern, advice in rows:
                for match in pattern.finditer(words):
                    number += 1
                    folder = "/".join(name.split("/")[:2])
                    by_folder[folder] = by_folder.get(folder, 0) + 1
                    if not quiet:
                        print(f"{name}:{lines[match.start()]}: "
                              f"{match.group().strip()} ({advice})")
    if quiet:
        for folder in sorted(by_folder, key=by_folder.get, reverse=True):
            print(f"{by_folder[folder]:6} {folder}")
    if names:
        print(f"prose: {number} to improve")
        return 0
    print(f"prose: {number} to improve, at most {limit}")
    if number < limit:
        print(f"prose: lower the limit in tools/prose.tsv to {number}")
    return number > limit


sys.exit(main())
