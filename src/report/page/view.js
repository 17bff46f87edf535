// SPDX-License-Identifier: MIT
// ---- the part of time that all timelines show, and its axis ----

const axisHeight = 22, labelWidth = 190;
const view = {
  from : 0,
  to : 1
}; // ns after each run's first start
let longest = 1;

function tickStep(span, width)
{
  const rough = span * 100 / width;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(
      1, [ 1, 2, 5, 10 ].map((k) => k * power).find((step) => step >= rough));
}

const axisStep = (width) => tickStep(view.to - view.from, width - labelWidth);

// Where ticks differ only behind their third digit: the time that stands once,
// at the left, and that the ticks are counted from. Else 0.
function axisBase(step)
{
  const far = Math.max(Math.abs(view.from), Math.abs(view.to));
  return far < 500 * step ? 0 : Math.max(0, Math.ceil(view.from / step) * step);
}

// At the top; its lines go down to `height`.
function drawAxis(g, width, height)
{
  const span = view.to - view.from, step = axisStep(width);
  const base = axisBase(step);
  g.fillStyle = themeColor("--quiet");
  g.strokeStyle = themeColor("--line");
  g.font = "11px system-ui, sans-serif";
  if (base > 0)
    g.fillText(`${showExact(base, step)} +`, 6, 14);
  const first = Math.ceil(view.from / step), last = Math.floor(view.to / step);
  for (let n = first; n <= last; n++) {
    const t = n * step;
    const x = labelWidth + (t - view.from) / span * (width - labelWidth);
    g.beginPath();
    g.moveTo(x, 4);
    g.lineTo(x, height);
    g.stroke();
    if (x < width - 60)
      g.fillText(base > 0 && t > base ? `+${showTick(t - base)}`
                                      : showTick(t - base),
                 x + 3, 14);
  }
}

function rangeText()
{
  const step = Math.max(1, (view.to - view.from) / 1000);
  return `${showExact(view.from, step)} to ${showExact(view.to, step)}, ` +
         `${showTime(view.to - view.from)} in all`;
}

// ---- moving ----

const calm = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
let moving = 0;

function clampView(from, to)
{
  const span = Math.min(Math.max(to - from, 100), longest * 1.02);
  const start =
      Math.min(Math.max(from, -0.01 * longest), 1.01 * longest - span);
  return [ start, start + span ];
}

function setView(from, to)
{
  [view.from, view.to] = clampView(from, to);
  drawTimelines();
}

// Glides there, unless the reader wants no motion.
function moveView(from, to)
{
  [from, to] = clampView(from, to);
  cancelAnimationFrame(moving);
  if (calm)
    return setView(from, to);
  const begin = performance.now(), a = view.from, b = view.to;
  const step = (now) => {
    const part = Math.min(1, Math.max(0, (now - begin) / 140));
    const ease = part * (2 - part);
    setView(a + (from - a) * ease, b + (to - b) * ease);
    if (part < 1)
      moving = requestAnimationFrame(step);
  };
  moving = requestAnimationFrame(step);
}

function zoomBy(factor, at = (view.from + view.to) / 2)
{
  moveView(at - (at - view.from) * factor, at + (view.to - at) * factor);
}

function panBy(part)
{
  const span = view.to - view.from;
  moveView(view.from + part * span, view.to + part * span);
}

const showAll = () => moveView(-0.01 * longest, 1.01 * longest);
