#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the model qwen3-8b of the serving workloads from two published traces
of SGLang on an MI300X: a decode step of 32 requests, one graph launch, and a
prefill of 15 prompts of 1024 tokens; and from it models of which there is no
trace. `fit_serving.py DATA FOLDER`, run by `make fit-serving`.

A kernel's time for n rows is ((floor)^4 + (n * each)^4)^(1/4): `floor` is the
median over the layers of the decode step, `each` makes it the median of the
prefill step."""
import csv
import gzip
import json
import statistics
import sys

LAYERS, HEADS, KV_HEADS, HEAD = 36, 32, 8, 128
DECODE, DECODE_CONTEXT = 32, 32785  # tokens, and of them and their context
PROMPTS, PROMPT = 15, 1024
PREFILL = PROMPTS * PROMPT
FLOOR = 5.0  # us, of attention: assumed; other small nodes take 4.4 to 5

# Kernels whose work tensor parallel shares: they go through heads, or the columns
# of a product.
SPLIT = ("copy_q", "norm_q", "copy_k", "norm_k", "rotary", "store_kv",
         "act_and_mul", "quant_out", "quant_down")

# Models without a trace: name, source of the sizes, layers, hidden, heads, columns
# of the feed-forward network, words. All have 8 heads of keys and values.
SCALED = {
    "llama-3.1-70b-fp8": ("Llama 3.1 70B, FP8", "amd/Llama-3.1-70B-Instruct-FP8-KV",
                          80, 8192, 64, 28672, 128256),
    "llama-3.1-405b-fp8": ("Llama 3.1 405B, FP8",
                           "amd/Llama-3.1-405B-Instruct-FP8-KV",
                           126, 16384, 128, 53248, 128256),
}

# The kernels of a layer: name, kind, rows of a weight matrix and its columns,
# workgroups a row (0: the whole GPU), and whether tensor parallel adds a
# reduction behind it.
LAYER = [
    ("qkv", "gemm", 6144, 4096, 0, False),
    ("copy_q", "tokens", 0, 0, 4, False),
    ("norm_q", "tokens", 0, 0, 32, False),
    ("copy_k", "tokens", 0, 0, 1, False),
    ("norm_k", "tokens", 0, 0, 8, False),
    ("rotary", "tokens", 0, 0, 1, False),
    ("store_kv", "tokens", 0, 0, 1, False),
    ("attention", "attention", 0, 0, 0, False),
    ("out", "gemm", 4096, 4096, 0, True),
    ("norm_attention", "tokens", 0, 0, 1, False),
    ("gate_up", "gemm", 24576, 4096, 0, False),
    ("act_and_mul", "tokens", 0, 0, 1, False),
    ("down", "gemm", 4096, 12288, 0, True),
    ("norm_ffn", "tokens", 0, 0, 1, False),
]


def load(folder, name):
    path = f"{folder}/measured/norm/{name}.norm.csv.gz"
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


def us(row):
    return (int(row["end_ns"]) - int(row["start_ns"])) / 1000


def layers_of(rows, first, count):
    """The layers of a step, each from a product that only it begins with."""
    starts = [i for i, row in enumerate(rows) if first in row["name"]]
    good = [rows[i : i + count] for i in starts]
    return [layer for layer in good if len(layer) == count][:LAYERS]


def text(value):
    return f"{value:.4g}us" if value >= 0.1 else f"{1000 * value:.4g}ns"


def kernel(part, name, kind, floor, each, **more):
    if name in SPLIT:
        more["split"] = True
    return {"part": part, "name": name, "kind": kind, "floor": text(floor),
            "each": text(each), **more}


def write(model, path):
    with open(path, "w") as file:
        json.dump(model, file, indent=1)
        file.write("\n")


def seconds(value):
    return float(value[:-2]) * {"ns": 1e-3, "us": 1}[value[-2:]]


def scaled(of, name, source, layers, hidden, heads, ffn, words):
    """The recorded step with another model's sizes: products of FP8 by tables,
    with a kernel that quantizes their input; small kernels by their width; no
    norms of queries and keys."""
    wide = hidden / 4096
    widths = {"gather": wide, "norm_first": wide, "norm_attention": wide,
              "norm_ffn": wide, "rotary": (heads + KV_HEADS) / (HEADS + KV_HEADS),
              "store_kv": 1, "act_and_mul": ffn / 12288,
              "to_float": words / 151936, "argmax": words / 151936}
    products = {"qkv": ((heads + 2 * KV_HEADS) * HEAD, hidden, False, wide),
                "out": (hidden, heads * HEAD, True, heads / HEADS),
                "gate_up": (2 * ffn, hidden, False, wide),
                "down": (hidden, ffn, True, ffn / 4096)}
    norm = next(k for k in of["kernels"] if k["name"] == "norm_attention")
    kernels = []
    for k in of["kernels"]:
        part, at = k["part"], k["name"]
        if at in ("copy_q", "norm_q", "copy_k", "norm_k"):
            continue
        if at in products:
            n, columns, reduced, width = products[at]
            kernels.append(kernel(part, f"quant_{at}", "tokens",
                                  seconds(norm["floor"]),
                                  seconds(norm["each"]) * width, groups=1))
            kernels.append({"part": part, "name": at, "kind": "gemm",
                            "type": "a8w8", "n": n, "k": columns,
                            **({"reduced": True} if reduced else {})})
        elif at == "logits":
            size = words * hidden / (k["n"] * k["k"])
            kernels.append(kernel(part, at, at, seconds(k["floor"]) * size,
                                  seconds(k["each"]) * size, n=words, k=hidden))
        elif at in widths:
            floor = widths[at] if part == "tail" else 1
            kernels.append(kernel(part, at, k["kind"],
                                  seconds(k["floor"]) * floor,
                                  seconds(k["each"]) * widths[at],
                                  groups=k["groups"]))
        else:
            kernels.append({**k, **({"groups": heads} if "groups" in k else {})})
    return {**of, "name": name,
            "source": f"{source}, scaled from {of['name']}, {of['source']}",
            "layers": layers, "hidden": hidden,
            "kv_bytes": layers * 2 * KV_HEADS * HEAD * 2,
            "attention_work": 4 * heads * HEAD, "kernels": kernels}


def main():
    folder, out = sys.argv[1:3]
    decode = [row for row in load(folder, "mi300x_sglang_decode_graph")]
    graph = [row for row in decode if row["via"] == "graph"]
    prefill = load(folder, "mi300x_sglang_prefill")
    first = next(i for i, row in enumerate(prefill)
                 if "vectorized_gather" in row["name"])
    prefill_rows = prefill[first:]
    decode_layers = [graph[2 + 15 * i : 17 + 15 * i] for i in range(LAYERS)]
    prefill_layers = layers_of(prefill_rows, "MT256x192x64", 14)

    def of_decode(i):
        return statistics.median(us(layer[i]) for layer in decode_layers)

    def of_prefill(i):
        return statistics.median(us(layer[i]) for layer in prefill_layers)

    kernels = [
        kernel("head", "gather", "tokens", us(graph[0]),
               us(prefill_rows[0]) / PREFILL, groups=2),
        kernel("head", "norm_first", "tokens", us(graph[1]),
               us(prefill_rows[1]) / PREFILL, groups=1),
    ]
    for i, (name, kind, n, k, groups, reduced) in enumerate(LAYER):
        # The decode step has one more kernel, behind attention.
        at = i if i <= 7 else i + 1
        if kind == "attention":
            cache = 2 * KV_HEADS * HEAD * 2 * DECODE_CONTEXT
            pairs = PROMPTS * PROMPT * (PROMPT + 1) / 2
            work = 4 * HEADS * HEAD * pairs
            kernels.append({"part": "layer", "name": "prefill_attention",
                            "kind": "prefill_attention", "floor": text(FLOOR),
                            "rate": round(work / (of_prefill(i) - FLOOR) * 1e6)})
            kernels.append({"part": "layer", "name": "paged_attention",
                            "kind": "decode_attention", "floor": text(FLOOR),
                            "rate": round(cache / (of_decode(at) - FLOOR) * 1e6)})
            kernels.append(kernel("layer", "attention_reduce", "decodes",
                                  of_decode(8), 0, groups=32))
            continue
        more = {"n": n, "k": k} if kind == "gemm" else {"groups": groups}
        if reduced:
            more["reduced"] = True
        kernels.append(kernel("layer", name, kind, of_decode(at),
                              of_prefill(i) / PREFILL, **more))
    gate_up = of_prefill(10) / PREFILL
    kernels += [
        kernel("tail", "logits", "logits", us(graph[-2]),
               gate_up * 151936 / 24576, n=151936, k=4096),
        kernel("tail", "to_float", "sequences", us(graph[-1]), 0, groups=37),
        kernel("tail", "argmax", "sequences", us(decode[-3]), 0, groups=1),
    ]
    host = [int(row["host_begin_ns"]) for row in prefill_rows[2:400]]
    sync = 463354204  # the wait for the tokens of the step before ends
    model = {
        "version": 1,
        "name": "Qwen3-8B",
        "source": "AMD-AGI/TraceLens @ 171dd74721ca (MIT), SGLang, MI300X",
        "gfx": "gfx942",
        "cus": 304,
        "type": "bf16",
        "layers": LAYERS,
        "hidden": 4096,
        "kv_bytes": LAYERS * 2 * KV_HEADS * HEAD * 2,
        "attention_work": 4 * HEADS * HEAD,
        "step_gap": text((int(graph[0]["host_begin_ns"]) - sync) / 1000),
        "eager_gap": text((int(prefill_rows[0]["host_begin_ns"])
                           - 493355038) / 1000),
        "call": text((host[-1] - host[0]) / (len(host) - 1) / 1000),
        "captured": [1, 2, 4, 8, 12, 16, 24]
        + list(range(32, 257, 8)),
        "kernels": kernels,
    }
    write(model, f"{out}/qwen3-8b.json")
    for name, sizes in SCALED.items():
        write(scaled(model, *sizes), f"{out}/{name}.json")


if __name__ == "__main__":
    main()
