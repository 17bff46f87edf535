#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Call circles between files.

usage: circles.py SRCDIR BUILDDIR [--edges FOLDER]

A file refers to another when its object has an undefined symbol that the other
object defines: a call, or a function's address. A circle is a strongly
connected component of that graph. Prints one line for each folder of src/ and
for the whole tree ("all"): folder, files, size of the largest circle, its
files. --edges prints the references inside the circles of a folder instead.
"""
import collections
import os
import re
import subprocess
import sys


def objects(source, build):
    """{object: source without suffix, relative to src/}, without objects that
    are left of sources that moved."""
    root, found = os.path.join(build, "src"), {}
    for folder, _, names in os.walk(root):
        inside = os.path.relpath(folder, root)
        if inside.endswith(".libs"):
            inside = os.path.dirname(inside)
        for name in names:
            if name.endswith(".o"):
                stem = re.sub(r"^\w+-", "", name[:-2])
                stem = os.path.join(inside, stem)
                if any(os.path.exists(os.path.join(top, "src", stem + ".c"))
                       for top in (source, build)):
                    found[os.path.join(folder, name)] = stem
    return found


def references(source, build):
    """{file: {other file: symbols}} of all objects."""
    sources = objects(source, build)
    lines = subprocess.run(["nm", "-A", "-g", *sorted(sources)], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    defined, wanted = {}, []
    for line in lines:
        path, _, words = line.rpartition(":")
        *_, kind, symbol = words.split()
        if kind in "Uw":
            wanted.append((sources[path], symbol))
        else:
            defined.setdefault(symbol, sources[path])
    graph = {file: collections.defaultdict(set) for file in sources.values()}
    for file, symbol in wanted:
        other = defined.get(symbol, file)
        if other != file:
            graph[file][other].add(symbol)
    return graph


def circles(graph, files):
    """Strongly connected components among `files` (Tarjan), largest first."""
    order, low, stack, found = {}, {}, [], []

    def visit(file):
        order[file] = low[file] = len(order)
        stack.append(file)
        for other in sorted(graph[file]):
            if other not in files:
                continue
            if other not in order:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], order[other])
        if low[file] == order[file]:
            at = stack.index(file)
            found.append(sorted(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10000)
    for file in sorted(files):
        if file not in order:
            visit(file)
    return sorted(found, key=len, reverse=True)


def print_edges(graph, folder):
    files = {file for file in graph if folder == "all" or
             file.startswith(folder + "/")}
    for circle in circles(graph, files):
        for file in circle:
            for other in circle:
                if other in graph[file]:
                    print(file, "->", other, *sorted(graph[file][other]))


def main():
    graph = references(*sys.argv[1:3])
    if sys.argv[3:4] == ["--edges"]:
        print_edges(graph, sys.argv[4])
        return
    folders = collections.defaultdict(set)
    for file in graph:
        folders["all"].add(file)
        folders[file.split("/")[0]].add(file)
    for folder, files in sorted(folders.items()):
        largest = circles(graph, files)[0]
        names = " ".join(largest) if len(largest) > 1 else "-"
        print(folder, len(files), len(largest), names, sep="\t")


main()
