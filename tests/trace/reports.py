# SPDX-License-Identifier: MIT
"""Profiles and programs of the shapes that public bug reports describe, tried on
Aqueduct. TAP, a line a report; --table prints the rows of doc/tables/reports.md.
usage: reports.py AQUEDUCT FOLDER PROGRAM | reports.py --table
PROGRAM is reports.c, compiled.
"""
import json
import os
import shutil
import subprocess
import sys

BASE = 1_700_000_000_000_000.0  # us: times of today
MI300X = {"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}


def event(cat, name, ts, dur, ident=None, pid=9, tid=9, **args):
    if ident is not None:
        args["correlation"] = ident
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid,
            "ts": ts, "dur": dur, "args": args}


def call(ident, ts, dur=4, name="hipLaunchKernel", **args):
    return event("cuda_runtime", name, ts, dur, ident, **args)


def kernel(ident, ts, dur=10, name="k", stream=0, **args):
    args = {"grid": [304, 1, 1], "block": [64, 1, 1], "device": 0,
            "stream": stream, **args}
    return event("kernel", name, ts, dur, ident, 0, stream, **args)


def copy(ident, ts, dur=10, name="Memcpy HtoD", stream=0, **args):
    return event("gpu_memcpy", name, ts, dur, ident, 0, stream, device=0,
                 stream=stream, **args)


def kineto(events):
    return ".json", json.dumps({"deviceProperties": [MI300X],
                                "traceEvents": events})


def pairs(count, step=20, first=1, at=BASE):
    """A launch and its kernel every `step` us."""
    out = []
    for i in range(count):
        out += [call(first + i, at + step * i), kernel(first + i, at + step * i + 6)]
    return out


V3 = ("Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,"
      "Kernel_Name,Correlation_Id,Start_Timestamp,End_Timestamp")


def rocprofv3(rows, more=""):
    """Rows of (dispatch, start, end) in ns."""
    text = [V3 + more] + [
        f'KERNEL_DISPATCH,Agent 1,1,0,7,{d},16,"k",{d},{s},{e}' +
        (f",{e - s}" if more else "") for d, s, e in rows]
    return "_kernel_trace.csv", "\n".join(text) + "\n"


# ---- shapes ----

def session_start():
    return kineto([e for e in pairs(50) if e["cat"] != "kernel" or
                   e["args"]["correlation"] > 12])


def no_kernels():
    return kineto([e for e in pairs(20) if e["cat"] != "kernel"])


def graph(replays, nodes, keep):
    events = []
    for r in range(replays):
        at = BASE + 2000 * r
        events.append(call(r + 1, at, 20, "hipGraphLaunch"))
        events += [kernel(r + 1, at + 30 + 12 * n, 10, f"node{n}")
                   for n in range(nodes) if keep(r, n)]
    return kineto(events)


def graph_35():
    return graph(10, 20, lambda r, n: r == 0 or (r * 7 + n * 3) % 20 >= 7)


def graph_last_segment():
    return graph(10, 20, lambda r, n: n >= 18)


def graph_ids():
    suffix, text = graph(3, 4, lambda r, n: True)
    document = json.loads(text)
    for e in document["traceEvents"]:
        if e["cat"] == "kernel":
            e["args"].update({"graph id": 1, "graph node id": 2**33 + 1})
    return suffix, json.dumps(document)


def one_row_of_launches():
    return graph(40, 100, lambda r, n: True)


def below_us():
    return kineto([e for i in range(20) for e in
                   (call(i + 1, BASE + 20 * i),
                    kernel(i + 1, BASE + 20 * i + 6.7, 0.2))])


def negative():
    events = pairs(10)
    events[9]["dur"] = -5000.0
    return kineto(events)


def unfinished():
    return kineto(pairs(10) + [event("user_annotation", "step", BASE, -1),
                               event("cpu_op", "aten::mm", BASE, -1)])


def duration_column():
    return rocprofv3([(i, 10**15 + 20000 * i, 10**15 + 20000 * i + 9000)
                      for i in range(1, 11)], ",Duration_ns")


def replay_passes():
    return rocprofv3([(d, 10**15 + 60000 * d + 20000 * p,
                       10**15 + 60000 * d + 20000 * p + 9000 + p)
                      for d in range(1, 6) for p in range(3)])


def ids_all_unique():
    events = pairs(20)
    for e in events:
        if e["cat"] == "kernel":
            e["args"]["correlation"] += 1000
    return kineto(events)


def zero_both():
    rows = [(i, 10**15 + 20000 * i, 10**15 + 20000 * i + 9000)
            for i in range(1, 11)]
    rows[4] = (5, 0, 0)
    return rocprofv3(rows)


def not_collected():
    events = pairs(10)
    events[9].update(ts=0, dur=0)
    return kineto(events)


def overwritten_by_call():
    """Collectives of one stream at the times of their calls, not their own."""
    events = []
    for i in range(6):
        at = BASE + 10000 * i
        events += [call(i + 1, BASE + 100 * i),
                   kernel(i + 1, BASE + 100 * i if i == 2 else at, 9000,
                          "ncclDevKernel_AllReduce_Sum_f32_RING_LL")]
    return kineto(events)


def host_stamped_copy():
    events = pairs(6, 100)
    events += [call(50, BASE + 205, 3, "hipMemcpyAsync"),
               copy(50, BASE + 205, 90)]
    return kineto(events)


def marker_rows():
    events = pairs(10)
    events += [kernel(100 + i, BASE + 20 * i + 16, 0, "Marker")
               for i in range(10)]
    events += [call(100 + i, BASE + 20 * i + 4, 1, "hipEventRecord")
               for i in range(10)]
    return kineto(events)


def ranges_days_away():
    day = 86400e6
    return kineto(pairs(10) +
                  [event("user_annotation", "step", BASE - 3 * day, 200)])


def only_hsa():
    rows = "\n".join(f"HSA_API,hsa_signal_store_relaxed,7,7,{i},"
                     f"{10**15 + i},{10**15 + i + 1}" for i in range(5))
    return "_hsa_api_trace.csv", ("Domain,Function,Process_Id,Thread_Id,"
                                  "Correlation_Id,Start_Timestamp,"
                                  "End_Timestamp\n" + rows + "\n")


def only_hip():
    rows = "\n".join(f"HIP_RUNTIME_API,hipLaunchKernel,7,7,{i},"
                     f"{10**15 + i},{10**15 + i + 1}" for i in range(5))
    return "_hip_api_trace.csv", ("Domain,Function,Process_Id,Thread_Id,"
                                  "Correlation_Id,Start_Timestamp,"
                                  "End_Timestamp\n" + rows + "\n")


def seconds_among_us():
    rows = [(i, 10**15 + 20000 * i, 10**15 + 20000 * i + 9000)
            for i in range(1, 41)]
    for i in (4, 5):
        rows[i] = (rows[i][0], rows[i][1], rows[i][1] + 6_923_881_220)
    return rocprofv3(rows)


def gaps_of_launches():
    """Launches of 30 us for kernels of 5 us."""
    return kineto([e for i in range(50) for e in
                   (call(i + 1, BASE + 40 * i, 30),
                    kernel(i + 1, BASE + 40 * i + 36, 5))])


def blocking_pageable():
    events = []
    for i in range(10):
        at = BASE + 1000 * i
        events += [call(2 * i + 1, at), kernel(2 * i + 1, at + 6, 800),
                   call(2 * i + 2, at + 5, 850, "hipMemcpyAsync"),
                   copy(2 * i + 2, at + 810, 40,
                        "Memcpy DtoH (Device -> Pageable)")]
    return kineto(events)


# ---- right answers, by hand ----

class Answer:
    """What import, explain, stats and whatif say of a profile."""

    def __init__(self, aqueduct, folder, path):
        self.aqueduct, self.folder = aqueduct, folder
        done = self.run("import", path, "--name", "run")
        self.status, self.err = done.returncode, done.stderr

    def run(self, *args):
        env = dict(os.environ,
                   AQUEDUCT_STORE=os.path.join(self.folder, "runs.db"))
        env.pop("AQUEDUCT_QUIET", None)
        return subprocess.run([self.aqueduct, *args], env=env, check=False,
                              capture_output=True, text=True, errors="replace")

    def json(self, *args):
        return json.loads(self.run(*args, "--json").stdout)

    def explain(self):
        return self.json("explain", "run")

    def groups(self):
        return {g["name"]: (g["calls"], round(g["kernel"]["total_ns"]))
                for g in self.json("stats", "run", "--top", "1000")["groups"]}

    def says(self, text):
        return self.status == 0 and text in self.err

    def refuses(self, text):
        return self.status == 2 and text in self.err


def launch_bound(a):
    """Of 40 us a launch, 30 are in the call, and its kernel is 5."""
    return a.explain()["bottleneck"] == "launch-bound"


def follows_kernels(a):
    """A clock half as fast lengthens by at least the bound of unknown kernels,
    none, and at most by their 8 ms; the path is kernels and copies."""
    path = a.explain()["critical_path"]
    return path["kernels_ns"] > 0.8 * path["makespan_ns"]


def timeout_names(a):
    done = a.run("exec", "--timeout", "8s", "--", a.program, "no_doorbell")
    return (done.returncode == 125 and done.stderr.splitlines()[0].endswith(
        "packet 0 is published, but no doorbell announced it"))


LOST = " without a record of the launched work"
OVERLAP = "over 10 us before the end of an earlier row"
RIGHT, NAMED, REFUSED, MISSED = "right", "diagnosed", "refused", "missed"

# Report, its shape, the profile (or shape of reports.c), outcome, check.
REPORTS = [
    ("pytorch/pytorch#192021", "the first kernels of a session have no record",
     session_start, NAMED,
     lambda a: a.says("12 launch calls" + LOST) and a.explain()["lost"] == 12),
    ("pytorch/kineto#996", "all kernels are out of range: calls alone",
     no_kernels, REFUSED, lambda a: a.refuses("no kernel, copy or fill")),
    ("ROCm/rocm-systems#4361", "35 % of the nodes of graph replays are lost",
     graph_35, NAMED, lambda a: a.says("9 launched graphs with missing nodes")),
    ("ROCm/rocm-systems#9697", "only the last nodes of each replay are there",
     graph_last_segment, MISSED, lambda a: a.status == 0),
    ("pytorch/kineto#1567", "kernels with a graph and a node id",
     graph_ids, RIGHT,
     lambda a: a.groups() == {f"node{n}": (3, 30000) for n in range(4)}),
    ("AMD-AGI/TraceLens#827", "4,000 kernels share 40 calls of hipGraphLaunch",
     one_row_of_launches, RIGHT,
     lambda a: a.groups() == {f"node{n}": (40, 400000) for n in range(100)}),
    ("facebookresearch/HolisticTraceAnalysis#317",
     "kernels of 0.2 us, rounded to negative ones", below_us, RIGHT,
     lambda a: a.groups() == {"k": (20, 4000)}),
    ("pytorch/kineto#646", "a kernel ends before it starts", negative, NAMED,
     lambda a: a.says("1 row with the end before the start")),
    ("pytorch/pytorch#150131", "a range that did not end lasts -1", unfinished,
     NAMED, lambda a: a.says("1 row with the end before the start")
     and a.groups() == {"k": (10, 100000)}),
    ("ROCm/rocm-systems#1841", "a CSV with a column Duration_ns",
     duration_column, RIGHT, lambda a: a.groups() == {"k": (10, 90000)}),
    ("ROCm/rocm-systems#11422", "three rows a dispatch: passes of a replay",
     replay_passes, NAMED, lambda a: a.says("10 rows with a repeated dispatch id")),
    ("ROCm/rocm-systems#2854", "no kernel has the id of its launch",
     ids_all_unique, NAMED, lambda a: a.says("20 launch calls" + LOST)
     and a.says("20 rows without a host call")),
    ("ROCm/rocm-systems#9018", "a row whose start and end are 0", zero_both,
     NAMED, lambda a: a.says("skipped 1 record at a time far from all others")
     and a.groups() == {"k": (9, 81000)}),
    ("NVIDIA/nvidia-resiliency-ext#115", "a time that was not collected is 0",
     not_collected, NAMED, lambda a: a.says("1 launch call" + LOST)
     and a.groups() == {"k": (9, 90000)}),
    ("mlcommons/chakra#184", "a collective at the time of its call",
     overwritten_by_call, NAMED, lambda a: a.says("1 row starting " + OVERLAP)),
    ("torch-spyre/torch-spyre#3727", "a copy at the time of its call",
     host_stamped_copy, NAMED, lambda a: a.says("1 row starting " + OVERLAP)),
    ("ROCm/rocprofiler#127", "rows named Marker between kernels", marker_rows,
     RIGHT, lambda a: a.groups() == {"k": (10, 100000), "Marker": (10, 0)}),
    ("ROCm/rocprofiler-systems#201", "ranges days before the kernels",
     ranges_days_away, NAMED,
     lambda a: a.says("skipped 1 record at a time far from all others")
     and a.groups() == {"k": (10, 100000)}),
    ("ROCm/rocprofiler#23", "HSA calls alone", only_hsa, REFUSED,
     lambda a: a.refuses("no kernel_trace.csv (rocprofv3 --kernel-trace)")),
    ("ROCm/rocprofiler-sdk#58", "HIP calls alone", only_hip, REFUSED,
     lambda a: a.refuses("no kernel_trace.csv (rocprofv3 --kernel-trace)")),
    ("tenstorrent/tt-metal#48043", "rows of 6.9 s among rows of 9 us",
     seconds_among_us, NAMED, lambda a: a.explain()["endless"] == 2
     and a.groups() == {"k": (38, 342000)}),
    ("ROCm/clr#182", "gaps between kernels of many launches", gaps_of_launches,
     NAMED, launch_bound),
    ("ROCm/hip#2291", "hipMemcpyAsync of pageable memory waits",
     blocking_pageable, NAMED, follows_kernels),
    ("ROCm/rocm-systems#8818", "a doorbell of a queue that is gone", "recycled",
     RIGHT, None),
    ("ROCm/ROCR-Runtime#296", "handles of 0 in a wait", "no_handle", RIGHT,
     None),
    ("ROCm/ROCR-Runtime#105", "when the read index moves", "read_index", RIGHT,
     None),
    ("ROCm/rocm-systems#10377", "a later slot is published first",
     "late_header", RIGHT, None),
    ("ROCm/ROCR-Runtime#317", "a compare-and-swap that fails", "failed_swap",
     RIGHT, None),
    ("ROCm/ROCR-Runtime#96", "a wait for any of two signals", "wait_any", RIGHT,
     None),
    ("ROCm/rocm-systems#6052", "no doorbell for a packet with a signal",
     "no_doorbell", NAMED, timeout_names),
]


def url(report):
    name, number = report.split("#")
    return f"https://github.com/{name}/issues/{number}"


def table():
    for i, (report, shape, source, outcome, _) in enumerate(REPORTS, 1):
        how = f"`{source}`, `exec`" if isinstance(source, str) else \
            f"`{source.__name__}`, `import`"
        print(f"| {i} | [{report}]({url(report)}) | {shape} | {how} | "
              f"{outcome} |")


def tried(aqueduct, folder, program, source, check):
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    if isinstance(source, str):
        answer = Answer(aqueduct, folder, os.devnull)
        answer.program = program
        if check:
            return check(answer)
        return answer.run("exec", "--", program, source).returncode == 0
    suffix, text = source()
    path = os.path.join(folder, "profile" + suffix)
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    return check(Answer(aqueduct, folder, path))


def main():
    if sys.argv[1] == "--table":
        table()
        return
    for i, (report, shape, source, outcome, check) in enumerate(REPORTS, 1):
        good = tried(*sys.argv[1:4], source, check)
        print(f"{'ok' if good else 'not ok'} {i} - {report}, {shape}: {outcome}")
    print(f"1..{len(REPORTS)}")


main()
