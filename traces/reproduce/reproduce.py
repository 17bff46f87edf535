#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs published experiments by plans and judges them by rules that were set
before: reproduce.py AQUEDUCT DATA [rN...] prints a table in Markdown."""
import json, os, sqlite3, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


class Study:
    """The runs of one plan: rows of `study`, all clients together and each."""

    def __init__(self, aqueduct, data, work, name):
        self.data, self.store = data, os.path.join(work, name + ".db")
        plan = os.path.join(HERE, "." + name + ".run.json")
        with open(os.path.join(HERE, name + ".json")) as f:
            text = f.read().replace("@data@", data)
        with open(plan, "w") as f:
            f.write(text)
        try:
            subprocess.run([aqueduct, "sweep", plan, "--store", self.store,
                            "-q"], check=True, stdout=subprocess.DEVNULL,
                           env=dict(os.environ, AQ_DATA=data))
        finally:
            os.remove(plan)
        self.rows, self.clients = (
            self.tell(aqueduct, name, option) for option in
            ([], ["--by-client"]))

    def tell(self, aqueduct, name, option):
        done = subprocess.run(
            [aqueduct, "study", "--plan", name.upper(), "--store", self.store,
             "--warmup", "none", "--json"] + option,
            check=True, stdout=subprocess.PIPE)
        return json.loads(done.stdout)["rows"]

    def sql(self, text, *values):
        with sqlite3.connect(self.store) as store:
            return store.execute(text, values).fetchall()


def find(rows, figure, **wanted):
    for row in rows:
        if all(str(row[k]).startswith(v) if k == "policy" else row[k] == v
               for k, v in wanted.items()):
            return row[figure]["mean"]
    raise KeyError(wanted)


def r1_profile(data, model):
    """As the artifact of the paper has it: four kernels of mean length, each
    measured alone, of the model's latency; percent."""
    texts = []
    for suffix in (".json", ".profile.json"):
        with open(os.path.join(data, "workloads", "reef-mi50",
                               model + suffix)) as f:
            texts.append(json.load(f))
    kernels, profile = texts[0]["kernels"], texts[1]
    total = sum(profile["kernel_latency"][k["name"]]["total_latency"]
                for k in kernels)
    return 400 * total / len(kernels) / profile["model_latency"]


def r1_packets(study, model):
    """The four kernels that a reset took off the queue, from the launch of the
    first to the end of the last when they run again, of the model's latency
    alone; percent."""
    spans = [span for span, in study.sql("""
        WITH k AS (SELECT run, launch_ns AS begin,
                   lead(end_ns, 3) OVER (PARTITION BY run ORDER BY start_ns)
                   AS end FROM dispatches WHERE name <> 'urgent')
        SELECT (SELECT k.end - k.begin FROM k WHERE k.run = p.run AND
                k.begin >= p.freed / 1e3 ORDER BY k.begin LIMIT 1)
        FROM preemptions p JOIN runs ON runs.id = p.run
        WHERE returned = 4 AND point ->> '$.parameters[0]' = ?""",
        "model=reef:" + model) if span]
    alone = find(study.clients, "mean", alone=2, client="model",
                 parameters="model=reef:" + model)
    return 100 * sum(spans) / len(spans) / (1e3 * alone), len(spans)


R1_PUBLISHED = {"resnet152": 2.32, "densenet": 3.17, "vgg": 6.18,
                "inception": 3.14, "bert": 2.69}


def r1(study):
    for model, percent in R1_PUBLISHED.items():
        got, count = r1_packets(study, model)
        yield (model, "%.2f %%" % percent,
               "%.2f %% (mean of %d resets)" % (got, count), "exact",
               round(got, 2) == percent)


def r1_formula(data):
    """No simulation: what the published profile itself says."""
    for model, percent in R1_PUBLISHED.items():
        got = r1_profile(data, model)
        yield (model + ", four kernels of mean length over the model's latency",
               "%.2f %%" % percent, "%.2f %%" % got, "exact",
               round(got, 2) == percent)


def r2(study):
    published = {"vgg": 4824, "resnet152": 13233, "densenet": 3743,
                 "bert": 5426, "inception": 8273}
    for model, us in published.items():
        got = find(study.rows, "mean", parameters="model=reef:" + model)
        error = got / us - 1
        yield (model + " alone, MI50", "%d us" % us,
               "%.0f us (%+.1f %%)" % (got, 100 * error), "±12 %",
               abs(error) <= .12)


def r3(study):
    best = 0
    for name in "ABC":
        w = "reef-fig10-" + name
        only = find(study.clients, "mean", workload=w, alone=1, client="vgg_rt0")
        reef, stream = (find(study.clients, "mean", workload=w, policy=p, alone=0,
                             client="vgg_rt0") for p in ("reef", "none"))
        rate = find(study.rows, "throughput", workload=w, alone=1)
        gain = find(study.rows, "throughput", workload=w, policy="reef",
                    alone=0) / rate
        best = max(best, gain)
        yield (name + ": real-time latency", "≤ +2 %",
               "REEF %.3f, no policy %.3f, throughput ×%.2f" %
               (reef / only, stream / only, gain),
               "REEF ≤ 1.02 and < no policy, as printed",
               reef / only <= 1.02 and
               round(reef / only, 3) < round(stream / only, 3))
    yield ("largest throughput", "7.7×", "%.2f×" % best, "5–10×",
           5 <= best <= 10)


def r4(study):
    times = ("0.25ms", "0.5ms", "1ms", "2ms")
    got = {(level, t): find(study.rows, "preempt_p99",
                            policy="xsched%s," % level,
                            parameters="kernel=" + t)
           for level in ("", "2", "3") for t in times}

    def lengths(level):
        return [got[level, t] / (1000 * float(t[:-2])) for t in times]

    for level, published in ("", 8), ("2", 1):
        parts = lengths(level)
        yield ("P99 preemption latency, level %s, T = %s" %
               (level or "1", ", ".join(times)),
               "≈ %s" % ("8 T" if published == 8 else "T"),
               ", ".join("%.2f" % x for x in parts) + " T", "±2 % at each T",
               all(abs(x / published - 1) <= .02 for x in parts))
    third = [got["3", t] for t in times]
    yield ("P99 preemption latency, level 3, same T", "constant",
           ", ".join("%.1f us" % x for x in third), "within 10 %",
           max(third) <= 1.1 * min(third))
    for level, ms in ("", 5.28), ("2", .67), ("3", .04):
        us = got[level, "0.5ms"]
        yield ("the artifact's P99, level %s, T = 0.5ms, GV100" %
               (level or "1"), "%.2f ms (%.2f T)" % (ms, ms / .5),
               "%.3f ms (%.2f T)" % (us / 1000, us / 500), "±10 %",
               abs(us / 1000 / ms - 1) <= .1)


def r5(study):
    alone = find(study.clients, "p99", alone=1, client="foreground")
    for policy, published, rule in (
            ("none", "1.79×; nine devices: 1.60–2.19×", 1.79),
            ("xsched,", "1.67×; nine devices: 1.02–1.30×", 1.67),
            ("xsched2,", "— (not on MI50)", None),
            ("xsched3,", "— (not on MI50)", None)):
        got = find(study.clients, "p99", policy=policy, alone=0,
                   client="foreground") / alone
        yield ("foreground P99, " + policy.rstrip(","), published,
               "%.2f×" % got, "±10 % of MI50's" if rule else "—",
               abs(got / rule - 1) <= .1 if rule else None)


def r6(study):
    for model in ("resnet152", "densenet", "vgg", "alexnet"):
        one, equal, by_model, overlaps, isolated = (
            find(study.rows, "throughput", policy=p,
                 parameters="time=2s model=reef:" + model)
            for p in ("fifo", "krisp,per=equal", "krisp,per=model",
                      "krisp,per=kernel,overlap=60",
                      "krisp,per=kernel,overlap=0"))
        for name, got in (("KRISP-O", overlaps), ("KRISP-I", isolated)):
            yield ("four of %s, %s" % (model, name),
                   "2× isolated, 1.22× prior",
                   "×%.2f; model-wise ×%.2f, equal parts ×%.2f" %
                   (got / one, by_model / one, equal / one),
                   "kernel-wise > model-wise > isolated; 1.2–2.5×",
                   got > by_model > one and 1.2 <= got / one <= 2.5)


def r7(study):
    for rate in ("high", "medium", "low"):
        met = {}
        for row in study.rows:
            which, benchmark = row["workload"].split()
            if which == rate:
                met.setdefault(benchmark, {})[
                    row["policy"].split(",")[0]] = row["met"]["mean"]
        for benchmark, by in met.items():
            lax = by.pop("lax")
            best, worst = max(by, key=by.get), min(by, key=by.get)
            yield ("%s rate, %s" % (rate, benchmark),
                   "1.7–5.0×" if rate == "high" else "—",
                   "LAX %.1f %%; best other %s %.1f %%, worst %s %.1f %%" %
                   (lax, best, by[best], worst, by[worst]),
                   "best or tied (1 %)" + (", > 1.7 × the worst"
                                           if rate == "high" else ""),
                   lax >= .99 * by[best] and
                   (rate != "high" or lax > 1.7 * by[worst]))


# Name, rows, and when the rules were set; the first ones before any run.
TESTS = {"r1": ("restore overhead (REEF, Fig. 14b)", r1, "2026-11-21"),
         "r2": ("single-model latency (REEF, MI50)", r2, "2026-11-21"),
         "r3": ("REEF, Fig. 10", r3, "2026-11-23"),
         "r4": ("XSched, Fig. 11a", r4, "2026-11-23"),
         "r5": ("XSched, Fig. 9, MI50", r5, "2026-11-23"),
         "r6": ("KRISP, throughput of four workers", r6, "2026-11-21"),
         "r7": ("LAX, deadlines met", r7, "2026-11-21")}
FORMULAS = {"r1": r1_formula}


def table_print(head, rows):
    print("| test | quantity | published | %s | rule | rule set | |" % head)
    print("|---|---|---|---|---|---|---|")
    for name, row in rows:
        title, _, rules_set = TESTS[name]
        verdict = {True: "pass", False: "**fail**", None: "—"}[row[-1]]
        print("| %s %s | %s | %s | %s | %s | %s | %s |" %
              ((name.upper(), title) + row[:-1] + (rules_set, verdict)),
              flush=True)


def main():
    aqueduct, data = (os.path.abspath(a) for a in sys.argv[1:3])
    names = sys.argv[3:] or TESTS
    with tempfile.TemporaryDirectory() as work:
        table_print("simulated", (
            (name, row) for name in names
            for row in TESTS[name][1](Study(aqueduct, data, work, name))))
    formulas = [name for name in names if name in FORMULAS]
    if formulas:
        print("\n## Formulas of the artifacts\n\nA script computes these rows "
              "from published profiles; nothing is simulated.\n")
        table_print("computed", ((name, row) for name in formulas
                                 for row in FORMULAS[name](data)))


main()
