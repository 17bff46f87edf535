# SPDX-License-Identifier: MIT
"""Properties of every published trace: what a replay of it says and does agrees
with the measured run. TAP, one line a trace and property.
usage: properties.py AQUEDUCT DATA ACCURACY.tsv FOLDER
"""
import gzip
import json
import os
import random
import sqlite3
import subprocess
import sys

AQUEDUCT, DATA, ACCURACY, FOLDER = sys.argv[1:5]
PERCENT = 2.0
# The device model of this stack launches 1.7 us later than this trace's host
# saw, 60 times in 3.5 ms: 3.1 %.
PERCENT_OF = {"mi300x_bert.json.gz": 3.5}
# Traces that do not name their GPU, nor show it by their timestamps.
UNNAMED = {"rpd_raptor_mytrace.rpd.gz": "mi300x",
           "gfx1201_llamacpp_first.csv.gz": "r9700"}
PINNED, KERNEL, ROW_BITS = 2, 1, 32
CUTS = 2

count = 0
stores = 0


def store_path():
    return os.path.join(FOLDER, f"runs{stores}.db")


def tell(good, name, why=""):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print(f"# {why}")


def aqueduct(*args):
    env = dict(os.environ, AQUEDUCT_STORE=store_path(), AQUEDUCT_QUIET="")
    return subprocess.run([AQUEDUCT, *args], env=env, capture_output=True,
                          text=True, errors="replace", check=False)


def models():
    with open(ACCURACY, encoding="utf-8") as lines:
        rows = [l.rstrip("\n").split("\t") for l in lines
                if l.strip() and l[0] != "#"]
    return dict(rows)


def explained(run):
    """Time by cause in us, barrier and dispatch merged; and what it says."""
    said = json.loads(aqueduct("explain", run, "--json").stdout)
    by = {c["cause"]: c["time_ns"] / 1000 for c in said["causes"]}
    by["device"] = by.pop("barrier") + by.pop("dispatch")
    return said, by


def explains_agree(file, measured, replay):
    said, was = explained(measured)
    _, now = explained(replay)
    if said["unsized"]:  # the model's compute units are known, the run's not
        for by in (was, now):
            by["kernels"] += by.pop("tail")
    limit = PERCENT_OF.get(file, PERCENT) / 100 * said["time_ns"] / 1000
    off = {c: round(now[c] - was[c], 1) for c in was
           if abs(now[c] - was[c]) > limit}
    tell(not off, f"{file}: explain of the replay agrees with that of the run",
         f"off by more than {limit:.1f} us: {off}")


def rows_of(store, run, fields):
    first = int(run) << ROW_BITS
    return store.execute(
        f"SELECT id - ?, {fields} FROM records WHERE id >= ? AND id < ?",
        (first, first, first + (1 << ROW_BITS)))


def notes_of(store, run):
    text = store.execute("SELECT notes FROM runs WHERE id = ?",
                         (run,)).fetchone()[0]
    return json.loads(text)


def doorbells_agree(store, file, measured, replay):
    """Those of launches: of copies the trace does not tell when they rang."""
    rang = {}
    for row, kind, via, begin, end, submit in rows_of(
            store, measured,
            "kind, via, host_begin_ps, host_end_ps, submit_ps"):
        if kind == KERNEL and via == 1:
            rang[row] = submit if end is None else end
    moved = [origin for _, origin, submit, flags in
             rows_of(store, replay, "origin, submit_ps, flags")
             if origin in rang and not (flags or 0) & PINNED and
             rang[origin] is not None and rang[origin] != submit]
    noted = notes_of(store, replay)["replay"]["doorbells_moved"]
    tell(len(moved) <= noted,
         f"{file}: doorbells are the measured ones, or counted",
         f"{len(moved)} moved, {noted} noted; rows {moved[:8]}")


def edges_agree(store, file, measured, replay):
    found = store.execute("SELECT count(*) FROM edges WHERE run = ?",
                          (measured,)).fetchone()[0]
    said = notes_of(store, replay)["replay"]
    kept = said["edges"] + said["edges_unsure"]
    kept += sum(said["edges_dropped"].values())
    tell(kept == found, f"{file}: no dependency is lost without a count",
         f"{found} imported, {kept} accounted for: {said}")


def exported(run, form, name):
    path = os.path.join(FOLDER, name)
    done = aqueduct("export", run, "--format", form, "-o", path)
    return path if done.returncode == 0 else None


def held(path):
    """The rows of an export by start. No format promises their order in the
    file, and rocpd numbers queues anew that share an id."""
    with open(path, "rb") as lines:
        rows = [json.loads(l.decode("utf-8", "replace")) for l in lines]
    rows = [r for r in rows if r["kind"] != "run"]
    rows.sort(key=lambda r: (r.get("start", -1), r.get("host_begin", -1),
                             r.get("name", ""), str(r.get("device"))))
    numbers = {}
    for row in rows:
        row.pop("row", None)
        if "queue" in row:
            key = json.dumps(row["queue"])
            row["queue"] = numbers.setdefault(key, len(numbers))
    return sorted(json.dumps(r, sort_keys=True) for r in rows
                  if r["kind"] != "edge")


def holds_itself(file, measured, form):
    """What came through a format once comes through it again unchanged."""
    texts, run, why = [], measured, ""
    for turn in (1, 2):
        path = exported(run, form, f"{turn}.{form}")
        back = aqueduct("import", path, "--format", form) if path else None
        if not back or back.returncode:
            why = back.stderr if back else f"no export of run {run}"
            break
        run = back.stdout.strip()
        texts.append(held(exported(run, "jsonl", f"{turn}.text")))
    same = len(texts) == 2 and texts[0] == texts[1]
    if len(texts) == 2 and not same:
        old, new = texts
        why = next((f"{a}\n# {b}" for a, b in zip(old, new) if a != b),
                   f"{len(old)} rows, then {len(new)}")
    tell(same, f"{file}: {form} gives back what it was given", why)


def cuts_are_seen(file, path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    lines = file.endswith(".csv.gz")
    chance = random.Random(file)
    cut = os.path.join(FOLDER, "cut")
    silent = []
    for _ in range(CUTS):
        at = chance.randrange(1, len(data.rstrip()))
        if lines and (data[at - 1:at] == b"\n" or data[at:at + 1] in b"\r\n"):
            continue
        with open(cut, "wb") as out:
            out.write(data[:at])
        done = aqueduct("import", cut)
        if done.returncode != 2:
            silent.append((at, done.returncode, done.stderr[:200]))
    tell(not silent, f"{file}: cut inside a record it is refused", str(silent))


def main():
    global stores
    model = models()
    for file in sorted(os.listdir(os.path.join(DATA, "raw"))):
        stores += 1
        path = os.path.join(DATA, "raw", file)
        measured = aqueduct("import", path)
        tell(measured.returncode == 0, f"{file}: imported", measured.stderr)
        if measured.returncode:
            continue
        run = measured.stdout.strip()
        device = model.get(file, UNNAMED.get(file))
        done = aqueduct("replay", run,
                        *(["--device", device] if device else []))
        replay = done.stdout.strip()
        tell(done.returncode == 0, f"{file}: replayed", done.stderr)
        if done.returncode:
            continue
        explains_agree(file, run, replay)
        store = sqlite3.connect(store_path())
        doorbells_agree(store, file, run, replay)
        edges_agree(store, file, run, replay)
        store.close()
        for form in ("jsonl", "rocpd", "rocprofv3-csv"):
            holds_itself(file, run, form)
        cuts_are_seen(file, path)
        os.unlink(store_path())
    print(f"1..{count}")


main()
