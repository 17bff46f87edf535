#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits the durations of GEMM kernels to published tables, and scores the fit.

usage: fit_gemm.py VISIBLE.csv.gz [--table FILE] [--page FILE] [--vectors FILE]
       fit_gemm.py VISIBLE.csv.gz --gpu GFX:CUS [--folds N]

Needs numpy and scipy (Debian: python3-numpy, python3-scipy), which nothing else
of the project does. The table is C, read by src/gpu/duration/gemm.c, which has the
same formulas; the page gets the scores between its markers. Every score leaves
out all problems of the shapes (family, N, K) that it predicts.

A duration is launch + ((waves x tile)^4 + memory^4)^(1/4) + reduction, with seven
constants a GPU and family, times exp(r): r is the sum over support points of
weight x exp(-distance^2 / 2), a Gaussian process on the residual.
"""
import argparse
import collections
import csv
import gzip
import re

import numpy as np
from scipy.optimize import minimize

GPUS = [("gfx942", 304), ("gfx950", 256), ("gfx942", 80)]
FAMILIES = {  # bytes an operand's element has, and a place for the residual
    "bf16": (2.0, 0, 0),
    "a8w8": (1.0, 1, 0),
    "a8w8_blockscale": (1.0, 1, 1),
    "a4w4_blockscale": (0.5, 2, 1),
}
LIBRARIES = {"ck": (0, 0), "cktile": (1, 0), "asm": (0, 1), "flydsl": (1, 1),
             "triton": (2, 0), "torch": (2, 1), "opus": (0, 2),
             "skinny": (1, 2), "hipblaslt": (2, 2)}
TILES = [(m, n) for m in (16, 32, 64, 128, 256) for n in (32, 64, 128, 256)]
START = np.log([3.0, 4e-7, 2e-6, 1.0, 4e-7, 0.5, 1.0])
LENGTH, NOISE, PER_SHAPE, SUPPORTS, FOLDS = 1.6, 0.03, 30, 240, 12
BLEND = 0.2  # of what the source's measurement says beside its model
# Peaks of data sheets, dense: TFLOP/s of bf16, fp8/int8, fp4; TB/s.
PEAKS = {("gfx942", 304): (1307.4, 2614.9, 2614.9, 5.3),
         ("gfx942", 80): (344.0, 688.0, 688.0, 4.0),
         ("gfx950", 256): (2516.6, 5033.2, 10066.3, 8.0)}


def tile_of(name):
    """Macro tile of a kernel's name, or None."""
    for pattern in (r"_256x(\d+)x(\d+)x\d+_", r"cktile_0x[0-9x]*_(\d+)x(\d+)x\d+_",
                    r"cktile_(\d+)x(\d+)x\d+_", r"flydsl_\D*_(\d+)x(\d+)x\d+_",
                    r"_(\d+)x(\d+)E$", r"(\d+)x(\d+)x\d+", r"(\d+)x(\d+)"):
        found = re.search(pattern, name)
        if found:
            m, n = int(found.group(1)), int(found.group(2))
            return (m, n) if m >= 8 and n >= 8 else None
    return None


class Data:
    """Problems of one GPU: the least duration of each."""

    def __init__(self, rows, gfx, cus):
        best = {}
        for r in rows:
            if (r["gfx"], int(r["cu_num"])) != (gfx, cus) or float(r["us"]) <= 0:
                continue
            key = (r["family"], int(r["M"]), int(r["N"]), int(r["K"]))
            if key not in best or float(r["us"]) < float(best[key]["us"]):
                best[key] = r
        self.cus, self.gpu, self.keys = cus, (gfx, cus), list(best)
        rows = [best[k] for k in self.keys]
        self.us = np.array([float(r["us"]) for r in rows])
        self.family = np.array([k[0] for k in self.keys])
        self.m, self.n, self.k = (np.array([k[i] for k in self.keys], float)
                                  for i in (1, 2, 3))
        self.shape = np.array(["%s %d %d" % (k[0], k[2], k[3])
                               for k in self.keys])
        self.library = [r["library"] or "asm" for r in rows]
        self.shuffled = np.array(["preshu" in r["kernel"] for r in rows], float)
        tiles = [tile_of(r["kernel"]) for r in rows]
        splits = [int(r["splitK"] or 0) for r in rows]
        self.splits = np.array([max(s, 1) if f == "bf16" or l == "asm" else 2.0**s
                                for s, f, l in zip(splits, self.family,
                                                   self.library)], float)
        self.bm = np.array([t[0] if t else 0 for t in tiles], float)
        self.bn = np.array([t[1] if t else 0 for t in tiles], float)
        self.bytes = np.array([FAMILIES[f][0] for f in self.family])
        self.weight = shape_weights(self.shape)
        self.unknown_tiles_guess(self.bm == 0)

    def unknown_tiles_guess(self, where):
        """The tile with the least of waves times work."""
        best = np.full(where.sum(), np.inf)
        bm, bn = self.bm[where], self.bn[where]
        for m, n in TILES:
            waves = np.ceil(np.ceil(self.m[where] / m) *
                            np.ceil(self.n[where] / n) / self.cus)
            cost = waves * (m * n + 24 * (m + n))
            better = cost < best
            best[better], bm[better], bn[better] = cost[better], m, n
        self.bm[where], self.bn[where] = bm, bn

    def blind(self):
        """The same problems, their kernels not known."""
        other = object.__new__(Data)
        other.__dict__.update(self.__dict__)
        other.bm, other.bn = self.bm.copy(), self.bn.copy()
        other.splits = np.ones_like(self.splits)
        other.shuffled = np.zeros_like(self.shuffled)
        other.library = ["ck"] * len(self.library)
        other.unknown_tiles_guess(np.ones(len(self.us), bool))
        return other


def shape_weights(shapes):
    _, index, count = np.unique(shapes, return_inverse=True, return_counts=True)
    return 1.0 / count[index]


def quantile(values, weights, q):
    order = np.argsort(values)
    total = np.cumsum(weights[order])
    return values[order][np.searchsorted(total, q * total[-1])]


def full_waves(d, i):
    return (np.ceil(d.m[i] / d.bm[i]) * np.ceil(d.n[i] / d.bn[i]) *
            d.splits[i] / d.cus)


def formula(constants, d, i):
    launch, mac, edge, tile, byte, split, tail = np.exp(constants)
    full = full_waves(d, i)
    part = tail / (1 + tail)
    waves = part * np.ceil(full) + (1 - part) * np.maximum(full, 1)
    one = (d.k[i] / d.splits[i] * (d.bm[i] * d.bn[i] * mac +
                                   (d.bm[i] + d.bn[i]) * edge) + tile)
    memory = ((d.m[i] + d.n[i]) * d.k[i] * d.bytes[i] +
              2 * d.m[i] * d.n[i]) * byte
    reduction = np.where(d.splits[i] > 1, split *
                         (1 + d.splits[i] * d.m[i] * d.n[i] * 4 * byte), 0)
    return launch + ((waves * one)**4 + memory**4)**0.25 + reduction


def constants_fit(d, i):
    goal, weight = np.log(d.us[i]), shape_weights(d.shape[i])

    def loss(p):
        off = np.log(formula(p, d, i)) - goal
        return (np.sum(weight * np.sqrt(off * off + 0.0004)) / weight.sum() +
                1e-4 * np.sum((p - START)**2))
    at = START
    for evaluations in (600, 400):
        at = minimize(loss, at, method="Nelder-Mead",
                      options=dict(maxfev=evaluations, fatol=1e-5,
                                   xatol=1e-3)).x
    return at


def features(d, i):
    full = full_waves(d, i)
    tail = np.clip(np.ceil(full) / np.maximum(full, 0.02), 1, 4)
    family = np.array([FAMILIES[f][1:] for f in d.family[i]], float)
    library = np.array([LIBRARIES[d.library[j]] for j in i], float)
    return np.column_stack([
        np.log2(d.m[i]) / 2.5, np.log2(d.n[i]) / 1.5, np.log2(d.k[i]) / 1.5,
        tail / 0.7, np.log2(np.maximum(full, 0.02)) / 2.5,
        np.log2(d.bm[i]) / 1.5, np.log2(d.bn[i]) / 1.5,
        np.log2(d.splits[i]) / 1.5, d.shuffled[i],
        family * LENGTH, library * LENGTH]) / LENGTH


def near(a, b):
    square = ((a * a).sum(1)[:, None] + (b * b).sum(1)[None] - 2 * a @ b.T)
    return np.exp(-0.5 * np.maximum(square, 0))


def supports_choose(x, count):
    """The points that are farthest from one another."""
    chosen = [0]
    distance = ((x - x[0])**2).sum(1)
    while len(chosen) < min(count, len(x)) and distance.max() > 1e-6:
        chosen.append(int(distance.argmax()))
        distance = np.minimum(distance, ((x - x[chosen[-1]])**2).sum(1))
    return np.array(chosen)


def thin(d, where):
    """At most PER_SHAPE problems of a shape, even over log M."""
    kept = []
    for shape in np.unique(d.shape[where]):
        i = np.where(where & (d.shape == shape))[0]
        i = i[np.argsort(d.m[i])]
        if len(i) > PER_SHAPE:
            at = np.searchsorted(np.log(d.m[i]),
                                 np.linspace(0, np.log(d.m[i][-1]), PER_SHAPE))
            i = i[np.unique(at.clip(0, len(i) - 1))]
        kept += list(i)
    return np.array(kept)


class Model:
    """Constants by family, support points and their weights."""

    def __init__(self, d, where):
        i = thin(d, where)
        self.constants = {}
        for family in np.unique(d.family):
            j = i[d.family[i] == family]
            if len(np.unique(d.shape[j])) < 3:
                j = i[d.family[i] == "a8w8_blockscale"]
            self.constants[family] = constants_fit(d, j)
        rest = np.log(d.us[i] / self.formula(d, i))
        x = features(d, i)
        self.at = np.round(x[supports_choose(x, SUPPORTS)], 2)  # as printed
        cross = near(self.at, x)
        self.weights = np.linalg.solve(
            NOISE * near(self.at, self.at) + cross @ cross.T +
            1e-6 * np.eye(len(self.at)), cross @ rest)

    def formula(self, d, i):
        out = np.zeros(len(i))
        for family, constants in self.constants.items():
            of = d.family[i] == family
            out[of] = formula(constants, d, i[of])
        return out

    def predict(self, d, i):
        rest = near(features(d, i), self.at) @ self.weights
        return self.formula(d, i) * np.exp(np.clip(rest, -1.2, 1.2))


def folds_make(shapes, count=FOLDS):
    names = np.unique(shapes)
    np.random.default_rng(1).shuffle(names)
    return [set(names[i::count]) for i in range(count)]


def in_fold(d, fold):
    return np.array([s in fold for s in d.shape])


def score(d, us):
    off = np.abs(us / d.us - 1)
    return (100 * quantile(off, d.weight, 0.5), 100 * quantile(off, d.weight, 0.9))


def regime(d, i):
    """0: less than a wave of workgroups; 1: more."""
    return (full_waves(d, i) >= 1).astype(int)


def interval_of(off, weight, group):
    """5 % and 95 % of log(measured / predicted), by group."""
    return {g: (quantile(off[group == g], weight[group == g], 0.05),
                quantile(off[group == g], weight[group == g], 0.95))
            for g in np.unique(group)}


def interval_score(low, high, value):
    """Gneiting and Raftery's, of a 90 % interval of logarithms."""
    return (high - low + 20 * np.maximum(low - value, 0) +
            20 * np.maximum(value - high, 0))


def intervals_score(d, us, folds):
    """Coverage, its cluster bootstrap, median width, and scores, each fold's
    intervals being those of the other folds."""
    off = np.log(d.us / us)
    group = regime(d, np.arange(len(off)))
    low, high = np.zeros(len(off)), np.zeros(len(off))
    flat = np.zeros((len(off), 2))
    for fold in folds:
        out = in_fold(d, fold)
        if not out.any():
            continue
        ends = interval_of(off[~out], d.weight[~out], group[~out])
        both = interval_of(off[~out], d.weight[~out], 0 * group[~out])[0]
        flat[out] = both
        for i in np.where(out)[0]:
            low[i], high[i] = ends.get(group[i], both)
    inside = (off >= low) & (off <= high)
    shapes = np.unique(d.shape)
    by_shape = np.array([inside[d.shape == s].mean() for s in shapes])
    random = np.random.default_rng(2)
    drawn = [by_shape[random.integers(0, len(shapes), len(shapes))].mean()
             for _ in range(2000)]
    constant = np.log(d.us)
    naive = np.zeros((len(off), 2))
    for fold in folds:
        out = in_fold(d, fold)
        if out.any():
            naive[out] = interval_of(constant[~out], d.weight[~out],
                                     0 * group[~out])[0]

    def mean(values):
        return float(np.sum(d.weight * values) / d.weight.sum())
    return {
        "coverage": 100 * by_shape.mean(),
        "from": 100 * np.quantile(drawn, 0.05),
        "to": 100 * np.quantile(drawn, 0.95),
        "width": 100 * quantile(np.exp(high) - np.exp(low), d.weight, 0.5),
        "score": mean(interval_score(low, high, off)),
        "one": mean(interval_score(flat[:, 0], flat[:, 1], off)),
        "naive": mean(interval_score(naive[:, 0], naive[:, 1], constant)),
    }


def roofline(d, i):
    """Time at the peaks of data sheets."""
    peaks = PEAKS[d.gpu]
    rate = np.array([peaks[{2.0: 0, 1.0: 1, 0.5: 2}[b]] for b in d.bytes[i]])
    work = 2 * d.m[i] * d.n[i] * d.k[i] / rate / 1e6
    moved = ((d.m[i] + d.n[i]) * d.k[i] * d.bytes[i] + 2 * d.m[i] * d.n[i])
    return np.maximum(work, moved / peaks[3] / 1e6)


def fitted_roofline(d, folds):
    """Four constants a family: launch, work, bytes, and how they join."""
    start = np.log([3.0, 1.0, 1.0, 4.0])
    out = np.zeros(len(d.us))
    every = np.arange(len(d.us))
    work = d.m * d.n * d.k / (d.cus * 5e5)
    moved = ((d.m + d.n) * d.k * d.bytes + 2 * d.m * d.n) / 4e6

    def time(p, i):
        launch, a, b, power = np.exp(np.clip(p, -20, 20))
        power = min(max(power, 0.5), 20)
        return launch + ((a * work[i])**power + (b * moved[i])**power)**(
            1 / power)

    def fit(i):
        goal, weight = np.log(d.us[i]), shape_weights(d.shape[i])
        return minimize(lambda p: np.sum(weight * np.abs(
            np.log(time(p, i)) - goal)) / weight.sum(), start,
            method="Nelder-Mead", options=dict(maxfev=500)).x
    for fold in folds:
        held = in_fold(d, fold)
        if not held.any():
            continue
        used = thin(d, ~held)
        for family in np.unique(d.family[held]):
            i = used[d.family[used] == family]
            if len(np.unique(d.shape[i])) < 3:
                i = used[d.family[used] == "a8w8_blockscale"]
            to = every[held & (d.family == family)]
            out[to] = time(fit(i), to)
    return out


def transfer(data, blind, source, target):
    """Errors by rows and by shapes of the predictions of a target's durations
    from a source's."""
    a, b = data[source], data[target]
    place = {k: i for i, k in enumerate(b.keys)}
    i = np.array([n for n, k in enumerate(a.keys) if k in place])
    j = np.array([place[a.keys[n]] for n in i])
    shape, known = a.shape[i], a.us[i]
    goal = b.us[j]
    ratio, peak = np.zeros(len(i)), np.zeros(len(i))
    by_peaks = roofline(b, j) / roofline(a, i)
    for s in np.unique(shape):
        out = shape == s
        ratio[out] = known[out] * np.median((goal / known)[~out])
        peak[out] = (known * by_peaks)[out] * np.median(
            (goal / known / by_peaks)[~out])
    ours = blind[target][j] * (known / blind[source][i])**BLEND
    weight = shape_weights(shape)
    rows = np.ones(len(i))

    def errors(us):
        off = 100 * np.abs(us / goal - 1)
        return tuple(quantile(off, w, q) for w in (rows, weight)
                     for q in (0.5, 0.9))
    return {"problems": len(i), "shapes": len(np.unique(shape)),
            "constant ratio": errors(ratio), "peak roofline": errors(peak),
            "this model": errors(ours)}


def table_write(path, data, scored):
    lines = ["/* SPDX-License-Identifier: MIT */", "/*",
             " * Durations of GEMM kernels. Made by tools/fit_gemm.py (make "
             "fit-durations).",
             " * Fitted to the tuned tables of ROCm/aiter @ e4048607 (MIT).",
             " * MODEL(gfx, cus, known): whether the kernel's tile is known.",
             " * CONSTANTS(model, family, the natural logarithms of seven "
             "constants)",
             " * SPREAD(model, 1 from a wave of workgroups on, logarithms of the "
             "5 % and 95 %",
             " *   quantiles of measured / predicted, of shapes left out)",
             " * POINT(model, weight, the 13 features of a support point)", " */"]
    for number, (gpu, known, d, us) in enumerate(scored):
        model = Model(d, np.ones(len(d.us), bool))
        lines.append('MODEL("%s", %d, %s)' % (gpu + ("true" if known else
                                                     "false",)))
        for family, constants in model.constants.items():
            lines.append("CONSTANTS(%d, %s, %s)" % (
                number, family, ", ".join("%.6f" % c for c in constants)))
        ends = interval_of(np.log(d.us / us), d.weight,
                           regime(d, np.arange(len(us))))
        for group, (low, high) in ends.items():
            lines.append("SPREAD(%d, %d, %.4f, %.4f)" % (number, group, low,
                                                         high))
        for at, weight in zip(model.at, model.weights):
            lines.append("POINT(%d, %.6g, %s)" % (
                number, weight, ", ".join("%.4g" % x for x in at)))
        print("in sample", gpu, known,
              "%.1f/%.1f" % score(d, model.predict(d, np.arange(len(us)))))
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


def vectors_write(path, scored):
    """Predictions of a few problems, for the test of gemm.c."""
    lines = ["# gfx cus tile_m tile_n splits shuffled library type m n k us"]
    for gpu, known, d, us in scored:
        model = Model(d, np.ones(len(us), bool))
        i = np.linspace(0, len(us) - 1, 12).astype(int)
        for j, predicted in zip(i, model.predict(d, i)):
            tile = (d.bm[j], d.bn[j], d.splits[j]) if known else (0, 0, 1)
            lines.append("%s %d %d %d %d %d %s %s %d %d %d %.4f" % (
                gpu + tile + (d.shuffled[j], d.library[j], d.family[j],
                              d.m[j], d.n[j], d.k[j], predicted)))
    with open(path, "w") as out:
        out.write("\n".join(lines) + "\n")


def page_write(path, data, scored, transfers, folds):
    lines = ["", "| GPU | kernel | shapes | median | p90 | rows: median | p90 | "
             "fitted roofline: median | p90 |", "|---|---|---|---|---|---|---|---|---|"]
    for gpu, known, d, us in scored:
        off, every = 100 * np.abs(us / d.us - 1), np.ones(len(us))
        floor = 100 * np.abs(fitted_roofline(d, folds) / d.us - 1)
        lines.append("| %s, %d CUs | %s | %d | %.1f %% | %.1f %% | %.1f %% | "
                     "%.1f %% | %.1f %% | %.1f %% |" % (
                         gpu + ("known" if known else "not known",
                                len(np.unique(d.shape)),
                                quantile(off, d.weight, 0.5),
                                quantile(off, d.weight, 0.9),
                                quantile(off, every, 0.5),
                                quantile(off, every, 0.9),
                                quantile(floor, d.weight, 0.5),
                                quantile(floor, d.weight, 0.9))))
    lines += ["", "| GPU | kernel | coverage of the 90 % interval | cluster "
              "bootstrap, 5 to 95 % | median width | score | one interval for "
              "all | quantiles of all durations |",
              "|---|---|---|---|---|---|---|---|"]
    for gpu, known, d, us in scored:
        s = intervals_score(d, us, folds)
        lines.append("| %s, %d CUs | %s | %.1f %% | %.1f to %.1f %% | %.0f %% | "
                     "%.2f | %.2f | %.2f |" % (
                         gpu + ("known" if known else "not known",
                                s["coverage"], s["from"], s["to"], s["width"],
                                s["score"], s["one"], s["naive"])))
    lines += ["", "| to gfx950, 256 CUs, from | problems | shapes | prediction | "
              "rows: median | p90 | shapes: median | p90 |",
              "|---|---|---|---|---|---|---|---|"]
    for source, t in transfers.items():
        for name in ("constant ratio", "peak roofline", "this model"):
            lines.append("| %s, %d CUs | %d | %d | %s | %.1f %% | %.1f %% | "
                         "%.1f %% | %.1f %% |" % (
                             source + (t["problems"], t["shapes"], name) +
                             t[name]))
    text = open(path).read()
    begin, end = "<!-- gemm: begin -->", "<!-- gemm: end -->"
    before, rest = text.split(begin)
    after = rest.split(end)[1]
    with open(path, "w") as out:
        out.write(before + begin + "\n" + "\n".join(lines) + "\n\n" + end +
                  after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data")
    parser.add_argument("--table")
    parser.add_argument("--page")
    parser.add_argument("--vectors")
    parser.add_argument("--folds", type=int, default=FOLDS,
                        help="1000: each shape is left out alone")
    parser.add_argument("--gpu", help="score this one only: gfx942:304")
    args = parser.parse_args()
    rows = list(csv.DictReader(gzip.open(args.data, "rt")))
    data = {g: Data(rows, *g) for g in GPUS
            if args.gpu in (None, "%s:%d" % g)}
    folds = folds_make(sorted({s for d in data.values() for s in d.shape}),
                       args.folds)
    scored, blind = [], {}
    for gpu, d in data.items():
        for known in (True, False):
            # 80 CUs: too few kernels of too many kinds for a model of tiles.
            if known and gpu[1] == 80:
                continue
            e = d if known else d.blind()
            us = np.zeros(len(e.us))
            for fold in folds:
                out = in_fold(e, fold)
                if out.any():
                    i = np.where(out)[0]
                    us[i] = Model(e, ~out).predict(e, i)
            if not known:
                blind[gpu] = us
            scored.append((gpu, known, e, us))
            print(gpu, "known" if known else "not known",
                  "%.1f/%.1f" % score(e, us), flush=True)
    if args.gpu:
        return
    target = ("gfx950", 256)
    transfers = {g: transfer(data, blind, g, target) for g in GPUS
                 if g != target}
    for source, errors in transfers.items():
        print(source, errors)
    if args.table:
        table_write(args.table, data, scored)
    if args.vectors:
        vectors_write(args.vectors, scored)
    if args.page:
        page_write(args.page, data, scored, transfers, folds)


if __name__ == "__main__":
    main()
