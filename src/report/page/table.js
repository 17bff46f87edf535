// SPDX-License-Identifier: MIT
// ---- the table of kernels: sorted by any column, filtered by name ----

function kernelColumns() {
  const columns = [{title: "Kernel", value: (row) => row.name,
    show: (row) => shortNames.get(row.name) ?? row.name, text: true}];
  runs.forEach((run, at) => {
    const of = (key) => (row) => row.stats[at]?.[key] ?? NaN;
    const add = (title, key, show) => columns.push({
      title: runs.length > 1 ? `${run.label}: ${title}` : title,
      value: of(key), show: (row) => show(of(key)(row))});
    add("calls", "calls", (n) => Number.isFinite(n) ? String(n) : "");
    add("total \u00b5s", "total", microseconds);
    add("mean \u00b5s", "mean", microseconds);
    add("p50 \u00b5s", "p50", microseconds);
    add("p99 \u00b5s", "p99", microseconds);
  });
  if (runs.length > 1) {
    const change = (row) => row.stats[1] && row.stats[0]
      ? (row.stats[1].mean / row.stats[0].mean - 1) * 100 : NaN;
    columns.push({title: "mean, second to first", value: change,
      show: (row) => Number.isFinite(change(row))
        ? `${change(row) > 0 ? "+" : ""}${change(row).toFixed(1)} %` : ""});
  }
  return columns;
}

function kernelRows() {
  const perRun = runs.map(kernelsOf);
  const names = new Set(perRun.flatMap((kernels) => [...kernels.keys()]));
  return [...names].map((name) =>
    ({name, stats: perRun.map((kernels) => kernels.get(name))}));
}

function compareBy(column, down) {
  return (a, b) => {
    const x = column.value(a), y = column.value(b);
    if (column.text) return (down ? -1 : 1) * (x < y ? -1 : x > y ? 1 : 0);
    if (Number.isNaN(x) || Number.isNaN(y)) {
      return Number.isNaN(x) - Number.isNaN(y);
    }
    return down ? y - x : x - y;
  };
}

function startTable() {
  const columns = kernelColumns(), rows = kernelRows();
  const state = {column: Math.min(2, columns.length - 1), down: true};
  const head = make("tr"), body = byId("kernels").tBodies[0];
  const headers = columns.map((column, at) => {
    const button = make("button", {type: "button"}, column.title);
    button.addEventListener("click", () => {
      state.down = state.column === at ? !state.down : !column.text;
      state.column = at;
      fill();
    });
    const cell = make("th", {scope: "col"}, button);
    head.append(cell);
    return cell;
  });
  byId("kernels").tHead.append(head);

  function fill() {
    const wanted = byId("filter").value.toLowerCase();
    const kept = rows.filter((row) =>
      `${row.name}\n${shortNames.get(row.name)}`.toLowerCase().includes(wanted))
      .sort(compareBy(columns[state.column], state.down));
    headers.forEach((cell, at) => cell.setAttribute("aria-sort",
      at !== state.column ? "none" : state.down ? "descending" : "ascending"));
    body.replaceChildren(...kept.map((row) => make("tr", {},
      ...columns.map((column) => make("td",
        column.text ? {class: "name", title: row.name} : {},
        column.show(row))))));
    byId("shown").textContent = `${kept.length} of ${rows.length} kernels`;
  }
  byId("filter").addEventListener("input", fill);
  fill();
}
