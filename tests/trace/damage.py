# SPDX-License-Identifier: MIT
"""Import, stats and explain agree with an independent reader on profiles, and
name the damage of damaged ones. TAP, one line a profile and property.
usage: damage.py AQUEDUCT DATA FOLDER [long]
Profiles: those of DATA/raw (a few of them without `long`) and made ones.
"""
import glob
import gzip
import json
import os
import random
import subprocess
import sys

import independent

AQUEDUCT, DATA, FOLDER = sys.argv[1:4]
LONG = len(sys.argv) > 4
SLICE = ("mi300x_bert", "mi300x_norm", "mi250_minitoy", "mi300x_gunrock",
         "mi300x_sglang_decode_graph")
MUTATED = ("mi300x_bert", "mi300x_timesformer", "mi210_resnet_bwd",
           "mi300x_sglang_prefill", "mi300x_vllm_pd_piecewise",
           "mi300x_flux_iter0", "mi300x_owlv2")
count = 0


def tell(good, name, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print("\n".join("# " + line for line in str(why).splitlines()))


def aqueduct(*args):
    env = dict(os.environ, AQUEDUCT_STORE=os.path.join(FOLDER, "runs.db"),
               AQUEDUCT_QUIET="")
    done = subprocess.run([AQUEDUCT, *args], env=env, capture_output=True,
                          text=True, errors="replace", check=False)
    return json.loads(done.stdout) if done.returncode == 0 else done.stderr


def answers(path, run):
    """What import, stats and explain say of a profile, or why not."""
    for old in glob.glob(os.path.join(FOLDER, "runs.db*")):
        os.remove(old)
    imported = aqueduct("import", path, "--name", run, "--json")
    if isinstance(imported, str):
        return imported
    stats = aqueduct("stats", run, "--json", "--top", "1000000")
    explain = aqueduct("explain", run, "--json")
    return imported[0], stats, explain


def agree(name, path):
    """The reader's facts are those of the answers, to the picosecond."""
    facts = independent.read(path)
    got = answers(path, "run")
    if isinstance(got, str):
        tell(False, f"{name}: is imported", got)
        return
    imported, stats, explain = got
    notes, groups = imported["notes"], stats["groups"]
    # A copy's name depends on the format.
    said = {"kernels": notes["dispatches"], "copies": notes["copies"],
            "ranges": notes["ranges"],
            "lost": notes["repairs"].get("lost_launch", 0),
            "span": stats["makespan_ns"] * 1000,
            "calls": {g["name"]: g["calls"] for g in groups},
            "times": {g["name"]: g["kernel"]["total_ns"] * 1000
                      for g in groups}}
    for what in ("kernels", "copies", "ranges", "lost"):
        tell(said[what] == facts[what], f"{name}: {what}",
             f"{said[what]}, expected {facts[what]}")
    tell(abs(said["span"] - facts["span"]) < 1, f"{name}: span",
         f"{said['span']}, expected {facts['span']}")
    different = [k for k in facts["calls"] if k is not None and
                 (said["calls"].get(k) != facts["calls"][k] or
                  abs(said["times"].get(k, 0) - facts["times"][k]) >= 1)]
    tell(not different, f"{name}: calls and times of each kernel", different[:5])
    tell(explain["dispatches"] == facts["kernels"] + facts["copies"],
         f"{name}: explain has all rows", explain["dispatches"])
    tell(explain["lost"] == facts["lost"], f"{name}: explain has what is lost",
         explain["lost"])
    causes = sum(c["time_ns"] for c in explain["causes"])
    tell(abs(causes - explain["time_ns"]) < 1e-3 * len(explain["causes"]),
         f"{name}: causes sum to the time", f"{causes} {explain['time_ns']}")


# ---- damage ----

DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")


def chosen(events, categories):
    return [i for i, e in enumerate(events)
            if e.get("ph") == "X" and e.get("cat") in categories]


def drop_kernels(events, rng):
    at = chosen(events, ("kernel",))
    gone = set(rng.sample(at, len(at) * 3 // 10))
    return [e for i, e in enumerate(events) if i not in gone]


def repeat(events, rng):
    at = chosen(events, DEVICE + tuple(independent.CALLS))
    again = rng.sample(at, max(1, len(at) // 20))
    return events + [events[i] for i in again]


def set_ts(value):
    def change(events, rng):
        out = list(events)
        i = rng.choice(chosen(events, ("kernel",)))
        out[i] = dict(out[i], ts=value)
        return out
    return change


def lengthen(events, rng):
    """A kernel early on its stream, so that rows of it follow."""
    at = sorted(chosen(events, ("kernel",)), key=lambda i: events[i]["ts"])
    out = list(events)
    i = at[rng.randrange(len(at) // 4)]
    out[i] = dict(out[i], dur=out[i]["dur"] * 100000)
    return out


def lengthen_last(events, rng):
    """The last kernel of a stream, if the host waits for the device later."""
    last = max(chosen(events, ("kernel",)), key=lambda i: events[i]["ts"])
    if not any("DeviceSynchronize" in e.get("name", "") and
               e["ts"] + e["dur"] > events[last]["ts"] for e in events
               if e.get("ph") == "X"):
        return events
    out = list(events)
    out[last] = dict(out[last], dur=out[last]["dur"] * 100000)
    return out


def drop_launches(events, rng):
    return [e for e in events
            if e.get("cat") not in independent.CALLS or
            "Launch" not in e["name"] or rng.random() >= 0.7]


def flatten(events, rng):
    return [dict(e, dur=0) if e.get("cat") == "kernel" else e for e in events]


def rename(events, rng):
    """Half of the rows have ids that no call has."""
    out = list(events)
    at = chosen(events, DEVICE)
    for i in rng.sample(at, len(at) // 2):
        args = dict(out[i]["args"])
        args["correlation"] = int(args["correlation"]) + 2**40
        out[i] = dict(out[i], args=args)
    return out


DAMAGES = {
    "30 % of the kernels lost": (drop_kernels, ("lost_launch",)),
    "5 % twice": (repeat, ("repeated",)),
    "one time of 0": (set_ts(0), ("stray",)),
    "one time of 2^63": (set_ts(2**63), ("skipped_row", "stray")),
    "one duration x 10^5": (lengthen, ("contradicted", "outlasts_wait")),
    "the last duration x 10^5": (lengthen_last, ("outlasts_wait",)),
    "70 % of the launch calls lost": (drop_launches, ("uncalled",)),
    "all durations 0": (flatten, ("no_duration",)),
    "half of the ids renamed": (rename, ("no_host_call", "lost_launch")),
}


def verdict(got):
    """What a user takes from the answers."""
    _, stats, explain = got
    return (explain["bottleneck"], round(stats["makespan_ns"] / 1e3),
            [g["name"] for g in stats["groups"][:5]])


def is_named(got, repairs):
    """The import counts the damage, and views of the run say so."""
    imported, stats, explain = got
    counted = [imported["notes"]["repairs"].get(r, 0) for r in repairs]
    said = any("damaged: " in c for c in stats["caveats"])
    return any(counted) and said and \
        any("damaged: " in c for c in explain["caveats"])


def damaged(name, document):
    whole_path = os.path.join(FOLDER, "whole.json")
    with open(whole_path, "w", encoding="utf-8") as out:
        json.dump(document, out)
    whole = answers(whole_path, "whole")
    for title, (change, repairs) in DAMAGES.items():
        rng = random.Random(title + name)
        events = change(document["traceEvents"], rng)
        path = os.path.join(FOLDER, "damaged.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(dict(document, traceEvents=events), out)
        got = answers(path, "damaged")
        if isinstance(got, str):
            tell(False, f"{name}, {title}: is imported", got)
            continue
        same = verdict(got) == verdict(whole)
        tell(same or is_named(got, repairs),
             f"{name}, {title}: no verdict changes, or the damage is named",
             f"{verdict(whole)}\n{verdict(got)}\n"
             f"{got[0]['notes']['repairs']}\n{got[1]['caveats']}")
        if title.startswith("30 %"):
            launch = [c["time_ns"] for c in got[2]["causes"]
                      if c["cause"] == "launch"][0]
            most = independent.read(path)["quiet"] / 1000
            tell(launch <= most + 1e-3, f"{name}, {title}: a gap with a lost "
                 "launch is not launch time", f"{launch} ns, at most {most}")


# ---- made profiles ----

def made(seed, kernels):
    """Launches and kernels on two streams, with captures, copies and waits."""
    rng = random.Random(seed)
    events, host, ends = [], 10.0**9, [0.0, 0.0]

    def event(cat, name, pid, tid, ts, dur, **args):
        events.append({"ph": "X", "cat": cat, "name": name, "pid": pid,
                       "tid": tid, "ts": round(ts, 3), "dur": round(dur, 3),
                       "args": args})

    for i in range(1, kernels + 1):
        stream = rng.randrange(2)
        call = rng.choice(("hipLaunchKernel", "hipLaunchKernel",
                           "hipMemcpyAsync"))
        event("cuda_runtime", call, 9, 9, host, 4, correlation=i)
        begin = max(host + rng.uniform(5, 9), ends[stream])
        length = rng.uniform(1, 60)
        kernel = call == "hipLaunchKernel"
        if kernel and rng.random() < 0.1:
            begin = ends[stream]  # lost
        else:
            event("kernel" if kernel else "gpu_memcpy",
                  f"k{rng.randrange(9)}" if kernel else "Memcpy HtoD", 0, stream,
                  begin, length, device=0, stream=stream, correlation=i)
            ends[stream] = begin + length + 0.5
        host += rng.uniform(4.5, 30)
    wait = max(1.0, max(ends) - host + 5)
    event("cuda_runtime", "hipDeviceSynchronize", 9, 9, host, wait,
          correlation=10**7)
    host += wait + 5
    event("user_annotation", "step", 9, 9, 10.0**9, host - 10.0**9)
    event("cuda_runtime", "hipStreamBeginCapture", 9, 9, host, 1, correlation=0)
    event("cuda_runtime", "hipLaunchKernel", 9, 9, host + 2, 1,
          correlation=10**6)
    event("cuda_runtime", "hipStreamEndCapture", 9, 9, host + 4, 1,
          correlation=0)
    rng.shuffle(events)
    return {"deviceProperties": [{"id": 0, "name": "AMD Instinct MI300X",
                                  "numSms": 304}],
            "baseTimeNanoseconds": 1700000000000000000, "traceEvents": events}


def main():
    for seed in range(20 if LONG else 4):
        document = made(seed, 200)
        path = os.path.join(FOLDER, "made.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(document, out)
        agree(f"made profile {seed}", path)
        if LONG or seed == 0:
            damaged(f"made profile {seed}", document)
    paths = sorted(glob.glob(os.path.join(DATA, "raw", "*.json.gz")) +
                   glob.glob(os.path.join(DATA, "raw", "*.csv.gz")))
    if not paths:
        print(f"ok {count + 1} - published profiles # SKIP none in {DATA}/raw")
        print(f"1..{count + 1}")
        return
    for path in paths:
        name = os.path.basename(path).split(".")[0]
        if LONG or name in SLICE:
            agree(name, path)
        if name in MUTATED if LONG else name == MUTATED[0]:
            with gzip.open(path, "rt", encoding="utf-8") as text:
                damaged(name, json.load(text))
    print(f"1..{count}")


main()
