// SPDX-License-Identifier: MIT
// ---- the page ----

function addCard(run, at) {
  const list = make("dl");
  const tell = (term, value) => {
    if (value === null || value === "") return;
    list.append(make("dt", {}, term), make("dd", {}, String(value)));
  };
  tell("run", run.id);
  tell("kind", run.kind);
  tell("dispatches", run.count);
  tell("first start to last end", showTime(run.makespan));
  tell("GPU", run.devices.map((device) => device.name || device.gfx)
    .filter(Boolean).join(", "));
  tell("queues", run.queues.length);
  tell("source", run.source);
  tell("replays run", run.origin);
  tell("device model", run.device_model);
  tell("its constants are", run.model_verdict);
  tell("model hash", run.model_hash);
  tell("seed", run.kind === "simulated" ? run.seed : null);
  tell("command", run.command);
  tell("aqueduct", run.version);
  tell("durations", run.durations);
  tell("recorded", run.recorded);
  if (run.truncated) tell("trace", "truncated: what followed the cut is missing");
  if (!run.complete) tell("state", "incomplete: its writer did not finish");
  byId("runs").append(make("div", {class: "card",
    style: `border-left-color:${runColor(at)}`},
  make("h3", {}, run.label), list));
}

function addModel(run) {
  if (run.constants.length === 0) return;
  const body = make("tbody");
  for (const c of run.constants) {
    body.append(make("tr", {}, make("td", {}, c.key),
      make("td", {}, `${c.value} ${c.unit}`),
      make("td", {class: "text"}, c.source)));
  }
  byId("models").append(
    make("h3", {}, `${run.device_model}, for ${run.label}`),
    make("div", {class: "scroll", tabindex: "0", role: "region",
      "aria-label": `Constants of ${run.device_model}`},
    make("table", {}, make("thead", {}, make("tr", {},
      ...["constant", "value", "source"].map((title) =>
        make("th", {scope: "col"}, title)))), body)));
}

function start() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  byId("title").textContent =
    `Aqueduct: ${runs.map((run) => run.label).join(" and ")}`;
  byId("subtitle").textContent =
    `${runs.reduce((sum, run) => sum + run.count, 0)} dispatches in ` +
    `${runs.length} run${runs.length > 1 ? "s" : ""}`;
  drawDiagnosis();
  drawWhatIfs();
  runs.forEach(addCard);
  startTimelines();
  drawCharts();
  startTable();
  runs.forEach(addCode);
  runs.forEach(addModel);
  if (!byId("models").hasChildNodes()) {
    byId("models").textContent = "No run here is of a device model whose " +
      "constants are known to this build.";
  }
  byId("theme").addEventListener("click", () => setTheme(
    document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", (event) =>
    setTheme(event.matches ? "dark" : "light"));
  window.addEventListener("resize", redrawAll);
}

start();
