// SPDX-License-Identifier: MIT
// ---- the first screen: where each run's time went, in words and as bars ----

// A colour for each cause; running work is calm, waiting is warm.
const causeColors = {
  kernels : "#2e7d4f",
  copies : "#3f8fb5",
  tail : "#9bc28d",
  launch : "#d1603d",
  sync : "#b5478a",
  barrier : "#8b3fa8",
  queue : "#7a5c2e",
  dispatch : "#d9a441",
  policy : "#5b6abf",
  unexplained : "#8a8a8a",
  unknown : "#b9b9b9",
  communication : "#2f6f8f",
  host : "#e0937a",
  loading : "#a8452a",
  outside : "#d5d0c8",
};

// Black or white, whichever has the higher contrast on a colour #rrggbb.
function textOn(color) {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

function showPercent(share) {
  return share > 0 && share < 0.1 ? "< 0.1 %"
    : `${share.toFixed(share < 10 ? 1 : 0)} %`;
}

function bar(parts, label) {
  const node = make("div", {class: "shares", role: "img", "aria-label": label});
  for (const part of parts) {
    const text = `${part.name}: ${showPercent(part.percent)}, ` +
      showTime(part.time);
    const piece = make("span", {title: text,
      style: `flex-basis:${part.percent}%;background:${part.color};` +
        `color:${textOn(part.color)}`});
    if (part.percent >= 9) piece.textContent = part.name;
    node.append(piece);
  }
  return node;
}

function causeSentence(run) {
  const {explanation} = run;
  const [cause, next] = [explanation.largest, explanation.next].map((name) =>
    explanation.causes.find((c) => c.name === name));
  const share = (c) => `${showPercent(c.percent)} ${c.share}`;
  if (!cause) {
    return make("p", {}, make("strong", {},
      `${run.label}: ${explanation.verdict}`));
  }
  const sentence = make("p", {}, make("strong", {},
    `${run.label}: ${share(cause)}` + (next ? `, then ${share(next)}` : "") +
    `: ${explanation.verdict}`));
  sentence.append(`. ${cause.meaning[0].toUpperCase()}` +
    `${cause.meaning.slice(1)}. The longest case took ${showTime(cause.worst)}`);
  if (cause.worst_name !== null) {
    sentence.append(", at ", make("code", {title: cause.worst_name},
      shortNames.get(cause.worst_name) ?? cause.worst_name));
  }
  sentence.append(".");
  return sentence;
}

function causeLegend(causes) {
  const list = make("ul", {class: "legend"});
  for (const cause of causes) {
    list.append(make("li", {}, make("span", {class: "key",
      style: `background:${causeColors[cause.name]}`}),
    make("strong", {}, `${cause.name} ${showPercent(cause.percent)}`),
    ` ${showTime(cause.time)}: ${cause.meaning}`));
  }
  return list;
}

// What no record gives.
function unknowns({unsized_devices: devices, shapeless_kernels: kernels}) {
  const lines = [];
  if (devices > 0) {
    lines.push(`CU count of ${countText(devices, "device")} unknown: no tail ` +
      "computed there.");
  }
  if (kernels > 0) {
    lines.push(`${countText(kernels, "kernel")} without a recorded grid: no ` +
      "tail computed.");
  }
  return lines.map((line) => make("p", {class: "quiet"}, line));
}

const TOP = 5;

function topKernels(run) {
  const kernels = [...kernelsOf(run)].sort((a, b) => b[1].total - a[1].total);
  const all = kernels.reduce((sum, [, k]) => sum + k.total, 0);
  const list = make("ol", {class: "top"});
  for (const [name, k] of kernels.slice(0, TOP)) {
    const percent = all > 0 ? 100 * k.total / all : 0;
    list.append(make("li", {},
      make("code", {title: name}, shortNames.get(name) ?? name),
      make("span", {class: "meter"}, make("span",
        {style: `width:${percent}%`})),
      make("span", {class: "quiet"}, `${showPercent(percent)}, ` +
        `${showTime(k.total)} in ${countText(k.calls, "call")}`)));
  }
  const rest = kernels.length - TOP;
  const title = rest > 0
    ? `The ${TOP} longest of ${kernels.length} kernels and copies`
    : "Kernels and copies";
  return make("div", {}, make("h4", {}, title), list);
}

function drawDiagnosis() {
  for (const run of runs) {
    const part = make("div", {class: "diagnosis"});
    byId("diagnosis").append(part);
    if (run.explanation === null) {
      part.append(make("p", {}, make("strong", {}, run.label),
        " has no dispatch with a start and an end."));
      continue;
    }
    const {causes} = run.explanation;
    part.append(causeSentence(run), keyNumbers(run),
      bar(causes.map((c) => ({...c, color: causeColors[c.name]})),
        `Shares of the time of ${run.label}`),
      causeLegend(causes), ...unknowns(run.explanation), ...stepStrip(run),
      ...familyBar(run), ...[bestChangeSentence(run)].filter(Boolean), topKernels(run));
  }
}
