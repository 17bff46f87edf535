# SPDX-License-Identifier: MIT
"""Uses the module aqueduct, as TAP: use_module.py STORE FOLDER, where FOLDER has
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
          list(runs.name) == ["m", "s"] and store.run_id("s") == 2 and
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
    path, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with aqueduct.Store(path) as store:
        frames(store, folder)
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
