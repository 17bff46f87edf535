#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Static functions that are referenced once, by room.

usage: statics.py [--list ROOM] [SRCDIR]

A static function that one place refers to is often a piece that a limit of lines
cut off. Counts the static functions of the C files of each room and of them those
that their file names once besides definition and declaration: a call, or a row of
a table. Prints room, functions, named once, per cent, and "all" last. --list prints
those of a room that are called instead, shortest first: file and line, lines of the
function, lines of its caller, names of both.
"""
import collections
import os
import re
import sys

QUIET = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
HEAD = re.compile(r"^(?!typedef|struct \w+ {|enum|union|#)[A-Za-z_][^;{}=#]*?\b(\w+)\([^;{}=]*\)"
                  r"[^;{}=()]*?(?P<end>[;{])", re.M)


def code(path):
    """The text of a file with comments and literals blanked, lines kept."""
    with open(path, encoding="utf-8") as file:
        return QUIET.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), file.read())


def functions(text):
    """(name, static, start, end) of each definition in a text in the house's style:
    the braces of functions alone are at the start of a line."""
    for head in HEAD.finditer(text):
        if head["end"] == "{":
            end = text.find("\n}", head.end())
            yield head[1], head[0].startswith("static"), head.start(), end + 2


def once(path):
    """Static functions of a file, and those named once: (name, line, lines, caller's
    lines, caller), where the caller is None for a row of a table."""
    text = code(path)
    bodies = list(functions(text))
    own = {name: (start, end) for name, static, start, end in bodies if static}
    declared = collections.Counter(head[1] for head in HEAD.finditer(text))
    named = collections.Counter(re.findall(r"\w+", text))
    found = []
    for name, (start, end) in own.items():
        if named[name] - declared[name] != 1:
            continue
        caller = None
        for other, _, begin, stop in bodies:
            if other != name and re.search(rf"\b{name}\(", text[text.find("{", begin):stop]):
                caller = (text.count("\n", begin, stop) + 1, other)
        found.append((name, text.count("\n", 0, start) + 1,
                      text.count("\n", start, end) + 1, *(caller or (0, None))))
    return own, found


def main():
    args = sys.argv[1:]
    room = args[1] if args[:1] == ["--list"] else None
    args = args[2:] if room else args
    source = os.path.join(args[0] if args else ".", "src")
    counts, listed = collections.defaultdict(lambda: [0, 0]), []
    for folder, _, names in os.walk(source):
        for name in names:
            inside = os.path.relpath(os.path.join(folder, name), source)
            # The device library's kernels are compiled for GPUs, as one file.
            if not name.endswith(".c") or "/device/" in inside:
                continue
            own, found = once(os.path.join(folder, name))
            for total in (inside.split("/")[0], "all"):
                counts[total][0] += len(own)
                counts[total][1] += len(found)
            if room and inside.startswith(room + "/"):
                listed += [(lines, size, inside, line, name, caller)
                           for name, line, lines, size, caller in found if caller]
    for lines, size, inside, line, name, caller in sorted(listed):
        print(f"{inside}:{line}", lines, size, name, caller, sep="\t")
    if not room:
        for total in sorted(counts, key=lambda key: (key == "all", key)):
            own, found = counts[total]
            print(total, own, found, round(100 * found / max(own, 1)), sep="\t")


main()
