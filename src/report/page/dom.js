// SPDX-License-Identifier: MIT
// ---- the document: text is only ever set as text ----

const byId = (id) => document.getElementById(id);

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "circle", "text", "g",
    "title"].includes(tag);
  const node = svg
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value);
  }
  node.append(...children);
  return node;
}

// "1 run", "2 runs".
const countText = (count, noun, ending = "s") =>
  `${count} ${noun}${count === 1 ? "" : ending}`;

const themeColor = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const runColor = (index) => `var(--${"abcd"[index % 4]})`;

// Called again whenever colours or sizes have changed.
const redraws = [];
function onRedraw(draw) {
  redraws.push(draw);
  draw();
}
function redrawAll() {
  redraws.forEach((draw) => draw());
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  redrawAll();
}
