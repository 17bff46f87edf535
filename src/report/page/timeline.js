// SPDX-License-Identifier: MIT
// ---- timelines: one canvas a run, one view for all ----

const lanes = [];

const keys = {
  "+": () => zoomBy(0.5), "=": () => zoomBy(0.5), "-": () => zoomBy(2),
  "ArrowLeft": () => panBy(-0.25), "ArrowRight": () => panBy(0.25),
  "0": showAll,
  "n": (lane) => pickNext(lane, 1), "p": (lane) => pickNext(lane, -1),
  "[": () => selectEnd(false), "]": () => selectEnd(true),
  "/": () => byId("find").focus(), "Escape": clearAll,
};

function startDrag(lane, event) {
  const {canvas} = lane;
  canvas.setPointerCapture(event.pointerId);
  canvas.focus({preventScroll: true});
  return {x: event.offsetX, y: event.offsetY, from: view.from, to: view.to,
    moved: false, selects: event.shiftKey, time: timeAt(lane, event.offsetX)};
}

function drag(lane, state, event) {
  const dx = event.offsetX - state.x;
  state.moved = state.moved || Math.abs(dx) > 3;
  if (!state.moved) return;
  if (state.selects) {
    select(state.time, timeAt(lane, event.offsetX));
    return;
  }
  const shift = dx / (lane.canvas.clientWidth - labelWidth) *
    (state.to - state.from);
  setView(state.from - shift, state.to - shift);
}

function listenPointer(lane) {
  const {canvas} = lane;
  let state = null;
  canvas.addEventListener("pointerdown", (event) => {
    state = startDrag(lane, event);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (state) drag(lane, state, event);
    else canvas.title = hoverText(lane, event.offsetX, event.offsetY);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (state && !state.moved) pickAt(lane, event.offsetX, event.offsetY);
    if (state && state.moved && state.selects) showTotals();
    state = null;
  });
}

function listen(lane) {
  const {canvas} = lane;
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
  listenPointer(lane);
}

function addTimeline(run) {
  const canvas = make("canvas", {tabindex: "0", role: "application",
    "aria-roledescription": "timeline", "aria-describedby": "keys",
    "aria-label": `Timeline of ${run.label}: ` +
      `${countText(run.count, "dispatch", "es")} in ${showTime(run.makespan)}`});
  const untimed = run.dispatches.untimed;
  byId("lanes").append(make("figure", {},
    make("figcaption", {}, make("strong", {}, run.label), ` (${run.kind})` +
      (untimed ? `; ${countText(untimed, "dispatch", "es")} without a start or ` +
        "an end not drawn" : "")), make("div", {class: "lane"}, canvas)));
  const lane = {run, canvas, colors: run.names.map(nameColor), ...layOut(run)};
  lanes.push(lane);
  listen(lane);
}

// A box that shows or hides a kind of bands, if some run has any.
function listenBox(id, key, any) {
  const box = byId(id);
  box.checked = shown[key];
  box.parentElement.hidden = !any;
  box.addEventListener("change", () => {
    shown[key] = box.checked;
    lanes.forEach((lane) => Object.assign(lane, layOut(lane.run)));
    markMatches();
    drawTimelines();
  });
}

function listenControls() {
  const has = (key) => runs.some((run) => run[key].count > 0);
  byId("zoom-in").addEventListener("click", () => zoomBy(0.5));
  byId("zoom-out").addEventListener("click", () => zoomBy(2));
  byId("zoom-all").addEventListener("click", showAll);
  byId("select-view").addEventListener("click", selectView);
  byId("clear").addEventListener("click", clearAll);
  byId("find").addEventListener("input", search);
  byId("find").addEventListener("keydown", (event) => {
    if (event.key === "Enter") findNext(event.shiftKey ? -1 : 1);
  });
  byId("find-next").addEventListener("click", () => findNext(1));
  byId("find-previous").addEventListener("click", () => findNext(-1));
  listenBox("show-host", "host",
    runs.some((run) => callsOf(run).kept.length > 0));
  listenBox("show-regions", "regions",
    has("operations") || has("ranges") || has("requests") ||
      has("preemptions"));
  listenBox("show-counters", "counters",
    runs.some((run) => run.counters.length > 0));
  listenBox("show-arrows", "arrows", true);
  listenBox("by-stream", "byStream",
    runs.some((run) => run.columns.stream.some((stream) => stream >= 0)));
}

function startTimelines() {
  longest = Math.max(1, ...runs.map((run) => run.makespan));
  view.from = -0.01 * longest;
  view.to = 1.01 * longest;
  // More lines of counters than dispatches would hide the dispatches.
  shown.counters = runs.every((run) => run.counters.length <= 14);
  runs.forEach(addTimeline);
  listenControls();
  byId("picked").append(make("p", {class: "quiet"}, pickHint));
  onRedraw(drawNow);
}
