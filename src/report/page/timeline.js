// SPDX-License-Identifier: MIT
// ---- timelines: one canvas a run, one view for all ----

const laneHeight = 16, laneGap = 3, axisHeight = 22, labelWidth = 70;
const view = {from: 0, to: 1};
const lanes = [];
let longest = 1;
let picked = null; // {lane, index}

// Rows by queue and lane, each with rising starts and ends.
function layOut(run) {
  const rows = [], byQueue = new Map();
  const {start, end, queue} = run.columns;
  for (let i = 0; i < run.count; i++) {
    let set = byQueue.get(queue[i]);
    if (!set) byQueue.set(queue[i], set = []);
    let lane = set.find((each) => each.free <= start[i]);
    if (!lane && set.length < 6) {
      set.push(lane = {queue: queue[i], free: 0, items: []});
    }
    lane = lane ?? set[set.length - 1];
    lane.free = Math.max(lane.free, end[i]);
    lane.items.push(i);
  }
  for (const number of [...byQueue.keys()].sort((x, y) => x - y)) {
    rows.push(...byQueue.get(number));
  }
  return rows;
}

// The same name has the same colour in every run.
const nameNumbers = new Map();
function nameColors(run) {
  return run.names.map((name) => {
    if (!nameNumbers.has(name)) nameNumbers.set(name, nameNumbers.size);
    return `hsl(${(nameNumbers.get(name) * 137.5) % 360} 55% 55%)`;
  });
}

// The first of the items that ends at or after a time.
function firstVisible(run, items, time) {
  let low = 0, high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (run.columns.end[items[middle]] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function tickStep(span, width) {
  const rough = span * 90 / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((k) => k * power).find((step) => step >= rough);
}

function drawAxis(g, width, y) {
  const span = view.to - view.from;
  const step = tickStep(span, width - labelWidth);
  g.fillStyle = themeColor("--quiet");
  g.strokeStyle = themeColor("--line");
  g.font = "11px system-ui, sans-serif";
  for (let t = Math.ceil(view.from / step) * step; t <= view.to; t += step) {
    const x = labelWidth + (t - view.from) / span * (width - labelWidth);
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, y);
    g.stroke();
    if (x < width - 50) g.fillText(showTick(t), x + 3, y + 14);
  }
}

function drawRow(g, lane, row, y, width) {
  const {run, colors} = lane, {start, end, name} = run.columns;
  const scale = (width - labelWidth) / (view.to - view.from);
  const from = view.from + run.first, to = view.to + run.first;
  let drawn = -1; // pixels up to here are taken
  for (let k = firstVisible(run, row.items, from); k < row.items.length; k++) {
    const i = row.items[k];
    if (start[i] > to) break;
    const x0 = Math.max(labelWidth, labelWidth + (start[i] - from) * scale);
    const x1 = Math.min(width, labelWidth + (end[i] - from) * scale);
    if (x1 <= drawn) continue;
    g.fillStyle = name[i] < 0 ? "#888" : colors[name[i]];
    g.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 0.5 : 0)),
      laneHeight);
    drawn = Math.max(x1, Math.floor(x0) + 1);
    if (x1 - x0 > 60) {
      g.fillStyle = "#000";
      g.save();
      g.beginPath();
      g.rect(x0, y, x1 - x0 - 2, laneHeight);
      g.clip();
      g.fillText(shortNameOf(run, i), x0 + 3, y + 12);
      g.restore();
    }
    if (picked && picked.lane === lane && picked.index === i) {
      g.strokeStyle = themeColor("--ink");
      g.lineWidth = 2;
      g.strokeRect(x0, y, Math.max(2, x1 - x0), laneHeight);
      g.lineWidth = 1;
    }
  }
}

function drawLane(lane) {
  const {canvas, rows} = lane;
  const width = canvas.clientWidth;
  const height = rows.length * (laneHeight + laneGap) + axisHeight;
  const ratio = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) ||
      canvas.height !== Math.round(height * ratio)) {
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.fillStyle = themeColor("--back");
  g.fillRect(0, 0, width, height);
  drawAxis(g, width, height - axisHeight);
  rows.forEach((row, at) => {
    const y = at * (laneHeight + laneGap) + 2;
    g.fillStyle = themeColor("--quiet");
    if (at === 0 || rows[at - 1].queue !== row.queue) {
      g.fillText(`queue ${row.queue}`, 6, y + 12);
    }
    drawRow(g, lane, row, y, width);
  });
}

function drawTimelines() {
  lanes.forEach(drawLane);
  byId("range").textContent =
    `${showTime(view.from)} to ${showTime(view.to)}`;
}

// ---- moving ----

const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
let moving = 0;

function clampView(from, to) {
  const span = Math.min(Math.max(to - from, 100), longest * 1.02);
  const start = Math.min(Math.max(from, -0.01 * longest),
    1.01 * longest - span);
  return [start, start + span];
}

function setView(from, to) {
  [view.from, view.to] = clampView(from, to);
  drawTimelines();
}

// Glides there, unless the reader wants no motion.
function moveView(from, to) {
  [from, to] = clampView(from, to);
  cancelAnimationFrame(moving);
  if (calm) return setView(from, to);
  const begin = performance.now(), a = view.from, b = view.to;
  const step = (now) => {
    const part = Math.min(1, (now - begin) / 140);
    const ease = part * (2 - part);
    setView(a + (from - a) * ease, b + (to - b) * ease);
    if (part < 1) moving = requestAnimationFrame(step);
  };
  moving = requestAnimationFrame(step);
}

function zoomBy(factor, at = (view.from + view.to) / 2) {
  moveView(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function panBy(part) {
  const span = view.to - view.from;
  moveView(view.from + part * span, view.to + part * span);
}

const showAll = () => moveView(-0.01 * longest, 1.01 * longest);

// ---- picking ----

function pick(lane, index) {
  picked = {lane, index};
  const {run} = lane, c = run.columns;
  const words = [
    `${run.label}, row ${c.row[index]}, queue ${c.queue[index]}: ` +
    nameOf(run, index),
    `start ${showTime(c.start[index] - run.first)}`,
    `duration ${showTime(c.end[index] - c.start[index])}`,
  ];
  for (const [what, word] of [["submit", "submitted"], ["launch", "launched"],
    ["complete", "completed"]]) {
    const after = c[what][index];
    if (!Number.isNaN(after)) {
      words.push(`${word} ${showTime(Math.abs(after))} ` +
        (after < 0 ? "before the start" : "after the start"));
    }
  }
  byId("picked").textContent = words.join("; ");
  drawTimelines();
}

function pickNext(lane, step) {
  const count = lane.run.count;
  if (count === 0) return;
  const now = picked && picked.lane === lane ? picked.index
    : step > 0 ? -1 : count;
  const index = Math.min(count - 1, Math.max(0, now + step));
  const start = lane.run.columns.start[index] - lane.run.first;
  const span = view.to - view.from;
  if (start < view.from || start > view.to) {
    setView(start - span / 2, start + span / 2);
  }
  pick(lane, index);
}

function timeAt(lane, x) {
  const width = lane.canvas.clientWidth - labelWidth;
  return view.from + (x - labelWidth) / width * (view.to - view.from);
}

function pickAt(lane, x, y) {
  const row = lane.rows[Math.floor(y / (laneHeight + laneGap))];
  if (!row) return;
  const time = timeAt(lane, x) + lane.run.first;
  const slack = 3 * (view.to - view.from) / lane.canvas.clientWidth;
  const k = firstVisible(lane.run, row.items, time - slack);
  const i = row.items[k];
  if (i !== undefined && lane.run.columns.start[i] <= time + slack) {
    pick(lane, i);
  }
}

// ---- hands ----

const keys = {
  "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2),
  "ArrowLeft": () => panBy(-0.25), "ArrowRight": () => panBy(0.25),
  "0": showAll,
  "n": (lane) => pickNext(lane, 1), "p": (lane) => pickNext(lane, -1),
};

function listen(lane) {
  const {canvas} = lane;
  let drag = null;
  canvas.addEventListener("keydown", (event) => {
    const act = keys[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(lane);
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;
    event.preventDefault();
    const at = timeAt(lane, event.offsetX), factor = 2 ** (event.deltaY / 300);
    setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
  }, {passive: false});
  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.offsetX, y: event.offsetY, from: view.from, to: view.to,
      moved: false};
    canvas.setPointerCapture(event.pointerId);
    canvas.focus();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.offsetX - drag.x;
    drag.moved = drag.moved || Math.abs(dx) > 3;
    const shift = dx / (canvas.clientWidth - labelWidth) *
      (drag.to - drag.from);
    if (drag.moved) setView(drag.from - shift, drag.to - shift);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) pickAt(lane, event.offsetX, event.offsetY);
    drag = null;
  });
}

function addTimeline(run) {
  const canvas = make("canvas", {tabindex: "0", role: "img",
    "aria-label": `Timeline of ${run.label}: ${run.count} dispatches in ` +
      `${showTime(run.makespan)}. Keys: plus, minus, arrows, 0, n, p.`});
  byId("lanes").append(make("figure", {},
    make("figcaption", {}, `${run.label} (${run.kind})`), canvas));
  const lane = {run, canvas, rows: layOut(run), colors: nameColors(run)};
  lanes.push(lane);
  listen(lane);
}

function startTimelines() {
  longest = Math.max(1, ...runs.map((run) => run.makespan));
  view.from = -0.01 * longest;
  view.to = 1.01 * longest;
  runs.forEach(addTimeline);
  byId("zoom-in").addEventListener("click", () => zoomBy(0.5));
  byId("zoom-out").addEventListener("click", () => zoomBy(2));
  byId("zoom-all").addEventListener("click", showAll);
  onRedraw(drawTimelines);
}
