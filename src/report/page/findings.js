// SPDX-License-Identifier: MIT
// ---- the defects that a checker found in runs ----

// The kernel, the line and the instruction of one side of a finding.
function findingSite(kernel, file, line, instruction, offset) {
  const at = offset === undefined ? "" : `+0x${offset.toString(16)}`;
  const where = file === undefined ? "" : `${file}:${line}`;
  const name = kernel === undefined ? "" : (shortNames.get(kernel) ?? kernel) + at;
  return [[name, where].filter(Boolean).join(" in "), instruction]
    .filter(Boolean).join("\n");
}

function findingFacts(of) {
  const by = of.packet === undefined ? undefined
    : of.queue === undefined ? `copy ${of.packet}`
    : `dispatch ${of.packet} of queue ${of.queue}`;
  const other = findingSite(of.otherKernel, of.otherFile, of.otherLine,
    of.otherInstruction);
  return [
    ["at", findingSite(of.kernel, of.file, of.line, of.instruction, of.offset)],
    ["in", by],
    ["address", of.place],
    ["allocated by", of.made],
    ["freed by", of.freed],
    ["called by", of.called],
    ["other", of.other === undefined ? undefined : [of.other, other].filter(Boolean).join("\n")],
    ["missing", of.missing],
  ].filter(([, text]) => text);
}

function addFinding(of) {
  const severity = of.note ? "note" : of.possible ? "possible" : "error";
  const times = of.count > 1 ? ` (${known(of.count)} times)` : "";
  return make("article", { class: `finding ${severity}` },
    make("h4", {}, `${severity} (${of.check}): ${of.kind}`),
    make("p", {}, `${of.message ?? ""}${times}`),
    make("table", { class: "facts" }, make("tbody", {},
      ...findingFacts(of).map(([name, text]) => make("tr", {},
        make("th", { scope: "row" }, name), make("td", {}, text))))));
}

function addFindings(run) {
  if (run.findings.length === 0) {
    return;
  }
  byId("findings-section").hidden = false;
  byId("findings").append(make("h3", {}, run.label),
    ...run.findings.map(addFinding));
}
