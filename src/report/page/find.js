// SPDX-License-Identifier: MIT
// ---- search, and totals of a selected range ----

const found = {text: "", names: new Map()}; // run: which of its names match

function matchNames(run, text) {
  const names = new Uint8Array(run.names.length);
  run.names.forEach((name, id) => {
    names[id] = name.toLowerCase().includes(text) ||
      run.short_names[id].toLowerCase().includes(text) ? 1 : 0;
  });
  return names;
}

// How many items of each strip match, up to each of them.
function markMatches() {
  for (const lane of lanes) {
    const names = found.names.get(lane.run);
    for (const {strip: s} of lane.bands) {
      if (!s) continue;
      const named = s.source !== "requests" && s.source !== "preemptions";
      s.matches = names && named ? new Int32Array(s.ref.length + 1) : null;
      for (let k = 0; s.matches && k < s.ref.length; k++) {
        const name = sources[s.source].name(lane, s.ref[k]);
        s.matches[k + 1] = s.matches[k] + (name >= 0 ? names[name] : 0);
      }
    }
  }
}

function matchesOf(run) {
  const names = found.names.get(run), {name} = run.columns;
  let sum = 0;
  for (let i = 0; names && i < run.count; i++) {
    if (name[i] >= 0) sum += names[name[i]];
  }
  return sum;
}

function search() {
  found.text = byId("find").value.trim().toLowerCase();
  found.names = new Map(found.text === "" ? []
    : runs.map((run) => [run, matchNames(run, found.text)]));
  markMatches();
  byId("matches").textContent = found.text === "" ? ""
    : runs.map((run) => `${run.label}: ${matchesOf(run)}`).join(", ") +
      " dispatches";
  drawTimelines();
}

// The next match of the picked run, or of the first that has any.
function findNext(step) {
  if (found.text === "") return;
  const lane = picked?.lane ?? lanes.find((each) => matchesOf(each.run) > 0);
  if (!lane) return;
  const {count: most, columns} = lane.run, names = found.names.get(lane.run);
  const from = picked?.lane === lane ? picked.index : step > 0 ? -1 : most;
  for (let k = 1; k <= most; k++) {
    const i = ((from + step * k) % most + most) % most;
    if (columns.name[i] >= 0 && names[columns.name[i]]) {
      return showDispatch(lane.run, i);
    }
  }
}

// From a table: the kernel's dispatches in the timeline.
function findText(text) {
  byId("find").value = text;
  search();
  byId("timelines").scrollIntoView();
}

// ---- a range ----

let selection = null; // {from, to}, as the view

function rangeOf(run) {
  const {start, end} = run.columns;
  const from = selection.from + run.first, to = selection.to + run.first;
  const names = new Map();
  let count = 0, sum = 0;
  for (let i = 0; i < run.count && start[i] < to; i++) {
    const inside = Math.min(end[i], to) - Math.max(start[i], from);
    if (inside <= 0) continue;
    count++;
    sum += inside;
    const name = run.columns.name[i];
    names.set(name, (names.get(name) ?? 0) + inside);
  }
  return {count, sum, busy: busyBetween(run, from, to),
    top: [...names].sort((x, y) => y[1] - x[1]).slice(0, 3)};
}

function totalsRow(run) {
  const {count: dispatches, sum, busy, top} = rangeOf(run);
  const span = selection.to - selection.from;
  return make("tr", {}, make("th", {scope: "row"}, run.label),
    ...[dispatches, showTime(sum), showTime(busy),
      `${(100 * busy / span).toFixed(1)} %`, showTime(span - busy)]
      .map((text) => make("td", {}, String(text))),
    make("td", {class: "text"}, top.map(([name, time]) =>
      `${shortText(run, name)} ${showTime(time)}`).join("; ")));
}

function showTotals() {
  const titles = ["run", "dispatches", "their time", "busy", "busy",
    "nothing ran", "most of it"];
  byId("selection").replaceChildren(...selection === null ? [] : [
    make("p", {}, `Selected: ${selection.name ? `${selection.name}, ` : ""}` +
      `${showTime(selection.from)} to ` +
      `${showTime(selection.to)}, ` +
      `${showTime(selection.to - selection.from)}. Escape clears it.`),
    make("table", {class: "facts"}, make("thead", {}, make("tr", {},
      ...titles.map((title) => make("th", {scope: "col"}, title)))),
    make("tbody", {}, ...runs.map(totalsRow)))]);
}

function select(from, to, name = "") {
  selection = from === null ? null
    : {from: Math.min(from, to), to: Math.max(from, to), name};
  drawTimelines();
}

// One end of the range: at the picked dispatch, else at the edge of the view.
function selectEnd(last) {
  const at = picked ? picked.lane.run.columns[last ? "end" : "start"][
    picked.index] - picked.lane.run.first : last ? view.to : view.from;
  select(last ? selection?.from ?? view.from : at,
    last ? at : selection?.to ?? view.to);
  showTotals();
}

// The time of a range that the program marked.
function selectRange(run, i) {
  const {begin, end, name} = run.ranges.columns;
  select(begin[i] - run.first, end[i] - run.first, shortText(run, name[i]));
  showTotals();
}

function selectView() {
  select(view.from, view.to);
  showTotals();
}

function clearAll() {
  select(null);
  showTotals();
  unpick();
}
