// SPDX-License-Identifier: MIT
// ---- arithmetic: nanoseconds in, nanoseconds out ----

function quantile(sorted, q) {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))];
}

// Time from the end of each dispatch to the start of the next on its queue.
function gapsOf(run) {
  const lastEnd = new Map(), gaps = [];
  const {start, end, queue} = run.columns;
  for (let i = 0; i < run.count; i++) {
    const before = lastEnd.get(queue[i]);
    if (before !== undefined) gaps.push(Math.max(0, start[i] - before));
    lastEnd.set(queue[i], Math.max(end[i], before ?? -Infinity));
  }
  return gaps;
}

// Signed errors of the end of each joined row, both from the first joined start
// unless the two runs share a clock.
function endErrors({a, b}, joined) {
  if (joined.length === 0) return [];
  const [i0, j0] = joined.reduce((least, pair) =>
    a.columns.start[pair[0]] < a.columns.start[least[0]] ? pair : least);
  const zero = a.id === b.origin || a.origin === b.origin
    ? 0 : b.columns.start[j0] - a.columns.start[i0];
  return joined.map(([i, j]) => b.columns.end[j] - a.columns.end[i] - zero);
}

// Time from completion to completion on each queue, by index of the row.
function intervalsOf(run) {
  const last = new Map(), out = new Float64Array(run.count).fill(NaN);
  const {end, queue} = run.columns;
  for (let i = 0; i < run.count; i++) {
    const before = last.get(queue[i]);
    if (before !== undefined) out[i] = end[i] - before;
    last.set(queue[i], end[i]);
  }
  return out;
}

// By name: calls, total and quantiles of the durations of some rows. Sorting by
// name first keeps half a million durations in one array.
function kernelsOf(run) {
  if (run.kernels) return run.kernels;
  const {start, end, name} = run.columns;
  const counts = new Int32Array(run.names.length + 2);
  for (let i = 0; i < run.count; i++) counts[name[i] + 2]++;
  for (let n = 1; n < counts.length; n++) counts[n] += counts[n - 1];
  const places = counts.slice(), durations = new Float64Array(run.count);
  for (let i = 0; i < run.count; i++) {
    durations[places[name[i] + 1]++] = end[i] - start[i];
  }
  run.kernels = new Map();
  for (let n = -1; n < run.names.length; n++) {
    const sorted = durations.subarray(counts[n + 1], places[n + 1]).sort();
    if (sorted.length === 0) continue;
    const total = sorted.reduce((sum, value) => sum + value, 0);
    run.kernels.set(nameText(run, n), {calls: sorted.length, total,
      mean: total / sorted.length, p50: quantile(sorted, 0.5),
      p99: quantile(sorted, 0.99)});
  }
  return run.kernels;
}

// The time of [from, to] in which at least one of the run's rows ran.
function busyBetween(run, from, to) {
  const {start, end} = run.columns;
  let busy = 0, until = from;
  for (let i = 0; i < run.count && start[i] < to; i++) {
    const begin = Math.max(start[i], until), stop = Math.min(end[i], to);
    if (stop > begin) {
      busy += stop - begin;
      until = stop;
    }
  }
  return busy;
}

const units = [["s", 1e9], ["ms", 1e6], ["\u00b5s", 1e3], ["ns", 1]];
const unitOf = (size) =>
  units.find(([, scale]) => size >= scale) ?? units[3];

function showTime(ns) {
  if (!Number.isFinite(ns)) return "";
  const [unit, scale] = unitOf(Math.abs(ns)), value = ns / scale;
  const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toFixed(unit === "ns" ? 0 : digits)} ${unit}`;
}

// The same without zeros that say nothing, for axes.
function showTick(ns) {
  const [value, unit] = showTime(ns).split(" ");
  return `${Number(value)} ${unit}`;
}

// With as many digits as a step of the axis needs.
function showExact(ns, step) {
  const [unit, scale] = unitOf(Math.abs(ns));
  const digits = Math.max(0, Math.ceil(-Math.log10(step / scale) - 1e-9));
  return `${(ns / scale).toFixed(Math.min(digits, 12))} ${unit}`;
}

const withSign = (text, value) => value > 0 ? `+${text}` : text;
const showChange = (ns) => withSign(showTime(ns), ns);

function microseconds(ns) {
  return Number.isFinite(ns) ? (ns / 1e3).toFixed(2) : "";
}

const showCount = (n) => Number.isFinite(n) ? String(n) : "";
