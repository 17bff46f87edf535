// SPDX-License-Identifier: MIT
// ---- repeated runs of two versions, as `compare --against` has them ----

const MOST_GROUPS = 100;

const showPart = (part) => part === null ? "unknown"
  : withSign(`${(100 * part).toFixed(1)} %`, part);

const differs = (figure) => figure.low > 0 || figure.high < 0;

function verdictOf(figure) {
  if (figure.low === null) return "no interval";
  return !differs(figure) ? "within the noise"
    : figure.high < 0 ? "shorter" : "longer";
}

// The interval as a line around 0; `most` is at the edges.
function intervalPicture(figure, most) {
  const x = (part) => 70 + 66 * Math.max(-1, Math.min(1, part / most));
  const svg = make("svg", {viewBox: "0 0 140 14", class: "interval",
    "aria-hidden": "true"},
  make("line", {class: "grid", x1: 70, x2: 70, y1: 0, y2: 14}));
  if (figure.low === null) return svg;
  const color = !differs(figure) ? "var(--quiet)"
    : figure.high < 0 ? "var(--c)" : "var(--b)";
  svg.append(make("line", {x1: x(figure.low), x2: x(figure.high), y1: 7, y2: 7,
    style: `stroke:${color};stroke-width:2`}),
  make("path", {d: `M${x(figure.change) - 2} 3h4v8h-4z`,
    style: `fill:${color}`}));
  return svg;
}

function versionRow(name, short, calls, figure, most) {
  return make("tr", {}, make("td", {class: "name", title: name}, short),
    ...calls.map((text) => make("td", {}, text)),
    make("td", {}, microseconds(figure.before)),
    make("td", {}, microseconds(figure.after)),
    make("td", {}, showPart(figure.change)),
    make("td", {}, figure.low === null ? "none"
      : `${showPart(figure.low)} to ${showPart(figure.high)}`),
    make("td", {}, intervalPicture(figure, most)),
    make("td", {class: "nowrap"}, verdictOf(figure)));
}

function versionSentence({makespan, before, after}) {
  const text = verdictOf(makespan);
  const judged = text === "shorter" || text === "longer"
    ? `is ${text} by ${showPart(Math.abs(makespan.change)).slice(1)}`
    : text === "no interval" ? "cannot be judged"
      : "does not differ beyond the noise";
  const interval = makespan.low === null ? "" : " (95 % interval of the change " +
    `${showPart(makespan.low)} to ${showPart(makespan.high)})`;
  return make("p", {}, make("strong", {}, `The makespan ${judged}`),
    `${interval}: ${showTime(makespan.before)} before, in ${before.length} ` +
    `runs; ${showTime(makespan.after)} after, in ${after.length}.`);
}

function drawVersions() {
  const {versions} = page;
  if (!versions) return;
  const {groups, makespan, kernel} = versions;
  const listed = groups.slice(0, MOST_GROUPS);
  const bounds = [makespan, kernel, ...listed.map((group) => group.figure)]
    .filter((figure) => figure.low !== null)
    .flatMap((figure) => [Math.abs(figure.low), Math.abs(figure.high)]);
  const most = Math.min(1, Math.max(0.01, ...bounds));
  const titles = ["group", "calls before", "calls after", "before \u00b5s",
    "after \u00b5s", "change", "95 % interval",
    `from -${(100 * most).toFixed(0)} to +${(100 * most).toFixed(0)} %`,
    "verdict"];
  byId("versions-section").hidden = false;
  byId("versions").append(versionSentence(versions),
    make("p", {class: "quiet"}, "Means over the runs of a side. The interval is " +
      "the percentile bootstrap over runs" +
      (Math.min(versions.before.length, versions.after.length) < 5
        ? "; with fewer than five runs a side it is too narrow." : ".") +
      (listed.length < groups.length
        ? ` The ${listed.length} groups of ${groups.length} that changed most.`
        : "")),
    scrollBox("Before and after", make("table", {}, make("thead", {},
      make("tr", {}, ...titles.map((title) =>
        make("th", {scope: "col"}, title)))),
    make("tbody", {},
      versionRow("makespan", "makespan", ["", ""], makespan, most),
      versionRow("all kernels", "all kernels and copies", ["", ""], kernel,
        most),
      ...listed.map((group) => versionRow(group.name,
        shortNames.get(group.name) ?? group.name,
        [group.before_calls.toFixed(1), group.after_calls.toFixed(1)],
        group.figure, most))))));
}
