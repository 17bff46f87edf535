#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Policies on request traces of language models. `measure PROGRAM SRCDIR DATA`
imports three traces of the folder DATA (azure-llm-2023, mooncake), runs
doc/examples/study/tenants.json on two devices under four policies, and prints a
row for each client: figures with half of their 95 % intervals, and less fifo by
pairs of equal seeds. `published PROGRAM` runs public measurements, of the model that
is built in and of those scaled from it (traces/serving-published.tsv). `picture PROGRAM SRCDIR DATA SVG` plots the TTFT of
the conversation over the load. `page TSV PAGE` writes doc/tables/serving.md
(make serving-docs)."""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

# trace, format, file; whose requests the other tenant has, and arrivals of both
# as a part of the published rate: one GPU instead of a cluster.
TRACES = (
    ("conversation", "azure",
     "azure-llm-2023/AzureLLMInferenceTrace_conv.csv", "code", 1),
    ("code", "azure",
     "azure-llm-2023/AzureLLMInferenceTrace_code.csv", "conversation", 0.5),
    ("mooncake", "mooncake", "mooncake/conversation_trace.jsonl",
     "conversation", 0.1))
POLICIES = ("fifo", "priority", "edf", "wfq")
DEVICES = ("mi300x", "mi355x")
SEEDS = 10
LOADS = (0.25, 0.5, 1, 2, 4)
FIGURES = ("goodput", "ttft_p99", "tpot_p99")
CLIENTS = ("chat", "others")


def workload(trace, other, load):
    return {"file": "tenants.json", "name": trace, "parameters": {
        "chat": f"{trace}.requests.csv", "others": f"{other}.requests.csv",
        "load": load}}


def plan_write(folder, workloads, devices):
    with open(f"{folder}/plan.json", "w") as file:
        json.dump({"version": 1, "name": "tenants", "workloads": workloads,
                   "policies": POLICIES, "devices": devices,
                   "seeds": {"count": SEEDS}}, file)


def folder_fill(program, srcdir, data, folder):
    for trace, form, file, *_ in TRACES:
        subprocess.run([program, "import", "--workload", form,
                        f"{data}/{file}", "-o", f"{folder}/{trace}.json", "-q"],
                       check=True)
    shutil.copy(f"{srcdir}/doc/examples/study/tenants.json", folder)
    plan_write(folder, [workload(trace, other, load)
                        for trace, _, _, other, load in TRACES], DEVICES)


def picture(program, srcdir, data, svg):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        folder_fill(program, srcdir, data, folder)
        trace, _, _, other, _ = TRACES[0]
        plan_write(folder, [workload(trace, other, LOADS)], DEVICES[:1])
        store = f"{folder}/study.db"
        subprocess.run([program, "sweep", f"{folder}/plan.json", "--store",
                        store, "-q"], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([program, "study", "--store", store, "--by-client",
                        "--warmup", "none", "--plot", "lines", "--metric",
                        "ttft_p99", "-o", svg], check=True)


def cell(estimates, figure):
    value = estimates[figure]
    return f"{value['mean']:.6g}\t{value['half']:.6g}"


def measure(program, srcdir, data):
    program = os.path.abspath(program)
    with tempfile.TemporaryDirectory() as folder:
        begun = time.monotonic()
        folder_fill(program, srcdir, data, folder)
        store = f"{folder}/study.db"
        subprocess.run([program, "sweep", f"{folder}/plan.json", "--store",
                        store, "--jobs", "2", "-q"], check=True,
                       stdout=subprocess.DEVNULL)
        rows = json.loads(subprocess.run(
            [program, "study", "--store", store, "--by-client", "--baseline",
             POLICIES[0], "--warmup", "none", "--json"], check=True,
            capture_output=True).stdout)["rows"]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"# {len(TRACES) * len(POLICIES) * len(DEVICES) * SEEDS} points, "
              f"{time.monotonic() - begun:.0f} s with two processes, "
              f"{used.ru_utime + used.ru_stime:.0f} s of processor time")
    print("# trace\tdevice\tpolicy\tclient\t"
          + "\t".join(f"{f}\thalf" for f in FIGURES) + "\t"
          + "\t".join(f"{f} less {POLICIES[0]}\thalf" for f in FIGURES))
    for row in rows:
        if row["client"] in CLIENTS:
            print("\t".join(
                [row["workload"], row["device"], row["policy"], row["client"]]
                + [cell(row, figure) for figure in FIGURES]
                + [cell(row["less_baseline"], figure) for figure in FIGURES]))


# vllm-project/recipes, pull request 431 (2026-04-30): Qwen3Guard-Gen-8B, with
# the layers of Qwen3-8B, on one MI300X under vLLM with AITER: 100 requests of 1,024 and
# 1,024 tokens, at most 32 at once. Milliseconds, and tokens a second.
PUBLISHED = {"requests": 100, "tokens": 1024, "at once": 32}
MEASURED = (("mean TPOT, ms", "tpot", 9.42, 1e3),
            ("p99 TPOT, ms", "tpot_p99", 10.13, 1e3),
            ("answers, tokens/s", "tokens", 2701.39, 1))
LEVELS = ("step", "dispatch")
AT_ONCE = (1, 2, 4, 8, 16, 32, 64, 128)
SHORT = "oci"  # answers short enough for every kernel to be simulated


def crowd(program, folder, level, requests, at_once, model="qwen3-8b",
          devices=1, prompt=PUBLISHED["tokens"], answer=PUBLISHED["tokens"]):
    """All requests at once to a server that takes so many: a closed loop, since
    one begins when another ends."""
    with open(f"{folder}/r.csv", "w") as file:
        file.write("# aqueduct requests 1, hash block 0 of prompts\n"
                   "arrival_ns,prompt,output,session,tool_ns,hashes\n")
        file.write(f"0,{prompt},{answer},,,\n" * requests)
    with open(f"{folder}/s.json", "w") as file:
        json.dump({"version": 2, "device": f"mi300x*{devices}", "serving": {
            "level": level, "servers": [{
                "name": "s", "model": model, "blocks": 52242,
                "devices": list(range(devices)),
                "max_seqs": at_once, "max_tokens": 8192,
                "requests": {"file": "r.csv"}}]}}, file)
    store = f"{folder}/{model}{prompt}-{answer}{level}{requests}.db"
    subprocess.run([program, "run", f"{folder}/s.json", "--store", store, "-q"],
                   check=True, stdout=subprocess.DEVNULL)
    return json.loads(subprocess.run(
        [program, "study", "--store", store, "--warmup", "none", "--json"],
        check=True, capture_output=True).stdout)["rows"][0]


def published(program, srcdir):
    with tempfile.TemporaryDirectory() as folder:
        rows = [crowd(program, folder, level, PUBLISHED["requests"],
                      PUBLISHED["at once"]) for level in LEVELS]
        for name, figure, value, unit in MEASURED:
            print(f"published\t{name}\t{value}\t" + "\t".join(
                f"{row[figure]['mean'] / unit:.6g}" for row in rows),
                flush=True)
        for at_once in AT_ONCE:
            row = crowd(program, folder, LEVELS[0], 2 * at_once, at_once)
            print(f"curve\t{at_once}\t{row['tpot']['mean'] / 1e3:.6g}",
                  flush=True)
        for source, model, prompt, answer, batch, seconds in batches_read(srcdir):
            levels = LEVELS if source == SHORT else LEVELS[:1]
            ends = [crowd(program, folder, level, batch, batch, model, 8, prompt,
                          answer)["max"]["mean"] / 1e6 for level in levels]
            print(f"batch\t{source}\t{model}\t{prompt}\t{answer}\t{batch}"
                  f"\t{seconds}\t" + "\t".join(f"{end:.6g}" for end in ends),
                  flush=True)


def batches_read(srcdir):
    with open(f"{srcdir}/traces/serving-published.tsv") as file:
        for line in file:
            if not line.startswith("#"):
                source, model, *numbers, seconds = line.split("\t")
                yield source, model, *map(int, numbers), float(seconds)


def shown(mean, half, unit=1.0):
    mean, half = float(mean) / unit, float(half) / unit
    mark = "**" if abs(mean) > half > 0 else ""
    return f"{mark}{mean:.3g} ± {half:.2g}{mark}"


def block_put(path, name, lines):
    with open(path) as file:
        text = file.read()
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    head, rest = text.split(begin)
    with open(path, "w") as file:
        file.write(head + begin + "\n\n" + "\n".join(lines) + "\n\n" + end
                   + rest.split(end)[1])


def published_lines(rows):
    lines = ["| 32 at once | published | "
             + " | ".join(f"level {level} | error" for level in LEVELS) + " |",
             "|---|---|" + "---|---|" * len(LEVELS)]
    for name, measured, *simulated in rows["published"]:
        lines.append(f"| {name} | {float(measured):g} | " + " | ".join(
            f"{float(value):.4g} | "
            f"{100 * (float(value) / float(measured) - 1):+.1f} %"
            for value in simulated) + " |")
    lines += ["", "| at once | " + " | ".join(n for n, _ in rows["curve"]) + " |",
              "|" + "---|" * (len(rows["curve"]) + 1),
              "| mean TPOT, level step, ms | "
              + " | ".join(f"{float(v):.3g}" for _, v in rows["curve"]) + " |"]
    return lines


def batch_lines(rows):
    """A row for each batch size: seconds a token of the answer, from the first
    arrival to the last token."""
    sets = {}
    for source, model, prompt, answer, batch, measured, *ends in rows:
        sets.setdefault((source, model, prompt, answer), []).append(
            (int(batch), *(1e3 * float(end) / int(answer)
                           for end in (measured, *ends))))
    lines = []
    for (source, model, prompt, answer), points in sets.items():
        levels = LEVELS[:len(points[0]) - 2]
        lines += [f"| {source}, {model}, {prompt} + {answer} | "
                  + " | ".join(str(point[0]) for point in points) + " |",
                  "|" + "---|" * (len(points) + 1),
                  "| published, ms | "
                  + " | ".join(f"{point[1]:.1f}" for point in points) + " |"]
        for at, level in enumerate(levels):
            ours = [point[2 + at] for point in points]
            lines += [f"| level {level}, ms | "
                      + " | ".join(f"{value:.1f}" for value in ours) + " |",
                      "| error, % | " + " | ".join(
                          f"{100 * (value / point[1] - 1):+.0f}"
                          for value, point in zip(ours, points)) + " |"]
        lines.append("")
    ends = [(100 * (p[2] / p[1] - 1), p, points) for points in sets.values()
            for p in points]
    lines.append(
        f"At step level the errors of these {len(ends)} points are "
        f"{min(e[0] for e in ends):+.0f} to {max(e[0] for e in ends):+.0f} %, their "
        f"mean magnitude {sum(abs(e[0]) for e in ends) / len(ends):.0f} %. From the "
        "smallest to the largest batch, a token's time grows by a factor of "
        + ", ".join(f"{points[-1][2] / points[0][2]:.1f} (published: "
                    f"{points[-1][1] / points[0][1]:.1f})"
                    for points in sets.values()) + ", in the order of the tables.")
    return lines


def page(tsv, path):
    lines = ["| trace | device | policy | goodput of chat, /s | less fifo "
             "| TTFT p99 of chat, s | less fifo | TPOT p99 of chat, ms "
             "| less fifo | goodput of others, less fifo |",
             "|" + "---|" * 10]
    rows, notes, other = {}, [], {
        "published": [], "curve": [], "batch": []}
    with open(tsv) as file:
        for line in file:
            values = line.rstrip("\n").split("\t")
            if line.startswith("#"):
                notes.append(line)
            elif values[0] in other:
                other[values[0]].append(values[1:])
            else:
                rows.setdefault(tuple(values[:3]), {})[values[3]] = values[4:]
    for (trace, device, policy), clients in rows.items():
        chat, others = clients["chat"], clients["others"]
        cells = [trace, device, policy,
                 shown(*chat[0:2]).strip("*"), shown(*chat[6:8]),
                 shown(*chat[2:4], 1e6).strip("*"), shown(*chat[8:10], 1e6),
                 shown(*chat[4:6], 1e3).strip("*"), shown(*chat[10:12], 1e3),
                 shown(*others[6:8])]
        if policy == POLICIES[0]:
            cells[4] = cells[6] = cells[8] = cells[9] = ""
        lines.append("| " + " | ".join(cells) + " |")
    lines.append("")
    lines.append(notes[0][2:].strip().capitalize() + ".")
    block_put(path, "policies", lines)
    block_put(path, "published", published_lines(other))
    block_put(path, "batches", batch_lines(other["batch"]))


if __name__ == "__main__":
    {"measure": measure, "published": published, "picture": picture,
     "page": page}[sys.argv[1]](*sys.argv[2:])
