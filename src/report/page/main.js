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
  tell("part", run.part);
  tell("dispatches", run.count);
  tell("first start to last end", showTime(timeOf(run)));
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
  tell("damaged", run.damage);
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
      ...["constant", "value", "source"].map((title) => make("th",
        {scope: "col", class: title === "source" ? "text" : ""},
        title)))), body)));
}

// Why the constants of a simulated run are not here.
function addUnknownModels() {
  const others = runs.filter((run) => run.constants.length === 0);
  for (const run of others) {
    byId("models").append(make("p", {class: "quiet"}, run.device_model === null
      ? `${run.label} is measured: it has no device model.`
      : `${run.label} was simulated with ${run.device_model}, whose constants ` +
        "are not those of this build."));
  }
}

function titleText() {
  const labels = (ids) => runs.filter((run) => ids.includes(run.id))
    .map((run) => run.label).join(", ");
  return page.versions
    ? `${labels(page.versions.after)} against ${labels(page.versions.before)}`
    : runs.map((run) => run.label).join(" and ");
}

// First the first screen, then the rest, so that a large page answers early.
const steps = [
  () => { drawDiagnosis(); drawVersions(); drawWhatIfs(); },
  drawGroups,
  () => {
    runs.forEach(addSteps);
    runs.forEach(addCommunication);
    runs.forEach(addRoofline);
    runs.forEach(addMemory);
  },
  startTimelines, drawCharts, startTable, drawDifferences,
  () => {
    runs.forEach(addCode);
    runs.forEach(addFindings);
    runs.forEach(addCard);
    runs.forEach(addModel);
    addUnknownModels();
  },
];

function takeSteps() {
  const step = steps.shift();
  if (!step) {
    document.documentElement.dataset.ready = "yes";
    return;
  }
  step();
  setTimeout(takeSteps, 0);
}

function start() {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
  byId("title").textContent = `Aqueduct: ${titleText()}`;
  byId("subtitle").textContent =
    `${countText(runs.reduce((sum, run) => sum + run.count, 0), "dispatch", "es")}` +
    ` in ${countText(runs.length, "run")}`;
  byId("theme").addEventListener("click", () => setTheme(
    document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", (event) =>
    setTheme(event.matches ? "dark" : "light"));
  window.addEventListener("resize", redrawAll);
  window.addEventListener("beforeprint", () => setTheme("light"));
  takeSteps();
}

start();
