// SPDX-License-Identifier: MIT
// ---- the roofline: operations a second against operations a byte ----

// 1.3 T: three digits with the prefix of a power of 1000.
function showLarge(value) {
  const prefixes = ["", "k", "M", "G", "T", "P", "E"];
  const at = Math.max(0, Math.min(6, Math.floor(Math.log10(value) / 3)));
  return `${Number((value / 1000 ** at).toPrecision(3))} ${prefixes[at]}`;
}

// What bounds a group at the peaks of its device, and its share of that.
function boundOf(group) {
  const roof = Math.min(group.peak_flops ?? Infinity,
    (group.peak_bytes ?? Infinity) * group.flops / group.bytes);
  return Number.isFinite(roof)
    ? {share: group.flops / (group.time / 1e9) / roof,
      by: roof === group.peak_flops ? "compute" : "memory"}
    : {share: NaN, by: ""};
}

// Both axes are logarithmic, with whole decades around all points and ridges.
function rooflineAxes(groups) {
  const {width, height, left, right, top, bottom} = chart;
  const ridges = groups.filter((g) => g.peak_flops && g.peak_bytes);
  const around = (values) => [
    10 ** Math.floor(Math.log10(Math.min(...values))),
    10 ** Math.ceil(Math.log10(Math.max(...values) * 1.01))];
  const [x0, x1] = around([...groups.map((g) => g.flops / g.bytes),
    ...ridges.map((g) => g.peak_flops / g.peak_bytes)]);
  const [y0, y1] = around([...groups.map((g) => g.flops / (g.time / 1e9)),
    ...ridges.map((g) => g.peak_flops)]);
  const part = (value, low, high) => Math.log10(value / low) /
    Math.log10(high / low);
  const x = (value) => left + part(value, x0, x1) * (width - left - right);
  const y = (value) => height - bottom - part(value, y0, y1) *
    (height - top - bottom);
  const svg = make("svg", {viewBox: `0 0 ${width} ${height}`, role: "img"});
  for (const tick of logTicks(x0, x1)) {
    svg.append(make("line", {class: "grid", x1: x(tick), x2: x(tick), y1: top,
      y2: height - bottom}),
    make("text", {x: x(tick), y: height - bottom + 14,
      "text-anchor": tick === x1 ? "end" : "middle"}, String(tick)));
  }
  for (const tick of logTicks(y0, y1)) {
    svg.append(make("line", {class: "grid", x1: left, x2: width - right,
      y1: y(tick), y2: y(tick)}),
    make("text", {x: left - 6, y: y(tick) + 4, "text-anchor": "end"},
      showLarge(tick)));
  }
  svg.append(make("text", {x: (left + width - right) / 2, y: height - 4,
    "text-anchor": "middle"}, "FLOP a byte"),
  make("text", {x: left + 4, y: top + 10}, "FLOP/s"));
  return {svg, x, y, x0, x1, y0};
}

// A roof for each pair of peaks: the memory's slope, and the ceiling, with the
// names of all types that have it.
function drawRoofs({svg, x, y, x0, x1, y0}, groups) {
  const roofs = new Map();
  for (const g of groups) {
    if (!g.peak_flops || !g.peak_bytes) continue;
    const key = `${g.peak_flops} ${g.peak_bytes}`;
    if (!roofs.has(key)) roofs.set(key, [g, new Set()]);
    roofs.get(key)[1].add(g.peak_name);
  }
  let above = -Infinity;
  const highest = [...roofs.values()].sort((a, b) =>
    b[0].peak_flops - a[0].peak_flops);
  for (const [g, names] of highest) {
    const ceiling = y(g.peak_flops);
    above = ceiling - 4 < above + 12 ? ceiling + 12 : ceiling - 4;
    const from = Math.max(x0, y0 / g.peak_bytes);
    const ridge = g.peak_flops / g.peak_bytes;
    svg.append(make("path", {class: "curve", style: "stroke:var(--quiet)",
      d: path([[x(from), y(from * g.peak_bytes)],
        [x(ridge), y(g.peak_flops)], [x(x1), y(g.peak_flops)]])}),
    make("text", {x: x(x1) - 4, y: above, class: "over",
      "text-anchor": "end"},
      `${[...names].join(", ")}: ${showLarge(g.peak_flops)}FLOP/s`));
  }
}

function rooflineTable(groups) {
  const body = make("tbody");
  for (const g of groups.slice(0, 20)) {
    const bound = boundOf(g), seconds = g.time / 1e9;
    body.append(make("tr", {}, make("td", {class: "text"}, g.name),
      make("td", {}, showTime(g.time)),
      make("td", {}, `${showLarge(g.flops / seconds)}FLOP/s`),
      make("td", {}, `${showLarge(g.bytes / seconds)}B/s`),
      make("td", {}, Number.isFinite(bound.share)
        ? `${(100 * bound.share).toFixed(1)} % of ${bound.by}` : "")));
  }
  return make("div", {class: "scroll", tabindex: "0", role: "region",
    "aria-label": "Operators by time"},
  make("table", {}, make("thead", {}, make("tr", {}, ...["operator", "time",
    "operations", "memory", "of its roof"].map((title, i) => make("th",
    {scope: "col", class: i === 0 ? "text" : ""}, title)))), body));
}

function addRoofline(run) {
  const groups = run.work?.groups ?? [];
  if (groups.length === 0) return;
  const axes = rooflineAxes(groups);
  drawRoofs(axes, groups);
  const most = groups.reduce((time, g) => Math.max(time, g.time), 0);
  for (const g of groups) {
    const bound = boundOf(g);
    axes.svg.append(make("circle", {cx: axes.x(g.flops / g.bytes).toFixed(1),
      cy: axes.y(g.flops / (g.time / 1e9)).toFixed(1),
      r: (2 + 8 * Math.sqrt(g.time / most)).toFixed(1), "fill-opacity": "0.6",
      style: `fill:${familyColor(g.family)}`},
    make("title", {}, `${g.name}\n${showTime(g.time)}, ` +
      `${showLarge(g.flops / (g.time / 1e9))}FLOP/s` +
      (Number.isFinite(bound.share)
        ? `, ${(100 * bound.share).toFixed(1)} % of ${bound.by}` : ""))));
  }
  const families = [...new Set(groups.map((g) => g.family))].sort();
  const {unknown_calls: unknown, calls, groups_left_out: more,
    groups_without_point: pointless, all_time: all, drawn_time: drawn} =
    run.work;
  const words = [`${countText(groups.length, "operator")} with known work`,
    `${unknown} of ${countText(calls, "dispatch", "es")} without`];
  if (pointless > 0)
    words.push(`${countText(pointless, "operator")} without operations or ` +
      "bytes, as collectives, not drawn");
  if (more > 0) words.push(`${countText(more, "smaller operator")} not shown`);
  if (drawn < all)
    words.push(`${showTime(all - drawn)} of ${showTime(all)} not drawn`);
  axes.svg.setAttribute("aria-label", words.join("; "));
  byId("work-section").hidden = false;
  byId("work").append(make("h3", {}, run.label), make("div", {class: "charts"},
    make("figure", {}, make("figcaption", {}, `${words.join("; ")}.`), axes.svg,
      legend(families.map((family) => [family, familyColor(family)])))),
  rooflineTable(groups));
}
