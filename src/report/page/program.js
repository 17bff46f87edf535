// SPDX-License-Identifier: MIT
// ---- the program around the launches: steps, groups, collectives, memory ----

const MOST_CHARTS = 4, MOST_POINTS = 800;
const idleColor = "#8a8a8a55";

const familyColors = {
  gemm: "#2e7d4f", convolution: "#5b6abf", attention: "#8b3fa8", norm: "#d9a441",
  softmax: "#b08a2e", reduce: "#7a5c2e", elementwise: "#d1603d", copy: "#3f8fb5",
  index: "#b5478a", sort: "#e0937a", communication: "#2f6f8f",
  collective: "#2f8f8a",
};
const familyColor = (name) => familyColors[name] ?? "#b9b9b9";

// The parts of a step, which add up to its span.
const stepParts = [
  ["compute", causeColors.kernels, (s) => s.compute],
  ["exposed communication", causeColors.communication, (s) => s.exposed],
  ["copies alone", causeColors.copies, (s) => s.copy_exposed],
  ["idle", idleColor, (s) => Math.max(0, s.span - s.busy)],
];

const stepName = (s) => s.step === null ? "outside of steps"
  : `step ${s.step}`;
const placeName = (s) => (s.rank === null ? "" : `rank ${s.rank}, `) +
  (s.device === null ? "no device" : `device ${s.device}`);

const parted = (run) => run.steps !== null && run.steps.by !== null;

// A linear axis of time with a line at each of 3 ticks at most.
function timeTicks(most) {
  const step = 10 ** Math.floor(Math.log10(most));
  const scale = [0.1, 0.2, 0.5, 1, 2, 5].find((k) => most / (k * step) <= 3.5);
  const ticks = [];
  for (let t = 0; t <= most * 1.0001; t += scale * step) ticks.push(t);
  return ticks;
}

function selectStep(run, s) {
  select(s.begin - run.first, s.begin + s.span - run.first,
    `${stepName(s)}, ${placeName(s)}`);
  showTotals();
}

// A bar for each step of a device, in parts.
function stepChart(run, steps) {
  const {width, left, right, top, bottom} = chart, height = 170;
  const most = steps.reduce((time, s) => Math.max(time, s.span), 1);
  const y = (time) => height - bottom - time / most * (height - top - bottom);
  const place = (width - left - right) / steps.length;
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"});
  for (const tick of timeTicks(most)) {
    svg.append(make("line", {class: "grid", x1: left, x2: width - right,
      y1: y(tick), y2: y(tick)}), make("text", {x: left - 6, y: y(tick) + 4,
      "text-anchor": "end"}, showTick(tick)));
  }
  steps.forEach((s, at) => {
    const x = left + at * place, w = Math.max(0.5, place - Math.min(2, place / 4));
    const words = stepParts.map(([name, , time]) =>
      `${name} ${showTime(time(s))}`);
    const group = make("g", {}, make("title", {}, `${stepName(s)}` +
      `${s.first ? " (the first)" : ""}: ${showTime(s.span)}\n` +
      words.join("\n")));
    let under = 0;
    for (const [, color, timeOf] of stepParts) {
      const time = timeOf(s);
      if (time > 0) {
        group.append(make("path", {style: `fill:${color}`, d:
          `M${x.toFixed(1)} ${y(under).toFixed(1)}h${w.toFixed(1)}` +
          `V${y(under + time).toFixed(1)}h${(-w).toFixed(1)}z`}));
      }
      under += time;
    }
    group.addEventListener("click", () => selectStep(run, s));
    svg.append(group);
    if (at % Math.ceil(steps.length / 12) === 0) {
      svg.append(make("text", {x: x + w / 2, y: height - bottom + 14,
        "text-anchor": "middle"}, String(s.step ?? "")));
    }
  });
  svg.append(make("text", {x: (left + width - right) / 2, y: height - 4,
    "text-anchor": "middle"}, "step"));
  return svg;
}

function stepSentence(run) {
  const {steps} = run, {span, busy, exposed} = steps;
  const kind = steps.by === "ProfilerStep" ? steps.by
    : `a repeated sequence of ${countText(steps.period, "kernel")}` +
      (steps.within === null ? "" : `, all within one range ${steps.within}: its parts`);
  const about = `Steps (${kind}; ${steps.in_steps} of ` +
    `${countText(run.count, "dispatch", "es")}): `;
  if (steps.counted === 0) return `${about}one per device, no statistics.`;
  const within = span.half === null ? ""
    : `, 95\u00a0% within ${showTime(span.half)} of it`;
  const share = (time) => showPercent(100 * time / span.mean);
  const slowest = run.devices.length > 1 ? ", each on its slowest device," : "";
  return `${about}${steps.counted} without the first of each device` +
    `${slowest} take ` +
    `${showTime(span.mean)} in the mean${within}, median ` +
    `${showTime(span.median)}; a device is busy for ${share(busy.mean)}` +
    (exposed.mean > 0 ? `, communicates exposed for ${share(exposed.mean)}` : "") +
    ".";
}

// [name of a device, its steps] of each device.
function stepsOfDevices(steps) {
  const devices = new Map();
  for (const s of steps.list) {
    const name = placeName(s);
    if (!devices.has(name)) devices.set(name, []);
    devices.get(name).push(s);
  }
  return [...devices];
}

function stepsLeftOut({steps}) {
  return steps.left_out > 0 ? [make("p", {class: "quiet"},
    `${countText(steps.left_out, "more step")} not shown.`)] : [];
}

// Part of the first screen; nothing for a run without steps.
function stepStrip(run) {
  if (!parted(run)) return [];
  // One bar shows nothing beside the table of steps.
  const devices = stepsOfDevices(run.steps).map(([name, list]) =>
    [name, list.filter((s) => s.step !== null)])
    .filter(([, list]) => list.length > 1);
  if (devices.length === 0) return [make("p", {}, stepSentence(run))];
  const charts = make("div", {class: "charts"});
  for (const [name, list] of devices.slice(0, MOST_CHARTS)) {
    const svg = stepChart(run, list);
    const words = `${name}: ${countText(list.length, "step")}`;
    svg.setAttribute("aria-label", words);
    charts.append(make("figure", {}, make("figcaption", {}, words), svg));
  }
  const more = devices.length - MOST_CHARTS;
  return [make("p", {}, stepSentence(run)), charts,
    legend(stepParts.map(([name, color]) => [name, color])),
    ...more > 0 ? [make("p", {class: "quiet"}, `${countText(more, "more device")} ` +
      "in the table of steps.")] : [], ...stepsLeftOut(run)];
}

// Three numbers of a run: how long, how busy, and a step or the dispatches.
function keyNumbers(run) {
  const {causes} = run.explanation;
  const ran = causes.filter((c) => ["kernels", "tail", "communication",
    "copies", "outside"].includes(c.name))
    .reduce((sum, c) => sum + c.percent, 0);
  const counted = parted(run) && run.steps.counted > 0;
  const numbers = [[showTime(timeOf(run)), "first start to last end"],
    [showPercent(ran), run.devices.length > 1 ? "of the devices\u2019 time " +
      "something ran" : "of the time something ran"],
    counted ? [showTime(run.steps.span.mean), "a step, the first apart"]
      : [String(run.count), "kernels, copies and fills"]];
  return make("div", {class: "numbers"}, ...numbers.map(([value, words]) =>
    make("div", {}, make("strong", {}, value), make("span", {class: "quiet"},
      words))));
}

// The kernel time by family; a run whose dispatches are not grouped has none.
function familyBar(run) {
  const families = run.groups.find((g) => g.by === "family")?.list ?? [];
  const all = families.reduce((sum, f) => sum + f.time, 0);
  if (all === 0) return [];
  return [make("h4", {}, "Kernels and copies by family"),
    bar(families.map((f) => ({name: f.name, time: f.time,
      percent: 100 * f.time / all, color: familyColor(f.name)})),
    `Families of kernels of ${run.label}`)];
}

// ---- tables ----

function factsBox(label, columns, rows, first, act) {
  const table = make("table");
  sortedTable(table, columns, first, (column, down) =>
    [...rows].sort(compareBy(column, down)), act);
  return scrollBox(label, table);
}

const rowName = (title) => ({title, value: (row) => row.name,
  show: (row) => row.name, text: true});
const number = (value) => value ?? NaN;
const timeColumn = (title, key) => numberColumn(`${title} \u00b5s`,
  (row) => number(row[key]), microseconds);
const countColumn = (title, key) => numberColumn(title,
  (row) => number(row[key]), showCount);

function addSteps(run) {
  if (!parted(run)) return;
  byId("steps-section").hidden = false;
  const rows = run.steps.list.map((s) => ({...s, name: `${stepName(s)}, ` +
    `${placeName(s)}${s.first ? " (first)" : ""}`,
    idle: s.span - s.busy, order: s.begin}));
  const columns = [{...rowName("step"), value: (row) => row.name},
    numberColumn("begin \u00b5s", (row) => row.order - run.first, microseconds),
    timeColumn("span", "span"), timeColumn("compute", "compute"),
    timeColumn("communication", "communication"),
    timeColumn("exposed", "exposed"), timeColumn("copies", "copy"),
    timeColumn("idle", "idle"), countColumn("dispatches", "dispatches")];
  byId("steps").append(make("h3", {}, run.label), factsBox(
    `Steps of ${run.label}`, columns, rows, 2, (row) => selectStep(run, row)));
  byId("steps").append(...stepsLeftOut(run));
}

const groupTitles = {family: "Family", op: "Operator", module: "Module",
  line: "Line of Python"};

// The groups of all runs by one grouping, side by side.
function groupTable(by) {
  const lists = runs.map((run) => run.groups.find((g) => g.by === by));
  const found = lists.map((group) =>
    new Map((group?.list ?? []).map((g) => [g.name, g])));
  const sums = lists.map((group) => (group?.time_left_out ?? 0) +
    (group?.list ?? []).reduce((sum, g) => sum + g.time, 0));
  const columns = [rowName(groupTitles[by])];
  runs.forEach((run, at) => {
    const add = (title, value, show) => columns.push(numberColumn(
      runs.length > 1 ? `${run.label}: ${title}` : title,
      (row) => number(value(row.of[at])), show));
    add("calls", (g) => g?.calls, showCount);
    add("kernel \u00b5s", (g) => g?.time, microseconds);
    add("%", (g) => g && sums[at] > 0 ? 100 * g.time / sums[at] : NaN,
      (value) => Number.isFinite(value) ? value.toFixed(1) : "");
    add("kernel p50 \u00b5s", (g) => g?.p50, microseconds);
    add("queue p50 \u00b5s", (g) => g?.queue, microseconds);
  });
  const names = [...new Set(found.flatMap((map) => [...map.keys()]))];
  const rows = names.map((name) => ({name, of: found.map((m) => m.get(name))}));
  const left = runs.filter((_, at) => lists[at]?.left_out > 0)
    .map((run) => {
      const group = run.groups.find((g) => g.by === by);
      return `${run.label}: ${group.left_out} smaller groups, of ` +
        `${showTime(group.time_left_out)}, are left out.`;
    });
  return [factsBox(groupTitles[by], columns, rows, 2),
    make("p", {class: "quiet"}, left.join(" "))];
}

function drawGroups() {
  const kinds = Object.keys(groupTitles).filter((by) =>
    runs.some((run) => run.groups.some((g) => g.by === by)));
  if (kinds.length === 0) return;
  byId("groups-section").hidden = false;
  const choice = byId("group-by");
  choice.append(...kinds.map((by) => make("option", {value: by},
    groupTitles[by])));
  const draw = () => byId("groups").replaceChildren(
    ...groupTable(choice.value));
  choice.value = kinds.includes("op") ? "op" : kinds[0];
  choice.addEventListener("change", draw);
  draw();
}

// ---- communication ----

function showRate(bytes) {
  return Number.isFinite(bytes) ? (bytes / 1e9).toFixed(2) : "";
}

// Communication of each device, with what its rank made others wait.
function communicationRows(run) {
  const late = new Map(run.collectives.ranks.map((r) => [r.rank, r]));
  return run.collectives.devices.map((d) => ({...late.get(d.rank),
    name: placeName(d), communication: d.communication, exposed: d.exposed,
    hidden: 100 * d.hidden / d.communication}));
}

function addCommunication(run) {
  const c = run.collectives;
  if (c === null) return;
  byId("communication-section").hidden = false;
  const rows = communicationRows(run);
  const sum = (key) => rows.reduce((all, row) => all + row[key], 0);
  const words = [`${showTime(sum("communication"))} of communication, ` +
    `${showTime(sum("exposed"))} without other kernels beside it`];
  const last = [...c.ranks].sort((x, y) => y.late - x.late)[0];
  if (c.matched > 0) words.push(`${countText(c.matched, "collective")} matched ` +
    `over ranks; rank ${last.rank} made the others wait the most: it came last ` +
    `into ${last.last}, by ${showTime(last.late)} in all, and ran something ` +
    `for ${showTime(last.busy)} of that`);
  if (c.outside > 0) words.push(`${c.outside} with calls outside of the part`);
  if (c.unmatched > 0) words.push(`${countText(c.unmatched, "call")} unmatched`);
  if (c.unnamed > 0) words.push(`${countText(c.unnamed, "kernel")} without a ` +
    "recorded operation or rank");
  if (c.left_out > 0) words.push(`${countText(c.left_out, "smaller operation")} ` +
    "not shown");
  const columns = [rowName("device"),
    timeColumn("communication", "communication"),
    timeColumn("exposed", "exposed"),
    numberColumn("hidden %", (row) => row.hidden, (value) =>
      Number.isFinite(value) ? value.toFixed(1) : "")];
  if (c.matched > 0) columns.push(countColumn("collectives", "collectives"),
    countColumn("came last", "last"), timeColumn("late", "late"),
    timeColumn("busy", "busy"), timeColumn("longest", "longest"),
    timeColumn("waited", "waited"));
  const node = byId("communication");
  node.append(make("h3", {}, run.label), make("p", {}, `${words.join("; ")}.`),
    factsBox(`Communication of ${run.label}`, columns, rows, 1));
  if (c.list.length === 0) return;
  node.append(factsBox(`Collectives of ${run.label}`, [rowName("operation"),
    countColumn("calls", "calls"), timeColumn("kernel", "time"),
    timeColumn("p50", "p50"), timeColumn("longest", "most"),
    numberColumn("MiB", (row) => number(row.bytes) / 2 ** 20, (value) =>
      Number.isFinite(value) ? value.toFixed(1) : ""),
    numberColumn("bus GB/s", (row) => number(row.bus), showRate)], c.list, 2));
}

// ---- memory ----

const showMiB = (bytes) => Number.isFinite(bytes)
  ? (bytes / 2 ** 20).toFixed(1) : "";
const sizeColumn = (title, key) => numberColumn(`${title} MiB`,
  (row) => number(row[key]), showMiB);

// The most of each pixel, so that no peak is lost.
function memoryPath(counter, first, x, y) {
  const {time, value} = counter.columns, points = [];
  const size = Math.max(1, Math.ceil(counter.count / MOST_POINTS));
  for (let i = 0; i < counter.count; i += size) {
    let most = i;
    for (let k = i; k < Math.min(i + size, counter.count); k++) {
      if (value[k] > value[most]) most = k;
    }
    const at = x(time[most] - first);
    if (points.length) points.push([at, points[points.length - 1][1]]);
    points.push([at, y(value[most])]);
  }
  return path(points);
}

function memoryChart(run, device) {
  const named = (name) => run.counters.find((c) => c.name === name &&
    c.ordinal === device && c.count > 0);
  const lines = [["allocated", named("memory_allocated"), "var(--a)"],
    ["reserved", named("memory_reserved"), "var(--b)"]].filter(([, c]) => c);
  if (lines.length === 0) return [];
  const {width, left, right, top, bottom} = chart, height = 200;
  const from = Math.min(...lines.map(([, c]) => c.columns.time[0]));
  const to = Math.max(...lines.map(([, c]) => c.columns.time[c.count - 1]));
  const most = Math.max(1, ...lines.map(([, c]) =>
    c.columns.value.reduce((high, value) => Math.max(high, value), 0)));
  const x = (time) => left + time / Math.max(1, to - from) *
    (width - left - right);
  const y = (value) => height - bottom - value / most * (height - top - bottom);
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"});
  for (const part of [0, 0.5, 1]) {
    svg.append(make("line", {class: "grid", x1: left, x2: width - right,
      y1: y(part * most), y2: y(part * most)}), make("text", {x: left - 6,
      y: y(part * most) + 4, "text-anchor": "end"},
    String(Number((part * most / 2 ** 20).toPrecision(3)))));
  }
  for (const [, counter, color] of lines) {
    svg.append(make("path", {class: "curve", style: `stroke:${color}`,
      d: memoryPath(counter, from, x, y)}));
  }
  svg.append(make("text", {x: (left + width - right) / 2, y: height - 4,
    "text-anchor": "middle"}, `${showTime(to - from)} of the run`));
  const words = `MiB of device ${device}`;
  svg.setAttribute("aria-label", words);
  return [make("figure", {}, make("figcaption", {}, words), svg,
    legend(lines.map(([name, , color]) => [name, color])))];
}

function memorySentence(run, use) {
  const parts = [`${use.device === null ? "The host" : `Device ${use.device}`}` +
    ` held ${showMiB(use.peak)} MiB at most, ` +
    `${showTime(use.at - run.first)} after the first start` +
    (use.name === null ? "" : `, by ${use.name}`) +
    (use.step === null ? "" : ` in step ${use.step}`),
  `${countText(use.blocks, "allocation")} of ${showMiB(use.bytes)} MiB`];
  if (use.before > 0) parts.push(`${showMiB(use.before)} MiB of the peak ` +
    "older than the trace");
  if (use.left > 0) parts.push(`${use.left} of ${showMiB(use.left_bytes)} MiB ` +
    "not freed in the trace");
  if (use.unsized > 0) parts.push(`${countText(use.unsized, "freed block")} of ` +
    "unknown size, not in the peak");
  return make("p", {}, `${parts.join("; ")}.`);
}

function addMemory(run) {
  const {memory} = run;
  if (memory === null) return;
  byId("memory-section").hidden = false;
  const charts = make("div", {class: "charts"}, ...memory.devices
    .filter((use) => use.device !== null).slice(0, MOST_CHARTS)
    .flatMap((use) => memoryChart(run, use.device)));
  const rows = memory.ops.map((op) => ({...op, name: op.name ?? "no op"}));
  byId("memory").append(make("h3", {}, run.label),
    ...memory.devices.map((use) => memorySentence(run, use)), charts,
    factsBox(`Memory of ${run.label} by operator`, [rowName("operator"),
      numberColumn("device", (row) => number(row.device), (value) =>
        Number.isFinite(value) ? String(value) : "host"),
      sizeColumn("at peak", "peak"), countColumn("allocations", "blocks"),
      sizeColumn("all", "bytes"), countColumn("not freed", "left"),
      sizeColumn("not freed", "left_bytes")], rows, 2));
  if (memory.left_out > 0) {
    byId("memory").append(make("p", {class: "quiet"},
      `${memory.left_out} more operators are left out.`));
  }
}
