// SPDX-License-Identifier: MIT
// ---- the runs, as src/report/page_data.h describes them ----

const columnTypes = {
  start: Float64Array, end: Float64Array,
  submit: Float32Array, launch: Float32Array, complete: Float32Array,
  name: Int32Array, row: Int32Array, origin: Int32Array,
  queue: Int16Array, pinned: Uint8Array,
};

function decodeColumn(text, Type) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Type(bytes.buffer, 0, bytes.length / Type.BYTES_PER_ELEMENT);
}

function decodeRun(run) {
  const columns = {};
  for (const [name, Type] of Object.entries(columnTypes)) {
    columns[name] = decodeColumn(run.columns[name], Type);
  }
  let last = 0;
  for (let i = 0; i < run.count; i++) last = Math.max(last, columns.end[i]);
  const first = run.count ? columns.start[0] : 0;
  return Object.assign(run, {
    columns, first, makespan: last - first,
    label: run.name === null ? `run ${run.id}` : run.name,
  });
}

const runs = JSON.parse(document.getElementById("data").textContent)
  .runs.map(decodeRun);

// The short form of each whole name.
const shortNames = new Map(runs.flatMap((run) =>
  run.names.map((name, i) => [name, run.short_names[i]])));

function nameOf(run, i) {
  const name = run.columns.name[i];
  return name < 0 ? "(no name)" : run.names[name];
}

function shortNameOf(run, i) {
  const name = run.columns.name[i];
  return name < 0 ? "(no name)" : run.short_names[name];
}

// The runs that can be compared row by row: [reference, run]. Rows join by
// their number in the run that is replayed.
function findPairs() {
  const pairs = [];
  runs.forEach((run, at) => {
    const origin = runs.find((other) => other.id === run.origin);
    const twin = runs.slice(0, at).find((other) => run.origin !== null &&
      other.origin === run.origin);
    if (origin) pairs.push([origin, run]);
    else if (twin) pairs.push([twin, run]);
  });
  return pairs;
}

// Of those rows the ones that the simulator timed: one that was replayed at its
// measured time agrees by itself.
function timedRows(a, b, joined) {
  return joined.filter(([i, j]) => !a.columns.pinned[i] && !b.columns.pinned[j]);
}

// [index in a, index in b] of the rows that are the same dispatch.
function joinRows(a, b) {
  const keyOf = (run, other) =>
    run.id === other.origin ? run.columns.row : run.columns.origin;
  const keysA = keyOf(a, b), keysB = b.columns.origin;
  const byKey = new Map();
  keysA.forEach((key, i) => { if (key >= 0) byKey.set(key, i); });
  const joined = [];
  keysB.forEach((key, i) => {
    const other = byKey.get(key);
    if (other !== undefined) joined.push([other, i]);
  });
  return joined;
}
