# SPDX-License-Identifier: MIT
"""Uses the module aqueduct, as TAP: use_module.py STORE FOLDER PROGRAM, where FOLDER has
stats.json and compare.json, written by the commands."""
import json
import pathlib
import os
import sys

import aqueduct

CHECKS = []


def check(name, good, seen=""):
    CHECKS.append(good)
    print(f"{'ok' if good else 'not ok'} {len(CHECKS)} - {name}")
    if not good:
        print(f"# saw: {seen}")


def near(one, other):
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other), 1)


def refuses(action):
    try:
        action()
    except aqueduct.StoreError as error:
        return str(error)
    return ""


def frames(store, folder):
    runs = store.runs()
    check("runs are found by name and by id",
          list(runs.name) == ["m", "s", "ops"] and store.run_id("s") == 2 and
          store.run_id(1) == 1, runs)
    printed = json.loads((folder / "stats.json").read_text())["groups"]
    kernels = store.kernels("m")
    copies = {"Memcpy DtoD (Device -> Device)", "Memset (Device)"}
    wanted = {group["name"]: group["kernel"] for group in printed
              if group["name"] not in copies}
    check("every kernel has the calls, total, median and longest of `stats`",
          set(kernels.index) == set(wanted) and all(
              kernels.calls[name] == k["count"] and
              near(kernels.total_ns[name], k["total_ns"]) and
              near(kernels.max_ns[name], k["max_ns"])
              for name, k in wanted.items()), kernels)
    check("the largest total comes first",
          kernels.total_ns.is_monotonic_decreasing)
    scored = json.loads((folder / "compare.json").read_text())
    pairs = store.pairs("s")
    errors = pairs[pairs["flags"].fillna(0).astype(int) & 2 == 0]
    check("errors of the ends are those that `compare` scores",
          len(errors) == scored["scored"], len(errors))
    check("unknown times are NaN", store.events("m").fetch_ns.isna().all())
    gaps = store.gaps("m")
    check("gaps are starts less the ends before them",
          near(gaps.gap_ns[1], gaps.start_ns[1] - gaps.end_ns[0]))


def statistics(store, folder, program):
    printed = json.loads((folder / "stats.json").read_text())
    told = store.frame("m", program=program)
    check("frame() has the groups of `stats`, in their order",
          list(told.index) == [g["name"] for g in printed["groups"]] and all(
              near(row.kernel_total_ns, group["kernel"]["total_ns"]) and
              row.calls == group["calls"] and
              near(row.gap_p50_ns, group["gap"]["p50_ns"])
              for (_, row), group in zip(told.iterrows(), printed["groups"])
              if group["gap"]["count"]), told)
    check("and the rest of the document",
          told.attrs["makespan_ns"] == printed["makespan_ns"], told.attrs)
    ops = aqueduct.frame("ops", "op", store=store.path, program=program)
    check("by op, with what has none",
          ops.kernel_total_ns.to_dict() == {"aten::mm": 40000, "no op": 2500} and
          ops.attrs["context"]["in_ops"] == 1, ops)
    check("times of no call are NaN",
          ops.api_p50_ns.isna().to_dict() == {"aten::mm": False, "no op": True}, ops)
    queues = store.frame("ops", by="queue", program=program)
    check("groups without a name have their keys", list(queues.index) == [0], queues)
    part = store.frame("ops", between="forward", program=program)
    check("of a part of the run", list(part.index) == ["gemm"] and
          part.attrs["window"]["of"] == 2, part)
    part = store.frame("ops", step=0, program=program)
    check("of a step, also the one of number 0", list(part.index) == ["gemm"] and
          part.attrs["window"]["step"] == 0, part)
    part = store.frame("ops", time="100us..", program=program)
    check("of a time", list(part.index) == ["late"] and
          part.attrs["window"]["from_ns"] == 100000, part)
    check("a step that is not there is refused", "0 of 2 dispatches" in refuses(
        lambda: store.frame("ops", step=7, program=program)))
    check("what the command refuses is told", "--by nothing: expected one of" in refuses(
        lambda: store.frame("m", by="nothing", program=program)))
    check("a command that is not there is named", "/none/aqueduct cannot be run" in refuses(
        lambda: store.frame("m", program="/none/aqueduct")))


def without_pandas(store):
    modules = dict(sys.modules)
    for name in [name for name in sys.modules if name.split(".")[0] == "pandas"]:
        del sys.modules[name]
    sys.modules["pandas"] = None
    told = (refuses(store.runs), refuses(lambda: aqueduct.frame("m")))
    sys.modules.clear()
    sys.modules.update(modules)
    check("without pandas the error says what to install",
          all("python3-pandas" in text for text in told), told)


def plots(store, folder):
    try:
        import matplotlib
    except ImportError:
        # Matplotlib takes 0.7 GB: make check-whole needs it.
        if os.environ.get("AQ_WHOLE"):
            CHECKS.append(True)
            print(f"ok {len(CHECKS)} - plots # SKIP there is no matplotlib")
        return
    matplotlib.use("Agg")
    for name, axes in (("timeline", store.plot_timeline("m")),
                       ("errors", store.plot_errors("s"))):
        picture = folder / f"{name}.png"
        axes.figure.savefig(picture)
        check(f"the plot of {name} has marks and a picture",
              bool(axes.collections or axes.lines) and
              picture.stat().st_size > 5000)


def main():
    path, folder, program = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
    with aqueduct.Store(path) as store:
        frames(store, folder)
        statistics(store, folder, program)
        without_pandas(store)
        plots(store, folder)
        check("a missing run is named",
              "'gone'" in refuses(lambda: store.events("gone")))
    check("a missing file is named", "no such file" in refuses(
        lambda: aqueduct.Store(folder / "none.db")))
    foreign = folder / "foreign.db"
    foreign.write_text("not a database, but long enough to be read as one" * 9)
    check("a foreign file is refused",
          str(foreign) in refuses(lambda: aqueduct.Store(foreign)))
    print(f"1..{len(CHECKS)}")
    return 0 if all(CHECKS) else 1


if __name__ == "__main__":
    sys.exit(main())
