#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fits durations predicted from executed code to programs timed on an MI300A.

usage: fit_executed.py COUNTS.tsv VISIBLE.csv MODELS [--page FILE] [--write]
                       [--vectors FILE] [--plots FOLDER]

COUNTS.tsv has the counted work of each program's kernels, and its copies, fills
and waits; VISIBLE.csv the measured durations of whole iterations; MODELS is the
folder of the device models. Needs numpy and scipy.

kernel_times() is the formula of src/gpu/duration/roofline.c; tests/gpu/duration compares
both on the vectors. Around it the script has a model of the programs' host: the
first start, launches, copies and waits, whose constants it fits, too. Every score
leaves out the program that it predicts (atax and bicg are one, and the three
copies). All constants have a prior: published figures, or round ones.
"""
import argparse
import csv
import re

import numpy as np
from scipy.optimize import least_squares

CUS, XCCS, CLOCK, SIMDS = 228, 6, 2.1, 4  # GHz
GROUP_NS, L2_CYCLE, LDS_NS, FAR_CACHE = 0.479, 2048, 30.0, 256 * 2**20
POWER, CHAIN = 3, 6
# key of a device model or of the host, unit, prior, spread of its logarithm
CONSTANTS = [
    ("wave_issue", "ns", 2.5, 0.4), ("l1_latency", "ns", 60, 0.4),
    ("l2_latency", "ns", 150, 0.4), ("far_latency", "ns", 300, 0.4),
    ("memory_latency", "ns", 400, 0.4), ("store_latency", "ns", 250, 0.6),
    ("scalar_latency", "ns", 100, 0.5), ("far_bandwidth", "GB/s", 4500, 0.4),
    ("memory_rate", "GB/s", 3500, 0.3), ("page_walk", "ns", 0.6, 0.5),
    ("page_reach", "MB", 2000, 0.5),
    ("start", "us", 4.0, 0.2), ("launch", "us", 2.2, 0.3),
    ("gap", "us", 1.3, 0.5), ("copy", "us", 10, 0.5),
    ("link", "GB/s", 57, 0.2), ("wait", "us", 5, 0.7), ("fill", "us", 2, 0.6),
    ("read_back", "us", 20, 0.7)]
HOST = 11  # the constants from here on are the host's
NAMES = [c[0] for c in CONSTANTS]
PRIOR = np.array([c[2] for c in CONSTANTS])
SIGMA = np.array([c[3] for c in CONSTANTS])
WEIGHT, SOFT = 0.12, 0.05  # of the prior; below this errors count squared
DEGREES = [4, 8, 16, 32]  # of bfs, in the order of its rows
TABLES = [("Single kernels", ["atax", "bicg", "fir", "im2col", "matrixmultiplication",
                       "matrixtranspose", "relu", "vectoradd"]),
          ("Launch chains", ["bfs", "bitonicsort", "fastwalshtransform",
                      "floydwarshall", "pagerank"]),
          ("Copies", ["memcopy_d2d", "memcopy_d2h", "memcopy_h2d"])]
FOLDS = {"bicg": "atax", "memcopy_d2d": "memcopy", "memcopy_d2h": "memcopy",
         "memcopy_h2d": "memcopy"}
COUNTS = ["groups", "counted", "waves", "lds", "vgprs", "issued", "valu", "matrix",
          "l1", "l2", "far_reads", "far_writes", "pages", "footprint",
          "bank_cycles", "waits_l1", "waits_l2", "waits_far", "waits_store",
          "waits_lds", "waits_smem", "cycles", "cycles_most"]


class Data:
    def __init__(self, counts, visible):
        self.rows = list(csv.DictReader(
            (l for l in open(counts) if not l.startswith("#")), delimiter="\t"))
        seen, measured = {}, []
        for r in csv.DictReader(open(visible)):
            size, program = r["problem_size"], r["kernel_name"]
            if program == "bfs":
                n = seen[size] = seen.get(size, 0) + 1
                size += f"_degree{DEGREES[n - 1]}"
            mean, most = float(r["avg_ms"]), float(r["max_ms"])
            if most > 3 * mean:  # the first iteration is an outlier
                mean = (51 * mean - most) / 50
            measured.append((program, size, mean * 1e3))
        index = {m[:2]: i for i, m in enumerate(measured)}
        self.program = np.array([m[0] for m in measured])
        self.size = [m[1] for m in measured]
        self.us = np.array([m[2] for m in measured])
        self.fold = np.array([FOLDS.get(p, p) for p in self.program])
        kernels = [r for r in self.rows if r["groups"]]
        self.kernels = kernels
        self.of = np.array([index[r["program"], r["size"]] for r in kernels])
        self.times = np.array([float(r["times"]) for r in kernels])
        self.x = {c: np.array([float(r[c]) for r in kernels]) for c in COUNTS}
        self.parts = {}
        for r in self.rows:
            if not r["groups"]:
                n, size = self.parts.setdefault(
                    r["part"], (np.zeros(len(measured)), np.zeros(len(measured))))
                i = index[r["program"], r["size"]]
                n[i] += float(r["times"])
                size[i] += float(r["times"]) * float(r["footprint"] or 0)
        self.count = np.bincount(self.of, self.times, len(measured))


def resident(x):
    vgprs = np.maximum(1, np.ceil(x["vgprs"] / 8)) * 8
    groups = np.floor(np.minimum(8, np.floor(512 / vgprs)) * SIMDS / x["waves"])
    with_lds = np.floor(65536 / np.maximum(1, x["lds"]))
    groups = np.where(x["lds"] > 0, np.minimum(groups, with_lds), groups)
    groups = np.where(x["waves"] > 1, np.minimum(groups, 16), groups)
    return np.maximum(1, groups)


def kernel_times(x, d):
    """Microseconds, of counts and of constants by their names."""
    groups, counted, waves = x["groups"], x["counted"], x["waves"]
    held = resident(x)
    busiest = np.ceil(groups / CUS)
    rounds = np.where(busiest <= held, 1, np.maximum(1, groups / (CUS * held)))
    size = np.maximum(1, x["footprint"])
    cached = np.minimum(1, FAR_CACHE / size)
    far = cached * d["far_latency"] + (1 - cached) * d["memory_latency"]
    waits = (x["waits_l1"] * d["l1_latency"] + x["waits_l2"] * d["l2_latency"] +
             x["waits_far"] * far + x["waits_store"] * d["store_latency"] +
             x["waits_lds"] * LDS_NS + x["waits_smem"] * d["scalar_latency"])
    wave = (x["issued"] * d["wave_issue"] + waits / 1000) / counted / waves
    longest = x["cycles_most"] * waves / np.maximum(1, x["cycles"])
    unit = busiest / counted / CLOCK
    lines = (x["far_reads"] + x["far_writes"]) / counted * groups * 128
    missed = np.maximum(0, 1 - d["page_reach"] * 1e6 / size)
    parts = np.array([
        rounds * wave * np.where(x["cycles"] > 0, longest, 1),
        unit * x["valu"] / SIMDS, unit * x["matrix"] / 2048, unit * x["l1"],
        unit * x["bank_cycles"],
        groups * x["l2"] / counted * 64 / L2_CYCLE / XCCS / CLOCK,
        lines * (cached / d["far_bandwidth"] + (1 - cached) / d["memory_rate"]) +
        groups * x["pages"] / counted * d["page_walk"] * missed,
        groups * GROUP_NS])
    return (parts**POWER).sum(0)**(1 / POWER) / 1e3


def iterations(data, times, d):
    """Whole iterations, from the times of their kernels."""
    none = np.zeros(len(data.us))
    part = lambda name: data.parts.get(name, (none, none))
    device = np.bincount(data.of, data.times * (times + d["gap"]), len(data.us))
    fills, waits = part("fill")[0], part("sync")[0]
    device += fills * (d["fill"] + d["gap"])
    launches = data.count + fills
    device -= np.where(launches > 0, d["gap"], 0)
    host = launches * d["launch"]
    busy = np.where(launches > 1, (device**CHAIN + host**CHAIN)**(1 / CHAIN), device)
    to, back, within = part("copy_h2d"), part("copy_d2h"), part("copy_d2d")
    copies = (to[0] * d["copy"] + back[0] * d["read_back"] +
              (to[1] + back[1]) / d["link"] / 1e3)
    cached = np.minimum(1, FAR_CACHE / np.maximum(1, 2 * within[1]))
    copies += within[0] * 1.5 + 2 * within[1] * (
        cached / d["far_bandwidth"] + (1 - cached) / d["memory_rate"]) / 1e3
    return d["start"] + busy + copies + waits * d["wait"]


def named(theta):
    return dict(zip(NAMES, theta))


def predict(data, theta):
    d = named(theta)
    return iterations(data, kernel_times(data.x, d), d)


def roofline(data, theta):
    """Four parameters: arithmetic, memory, a launch and a start."""
    x, per = data.x, data.x["groups"] / data.x["counted"]
    kernels = np.maximum(per * x["valu"] / (CUS * SIMDS * CLOCK) / theta[0],
                         per * (x["far_reads"] + x["far_writes"]) * 128 /
                         theta[1]) / 1e3 + theta[2]
    none = np.zeros(len(data.us))
    copied = sum(data.parts.get(p, (none, none))[1] for p in
                 ("copy_h2d", "copy_d2h"))
    within = data.parts.get("copy_d2d", (none, none))[1]
    return (theta[3] + np.bincount(data.of, data.times * kernels, len(data.us)) +
            copied / 57e3 + 2 * within / theta[1] / 1e3)


def residuals(data, model, log, mask, prior, sigma):
    us, out = data.us, []
    predicted = model(data, np.exp(log))
    for program in np.unique(data.program[mask]):
        m = mask & (data.program == program)
        siblings = np.unique(data.program[mask & (data.fold == data.fold[m][0])])
        weight = (0.5 / m.sum() + 0.5 * us[m] / us[m].sum()) / len(siblings)
        off = predicted[m] / us[m] - 1
        off = np.where(off > 0, np.log1p(np.maximum(off, 0)), off)
        soft = np.sqrt(off * off + SOFT * SOFT) - SOFT
        out.append(np.sign(off) * np.sqrt(weight * (soft + 1e-12)))
    out.append(WEIGHT * (log - np.log(prior)) / sigma)
    return np.concatenate(out)


def fit(data, mask, model=predict, prior=PRIOR, sigma=SIGMA):
    found = least_squares(lambda log: residuals(data, model, log, mask, prior, sigma),
                          np.log(prior), max_nfev=60)
    return np.exp(found.x)


def left_out(data, model, prior, sigma):
    predicted = np.zeros(len(data.us))
    for fold in np.unique(data.fold):
        theta = fit(data, data.fold != fold, model, prior, sigma)
        m = data.fold == fold
        predicted[m] = model(data, theta)[m]
    return predicted


# ---- scores ----

def wmape(data, predicted, mask):
    return np.abs(predicted - data.us)[mask].sum() / data.us[mask].sum()


def ranks(values):
    order = np.argsort(np.argsort(values)).astype(float)
    for v in np.unique(values):
        order[values == v] = order[values == v].mean()
    return order


def rank_correlation(data, predicted, mask):
    m = mask & (data.us > 9)
    if m.sum() < 3:
        return None
    return np.corrcoef(ranks(data.us[m]), ranks(predicted[m]))[0, 1]


def quantiles_without(ratio, fold, out):
    """5 and 95 % of the others' measured over predicted, each fold alike."""
    m = fold != out
    weight = np.array([1 / (fold == f).sum() for f in fold[m]])
    order = np.argsort(ratio[m])
    at = np.cumsum(weight[order]) / weight.sum()
    r = ratio[m][order]
    return r[np.searchsorted(at, 0.05)], r[min(len(r) - 1, np.searchsorted(at, 0.95))]


def interval_score(low, high, value):
    """Gneiting and Raftery's, of logarithms, of a 90 % interval."""
    low, high, value = np.log(low), np.log(high), np.log(value)
    return np.mean(high - low + 20 * np.maximum(0, low - value) +
                   20 * np.maximum(0, value - high))


def intervals(data, predicted, least, most):
    us, folds = data.us, np.unique(data.fold)
    inside = (us >= least * predicted) & (us <= most * predicted)
    by_fold = [inside[data.fold == f].mean() for f in folds]
    rng = np.random.default_rng(1)
    drawn = [np.mean(rng.choice(by_fold, len(folds))) for _ in range(2000)]
    naive = np.zeros((2, len(us)))
    for f in folds:
        m = data.fold == f
        naive[:, m] = np.quantile(us[~m], [0.05, 0.95])[:, None]
    return (np.mean(by_fold), np.quantile(drawn, 0.05), np.quantile(drawn, 0.95),
            most - least, interval_score(least * predicted, most * predicted, us),
            interval_score(naive[0], naive[1], us))


def extrapolation(data, theta):
    """Counts of the largest counted size from sizes up to a quarter of it:
    the kernel's time against that of its own counts."""
    d, lines = named(theta), []
    number = lambda r: int(re.search(r"\d+", r["size"]).group())
    for program in ("atax", "bicg", "matrixmultiplication", "pagerank"):
        parts = sorted({r["part"] for r in data.kernels if r["program"] == program})
        for part in parts:
            rows = sorted((r for r in data.kernels if r["program"] == program and
                           r["part"] == part and r["how"] == "counted"), key=number)
            n = number(rows[-1])
            a, b = [r for r in rows if number(r) <= n / 4][-2:]
            x = {c: np.array([float(rows[-1][c])]) for c in COUNTS}
            own = kernel_times(x, d)[0]
            for c in COUNTS[5:]:
                if c == "footprint":
                    continue
                u, v = (float(r[c]) / float(r["counted"]) for r in (a, b))
                x[c] = np.maximum(0, v + (v - u) * (n - number(b)) /
                                  (number(b) - number(a))) * x["counted"]
            lines.append((program, part, number(b), n,
                          100 * (kernel_times(x, d)[0] / own - 1)))
    return lines


# ---- output ----

def percent(value):
    return f"{100 * value:.1f} %"


def table_head(first):
    return [f"| {first} | rows | in sample | left out | median | rank correlation "
            "above 9 us | roofline: in sample | left out |",
            "|---|---|---|---|---|---|---|---|"]


def pooled_line(name, data, m, inside, outside, flat_in, flat_out):
    return (f"| {name} | {m.sum()} | {percent(wmape(data, inside, m))} | "
            f"{percent(wmape(data, outside, m))} | | | "
            f"{percent(wmape(data, flat_in, m))} | "
            f"{percent(wmape(data, flat_out, m))} |")


def program_lines(data, programs, inside, outside, flat_in, flat_out):
    for program in programs:
        m = data.program == program
        rank = rank_correlation(data, outside, m)
        off = np.median(np.abs(outside[m] / data.us[m] - 1))
        yield (f"| {program} | {m.sum()} | "
               f"{percent(wmape(data, inside, m))} | "
               f"{percent(wmape(data, outside, m))} | {percent(off)} | "
               f"{'-' if rank is None else f'{rank:.3f}'} | "
               f"{percent(wmape(data, flat_in, m))} | "
               f"{percent(wmape(data, flat_out, m))} |")


def page_lines(data, *predicted):
    """A table a kind of program, then one of all; `predicted`: of all rows and
    with the program left out, by the model and by the roofline."""
    for title, programs in TABLES:
        yield from ["", f"**{title}**", "", *table_head("program")]
        yield from program_lines(data, programs, *predicted)
        yield pooled_line("pooled", data, np.isin(data.program, programs), *predicted)
    yield from ["", "**All**", "", *table_head("of")]
    every = np.ones(len(data.us), bool)
    yield pooled_line("all rows, pooled", data, every, *predicted)
    folds = np.unique(data.fold)
    each = lambda p: np.array([wmape(data, p, data.fold == f) for f in folds])
    for name, how in (("mean", np.mean), ("worst", np.max)):
        inside, outside, flat_in, flat_out = (percent(how(each(p)))
                                              for p in predicted)
        yield (f"| {name} of {len(folds)} folds | | {inside} | {outside} | | | "
               f"{flat_in} | {flat_out} |")
    yield ""


def interval_lines(data, outside, least, most):
    cover, low, high, width, score, naive = intervals(data, outside, least, most)
    yield "| interval | coverage, mean of folds | cluster bootstrap, 5 to 95 % | width | score | quantiles of all durations |"
    yield "|---|---|---|---|---|---|"
    yield (f"| {least:.2f} to {most:.2f} times | {percent(cover)} | {100 * low:.1f} to "
           f"{percent(high)} | {100 * width:.0f} % | {score:.2f} | {naive:.2f} |")
    yield ""


def constant_lines(theta):
    yield "| constant | fitted | prior |"
    yield "|---|---|---|"
    for (name, unit, prior, _), value in zip(CONSTANTS, theta):
        yield f"| {name} | {value:.3g} {unit} | {prior:g} {unit} |"
    yield ""


def extrapolation_lines(data, theta):
    yield "| program | kernel | counted up to | predicted size | error of its time |"
    yield "|---|---|---|---|---|"
    for program, part, small, large, error in extrapolation(data, theta):
        yield f"| {program} | `{part}` | {small} | {large} | {error:+.1f} % |"
    yield ""


def plot(path, title, sizes, series):
    """Curves over the size, both axes logarithmic, as SVG."""
    wide, high, left, low = 640, 400, 60, 40
    every = [v for _, _, values in series for v in values]
    x0, x1 = np.log10(min(sizes)), np.log10(max(sizes))
    y0, y1 = np.floor(np.log10(min(every))), np.ceil(np.log10(max(every)))
    px = lambda v: left + (np.log10(v) - x0) / (x1 - x0) * (wide - left - 20)
    py = lambda v: high - low - (np.log10(v) - y0) / (y1 - y0) * (high - low - 40)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{wide}" height="{high}" fill="white"/>',
           f'<text x="{left}" y="20" font-size="14">{title}</text>']
    for e in range(int(y0), int(y1) + 1):
        y = py(10.0**e)
        out.append(f'<path d="M{left} {y:.1f}H{wide - 20}" stroke="#ddd"/>'
                   f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">'
                   f'{10.0**e:g} us</text>')
    for i, v in enumerate(sizes):
        if i % 3 == 0 or i == len(sizes) - 1:
            out.append(f'<text x="{px(v):.1f}" y="{high - 20}" '
                       f'text-anchor="middle">{v}</text>')
    for i, (name, color, values) in enumerate(series):
        points = " ".join(f"{px(s):.1f},{py(v):.1f}" for s, v in zip(sizes, values))
        out.append(f'<polyline points="{points}" fill="none" stroke="{color}" '
                   f'stroke-width="2"/><text x="{left + 20}" y="{44 + 18 * i}" '
                   f'fill="{color}">{name}</text>')
    open(path, "w").write("\n".join(out + ["</svg>", ""]))


def plots_write(folder, data, outside, flat_out):
    for program in ("matrixmultiplication", "bitonicsort"):
        m = np.where(data.program == program)[0]
        sizes = [int(re.search(r"\d+", data.size[i]).group()) for i in m]
        plot(f"{folder}/durations-{program}.svg",
             f"{program} on an MI300A, over its size", sizes,
             [("measured", "#000", data.us[m]),
              ("predicted, program left out", "#c00", outside[m]),
              ("fitted roofline, program left out", "#888", flat_out[m])])


def replace_block(path, marker, lines):
    text = open(path).read()
    begin, end = f"<!-- {marker}: begin -->\n", f"<!-- {marker}: end -->"
    head, rest = text.split(begin)
    open(path, "w").write(head + begin + "\n".join(lines) + "\n" + end +
                          rest.split(end, 1)[1])


WRITTEN = {"memory_rate": ("memory_reached", 53, "", "{:.0f}"),  # % of 5.3 TB/s
           "page_reach": ("page_reach", 1.048576, " MiB", "{:.0f}"),
           "far_bandwidth": ("far_bandwidth", 1000, " TB/s", "{:.2f}")}


def model_write(folder, theta):
    path = f"{folder}/mi300a.device"
    text = open(path).read()
    for (name, unit, _, _), value in list(zip(CONSTANTS, theta))[:HOST]:
        key, by, suffix, form = WRITTEN.get(name, (name, 1, " ns", "{:.3g}"))
        text, n = re.subn(rf"(?m)^{key} = [^;]*;",
                          f"{key} = {form.format(value / by)}{suffix} ;", text)
        assert n == 1, key
    open(path, "w").write(text)


def model_read(folder):
    """The constants as the model has them, rounded."""
    text, out = open(f"{folder}/mi300a.device").read(), {}
    for name, unit, _, _ in CONSTANTS[:HOST]:
        key, by, _, _ = WRITTEN.get(name, (name, 1, "", ""))
        out[name] = float(re.search(rf"(?m)^{key} = ([0-9.]+)", text).group(1)) * by
    return out


def vectors_write(path, data, constants):
    times = kernel_times(data.x, constants)
    with open(path, "w") as out:
        out.write("# Counts of kernels and the microseconds of tools/fit_executed.py "
                  "for them.\nus\t" + "\t".join(COUNTS) + "\n")
        for i in range(0, len(times), 7):
            out.write(f"{times[i]:.6g}\t" +
                      "\t".join(f"{int(data.x[c][i])}" for c in COUNTS) + "\n")


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("counts")
    parse.add_argument("visible")
    parse.add_argument("models")
    parse.add_argument("--page")
    parse.add_argument("--vectors")
    parse.add_argument("--plots")
    parse.add_argument("--write", action="store_true")
    args = parse.parse_args()
    data = Data(args.counts, args.visible)
    every = np.ones(len(data.us), bool)
    flat = np.array([0.5, 3000.0, 2.0, 4.0]), np.array([1.0, 1.0, 1.0, 1.0])
    theta = fit(data, every)
    outside = left_out(data, predict, PRIOR, SIGMA)
    flat_out = left_out(data, roofline, *flat)
    flat_in = roofline(data, fit(data, every, roofline, *flat))
    least, most = quantiles_without(data.us / outside, data.fold, None)
    scores = list(page_lines(data, predict(data, theta), outside, flat_in,
                             flat_out))
    scores += list(interval_lines(data, outside, 0.7, 1.45))
    scores += list(constant_lines(theta)) + list(extrapolation_lines(data, theta))
    print("\n".join(scores))
    print(f"measured over predicted, 5 to 95 %: {least:.2f} to {most:.2f}")
    if args.write:
        model_write(args.models, theta)
    if args.page:
        replace_block(args.page, "executed", scores)
    if args.plots:
        plots_write(args.plots, data, outside, flat_out)
    if args.vectors:
        vectors_write(args.vectors, data, model_read(args.models))


if __name__ == "__main__":
    main()
