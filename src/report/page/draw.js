// SPDX-License-Identifier: MIT
// ---- the drawing of a timeline ----

// The same name has the same colour in every run. Lightness keeps black text on
// it legible in both themes.
const nameNumbers = new Map();
function nameColor(name) {
  if (!nameNumbers.has(name)) nameNumbers.set(name, nameNumbers.size);
  return `hsl(${(nameNumbers.get(name) * 137.5) % 360} 55% 62%)`;
}

const plainColor = "#9a9a9a", waitColor = "#d9a441", badColor = "#d1603d",
  regionColor = "#7fa7c9";

// Of a strip's item: its colour, its short text, the id of its name.
const sources = {
  dispatch: {
    color: (lane, i) => lane.colors[lane.run.columns.name[i]] ?? plainColor,
    text: ({run}, i) => shortNameOf(run, i),
    name: ({run}, i) => run.columns.name[i],
  },
  call: {
    color: ({run}, k) => {
      const what = run.hostCalls.what[k];
      return what >= 0 ? regionColor
        : run.calls.columns.wait[-1 - what] ? waitColor : plainColor;
    },
    text: ({run}, k) => callText(run, k),
    name: ({run}, k) => {
      const what = run.hostCalls.what[k];
      return what >= 0 ? run.columns.name[what]
        : run.calls.columns.name[-1 - what];
    },
  },
  ranges: {
    color: (lane, i) => lane.colors[lane.run.ranges.columns.name[i]] ??
      plainColor,
    text: ({run}, i) => shortText(run, run.ranges.columns.name[i]),
    name: ({run}, i) => run.ranges.columns.name[i],
  },
  operations: {
    color: () => regionColor,
    text: ({run}, i) => shortText(run, run.operations.columns.name[i]),
    name: ({run}, i) => run.operations.columns.name[i],
  },
  requests: {
    color: ({run}, i) => run.requests.columns.bad[i] ? badColor : regionColor,
    text: ({run}, i) => `request ${i}` +
      (run.requests.columns.bad[i] ? ", late or rejected" : ""),
    name: () => -1,
  },
  preemptions: {
    color: () => badColor, text: () => "preempted", name: () => -1,
  },
};

function callText(run, k) {
  const what = run.hostCalls.what[k];
  return what >= 0 ? `submits ${shortNameOf(run, what)}`
    : shortText(run, run.calls.columns.name[-1 - what]);
}

const xOf = (time, width) => labelWidth + (time - view.from) /
  (view.to - view.from) * (width - labelWidth);

function drawItem(g, lane, s, k, x0, x1, y) {
  const source = sources[s.source], i = s.ref[k];
  g.globalAlpha = s.matches && s.matches[k + 1] === s.matches[k] ? 0.15 : 1;
  g.fillStyle = source.color(lane, i);
  g.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 3 ? 0.5 : 0)),
    stripHeight);
  if (x1 - x0 > 60) {
    g.fillStyle = "#000";
    g.save();
    g.beginPath();
    g.rect(x0, y, x1 - x0 - 2, stripHeight);
    g.clip();
    g.fillText(source.text(lane, i), x0 + 3, y + 12);
    g.restore();
  }
  g.globalAlpha = 1;
}

// Items that are narrower than a pixel share it: its bar is as high as the part
// of the pixel's time that they took.
function drawStrip(g, lane, band, width) {
  const {strip: s, y} = band, n = s.ref.length;
  const zero = lane.run.first, from = view.from + zero, to = view.to + zero;
  const pixel = (view.to - view.from) / (width - labelWidth);
  for (let k = firstVisible(s, from); k < n && s.begin[k] <= to;) {
    const x0 = Math.max(labelWidth, xOf(s.begin[k] - zero, width));
    const x1 = Math.min(width, xOf(s.end[k] - zero, width));
    if (x1 - x0 >= 1) {
      drawItem(g, lane, s, k, x0, x1, y);
      k++;
      continue;
    }
    const column = Math.floor(x0);
    const stop = from + (column + 1 - labelWidth) * pixel;
    const next = Math.max(k + 1, Math.min(n, firstVisible(s, stop, k)));
    const part = Math.min(1, (s.busy[next] - s.busy[k]) / pixel);
    const height = Math.max(3, part * stripHeight);
    g.globalAlpha = s.matches && s.matches[next] === s.matches[k] ? 0.15 : 1;
    g.fillStyle = sources[s.source].color(lane, s.ref[k]);
    g.fillRect(column, y + stripHeight - height, 1, height);
    g.globalAlpha = 1;
    k = next;
  }
}

// The least and the most of samples [from, to).
function extent(counter, from, to) {
  const {value} = counter.columns;
  let least = Infinity, most = -Infinity;
  for (let k = from; k < to;) {
    if (k % BLOCK === 0 && k + BLOCK <= to) {
      least = Math.min(least, counter.least[k / BLOCK]);
      most = Math.max(most, counter.most[k / BLOCK]);
      k += BLOCK;
    } else {
      least = Math.min(least, value[k]);
      most = Math.max(most, value[k]);
      k++;
    }
  }
  return [least, most];
}

// The first sample after a time.
function sampleAfter(times, time, low) {
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function drawCounter(g, lane, {counter, y}, width) {
  const {time, value} = counter.columns, zero = lane.run.first;
  const pixel = (view.to - view.from) / (width - labelWidth);
  const scale = (counterHeight - 2) / (counter.highest || 1);
  g.fillStyle = themeColor("--accent");
  let at = sampleAfter(time, view.from + zero, 0);
  let level = at > 0 ? value[at - 1] : 0;
  for (let x = labelWidth; x < width; x++) {
    const stop = view.from + zero + (x + 1 - labelWidth) * pixel;
    const next = sampleAfter(time, stop, at);
    let [least, most] = extent(counter, at, next);
    least = Math.min(least, level);
    most = Math.max(most, level);
    if (next > at) level = value[next - 1];
    at = next;
    const low = least * scale, high = most * scale;
    g.globalAlpha = 0.35;
    g.fillRect(x, y + counterHeight - low, 1, low);
    g.globalAlpha = 1;
    g.fillRect(x, y + counterHeight - high, 1, Math.max(1, high - low));
  }
}

function drawLabel(g, band, width) {
  g.fillStyle = themeColor(band.kind === "heading" ? "--ink" : "--quiet");
  g.font = `${band.kind === "heading" ? "600 " : ""}11px system-ui, sans-serif`;
  g.save();
  g.beginPath();
  g.rect(0, band.y, band.kind === "heading" ? width : labelWidth - 6,
    band.height);
  g.clip();
  g.fillText(band.label, 6, band.y + (band.kind === "heading" ? 14 : 12));
  if (band.kind === "counter") {
    g.fillText(`0 to ${band.counter.highest} ${band.counter.unit}`, 6,
      band.y + 25);
  }
  g.restore();
}

function drawSelection(g, width, height) {
  if (!selection) return;
  const x0 = Math.max(labelWidth, xOf(selection.from, width));
  const x1 = Math.min(width, xOf(selection.to, width));
  if (x1 < labelWidth || x0 > width) return;
  g.fillStyle = themeColor("--accent");
  g.globalAlpha = 0.15;
  g.fillRect(x0, 0, Math.max(1, x1 - x0), height);
  g.globalAlpha = 1;
}

function drawLane(lane) {
  const {canvas, bands} = lane;
  const width = canvas.clientWidth, {height} = lane;
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
  drawAxis(g, width, height);
  for (const band of bands) {
    drawLabel(g, band, width);
    if (band.kind === "strip") drawStrip(g, lane, band, width);
    else if (band.kind === "counter") drawCounter(g, lane, band, width);
  }
  drawArrows(g, lane, width);
  drawPicked(g, lane, width);
  drawSelection(g, width, height);
}

function drawNow() {
  lanes.forEach(drawLane);
  byId("range").textContent = rangeText();
}

// Before the next frame, however often it is asked for until then.
let drawing = false;
function drawTimelines() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    drawNow();
  });
}
