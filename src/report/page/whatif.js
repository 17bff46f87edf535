// SPDX-License-Identifier: MIT
// ---- the table of what-ifs, as `aqueduct whatif --json` prints it ----

const pathParts = ["kernels", "copies", "dispatch", "host", "return",
                   "unknown"];

// "kernels 40 %, host 60 %": the parts of a path that show.
function pathText(path) {
  return pathParts.map((part) => [part, path[`${part}_ns`] / path.makespan_ns])
    .filter(([, share]) => share >= 0.005)
    .map(([part, share]) => `${part} ${showPercent(100 * share)}`).join(", ");
}

function whatIfRow(row) {
  const sign = row.percent > 0 ? "+" : "";
  return make("tr", {}, make("td", {class: "nowrap"}, row.change),
    make("td", {}, showTime(row.before_ns)),
    make("td", {}, showTime(row.after_ns)),
    make("td", {}, `${sign}${row.percent.toFixed(2)} %`),
    make("td", {}, `${showTime(row.least_ns)} to ${showTime(row.most_ns)}`),
    make("td", {class: "text"}, pathText(row.critical_path_before)),
    make("td", {class: "text"}, pathText(row.critical_path_after)),
    make("td", {class: "text"}, row.predicted &&
      !row.basis.startsWith("predicted") ? `predicted; ${row.basis}`
      : row.basis));
}

// The change that shortens the run most, in words; null where none does.
function bestChange(run) {
  if (run.whatif === null) return null;
  const single = run.whatif.changes.filter((row) =>
    row.change !== "none" && row.change !== "all" && row.percent < -0.05);
  const [best] = single.sort((x, y) => x.percent - y.percent);
  return best ?? null;
}

function bestChangeSentence(run) {
  if (run.whatif === null) return null;
  const best = bestChange(run), tried = run.whatif.changes
    .filter((row) => row.change !== "none" && row.change !== "all");
  const words = tried.map((row) => row.change).join(", ");
  if (best === null) {
    return make("p", {}, make("strong", {}, "None of these would help"),
      `: ${words}.`);
  }
  const least = showTime(best.least_ns), most = showTime(best.most_ns);
  return make("p", {}, make("strong", {}, "What would help most: ",
    make("code", {}, best.change)), `, by ${(-best.percent).toFixed(1)} % of ` +
    `the makespan, to ${least === most ? least
      : `between ${least} and ${most}`}. Tried: ${words}.`);
}

function drawWhatIfs() {
  for (const run of runs) {
    if (run.whatif_note !== null) {
      byId("whatif").hidden = false;
      byId("whatif").append(make("p", {class: "quiet"}, `${run.label}: ` +
        run.whatif_note));
    }
    if (run.whatif === null) continue;
    byId("whatif").hidden = false;
    const caveats = [...run.whatif.caveats, run.whatif.replay_caveat ?? ""]
      .filter((text) => text !== "");
    const titles = ["change", "before", "after", "change", "range",
      "critical path before", "critical path after", "based on"];
    const words = titles.slice(-3);
    byId("whatif").append(
      make("p", {}, `${run.label}, replayed in a closed loop; the unchanged ` +
        `replay is off by ${showPercent(100 * run.whatif.replay_error)}, which ` +
        "every range contains."),
      ...caveats.map((text) => make("p", {class: "quiet"}, text)),
      make("div", {class: "scroll", tabindex: "0", role: "region",
        "aria-label": `What-ifs of ${run.label}`},
      make("table", {}, make("thead", {}, make("tr", {},
        ...titles.map((title) => make("th", {scope: "col",
        class: words.includes(title) ? "text" : ""}, title)))),
      make("tbody", {}, ...run.whatif.changes.map(whatIfRow)))));
  }
}
