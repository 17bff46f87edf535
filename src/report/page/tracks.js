// SPDX-License-Identifier: MIT
// ---- what the timeline of a run shows: bands from top to bottom ----

// A band: kind (heading, strip, counter), label, title (the whole label), y and
// height; of a strip its items, of a counter its samples.
const stripHeight = 16, headingHeight = 20, counterHeight = 30, bandGap = 3;
const MOST_LANES = 6, MOST_BANDS = 400, MOST_OWNERS = 12;

// What overlaps goes side by side, in at most MOST_LANES lanes; what finds no
// lane free goes over the last one, and is counted.
function packLanes(order, begin, end) {
  const lanes = [];
  let over = 0;
  for (const i of order) {
    let lane = lanes.find((each) => each.free <= begin[i]);
    if (!lane && lanes.length < MOST_LANES) {
      lanes.push(lane = {free: -Infinity, items: []});
    }
    if (!lane) {
      lane = lanes[lanes.length - 1];
      over++;
    }
    lane.free = Math.max(lane.free, end[i]);
    lane.items.push(i);
  }
  return {lanes: lanes.map(({items}) => items), over};
}

// Items of a lane, by begin. `reach` is the latest end so far, `busy` the time
// that those before took: with both, a zoomed out strip costs its pixels alone.
function strip(source, items, begin, end) {
  const n = items.length;
  const s = {source, ref: Int32Array.from(items), begin: new Float64Array(n),
    reach: new Float64Array(n), end: new Float64Array(n),
    busy: new Float64Array(n + 1), matches: null};
  let reach = -Infinity;
  for (let k = 0; k < n; k++) {
    s.begin[k] = begin[items[k]];
    s.end[k] = end[items[k]];
    const seen = Math.max(s.begin[k], reach);
    s.busy[k + 1] = s.busy[k] + Math.max(0, s.end[k] - seen);
    s.reach[k] = reach = Math.max(reach, s.end[k]);
  }
  return s;
}

// The first item that ends at or after a time, from `low` on.
function firstVisible(s, time, low = 0) {
  let high = s.reach.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (s.reach[middle] < time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function groupBy(count, keyOf) {
  const groups = new Map();
  for (let i = 0; i < count; i++) {
    const key = keyOf(i);
    if (key === null) continue;
    const list = groups.get(key);
    if (list) list.push(i);
    else groups.set(key, [i]);
  }
  return groups;
}

const byNumber = (map) => [...map].sort(([x], [y]) => x - y);

// ---- devices ----

function deviceLabel(run, ordinal) {
  const device = run.devices[ordinal];
  const known = device ? [device.name, device.gfx,
    device.cus === null ? null : `${device.cus} CUs`].filter(Boolean) : [];
  return `GPU ${ordinal}${known.length ? `: ${known.join(", ")}` : ""}`;
}

const deviceOfQueue = (run, queue) => run.queues[queue]?.device ?? -1;

function queueLabel(run, queue, streams) {
  if (queue < 0) return ["no queue recorded", "dispatches without a queue"];
  const id = run.queues[queue]?.id;
  const known = [...streams].filter((stream) => stream >= 0);
  const few = known.length > 3 ? `${known.length} streams`
    : known.length ? `stream ${known.join(", ")}` : "";
  return [`${run.queueLetters.get(queue)} \u00b7 queue ${queue}` +
    (few ? `, ${few}` : ""),
  `Queue ${queue}, which its source calls ${id}` +
    (known.length ? `; streams ${known.join(", ")}` : "") +
    `. Letter ${run.queueLetters.get(queue)}: queues of the other runs with ` +
    "this letter ran the same dispatches"];
}

function pushLanes(bands, source, label, title, items, begin, end) {
  const {lanes, over} = packLanes(items, begin, end);
  lanes.forEach((lane, at) => bands.push({kind: "strip",
    label: at === 0 ? label : at === lanes.length - 1 && over
      ? `+ ${over} over others` : "",
    title, strip: strip(source, lane, begin, end)}));
}

function pushDispatches(bands, run, byStream) {
  const {start, end, queue, stream} = run.columns;
  const key = byStream ? stream : queue;
  const byDevice = groupBy(run.count, (i) => deviceOfQueue(run, queue[i]));
  for (const [device, items] of byNumber(byDevice)) {
    const label = device < 0 ? "no GPU recorded" : deviceLabel(run, device);
    bands.push({kind: "heading", label, title: label});
    const groups = groupBy(items.length, (k) => key[items[k]]);
    const sorted = byStream ? byNumber(groups) : [...groups].sort(([x], [y]) => {
      const p = run.queueLetters.get(x), q = run.queueLetters.get(y);
      return p.length - q.length || (p < q ? -1 : p > q ? 1 : x - y);
    });
    for (const [number, places] of sorted) {
      const own = places.map((k) => items[k]);
      const [text, title] = !byStream
        ? queueLabel(run, number, new Set(own.map((i) => stream[i])))
        : number < 0 ? ["no stream recorded", "dispatches without a stream"]
          : [`stream ${number}`, `Stream ${number} of the program`];
      pushLanes(bands, "dispatch", text, title, own, start, end);
    }
    pushCounters(bands, run, (c) => c.scope === "device" &&
      c.ordinal === device);
  }
  pushCounters(bands, run, (c) => c.scope === "queue");
}

// ---- the host ----

// The calls of a thread: [begin, end, what]; `what` is the index of a
// dispatch, or -1 - the index of a call. One call that submitted a graph of
// packets counts once.
function callsOf(run) {
  if (run.hostCalls) return run.hostCalls;
  const c = run.columns, own = run.calls.columns;
  const begin = [], end = [], what = [], thread = [];
  for (let i = 0; i < run.count; i++) {
    if (Number.isNaN(c.host_begin[i]) || Number.isNaN(c.host_end[i])) continue;
    begin.push(c.start[i] + c.host_begin[i]);
    end.push(c.start[i] + c.host_end[i]);
    what.push(i);
    thread.push(c.thread[i]);
  }
  for (let i = 0; i < run.calls.count; i++) {
    begin.push(own.begin[i]);
    end.push(own.end[i]);
    what.push(-1 - i);
    thread.push(own.thread[i]);
  }
  const order = Array.from(begin.keys());
  if (begin.some((time, k) => k && begin[k - 1] > time)) {
    order.sort((x, y) => begin[x] - begin[y] || x - y);
  }
  const last = new Map(), kept = [];
  for (const k of order) {
    const before = last.get(thread[k]);
    // Times of dispatches are rounded to 24 bits of the distance to their start.
    const near = before !== undefined && what[k] >= 0 && what[before] >= 0
      ? 1 + Math.abs(c.host_begin[what[k]]) / 4e6 +
        Math.abs(c.host_begin[what[before]]) / 4e6 : -1;
    if (near > 0 && Math.abs(begin[k] - begin[before]) <= near &&
        Math.abs(end[k] - end[before]) <= 2 * near) continue;
    last.set(thread[k], k);
    kept.push(k);
  }
  return run.hostCalls = {begin, end, what, thread, kept};
}

function threadLabel(run, thread) {
  const known = run.threads[thread];
  return known ? `host thread ${known.tid}` : "host, no thread recorded";
}

// Items of the host below a heading, by thread.
function pushThreads(bands, run, heading, source, items, {thread, begin, end}) {
  if (items.length === 0) return;
  bands.push({kind: "heading", label: heading, title: heading});
  const groups = groupBy(items.length, (k) => thread[items[k]]);
  const place = (number) => run.threads[number]?.tid ?? Infinity;
  const sorted = [...groups].sort(([x], [y]) => place(x) - place(y) || x - y);
  for (const [number, places] of sorted) {
    const text = threadLabel(run, number), pid = run.threads[number]?.pid;
    pushLanes(bands, source, text,
      text + (pid === undefined || pid === null ? "" : ` of process ${pid}`),
      places.map((k) => items[k]), begin, end);
  }
}

function pushHost(bands, run) {
  const calls = callsOf(run);
  pushThreads(bands, run, "Host calls", "call", calls.kept, calls);
}

// Those that the program marked: on the host (roctx, NVTX, record_function), and
// by markers of command buffers, on a queue.
function pushRanges(bands, run) {
  const {count, columns} = run.ranges;
  const all = Array.from({length: count}, (_, i) => i);
  const marked = all.filter((i) => columns.queue[i] >= 0);
  pushThreads(bands, run, "Ranges of the program", "ranges",
    all.filter((i) => columns.queue[i] < 0), columns);
  if (marked.length === 0) return;
  const text = "Ranges of command buffers";
  bands.push({kind: "heading", label: text, title: text});
  const groups = byNumber(groupBy(marked.length,
    (k) => columns.queue[marked[k]]));
  for (const [number, places] of groups) {
    pushLanes(bands, "ranges", `queue ${number}`,
      `Ranges of command buffers on queue ${number}`,
      places.map((k) => marked[k]), columns.begin, columns.end);
  }
}

// ---- regions: operations of host queues, requests, preemptions ----

function pushRegions(bands, run) {
  const sets = [["operations", "queue", "Operations of host queues"],
    ["requests", "owner", "Requests of clients"],
    ["preemptions", "owner", "Preemptions"]];
  for (const [key, by, heading] of sets) {
    const {count, columns, open} = run[key];
    if (count === 0) continue;
    const text = heading + (open ? `; ${open} without an end are not drawn` : "");
    bands.push({kind: "heading", label: text, title: text});
    const groups = byNumber(groupBy(count, (i) => columns[by][i]));
    groups.slice(0, MOST_OWNERS).forEach(([number, items]) => {
      const label = `${by === "queue" || key === "preemptions" ? "queue"
        : "client"} ${number}`;
      pushLanes(bands, key, label, `${heading}, ${label}`, items,
        columns.begin, columns.end);
    });
    const rest = groups.slice(MOST_OWNERS);
    if (rest.length === 0) continue;
    const items = rest.flatMap(([, list]) => list)
      .sort((x, y) => columns.begin[x] - columns.begin[y]);
    pushLanes(bands, key, `${countText(rest.length, "other")}`, heading, items,
      columns.begin, columns.end);
  }
}

// ---- counters ----

const BLOCK = 256; // samples that share a least and a most

function summarize(counter) {
  if (counter.least) return;
  const {value} = counter.columns, blocks = Math.ceil(counter.count / BLOCK);
  counter.least = new Float64Array(blocks).fill(Infinity);
  counter.most = new Float64Array(blocks).fill(-Infinity);
  counter.highest = 0;
  for (let k = 0; k < counter.count; k++) {
    const block = Math.floor(k / BLOCK);
    counter.least[block] = Math.min(counter.least[block], value[k]);
    counter.most[block] = Math.max(counter.most[block], value[k]);
    counter.highest = Math.max(counter.highest, value[k]);
  }
}

function pushCounters(bands, run, wanted) {
  if (!shown.counters) return;
  for (const counter of run.counters.filter(wanted)) {
    summarize(counter);
    const owner = counter.scope === "queue" ? `queue ${counter.ordinal}`
      : `GPU ${counter.ordinal}`;
    bands.push({kind: "counter", counter,
      label: counter.scope === "queue" ? `${counter.name}, ${owner}`
        : counter.name,
      title: `${counter.name} of ${owner}: ${counter.meaning}, in ` +
        `${counter.unit}; at most ${counter.highest}`});
  }
}

// ---- all of it ----

const shown = {host: true, regions: true, counters: true, arrows: true,
  byStream: false};

const heights = {heading: headingHeight, strip: stripHeight,
  counter: counterHeight};

// Bands with their places; which band each dispatch and each thread is in.
function layOut(run) {
  let bands = [];
  if (shown.regions) pushRanges(bands, run);
  if (shown.host) pushHost(bands, run);
  if (shown.regions) pushRegions(bands, run);
  pushDispatches(bands, run, shown.byStream);
  const left = bands.length - MOST_BANDS;
  if (left > 0) {
    bands = bands.slice(0, MOST_BANDS);
    const text = `${left} more lines are not drawn`;
    bands.push({kind: "heading", label: text, title: text});
  }
  let y = axisHeight + 2;
  const bandOf = new Int16Array(run.count).fill(-1), threads = new Map();
  bands.forEach((band, at) => {
    Object.assign(band, {y, height: heights[band.kind]});
    y += band.height + bandGap;
    if (band.kind !== "strip") return;
    if (band.strip.source === "dispatch") {
      for (const i of band.strip.ref) bandOf[i] = at;
    } else if (band.strip.source === "call") {
      const {thread} = run.hostCalls, number = thread[band.strip.ref[0]];
      if (!threads.has(number)) threads.set(number, band);
    }
  });
  return {bands, height: y, bandOf, threads};
}
