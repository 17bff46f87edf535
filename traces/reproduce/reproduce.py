#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs published experiments by plans and judges them by rules that were set
before: reproduce.py AQUEDUCT DATA [rN...] prints a table in Markdown."""
import json, os, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


def study(aqueduct, data, work, name):
    plan = os.path.join(HERE, "." + name + ".run.json")
    with open(os.path.join(HERE, name + ".json")) as f:
        text = f.read().replace("@data@", data)
    with open(plan, "w") as f:
        f.write(text)
    store = os.path.join(work, "store.db")
    environment = dict(os.environ, AQ_DATA=data)
    try:
        subprocess.run([aqueduct, "sweep", plan, "--store", store, "-q"],
                       check=True, env=environment, stdout=subprocess.DEVNULL)
    finally:
        os.remove(plan)
    out = []
    for option in ([], ["--by-client"]):
        done = subprocess.run(
            [aqueduct, "study", "--plan", name.upper(), "--store", store,
             "--warmup", "none", "--json"] + option,
            check=True, stdout=subprocess.PIPE)
        out.append(json.loads(done.stdout)["rows"])
    return out


def find(rows, figure, **wanted):
    for row in rows:
        if all(str(row[k]).startswith(v) if k == "policy" else row[k] == v
               for k, v in wanted.items()):
            return row[figure]["mean"]
    raise KeyError(wanted)


def r2(rows, clients):
    published = {"vgg": 4824, "resnet152": 13233, "densenet": 3743,
                 "bert": 5426, "inception": 8273}
    for model, us in published.items():
        got = find(rows, "mean", parameters="model=reef:" + model)
        error = got / us - 1
        yield (model + " alone, MI50", "%d us" % us,
               "%.0f us (%+.1f %%)" % (got, 100 * error), "±12 %",
               abs(error) <= .12)


def r3(rows, clients):
    best = 0
    for name in "ABC":
        w = "reef-fig10-" + name
        only = find(clients, "mean", workload=w, alone=1, client="vgg_rt0")
        reef, stream = (find(clients, "mean", workload=w, policy=p, alone=0,
                             client="vgg_rt0") for p in ("reef", "none"))
        rate = find(rows, "throughput", workload=w, alone=1)
        gain = find(rows, "throughput", workload=w, policy="reef",
                    alone=0) / rate
        best = max(best, gain)
        yield (name + ": real-time latency", "≤ +2 %",
               "REEF %.3f, no policy %.3f, throughput ×%.2f" %
               (reef / only, stream / only, gain),
               "REEF ≤ 1.02 and RT-only ≤ REEF < no policy",
               reef / only <= 1.02 and only <= reef * 1.0001 < stream * 1.0001)
    yield ("largest throughput", "7.7×", "%.2f×" % best, "5–10×",
           5 <= best <= 10)


def r4(rows, clients):
    got = {}
    for level in ("xsched,", "xsched2,", "xsched3,"):
        for t in (250, 500, 1000):
            # Alone such a request takes 7 us.
            got[level, t] = find(clients, "p99", policy=level, client="urgent",
                                 parameters="kernel=%gms" % (t / 1000))
    yield ("level 1, T = 0.5 ms", "≈ 8 T",
           "%.2f T" % (got["xsched,", 500] / 500), "7–8 T",
           7 <= got["xsched,", 500] / 500 <= 8.05)
    yield ("level 2", "≈ T", "%.2f T" % (got["xsched2,", 500] / 500), "≤ T",
           got["xsched2,", 500] / 500 <= 1.05)
    third = [got["xsched3,", t] for t in (250, 500, 1000)]
    yield ("level 3, T = 0.25, 0.5, 1 ms", "constant",
           ", ".join("%.0f us" % x for x in third), "constant in T",
           max(third) <= 1.1 * min(third))


def r5(rows, clients):
    alone = find(clients, "p99", alone=1, client="foreground")
    native = find(clients, "p99", policy="none", alone=0,
                  client="foreground") / alone
    yield ("foreground P99, native", "1.60–2.19×", "%.2f×" % native,
           "in the range", 1.60 <= native <= 2.19)
    for policy in ("xsched,", "xsched2,", "xsched3,"):
        got = find(clients, "p99", policy=policy, client="foreground") / alone
        yield ("foreground P99, " + policy.rstrip(","), "1.02–1.30×",
               "%.2f×" % got, "in the range", 1.02 <= got <= 1.30)


def r6(rows, clients):
    for model in ("densenet", "bert", "inception"):
        one, by_model, by_kernel = (
            find(rows, "throughput", policy=p,
                 parameters="model=reef:" + model)
            for p in ("fifo", "krisp,per=model", "krisp,per=kernel"))
        yield ("four of " + model, "2× isolated, 1.22× prior",
               "kernel-wise ×%.2f, model-wise ×%.2f" %
               (by_kernel / one, by_model / one),
               "kernel-wise > model-wise > isolated; 1.2–2.5×",
               by_kernel > by_model > one and 1.2 <= by_kernel / one <= 2.5)


def r7(rows, clients):
    for workload in ("deadlines-one", "deadlines"):
        met = {r["policy"].split(",")[0]: r["met"]["mean"] for r in rows
               if r["workload"] == workload}
        lax = met.pop("lax")
        best, worst = max(met, key=met.get), min(met, key=met.get)
        yield (workload, "1.7–5.0×",
               "LAX %.1f %%; best other %s %.1f %%, worst %s %.1f %%" %
               (lax, best, met[best], worst, met[worst]),
               "best or tied (1 %), > 1.7 × the worst",
               lax >= .99 * met[best] and lax > 1.7 * met[worst])


TESTS = {"r2": ("single-model latency (REEF, MI50)", r2),
         "r3": ("REEF, Fig. 10", r3),
         "r4": ("XSched, Fig. 11a", r4),
         "r5": ("XSched, Fig. 9", r5),
         "r6": ("KRISP", r6),
         "r7": ("LAX", r7)}


def main():
    aqueduct, data = (os.path.abspath(a) for a in sys.argv[1:3])
    print("| test | quantity | published | simulated | rule | |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as work:
        for name in sys.argv[3:] or TESTS:
            title, judge = TESTS[name]
            for row in judge(*study(aqueduct, data, work, name)):
                print("| %s %s | %s | %s | %s | %s | %s |" %
                      ((name.upper(), title) + row[:-1] +
                       ("pass" if row[-1] else "**fail**",)))


main()
