// SPDX-License-Identifier: MIT
// ---- the defects that a checker found in runs ----

function addFindings(run) {
  if (run.findings.length === 0) {
    return;
  }
  byId("findings-section").hidden = false;
  byId("findings").append(
    make("h3", {}, run.label),
    codeTable(`Findings of ${run.label}`,
      ["finding", "times", "kernel", "line", "instruction", "other", "missing"],
      run.findings.map((of) => [
        `${of.note ? "note: " : of.possible ? "possible " : ""}${of.kind}: ${of.message ?? ""}`,
        known(of.count), shortNames.get(of.kernel) ?? of.kernel ?? "",
        of.file === undefined ? "" : `${of.file}:${of.line}`,
        of.instruction ?? "", of.other ?? "", of.missing ?? ""])));
}
