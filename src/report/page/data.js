// SPDX-License-Identifier: MIT
// ---- the runs, as src/report/page/page_data.h describes them ----

const timesOf = {begin: Float64Array, end: Float64Array};
const dispatchTypes = {
  start: Float64Array, end: Float64Array,
  submit: Float32Array, launch: Float32Array, complete: Float32Array,
  host_begin: Float32Array, host_end: Float32Array,
  name: Int32Array, row: Int32Array, origin: Int32Array, stream: Int32Array,
  queue: Int16Array, thread: Int16Array, pinned: Uint8Array,
  predicted: Uint8Array,
};
const spanTypes = {...timesOf, name: Int32Array, row: Int32Array,
  thread: Int16Array, queue: Int16Array, wait: Uint8Array};
const edgeTypes = {from: Int32Array, to: Int32Array, kind: Uint8Array,
  confidence: Uint8Array};
const pointTypes = {time: Float64Array, value: Float64Array};
const regionTypes = {...timesOf, owner: Int32Array, bad: Uint8Array};

const base64Digits = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"]
  .forEach((digit, value) => { base64Digits[digit.charCodeAt(0)] = value; });

function decodeColumn(text, Type) {
  const bytes = new Uint8Array(text.length / 4 * 3), d = base64Digits;
  for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
    const word = d[text.charCodeAt(i)] << 18 | d[text.charCodeAt(i + 1)] << 12 |
      d[text.charCodeAt(i + 2)] << 6 | d[text.charCodeAt(i + 3)];
    bytes[at] = word >> 16;
    bytes[at + 1] = word >> 8;
    bytes[at + 2] = word;
  }
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return new Type(bytes.buffer, 0,
    (bytes.length - padding) / Type.BYTES_PER_ELEMENT);
}

function decodeTable(table, types) {
  for (const [name, Type] of Object.entries(types)) {
    table.columns[name] = decodeColumn(table.columns[name], Type);
  }
  return table;
}

function decodeRun(run, at) {
  const {columns, count} = decodeTable(run.dispatches, dispatchTypes);
  for (const key of ["calls", "operations", "ranges"]) {
    decodeTable(run[key], spanTypes);
  }
  for (const key of ["requests", "preemptions"]) {
    decodeTable(run[key], regionTypes);
  }
  decodeTable(run.edges, edgeTypes);
  run.counters.forEach((counter) => decodeTable(counter, pointTypes));
  let last = 0;
  for (let i = 0; i < count; i++) last = Math.max(last, columns.end[i]);
  const first = count ? columns.start[0] : 0;
  return Object.assign(run, {
    at, columns, count, first, makespan: last - first,
    label: run.name === null ? `run ${run.id}` : run.name,
  });
}

// From the first start to the last end, of a part of each of its occurrences.
const timeOf = (run) => run.part_time ?? run.makespan;

const page = JSON.parse(document.getElementById("data").textContent);
const runs = page.runs.map(decodeRun);

// The short form of each whole name.
const shortNames = new Map(runs.flatMap((run) =>
  run.names.map((name, i) => [name, run.short_names[i]])));

const noName = "(no name)";
const nameText = (run, id) => id < 0 ? noName : run.names[id];
const shortText = (run, id) => id < 0 ? noName : run.short_names[id];
const nameOf = (run, i) => nameText(run, run.columns.name[i]);
const shortNameOf = (run, i) => shortText(run, run.columns.name[i]);

// ---- the same dispatch in two runs ----

// [index in a, index in b] of the rows that are the same dispatch: rows join by
// their number in the run that is replayed.
function joinRows(a, b) {
  const keysA = a.id === b.origin ? a.columns.row : a.columns.origin;
  const keysB = b.columns.origin;
  let most = -1;
  for (let i = 0; i < a.count; i++) most = Math.max(most, keysA[i]);
  const byKey = new Int32Array(most + 1).fill(-1), joined = [];
  for (let i = 0; i < a.count; i++) if (keysA[i] >= 0) byKey[keysA[i]] = i;
  for (let j = 0; j < b.count; j++) {
    const key = keysB[j];
    if (key >= 0 && key <= most && byKey[key] >= 0) joined.push([byKey[key], j]);
  }
  return joined;
}

// Which dispatches of a replay its constants were fitted to: those whose measured
// start lies in the part. All of them where the measured run is not on the page.
function fittedRows(run) {
  if (run.fit === null) return () => false;
  const measured = runs.find((other) => other.id === run.origin);
  if (!measured) return () => true;
  const starts = measured.columns.start, {from, until} = run.fit;
  const rows = new Set(
    joinRows(measured, run)
      .filter(([ i ]) => starts[i] >= from && starts[i] < until)
      .map(([ , j ]) => j));
  return (j) => rows.has(j);
}

// A run that replays another of the page, or the same one as another before it,
// and how their rows join. A row that was replayed at its measured time agrees
// by itself, and one that constants were fitted to scores nothing: `timed` are
// the others; none where the measurement is of another GPU, which does not score
// a replay.
function findPairs() {
  const pairs = [];
  for (const b of runs) {
    const a = runs.find((other) => other.id === b.origin) ??
      runs.slice(0, b.at).find((other) => b.origin !== null &&
        other.origin === b.origin);
    if (!a) continue;
    const joined = joinRows(a, b);
    const partnerOfA = new Int32Array(a.count).fill(-1);
    const partnerOfB = new Int32Array(b.count).fill(-1);
    for (const [i, j] of joined) {
      partnerOfA[i] = j;
      partnerOfB[j] = i;
    }
    const fittedA = fittedRows(a), fittedB = fittedRows(b);
    const gave = ([ i, j ]) => fittedA(i) || fittedB(j);
    pairs.push({
      a,
      b,
      fits : [ b, a ].filter((run) => run.fit !== null),
      fitted : joined.filter(gave).length,
      joined,
      partnerOfA,
      partnerOfB,
      scored : a.id !== b.origin || b.other_gpu === null,
      timed : a.id === b.origin && b.other_gpu !== null
                  ? []
                  : joined.filter(([ i, j ]) => !a.columns.pinned[i] &&
                                                !b.columns.pinned[j] &&
                                                !gave([ i, j ]))
    });
  }
  return pairs;
}
const pairs = findPairs();

// The partners of a dispatch: [run, index] in each run that is paired with its.
function partnersOf(run, i) {
  const found = [];
  for (const pair of pairs) {
    const [other, j] = pair.a === run ? [pair.b, pair.partnerOfA[i]]
      : pair.b === run ? [pair.a, pair.partnerOfB[i]] : [null, -1];
    if (other && j >= 0) found.push([other, j]);
  }
  return found;
}

// The queue of `a` that most dispatches of each queue of `b` ran on.
function matchQueues({a, b, joined}) {
  const votes = new Map();
  for (const [i, j] of joined) {
    const key = b.columns.queue[j] * 65536 + a.columns.queue[i];
    votes.set(key, (votes.get(key) ?? 0) + 1);
  }
  const best = new Map();
  for (const [key, count] of votes) {
    const queue = Math.floor(key / 65536), other = key - queue * 65536;
    if (queue < 0 || other < 0) continue;
    if (count > (best.get(queue)?.count ?? 0)) best.set(queue, {other, count});
  }
  return best;
}

// A letter for each queue; queues that ran the same dispatches share theirs.
function letter(n) {
  return (n >= 26 ? letter(Math.floor(n / 26) - 1) : "") +
    String.fromCharCode(65 + n % 26);
}
let lettersUsed = 0;
function letterQueues(run) {
  if (run.queueLetters) return;
  const pair = pairs.find(({b}) => b === run);
  if (pair) letterQueues(pair.a);
  const best = pair ? matchQueues(pair) : new Map();
  const queues = [...new Set(run.columns.queue)].sort((x, y) => x - y);
  run.queueLetters = new Map(queues.map((queue) => {
    const match = best.get(queue);
    return [queue, match === undefined ? letter(lettersUsed++)
      : pair.a.queueLetters.get(match.other)];
  }));
}
runs.forEach(letterQueues);
