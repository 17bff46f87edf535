# SPDX-License-Identifier: MIT
"""Properties of every published trace: what a replay of it says and does agrees
with the measured run. TAP, one line a trace and property.
usage: properties.py AQUEDUCT DATA ACCURACY.tsv FOLDER
"""
import gzip
import json
import os
import random
import re
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
# AQ_PROPERTIES=N: N times as many cuts and spoilt numbers of each trace.
MORE = int(os.environ.get("AQ_PROPERTIES", "1"))
CUTS, SPOILS = 2 * MORE, 4 * MORE
SPOILT_BY = (b"NaN", b"-1", b"9223372036854775808", b'""')

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
    """Those of launches: of copies the trace does not tell when they rang. All
    move by the offset of the clocks that the replay noted."""
    noted = notes_of(store, replay)["replay"]
    shift = noted.get("clock", {}).get("shift_ps", 0)
    rang = {}
    for row, kind, via, begin, end, submit in rows_of(
            store, measured,
            "kind, via, host_begin_ps, host_end_ps, submit_ps"):
        if kind == KERNEL and via == 1:
            rang[row] = submit if end is None else end
    moved = [origin for _, origin, submit, flags in
             rows_of(store, replay, "origin, submit_ps, flags")
             if origin in rang and not (flags or 0) & PINNED and
             rang[origin] is not None and rang[origin] + shift != submit]
    counted = noted["doorbells_moved"]
    tell(len(moved) <= counted,
         f"{file}: doorbells are the measured ones, or counted",
         f"{len(moved)} moved, {counted} noted; rows {moved[:8]}")


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


def unpacked(path):
    data = open(path, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def cuts_are_seen(file, data):
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


def spoil_text(data, chance, by):
    """One number of a random key or column, and where it was."""
    if data[:1] in b"{[":
        found = re.finditer(rb'"([^"]+)": ?(-?\d[\d.eE+-]*)(?=[,}\s])', data)
        by_key = {}
        for match in found:
            by_key.setdefault(match.group(1), []).append(match.span(2))
        key = chance.choice(sorted(by_key))
        begin, end = chance.choice(by_key[key])
    else:
        ends = [m.end() for m in re.finditer(rb"\n", data)][:-1]
        line = chance.choice(ends)
        stop = data.index(b"\n", line)
        found = list(re.finditer(rb"(?<=[,\n])\d[\d.]*(?=[,\r\n])",
                                 data[line - 1:stop + 1]))
        if not found:
            return data, "no number"
        match = chance.choice(found)
        begin, end = line - 1 + match.start(), line - 1 + match.end()
        by = b"" if by == b'""' else by
    return (data[:begin] + by + data[end:],
            f"byte {begin} {data[max(0, begin - 30):end]} to {by}")


def spoil_database(path, chance, by):
    value = {b"NaN": "NaN", b"-1": -1, b'""': ""}.get(by, 2.0 ** 63)
    store = sqlite3.connect(path)
    tables = [t for (t,) in store.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table'")]
    places = [(t, c[1]) for t in sorted(tables)
              for c in store.execute(f'PRAGMA table_info("{t}")')
              if "INT" in c[2].upper() or "REAL" in c[2].upper()]
    table, column = chance.choice(places)
    rows = store.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]
    row = chance.randrange(rows) if rows else 0
    where = f"{table}.{column} row {row} to {value}"
    try:
        store.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = '
                      f'(SELECT rowid FROM "{table}" LIMIT 1 OFFSET {row})',
                      (value,))
        store.commit()
    except sqlite3.Error as error:  # a key, or a type that it enforces
        where = str(error)
    store.close()
    return where


def is_silent(run, base, repaired, by):
    """Rows went, or a number that is none was used, and nothing says so."""
    store = sqlite3.connect(store_path())
    repairs = notes_of(store, run)["repairs"]
    store.close()
    if any(n > repaired.get(kind, 0) for kind, n in repairs.items()):
        return False
    rows = held(exported(run, "jsonl", "spoilt.text"))
    if len(rows) < len(base):
        return True
    if rows == base or by == b"-1":
        return False
    if by != b'""':
        return True
    lost = [json.loads(r) for r in set(rows) - set(base)]
    old = [json.loads(r) for r in set(base) - set(rows)]
    return not all(any(new.items() <= was.items() for was in old)
                   for new in lost)  # an empty field is unknown


def spoils_are_told(file, run, data):
    """Numbers replaced: an error, a counted repair, or a number that no row
    has."""
    chance = random.Random(file + "spoil")
    database = data[:6] == b"SQLite"
    spoilt = os.path.join(FOLDER, "spoilt")
    base = held(exported(run, "jsonl", "whole.text"))
    store = sqlite3.connect(store_path())
    repaired = notes_of(store, run)["repairs"]
    store.close()
    silent = []
    for i in range(SPOILS):
        by = SPOILT_BY[i % len(SPOILT_BY)]
        text, where = ((data, "") if database
                       else spoil_text(data, chance, by))
        with open(spoilt, "wb") as out:
            out.write(text)
        if database:
            where = spoil_database(spoilt, chance, by)
        done = aqueduct("import", spoilt)
        if done.returncode not in (0, 2):
            silent.append((where, done.returncode, done.stderr[:200]))
        elif done.returncode == 0 and is_silent(done.stdout.strip(), base,
                                                repaired, by):
            silent.append((where, done.stderr[:200]))
    tell(not silent, f"{file}: a spoilt number is refused or counted",
         "\n# ".join(str(s) for s in silent))


def main():
    global stores
    model = models()
    files = sorted(os.listdir(os.path.join(DATA, "raw")))
    # make check-whole has all of them.
    for file in files if os.environ.get("AQ_WHOLE") else files[::5]:
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
        data = unpacked(path)
        cuts_are_seen(file, data)
        spoils_are_told(file, run, data)
        os.unlink(store_path())
    print(f"1..{count}")


main()
