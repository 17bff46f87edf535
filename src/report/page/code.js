// SPDX-License-Identifier: MIT
// ---- the code that runs executed, where its instructions were counted ----

const known = (value) => value === undefined ? "" : value.toLocaleString("en");

function codeTable(label, titles, rows) {
  const body = make("tbody");
  for (const cells of rows) {
    body.append(make("tr", {}, ...cells.map((cell, at) =>
      make("td", at === 0 ? {class: "text"} : {}, String(cell)))));
  }
  return make("div", {class: "scroll", tabindex: "0", role: "region",
    "aria-label": label},
  make("table", {}, make("thead", {}, make("tr", {},
    ...titles.map((title) => make("th", {scope: "col"}, title)))), body));
}

function classCells(sum, all) {
  const lanes = sum.vector_issued > 0
    ? (sum.lanes / sum.vector_issued).toFixed(1) : "";
  return [sum.class, known(sum.instructions), known(sum.issued),
    all.issued > 0 ? (100 * sum.issued / all.issued).toFixed(1) : "", lanes,
    known(sum.segments), known(sum.segments_least), known(sum.bank_cycles),
    known(sum.bank_cycles_least)];
}

function addCode(run) {
  for (const kernel of run.code) {
    const all = kernel.classes[kernel.classes.length - 1];
    const name = shortNames.get(kernel.kernel) ?? kernel.kernel;
    byId("code-section").hidden = false;
    byId("code").append(
      make("h3", {}, make("code", {title: kernel.kernel}, name),
        ` on ${kernel.gfx}, ${run.label}`),
      codeTable(`Classes of instructions of ${name}`,
        ["class", "instructions", "issued", "%", "lanes", "segments", "least",
          "bank cycles", "least"],
        kernel.classes.map((sum) => classCells(sum, all))),
      codeTable(`Instructions of ${name} that waves issued most often`,
        ["instruction", "offset", "issued"],
        kernel.hottest.map((line) => [line.text,
          `+0x${line.offset.toString(16)}`, known(line.issued)])));
  }
}
