# SPDX-License-Identifier: MIT
"""Runs of an Aqueduct store as pandas frames, and two plots.

    import aqueduct
    store = aqueduct.Store("runs.db")
    store.runs()                       # a frame, a row a run
    store.dispatches("measured")       # a frame, a row a dispatch, times in ns
    store.pairs("simulated").end_error_ns.abs().median()
    store.plot_timeline("measured").figure.savefig("timeline.png")
    aqueduct.frame("measured", by="op")    # what `aqueduct stats --by op` prints

The frames of a store are the store's views (doc/formats/store.md): equal columns, unknown
values as NaN. The store is opened for reading only; a Store is for one thread.
Frames need pandas, plots matplotlib; frame() needs the command aqueduct.
"""
import json
import os
import pathlib
import sqlite3
import subprocess

__all__ = ["Store", "StoreError", "default_path", "frame"]

_VIEWS = ("events", "dispatches", "gaps", "run_pairs", "samples")
_PINNED = 2  # of the bits of flags (doc/formats/record.md)
_TEXTS = frozenset(("run_name", "kind", "via", "name", "after_name",
                    "origin_name", "counter", "unit", "scope"))


class StoreError(Exception):
    """The store or the run that was asked for cannot be read."""


def _pandas():
    try:
        import pandas
    except ImportError as error:
        raise StoreError("frames need pandas, which this Python lacks: install "
                         "Debian's python3-pandas, or pandas with pip") from error
    return pandas


def default_path():
    """The store that the command line uses: $AQUEDUCT_STORE, else runs.db below
    $XDG_DATA_HOME/aqueduct (~/.local/share/aqueduct)."""
    given = os.environ.get("AQUEDUCT_STORE")
    if given:
        return pathlib.Path(given)
    data = os.environ.get("XDG_DATA_HOME")
    base = pathlib.Path(data) if data else pathlib.Path.home() / ".local/share"
    return base / "aqueduct" / "runs.db"


class Store:
    """A store, opened for reading; a context manager that closes it."""

    def __init__(self, path=None):
        """path: the file; None: default_path(). StoreError if it is no store."""
        self.path = pathlib.Path(path) if path is not None else default_path()
        if not self.path.is_file():
            raise StoreError(f"{self.path}: there is no such file")
        uri = self.path.resolve().as_uri() + "?mode=ro"
        self._db = sqlite3.connect(uri, uri=True)
        try:
            views = {name for (name,) in self._db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'view'")}
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise StoreError(f"{self.path}: {error}") from error
        missing = [view for view in _VIEWS if view not in views]
        if missing:
            self._db.close()
            raise StoreError(f"{self.path}: not a store of this version, it "
                             f"lacks the view {missing[0]}")

    def close(self):
        """Closes the file. Frames stay valid."""
        self._db.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    # ---- runs ----

    def runs(self):
        """All runs in the order of their ids, indexed by id."""
        return _pandas().read_sql_query("SELECT * FROM runs ORDER BY id",
                                        self._db, index_col="id")

    def run_id(self, run):
        """The id of a run that is given by its name or its id."""
        if isinstance(run, int):
            found = self._db.execute("SELECT id FROM runs WHERE id = ?", (run,))
        else:
            found = self._db.execute("SELECT id FROM runs WHERE name = ?",
                                     (str(run),))
        row = found.fetchone()
        if row is None:
            raise StoreError(f"{self.path}: there is no run {run!r}")
        return row[0]

    # ---- rows ----

    def _view(self, view, run, order):
        pandas = _pandas()
        rows = pandas.read_sql_query(
            f"SELECT * FROM {view} WHERE run = ? ORDER BY {order}",
            self._db, params=(self.run_id(run),))
        for column in rows.columns.difference(_TEXTS):
            rows[column] = pandas.to_numeric(rows[column])
        return rows

    def events(self, run):
        """Every row of a run: kernels, copies, fills, barriers, waits, calls."""
        return self._view("events", run, "row")

    def dispatches(self, run):
        """The kernels of a run, by start."""
        return self._view("dispatches", run, "start_ns, row")

    def gaps(self, run):
        """Each kernel with the time since the end before it on its queue."""
        return self._view("gaps", run, "start_ns, row")

    def pairs(self, run):
        """Each row of a replay beside the row that it replays; end_error_ns is
        the simulated end less the measured one."""
        return self._view("run_pairs", run, "row")

    def samples(self, run):
        """Counters over time."""
        return self._view("samples", run, "counter, ordinal, time_ns")

    def kernels(self, run):
        """Calls and durations in ns by kernel name, the largest total first:
        what `aqueduct stats` prints, without copies."""
        rows = self.dispatches(run)
        rows = rows[rows.start_ns.notna() & rows.end_ns.notna()]
        durations = (rows.end_ns - rows.start_ns).groupby(
            rows.name.fillna("unknown"))
        totals = _pandas().DataFrame({
            "calls": durations.count(), "total_ns": durations.sum(),
            "mean_ns": durations.mean(),
            "p50_ns": durations.quantile(0.5, interpolation="lower"),
            "max_ns": durations.max()})
        return totals.sort_values("total_ns", ascending=False, kind="stable")

    def frame(self, run, by="kernel", **options):
        """frame() of this store."""
        return frame(run, by, store=self.path, **options)

    # ---- plots ----

    def plot_timeline(self, run, ax=None):
        """Bars of a run's kernels and copies by queue; returns the axes."""
        from matplotlib import pyplot
        rows = self.events(run)
        rows = rows[rows.kind.isin(("kernel", "copy", "fill")) &
                    rows.start_ns.notna() & rows.end_ns.notna()]
        ax = ax if ax is not None else pyplot.subplots()[1]
        first = rows.start_ns.min() if len(rows) else 0
        queues = sorted(rows.queue.dropna().unique())
        for at, queue in enumerate(queues):
            of = rows[rows.queue == queue]
            spans = zip((of.start_ns - first) / 1e3,
                        (of.end_ns - of.start_ns) / 1e3)
            ax.broken_barh(list(spans), (at - 0.4, 0.8))
        ax.set_yticks(range(len(queues)),
                      [f"queue {int(queue)}" for queue in queues])
        ax.set_xlabel("us since the first start")
        return ax

    def plot_errors(self, run, ax=None):
        """The distribution of |simulated end - measured end| of a replay;
        returns the axes. Pinned rows are left out, as in `compare`."""
        from matplotlib import pyplot
        rows = self.pairs(run)
        pinned = (rows["flags"].fillna(0).astype(int) & _PINNED) != 0
        errors = rows[~pinned].end_error_ns.abs().dropna().sort_values() / 1e3
        ax = ax if ax is not None else pyplot.subplots()[1]
        share = [100 * (i + 1) / len(errors) for i in range(len(errors))]
        ax.step(errors, share, where="post")
        ax.set_xscale("symlog", linthresh=0.01)
        ax.set_xlabel("|error of the end|, us")
        ax.set_ylabel("% of the dispatches")
        return ax


# ---- statistics ----

_SPREADS = ("api", "queue", "kernel", "gap")


def _told(arguments, program):
    """The document that a command writes."""
    try:
        done = subprocess.run([program, *arguments, "--json"], check=False,
                              capture_output=True, text=True, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the command {program} cannot be run "
                         f"({error.strerror}): program= names it") from error
    if done.returncode != 0:
        raise StoreError(done.stderr.strip() or
                         f"{program}: exit status {done.returncode}")
    return json.loads(done.stdout)


def _columns(group):
    """A group as a row: kernel_total_ns for total_ns of its kernel. Times of no
    call are unknown."""
    row = {}
    for key, value in group.items():
        if key not in _SPREADS:
            row[key] = value
            continue
        for name, figure in value.items():
            known = name == "count" or value["count"] > 0
            row[f"{key}_{name}"] = figure if known else None
    return row


def frame(run, by="kernel", *, between=None, step=None, time=None, store=None,
          program="aqueduct"):
    """The groups that `aqueduct stats RUN --by BY` prints, the largest kernel
    time first, indexed by their names, or keys where they have none; times in
    ns, unknown values NaN. by: kernel, op, module, line, stack, step, rank,
    shape, family, collective and so on. between, step and time ("2ms..5ms")
    take a part of the run. attrs has the rest of the document: the part, how
    much is known of the program, steps or collectives. store: the file; None:
    default_path(). StoreError where the command refuses."""
    pandas = _pandas()
    arguments = ["stats", str(run), "--by", by, "--top", str(2 ** 63 - 1),
                 "--store", str(store if store is not None else default_path())]
    for option, value in (("--between", between), ("--step", step),
                          ("--time", time)):
        if value is not None:
            arguments += [option, str(value)]
    document = _told(arguments, program)
    groups = document.pop("groups")
    rows = pandas.DataFrame([_columns(group) for group in groups])
    names = [group["key"] if group["name"] is None else group["name"]
             for group in groups]
    rows.index = pandas.Index(names, name=by)
    for column in rows.columns.difference(["name"]):
        rows[column] = pandas.to_numeric(rows[column])
    rows.attrs.update(document)
    return rows.drop(columns=["name"])
