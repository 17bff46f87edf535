// SPDX-License-Identifier: MIT
// ---- tables that any of their columns sorts ----

// A column: title, value (of a row, sorted by), show (its text; a node is put
// as it is), text: it is a name, title of a cell: the whole name.
const numberColumn = (title, value, show) =>
  ({title, value, show: (row) => show(value(row))});

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

// Fills a table element. `rowsOf(column, down)` gives the rows to show, in
// order; `act(row)`, if there is one, is what a click on a name does.
// Returns a function that fills it again.
function sortedTable(table, columns, first, rowsOf, act) {
  const state = {column: first, down: !columns[first].text};
  const head = make("tr"), body = make("tbody");
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
  table.replaceChildren(make("thead", {}, head), body);

  function cellOf(row, column) {
    const shown = column.show(row);
    if (!column.text) return make("td", {}, shown);
    if (!act) return make("td", {class: "name", title: row.name}, shown);
    const button = make("button", {type: "button", class: "link"}, shown);
    button.addEventListener("click", () => act(row));
    return make("td", {class: "name", title: row.name}, button);
  }
  function fill() {
    headers.forEach((cell, at) => cell.setAttribute("aria-sort",
      at !== state.column ? "none" : state.down ? "descending" : "ascending"));
    body.replaceChildren(...rowsOf(columns[state.column], state.down)
      .map((row) => make("tr", {}, ...columns.map((c) => cellOf(row, c)))));
  }
  fill();
  return fill;
}

function scrollBox(label, node) {
  return make("div", {class: "scroll", tabindex: "0", role: "region",
    "aria-label": label}, node);
}

const nameColumn = {title: "Kernel", value: (row) => row.name,
  show: (row) => shortNames.get(row.name) ?? row.name, text: true};

// ---- the table of kernels ----

function kernelColumns() {
  const columns = [nameColumn];
  runs.forEach((run, at) => {
    const add = (title, key, show) => columns.push(numberColumn(
      runs.length > 1 ? `${run.label}: ${title}` : title,
      (row) => row.stats[at]?.[key] ?? NaN, show));
    add("calls", "calls", showCount);
    add("total \u00b5s", "total", microseconds);
    add("mean \u00b5s", "mean", microseconds);
    add("p50 \u00b5s", "p50", microseconds);
    add("p99 \u00b5s", "p99", microseconds);
  });
  return columns;
}

function kernelRows() {
  const perRun = runs.map(kernelsOf);
  const names = new Set(perRun.flatMap((kernels) => [...kernels.keys()]));
  return [...names].map((name) =>
    ({name, stats: perRun.map((kernels) => kernels.get(name))}));
}

function startTable() {
  const columns = kernelColumns(), rows = kernelRows();
  const fill = sortedTable(byId("kernels"), columns,
    Math.min(2, columns.length - 1), (column, down) => {
      const wanted = byId("filter").value.toLowerCase();
      const kept = rows.filter((row) =>
        `${row.name}\n${shortNames.get(row.name)}`.toLowerCase()
          .includes(wanted)).sort(compareBy(column, down));
      byId("shown").textContent = `${kept.length} of ` +
        countText(rows.length, "kernel");
      return kept;
    }, (row) => findText(row.name));
  byId("filter").addEventListener("input", fill);
}
