// SPDX-License-Identifier: MIT
// ---- charts: SVG for curves, a canvas for tens of thousands of points ----

const chart = {width: 560, height: 300, left: 52, right: 12, top: 10,
  bottom: 34};

function logTicks(low, high) {
  const ticks = [];
  for (let p = Math.floor(Math.log10(low)); 10 ** p <= high * 1.0001; p++) {
    if (10 ** p >= low * 0.9999) ticks.push(10 ** p);
  }
  return ticks;
}

// Axes of a chart: x in ns on a logarithmic scale, y from 0 to 1 or to `top`.
function axes(low, high, yTicks, showY, xLabel) {
  const {width, height, left, right, top, bottom} = chart;
  const x = (value) => left + (Math.log10(Math.max(value, low) / low)) /
    Math.log10(high / low) * (width - left - right);
  const y = (part) => height - bottom - part * (height - top - bottom);
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"});
  for (const tick of logTicks(low, high)) {
    svg.append(make("line", {class: "grid", x1: x(tick), x2: x(tick), y1: top,
      y2: height - bottom}),
    make("text", {x: x(tick), y: height - bottom + 14,
      "text-anchor": "middle"}, showTick(tick)));
  }
  for (const tick of yTicks) {
    svg.append(make("line", {class: "grid", x1: left, x2: width - right,
      y1: y(tick), y2: y(tick)}),
    make("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"},
      showY(tick)));
  }
  svg.append(make("text", {x: (left + width - right) / 2, y: height - 4,
    "text-anchor": "middle"}, xLabel));
  return {svg, x, y};
}

function legend(entries) {
  const line = make("p", {class: "quiet"});
  entries.forEach(([label, color]) => {
    line.append(make("span", {class: "key", style: `background:${color}`}),
      `${label}  `);
  });
  return line;
}

function addChart(title, words, node, entries) {
  if (node.tagName === "svg") node.setAttribute("aria-label", words);
  byId("charts").append(make("figure", {},
    make("figcaption", {}, make("strong", {}, title), ` ${words}`), node,
    legend(entries)));
}

function path(points) {
  return points.map(([x, y], i) =>
    `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

// How many of the joined rows of a pair were replayed at measured times, and
// pairs of two GPUs.
function sayPinned() {
  for (const {a, b, joined, timed, scored, fits, fitted} of pairs) {
    if (!scored) {
      addChart("Not compared.",
               `${b.label} has the durations of ${a.label}, ` +
                   `which were not measured on its GPU, ${
                       b.other_gpu}: the measurement ` +
                   "of another GPU does not score it.",
               make("p", {class : "quiet"}), []);
      continue;
    }
    if (fitted > 0) {
      const parts = fits.map((run) => {
        const measured = runs.find((other) => other.id === run.origin);
        return `Constants of ${run.label} were fitted to ${run.fit.part} of ` +
          (measured ? measured.label : "a run that is not on this page");
      });
      addChart("Not compared.", `${parts.join("; ")}: ` +
        `${countText(fitted, "dispatch", "es")}, not scored.`, make("p", {class: "quiet"}), []);
      continue;
    }
    const left = joined.length - timed.length;
    if (left === 0) continue;
    addChart("Not compared.", `${b.label}: ${left} of ` +
      `${countText(joined.length, "dispatch", "es")} replayed at the measured ` +
      "time, which say nothing of the simulator.", make("p", {class: "quiet"}), []);
  }
}

function drawErrors() {
  const errors = pairs.map((pair) => Float64Array.from(
    endErrors(pair, pair.timed), (error) => Math.abs(error)).sort());
  if (!errors.some((list) => list.length)) return;
  const high = Math.max(1e4, ...errors.map((list) => list.at(-1) ?? 0));
  const {svg, x, y} = axes(10, high, [0, 0.25, 0.5, 0.75, 0.9, 1],
    (part) => `${Math.round(part * 100)} %`, "|error of the end|");
  const words = [];
  errors.forEach((list, at) => {
    if (list.length === 0) return;
    const points = [], steps = Math.min(list.length, 800);
    for (let k = 0; k <= steps; k++) {
      const part = k / steps;
      points.push([x(quantile(list, Math.min(part, 0.999999))), y(part)]);
    }
    svg.append(make("path", {class: "curve", d: path(points),
      style: `stroke:${runColor(at)}`}));
    words.push(`${pairs[at].b.label}: median ` +
      `${showTime(quantile(list, 0.5))}, 90 % below ` +
      `${showTime(quantile(list, 0.9))}, ` +
      countText(list.length, "dispatch", "es"));
  });
  addChart("How far the ends are off.", `${words.join("; ")}.`, svg,
    pairs.map(({a, b}, at) => [`${b.label} against ${a.label}`,
      runColor(at)]));
}

function drawGaps() {
  const gaps = runs.map((run) => gapsOf(run).filter((gap) => gap >= 10));
  const high = Math.max(1e5, ...gaps.map((list) =>
    list.reduce((most, gap) => Math.max(most, gap), 0)));
  if (!gaps.some((list) => list.length)) return;
  const bins = 60, low = 10, width = Math.log(high / low) / bins;
  const counts = gaps.map((list) => {
    const count = new Array(bins + 1).fill(0);
    for (const gap of list) {
      count[Math.min(bins, Math.floor(Math.log(gap / low) / width))]++;
    }
    return count;
  });
  const most = Math.max(...counts.flat());
  const {svg, x, y} = axes(low, high, [0, 0.5, 1],
    (part) => String(Math.round(part * most)), "gap between dispatches");
  counts.forEach((count, at) => {
    const points = [];
    count.forEach((value, bin) => {
      const from = low * Math.exp(bin * width);
      points.push([x(from), y(value / most)],
        [x(Math.min(high, from * Math.exp(width))), y(value / most)]);
    });
    svg.append(make("path", {class: "curve", d: path(points),
      style: `stroke:${runColor(at)}`}));
  });
  const words = runs.map((run, at) => {
    const sorted = Float64Array.from(gaps[at]).sort();
    return `${run.label}: ${countText(sorted.length, "gap")}, median ` +
      `${showTime(quantile(sorted, 0.5))}`;
  });
  addChart("Gaps on a queue", `of 10 ns and more. ${words.join("; ")}.`, svg,
    runs.map((run, at) => [run.label, runColor(at)]));
}

function scatterCanvas(a, b, joined, at) {
  const canvas = make("canvas", {role: "img"});
  const inA = intervalsOf(a), inB = intervalsOf(b);
  const points = joined.map(([i, j]) => [inA[i], inB[j]])
    .filter(([p, q]) => p > 0 && q > 0);
  if (points.length === 0) return null;
  const low = 500;
  const high = points.reduce((most, [p, q]) => Math.max(most, p, q), 1e5);
  const {width, height, left, right, top, bottom} = chart;
  const span = Math.log(high / low);
  const x = (value) => left + Math.log(Math.max(value, low) / low) / span *
    (width - left - right);
  const y = (value) => height - bottom -
    Math.log(Math.max(value, low) / low) / span * (height - top - bottom);
  onRedraw(() => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const g = canvas.getContext("2d");
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.font = "11px system-ui, sans-serif";
    g.strokeStyle = themeColor("--line");
    g.fillStyle = themeColor("--quiet");
    for (const tick of logTicks(low, high)) {
      g.strokeRect(x(tick), top, 0, height - top - bottom);
      g.strokeRect(left, y(tick), width - left - right, 0);
      g.textAlign = "center";
      g.fillText(showTick(tick), x(tick), height - bottom + 14);
      g.textAlign = "right";
      g.fillText(showTick(tick), left - 5, y(tick) + 4);
    }
    g.textAlign = "center";
    g.fillText(`${a.label}`, (left + width - right) / 2, height - 4);
    g.strokeStyle = themeColor("--quiet");
    g.beginPath();
    g.moveTo(x(low), y(low));
    g.lineTo(x(high), y(high));
    g.stroke();
    g.globalAlpha = points.length > 5000 ? 0.25 : 0.6;
    g.fillStyle = themeColor(`--${"abcd"[at % 4]}`);
    for (const [p, q] of points) g.fillRect(x(p) - 1, y(q) - 1, 2.5, 2.5);
    g.globalAlpha = 1;
  });
  return {canvas, count: points.length};
}

function drawCharts() {
  drawErrors();
  sayPinned();
  pairs.forEach(({a, b, timed}, at) => {
    const made = scatterCanvas(a, b, timed, at);
    if (!made) return;
    const words = `across: ${a.label}, up: ${b.label}; ${made.count} ` +
      "dispatches; on the line they agree.";
    made.canvas.setAttribute("aria-label", `Completion intervals, ${words}`);
    addChart("Time from completion to completion,", words, made.canvas,
      [[b.label, runColor(at)]]);
  });
  drawGaps();
}
