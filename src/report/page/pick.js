// SPDX-License-Identifier: MIT
// ---- one dispatch: what it is, what it waited for, its partner ----

let picked = null; // {lane, index}, of a dispatch

// Its partners are marked too: [lane, index].
function pickedItems() {
  if (!picked) return [];
  const {lane, index} = picked;
  return [[lane, index], ...partnersOf(lane.run, index)
    .map(([run, i]) => [lanes.find((each) => each.run === run), i])];
}

function drawPicked(g, lane, width) {
  pickedItems().forEach(([where, i], at) => {
    const band = lane.bands[lane.bandOf[i]];
    if (where !== lane || !band) return;
    const {start, end} = lane.run.columns, {first} = lane.run;
    const x0 = Math.max(labelWidth, xOf(start[i] - first, width));
    const x1 = Math.min(width, xOf(end[i] - first, width));
    if (x1 < labelWidth || x0 > width) return;
    g.strokeStyle = themeColor("--ink");
    g.lineWidth = 2;
    if (at > 0) g.setLineDash([4, 2]);
    g.strokeRect(x0, band.y, Math.max(2, x1 - x0), stripHeight);
    g.setLineDash([]);
    g.lineWidth = 1;
  });
}

// ---- arrows ----

const MOST_ARROWS = 80;

function arrow(g, x0, y0, x1, y1) {
  g.beginPath();
  g.moveTo(x0, y0);
  const bend = Math.max(8, Math.abs(x1 - x0) / 3);
  g.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1, y1);
  g.moveTo(x1 - 5, y1 - 3);
  g.lineTo(x1, y1);
  g.lineTo(x1 - 5, y1 + 3);
  g.stroke();
}

// From the end of the call that submitted a dispatch to its start.
function drawLaunch(g, lane, i, width) {
  const c = lane.run.columns, host = lane.threads.get(c.thread[i]);
  const band = lane.bands[lane.bandOf[i]];
  if (!host || !band || Number.isNaN(c.host_begin[i])) return;
  const start = c.start[i] - lane.run.first;
  const called = start + (Number.isNaN(c.host_end[i]) ? c.host_begin[i]
    : Math.min(c.host_end[i], Math.max(c.host_begin[i], 0)));
  const x0 = xOf(called, width), x1 = xOf(start, width);
  if (Math.max(x0, x1) < labelWidth || Math.min(x0, x1) > width) return;
  arrow(g, x0, host.y + stripHeight, x1, band.y + stripHeight / 2);
}

function drawEdge(g, lane, from, to, width) {
  const {start, end} = lane.run.columns, {first} = lane.run;
  const a = lane.bands[lane.bandOf[from]], b = lane.bands[lane.bandOf[to]];
  if (!a || !b) return;
  const x0 = xOf(end[from] - first, width), x1 = xOf(start[to] - first, width);
  if (Math.max(x0, x1) < labelWidth || Math.min(x0, x1) > width) return;
  arrow(g, x0, a.y + stripHeight / 2, x1, b.y + stripHeight / 2);
}

// The dispatches of a view; null where there are more than arrows can show.
function visibleDispatches(lane) {
  const {run} = lane, from = view.from + run.first, to = view.to + run.first;
  const found = [];
  for (const band of lane.bands) {
    const s = band.strip;
    if (!s || s.source !== "dispatch") continue;
    for (let k = firstVisible(s, from); k < s.ref.length && s.begin[k] <= to;
      k++) {
      if (found.length === MOST_ARROWS) return null;
      found.push(s.ref[k]);
    }
  }
  return found;
}

function indexOfRows(run) {
  if (run.indexOfRow) return run.indexOfRow;
  run.indexOfRow = new Map();
  for (let i = 0; i < run.count; i++) run.indexOfRow.set(run.columns.row[i], i);
  return run.indexOfRow;
}

function edgesOf(run, i) {
  const {from, to} = run.edges.columns, index = indexOfRows(run);
  const row = run.columns.row[i], found = [];
  for (let k = 0; k < run.edges.count; k++) {
    if (from[k] !== row && to[k] !== row) continue;
    const a = index.get(from[k]), b = index.get(to[k]);
    if (a !== undefined && b !== undefined) found.push([a, b, k]);
  }
  return found;
}

function drawArrows(g, lane, width) {
  if (!shown.arrows) return;
  g.save();
  g.beginPath();
  g.rect(labelWidth, 0, width - labelWidth, lane.height);
  g.clip();
  const few = visibleDispatches(lane) ?? [];
  const own = picked && picked.lane === lane ? picked.index : -1;
  g.strokeStyle = themeColor("--quiet");
  g.globalAlpha = 0.6;
  for (const i of few) if (i !== own) drawLaunch(g, lane, i, width);
  g.globalAlpha = 1;
  if (lane.run.edges.count > 0) {
    g.strokeStyle = themeColor("--b");
    for (const i of few) {
      for (const [a, b] of edgesOf(lane.run, i)) drawEdge(g, lane, a, b, width);
    }
  }
  if (own >= 0) {
    g.strokeStyle = themeColor("--ink");
    g.lineWidth = 1.5;
    drawLaunch(g, lane, own, width);
    for (const [a, b] of edgesOf(lane.run, own)) drawEdge(g, lane, a, b, width);
  }
  g.restore();
}

// ---- words ----

const showWhole = (ns) => showExact(ns, 1);
const facts = [
  ["row", (run, i) => run.columns.row[i], showCount],
  ["start", (run, i) => run.columns.start[i] - run.first, showWhole],
  ["end", (run, i) => run.columns.end[i] - run.first, showWhole],
  ["duration", (run, i) => run.columns.end[i] - run.columns.start[i], showTime],
  ["submitted, from the start", (run, i) => run.columns.submit[i], showTime],
  ["launched, from the start", (run, i) => run.columns.launch[i], showTime],
  ["completed, from the start", (run, i) => run.columns.complete[i], showTime],
  ["host call began, from the start", (run, i) => run.columns.host_begin[i],
    showTime],
  ["host call returned, from the start", (run, i) => run.columns.host_end[i],
    showTime],
];

function placeText(run, i) {
  const queue = run.columns.queue[i], stream = run.columns.stream[i];
  return [queue < 0 ? "" : `GPU ${deviceOfQueue(run, queue)}, queue ${queue}`,
    stream < 0 ? "" : `stream ${stream}`,
    run.columns.pinned[i] ? "replayed at the measured time" : "",
    run.columns.predicted[i] ? "predicted duration" : ""]
    .filter(Boolean).join(", ");
}

function factsTable(columns) {
  const rows = [];
  for (const [title, valueOf, show] of facts) {
    const values = columns.map(([run, i]) => valueOf(run, i));
    if (values.every((value) => Number.isNaN(value))) continue;
    const cells = values.map((value) => show(value) || "unknown");
    if (columns.length > 1 && title !== "row") {
      cells.push(showChange(values[1] - values[0]));
    }
    rows.push(make("tr", {}, make("th", {scope: "row"}, title),
      ...cells.map((text) => make("td", {}, text))));
  }
  const titles = ["", ...columns.map(([run]) => run.label)];
  if (columns.length > 1) titles.push("later or longer");
  return make("table", {class: "facts"}, make("thead", {}, make("tr", {},
    ...titles.map((title) => make("th", {scope: "col"}, title)))),
  make("tbody", {}, ...rows));
}

function waitText(run, i) {
  const words = edgesOf(run, i).filter(([, to]) => to === i)
    .map(([from,, k]) => `row ${run.columns.row[from]} ` +
      `(${shortNameOf(run, from)}` +
      (run.edges.columns.kind[k] === 2
        ? `, inferred with ${run.edges.columns.confidence[k]} %)` : ")"));
  return words.length ? `Waited for ${words.slice(0, 5).join(", ")}` +
    `${words.length > 5 ? ` and ${words.length - 5} more` : ""}.` : "";
}

function pick(lane, index) {
  picked = {lane, index};
  const {run} = lane, partners = partnersOf(run, index);
  // The earlier run of the page comes first, as in the table of differences.
  const columns = [[run, index], ...partners]
    .sort(([x], [y]) => x.at - y.at);
  const words = `${run.label}, ${placeText(run, index)}: `;
  byId("picked").replaceChildren(
    make("p", {}, words, make("code", {}, nameOf(run, index)), ". ",
      partners.length ? "Its partner is marked by a dashed line. "
        : pairs.some((pair) => pair.a === run || pair.b === run)
          ? "It has no partner in the other run. " : "",
      waitText(run, index)),
    factsTable(columns));
  drawTimelines();
}

function unpick() {
  picked = null;
  byId("picked").replaceChildren(make("p", {class: "quiet"}, pickHint));
  drawTimelines();
}

const pickHint = "Click a dispatch for its times and its partner.";

// Moves the view where a dispatch is outside of it, and picks it.
function showDispatch(run, index) {
  const lane = lanes.find((each) => each.run === run);
  const start = run.columns.start[index] - run.first;
  const lasts = run.columns.end[index] - run.columns.start[index];
  const span = Math.min(view.to - view.from, Math.max(2000, 40 * lasts));
  if (start < view.from || start > view.to || span < view.to - view.from) {
    setView(start - span / 2, start + span / 2);
  }
  pick(lane, index);
  lane.canvas.scrollIntoView({block: "nearest"});
}

function pickNext(lane, step) {
  const {count: most, columns, first} = lane.run;
  if (most === 0) return;
  const now = picked && picked.lane === lane ? picked.index
    : step > 0 ? -1 : most;
  const index = Math.min(most - 1, Math.max(0, now + step));
  const start = columns.start[index] - first, span = view.to - view.from;
  if (start < view.from || start > view.to) {
    setView(start - span / 2, start + span / 2);
  }
  pick(lane, index);
}

function timeAt(lane, x) {
  const width = lane.canvas.clientWidth - labelWidth;
  return view.from + (x - labelWidth) / width * (view.to - view.from);
}

// The band at a place, and the item of its strip there or null.
function itemAt(lane, x, y) {
  const band = lane.bands.find((each) => y >= each.y &&
    y < each.y + each.height + bandGap);
  if (!band || !band.strip || x < labelWidth) return [band, null];
  const s = band.strip, time = timeAt(lane, x) + lane.run.first;
  const slack = 3 * (view.to - view.from) / lane.canvas.clientWidth;
  const k = firstVisible(s, time - slack);
  return [band, k < s.ref.length && s.begin[k] <= time + slack ? k : null];
}

function pickAt(lane, x, y) {
  const [band, k] = itemAt(lane, x, y);
  if (k === null) return;
  const i = band.strip.ref[k];
  if (band.strip.source === "dispatch") pick(lane, i);
  else if (band.strip.source === "call" && lane.run.hostCalls.what[i] >= 0) {
    pick(lane, lane.run.hostCalls.what[i]);
  } else {
    const isRange = band.strip.source === "ranges";
    byId("picked").replaceChildren(make("p", {}, itemText(lane, band, k),
      isRange && lane.run.ranges.columns.queue[i] < 0
        ? submittedText(lane.run, i) : ""));
    if (isRange) selectRange(lane.run, i);
  }
}

// What the thread of a range submitted within it; it may run later.
function submittedText(run, i) {
  const c = run.columns, {begin, end, thread} = run.ranges.columns;
  let dispatches = 0, time = 0;
  for (let k = 0; k < run.count; k++) {
    const called = c.start[k] + c.host_begin[k];
    if (c.thread[k] !== thread[i] || !(called >= begin[i]) ||
        called > end[i]) continue;
    dispatches++;
    time += c.end[k] - c.start[k];
  }
  return `. Its calls submitted ` +
    `${countText(dispatches, "dispatch", "es")}: ${showTime(time)} on the GPU.`;
}

function itemText(lane, band, k) {
  const s = band.strip, source = sources[s.source];
  const name = source.name(lane, s.ref[k]);
  const whole = s.source === "requests" || s.source === "preemptions"
    ? source.text(lane, s.ref[k]) : nameText(lane.run, name);
  return `${band.title}: ${whole}, from ` +
    `${showTime(s.begin[k] - lane.run.first)} on, ` +
    `${showTime(s.end[k] - s.begin[k])}`;
}

function hoverText(lane, x, y) {
  const [band, k] = itemAt(lane, x, y);
  if (!band) return "";
  return k === null ? (x < labelWidth ? band.title : "")
    : itemText(lane, band, k);
}
