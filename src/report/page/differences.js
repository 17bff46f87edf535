// SPDX-License-Identifier: MIT
// ---- what differs between two runs, by kernel and by dispatch ----

const MOST = 200; // dispatches of a table

const percentOf = (before, after) =>
  before > 0 ? (after / before - 1) * 100 : NaN;
const showPercentChange = (value) => Number.isFinite(value)
  ? withSign(`${value.toFixed(1)} %`, value) : "";

function kernelDifferences(a, b) {
  const was = kernelsOf(a), is = kernelsOf(b);
  const columns = [nameColumn,
    numberColumn(`${a.label}: calls`, (row) => row.was?.calls ?? NaN, showCount),
    numberColumn(`${b.label}: calls`, (row) => row.is?.calls ?? NaN, showCount),
    numberColumn(`${a.label}: total \u00b5s`, (row) => row.was?.total ?? NaN,
      microseconds),
    numberColumn(`${b.label}: total \u00b5s`, (row) => row.is?.total ?? NaN,
      microseconds),
    numberColumn("difference \u00b5s", (row) => row.difference, (value) =>
      withSign(microseconds(value), value)),
    {...numberColumn("size", (row) => Math.abs(row.difference), microseconds),
      title: "its size \u00b5s"},
    numberColumn("change of the mean", (row) => row.change, showPercentChange)];
  const rows = [...new Set([...was.keys(), ...is.keys()])].map((name) => ({
    name, was: was.get(name), is: is.get(name),
    difference: (is.get(name)?.total ?? 0) - (was.get(name)?.total ?? 0),
    change: percentOf(was.get(name)?.mean ?? 0, is.get(name)?.mean ?? NaN)}));
  const table = make("table");
  sortedTable(table, columns, 6, (column, down) =>
    [...rows].sort(compareBy(column, down)), (row) => findText(row.name));
  return table;
}

// The rows with the most (or the least) of a column, without sorting all.
function extremes(count, valueOf, down) {
  const values = new Float64Array(count), sign = down ? -1 : 1;
  for (let k = 0; k < count; k++) values[k] = sign * valueOf(k);
  const limit = values.slice().sort()[Math.min(count, MOST) - 1];
  const kept = [];
  for (let k = 0; k < count; k++) if (values[k] <= limit) kept.push(k);
  return kept.sort((x, y) => values[x] - values[y] || x - y).slice(0, MOST);
}

function dispatchDifferences(pair) {
  const {a, b, timed} = pair, errors = endErrors(pair, timed);
  const lasts = (run, i) => run.columns.end[i] - run.columns.start[i];
  const index = (k) => timed[k];
  const value = {
    row: (k) => a.columns.row[index(k)[0]],
    was: (k) => lasts(a, index(k)[0]), is: (k) => lasts(b, index(k)[1]),
    longer: (k) => value.is(k) - value.was(k),
    late: (k) => errors[k], size: (k) => Math.abs(errors[k]),
  };
  const show = {row: showCount, was: microseconds, is: microseconds};
  const signed = (v) => withSign(microseconds(v), v);
  const numbered = (title, key) =>
    ({...numberColumn(title, (row) => value[key](row.k), show[key] ?? signed),
      key});
  const columns = [nameColumn, numbered("row", "row"),
    numbered(`${a.label}: duration \u00b5s`, "was"),
    numbered(`${b.label}: duration \u00b5s`, "is"),
    numbered("longer \u00b5s", "longer"), numbered("ends later \u00b5s", "late"),
    {...numbered("its size \u00b5s", "size"),
      show: (row) => microseconds(value.size(row.k))}];
  const table = make("table");
  sortedTable(table, columns, columns.length - 1, (column, down) => {
    const kept = column.text
      ? timed.map((_, k) => k).sort((x, y) => (down ? -1 : 1) *
        (nameOf(a, timed[x][0]) < nameOf(a, timed[y][0]) ? -1
          : nameOf(a, timed[x][0]) > nameOf(a, timed[y][0]) ? 1 : x - y))
        .slice(0, MOST)
      : extremes(timed.length, value[column.key], down);
    return kept.map((k) => ({k, name: nameOf(a, timed[k][0])}));
  }, (row) => showDispatch(a, timed[row.k][0]));
  return table;
}

function addDifferences(a, b, pair) {
  const words = `${b.label} against ${a.label}`;
  byId("differences").append(make("h3", {}, `${words}, by kernel`),
    scrollBox(`Differences by kernel, ${words}`, kernelDifferences(a, b)));
  if (!pair || pair.timed.length === 0) return;
  const shown = Math.min(MOST, pair.timed.length);
  byId("differences").append(make("h3", {}, `${words}, by dispatch`),
    make("p", {class: "quiet"}, `${shown} of ` +
      `${countText(pair.timed.length, "dispatch", "es")} that the simulator ` +
      "timed: the first of the chosen order. A name shows the dispatch in the " +
      "timeline."),
    scrollBox(`Differences by dispatch, ${words}`, dispatchDifferences(pair)));
}

function drawDifferences() {
  const chosen = pairs.length > 0 ? pairs.map((pair) => [pair.a, pair.b, pair])
    : runs.slice(1).map((run) => [runs[0], run, null]);
  byId("differences-section").hidden = chosen.length === 0;
  chosen.forEach(([a, b, pair]) => addDifferences(a, b, pair));
}
