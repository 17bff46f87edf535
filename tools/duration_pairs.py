#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pairs of durations of one kernel on two GPUs, from published tables.

usage: duration_pairs.py DATA ops|gemm304|gemm80|gemm304to80
       duration_pairs.py TABLE.tsv table

Writes lines "kernel<tab>us there<tab>us here". ops: operations of one model on H100
and MI300X (TraceLens), by the name of the MI300X's kernel; gemm304 and gemm80: the
least durations of GEMM problems on gfx942 and gfx950 (aiter), or on gfx942 of 304
and of 80 compute units, as if their sizes were not known; table: a file of such
lines, of products.
"""
import csv
import gzip
import re
import sys


def ops(data):
    csv.field_size_limit(1 << 30)
    path = data + "/ops/compare_h100_mi300_qwen/ops_unique_args_intersect_mi300.csv"
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = re.search(r"'name': ['\"](.*?)['\"], 'stream'",
                             row["mi300::kernel_details_summary"])
            there = float(row["h100::total_direct_kernel_time_mean"])
            here = float(row["mi300::total_direct_kernel_time_mean"])
            if name and there > 0 and here > 0:
                yield name.group(1), there, here


def table(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, there, here = line.rstrip("\n").split("\t")
                yield "gemm " + name, float(there), float(here)


def gemm(data, there, here):
    best = {}
    with gzip.open(data + "/gemm/visible.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            gpu = row["gfx"], int(row["cu_num"])
            key = row["family"], row["M"], row["N"], row["K"]
            us = float(row["us"])
            if us > 0:
                place = best.setdefault(key, {})
                place[gpu] = min(us, place.get(gpu, us))
    for key, found in sorted(best.items()):
        if there in found and here in found:
            yield "gemm " + " ".join(key), found[there], found[here]


def main():
    data, which = sys.argv[1:]
    gpus = {"gemm304": (("gfx942", 304), ("gfx950", 256)),
            "gemm80": (("gfx942", 80), ("gfx950", 256)),
            "gemm304to80": (("gfx942", 304), ("gfx942", 80))}
    pairs = (ops(data) if which == "ops" else table(data) if which == "table" else
             gemm(data, *gpus[which]))
    for name, there, here in pairs:
        print("%s\t%.4f\t%.4f" % (re.sub(r"\s", " ", name), there, here))


if __name__ == "__main__":
    main()
