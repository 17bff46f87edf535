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

// |error of the end| of each joined row, both from the first joined start.
function endErrors(a, b, joined) {
  if (joined.length === 0) return [];
  const [i0, j0] = joined.reduce((least, pair) =>
    a.columns.start[pair[0]] < a.columns.start[least[0]] ? pair : least);
  const zero = a.id === b.origin || a.origin === b.origin
    ? 0 : b.columns.start[j0] - a.columns.start[i0];
  return joined.map(([i, j]) =>
    Math.abs(b.columns.end[j] - a.columns.end[i] - zero));
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

function kernelsOf(run) {
  const durations = new Map();
  for (let i = 0; i < run.count; i++) {
    const name = nameOf(run, i);
    const list = durations.get(name);
    const duration = run.columns.end[i] - run.columns.start[i];
    if (list) list.push(duration);
    else durations.set(name, [duration]);
  }
  const kernels = new Map();
  for (const [name, list] of durations) {
    const sorted = Float64Array.from(list).sort();
    const total = sorted.reduce((sum, value) => sum + value, 0);
    kernels.set(name, {calls: list.length, total, mean: total / list.length,
      p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99)});
  }
  return kernels;
}

function showTime(ns) {
  if (!Number.isFinite(ns)) return "";
  const size = Math.abs(ns);
  const [unit, scale] = size >= 1e9 ? ["s", 1e9] : size >= 1e6 ? ["ms", 1e6]
    : size >= 1e3 ? ["\u00b5s", 1e3] : ["ns", 1];
  const value = ns / scale;
  const digits = Math.abs(value) >= 100 ? 1 : Math.abs(value) >= 10 ? 2 : 3;
  return `${value.toFixed(unit === "ns" ? 0 : digits)} ${unit}`;
}

// The same without zeros that say nothing, for axes.
function showTick(ns) {
  const [value, unit] = showTime(ns).split(" ");
  return `${Number(value)} ${unit}`;
}

function microseconds(ns) {
  return Number.isFinite(ns) ? (ns / 1e3).toFixed(2) : "";
}
