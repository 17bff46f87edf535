#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses the timelines, tables and pictures of reports in Chromium, as TAP.

drive_timeline.py TIMELINE-PAGE VERSIONS-PAGE SCREENS [--write]: the first page
has timeline.jsonl beside its replay, the second one two versions. --write keeps
the screens instead of comparing them.
"""
import sys
import time

from browser import Browser, Tap
from screens import Screens

SHIFT, ENTER = "\ue008", "\ue007"

# Texts whose contrast with their background is below 4.5 (WCAG AA).
CONTRAST = """
const part = (v) => (v /= 255) <= 0.04045 ? v / 12.92
  : ((v + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) +
  0.0722 * part(b);
const color = (text) => text.match(/[\\d.]+/g).map(Number);
const behind = (node) => {
  for (; node; node = node.parentElement) {
    const c = color(getComputedStyle(node).backgroundColor);
    if (c.length < 4 || c[3] === 1) return c;
  }
  return [255, 255, 255];
};
const low = [];
let seen = 0;
for (const node of document.querySelectorAll('body *')) {
  const own = [...node.childNodes].some((n) => n.nodeType === 3 &&
    n.textContent.trim());
  if (!own || !node.checkVisibility()) continue;
  const style = getComputedStyle(node);
  const front = light(color(node instanceof SVGElement ? style.fill
    : style.color)), back = light(behind(node));
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  seen++;
  if (ratio < 4.5) low.push([ratio.toFixed(2), node.tagName, node.className,
    node.textContent.slice(0, 30)]);
}
return [seen, low.slice(0, 5)];
"""


def settled(browser, selector, seen=None):
    """A text once it differs from `seen` and stays."""
    last = None
    for _ in range(60):
        now = browser.text(selector)
        if now != seen and now == last:
            return now
        last = now
        time.sleep(0.05)
    return browser.text(selector)


def height(browser, seen=None, canvas=0):
    """The height of a run's lanes, once it differs from `seen`: the page draws
    when its next frame is due, which may be late on a busy machine."""
    for _ in range(60):
        now = browser.run("return document.querySelectorAll('#lanes canvas')"
                          f"[{canvas}].clientHeight")
        if now != seen:
            break
        time.sleep(0.05)
    return now


def drag(browser, canvas, from_x, to_x, y, key=None):
    """With the mouse, over a canvas, in pixels from its top left corner."""
    size = browser.run("const r = document.querySelectorAll('#lanes canvas')"
                       "[arguments[0]].getBoundingClientRect();"
                       "return [r.width, r.height]", canvas)
    found = browser.call("POST", "/elements", {
        "using": "css selector", "value": "#lanes canvas"})[canvas]

    def at(x):
        return {"type": "pointerMove", "duration": 0, "origin": found,
                "x": round(x - size[0] / 2), "y": round(y - size[1] / 2)}
    pointer = [at(from_x), {"type": "pointerDown", "button": 0}, at(to_x),
               {"type": "pointerUp", "button": 0}]
    actions = [{"type": "pointer", "id": "mouse", "actions": pointer}]
    if key:
        pause = {"type": "pause", "duration": 0}
        actions.append({"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, pause, pause, pause,
            {"type": "keyUp", "value": key}]})
        pointer.insert(0, pause)
        actions[1]["actions"].insert(1, pause)
    browser.call("POST", "/actions", {"actions": actions})
    browser.call("DELETE", "/actions")


def use_bands(browser, tap):
    """Kinds of lines come and go with their boxes."""
    every = height(browser)
    browser.click("#show-host")
    without = height(browser, every)
    tap.check("a box hides the host's calls: a heading and two threads",
              every - without == 23 + 2 * 19, [every, without])
    browser.click("#show-host")
    height(browser, without)
    fewer = height(browser, canvas=1)
    browser.click("#show-counters")
    more = height(browser, fewer, canvas=1)
    tap.check("a box shows the counters of the run that has some",
              more > every + 10 * 33 and height(browser) == every,
              [every, more])
    browser.click("#show-counters")
    height(browser, more, canvas=1)
    browser.click("#by-stream")
    tap.check("by stream there are as many lines as by queue here",
              height(browser) == every, [every, height(browser)])
    browser.click("#by-stream")


def use_pick(browser, tap, screens):
    """A click shows a dispatch beside its partner."""
    browser.keys("#lanes canvas", "n" * 8)
    told = settled(browser, "#picked", "")
    tap.check("a picked dispatch has its times beside its partner's",
              "m, GPU" in told and "Its partner is marked" in told and
              "later or longer" in told, told)
    tap.check("and the dependency that it waited for",
              "Waited for row" in told, told)
    names = browser.run("return [...document.querySelectorAll('#picked th')]"
                        ".map(cell => cell.textContent)")
    tap.check("the times are those of both runs", names[1:3] == ["m", "s"],
              names)
    screens.take("picked", browser, "#lanes")
    where = settled(browser, "#range")
    for _ in range(6):
        browser.keys("#lanes canvas", "+")
        where = settled(browser, "#range", where)
    browser.keys("#lanes canvas", "p")
    settled(browser, "#range", where)
    screens.take("zoomed", browser, "#lanes")
    browser.keys("#lanes canvas", "0")
    settled(browser, "#range", where)
    browser.keys("#lanes canvas", "\ue00c")
    tap.check("Escape lets go of it", "Click a dispatch" in
              settled(browser, "#picked", told))
    # The first dispatch of the second run: its queue's line is the fourth.
    drag(browser, 1, 200, 200, 128)
    tap.check("a click picks what is under the mouse, in either run",
              "s, GPU 0, queue 0" in settled(browser, "#picked"),
              browser.text("#picked"))
    browser.click("#clear")


def use_search(browser, tap, screens):
    browser.keys("#find", "softmax")
    told = settled(browser, "#matches", "")
    tap.check("a search counts the dispatches in each run",
              told == "m: 8, s: 8 dispatches", told)
    browser.keys("#find", ENTER)
    picked = settled(browser, "#picked")
    tap.check("and goes to the first", "softmax" in picked, picked)
    browser.click("#find-next")
    tap.check("and to the next", settled(browser, "#picked", picked) != picked)
    browser.click("#zoom-all")
    time.sleep(0.4)
    screens.take("found", browser, "#lanes")
    browser.run("const f = document.getElementById('find'); f.value = '';"
                "f.dispatchEvent(new Event('input'))")
    browser.click("#clear")


def use_range(browser, tap):
    """Totals of a selected range, by mouse and by keyboard."""
    browser.click("#select-view")
    told = settled(browser, "#selection", "")
    cells = browser.run("return [...document.querySelectorAll("
                        "'#selection tbody tr')].map(r => [...r.cells]"
                        ".map(c => c.textContent))")
    tap.check("the totals of everything are those of both runs",
              [row[:2] for row in cells] == [["m", "48"], ["s", "48"]], cells)
    browser.click("#clear")
    tap.check("Clear takes the range away",
              settled(browser, "#selection", told) == "")
    drag(browser, 0, 400, 700, 60, SHIFT)
    part = settled(browser, "#selection", "")
    tap.check("a drag with Shift selects a part",
              "Selected: " in part and "of everything" not in part, part)
    few = browser.run("return document.querySelector('#selection td')"
                      ".textContent")
    tap.check("in which fewer dispatches ran", 0 < int(few) < 48, few)
    browser.click("#clear")
    browser.keys("#lanes canvas", "nnn[nn]")
    told = settled(browser, "#selection", "")
    tap.check("the keyboard sets the ends of the range at a dispatch",
              "Selected: " in told, told)
    browser.click("#clear")


def use_marked(browser, tap, screens):
    """A range that the program marked is selected by a click."""
    drag(browser, 0, 400, 400, 55)  # of the first thread, below the heading
    told = settled(browser, "#selection", "")
    picked = browser.text("#picked")
    tap.check("a click on a range of the program selects its time",
              "Selected: step 1, " in told, [told, picked])
    words = picked.split(" dispatches")[0].rsplit(" ", 1)
    tap.check("and counts what its thread submitted within it",
              "Its calls submitted" in words[0] and 4 < int(words[1]) < 48,
              picked)
    cells = browser.run("return [...document.querySelectorAll('#selection "
                        "tbody tr')].map(r => r.cells[1].textContent)")
    tap.check("the table has the dispatches of each run in that time",
              len(cells) == 2 and all(0 < int(c) < 48 for c in cells), cells)
    screens.take("range", browser, "#timelines")
    browser.click("#clear")


def use_differences(browser, tap):
    rows = browser.run("return [...document.querySelectorAll('#differences "
                       "table')].map(t => [...t.tBodies[0].rows].map(r =>"
                       " [...r.cells].map(c => c.textContent)))")
    sizes = [float(row[6]) for row in rows[1]]
    tap.check("the dispatches that differ most come first",
              len(sizes) > 40 and sizes == sorted(sizes)[::-1] and sizes[0] > 0,
              sizes)
    browser.click("#differences .scroll:last-child thead th:nth-child(3) "
                  "button")
    lasts = browser.run("return [...document.querySelectorAll('#differences "
                        ".scroll:last-child tbody tr')].map(r =>"
                        " parseFloat(r.cells[2].textContent))")
    tap.check("another column sorts them",
              lasts == sorted(lasts)[::-1] and lasts[0] > lasts[-1], lasts)
    browser.click("#differences .scroll:last-child tbody .link")
    tap.check("a name shows the dispatch in the timeline", "m, GPU" in
              settled(browser, "#picked"))
    browser.click("#clear")
    browser.click("#zoom-all")
    constants = browser.text("#models")
    tap.check("a run on two devices has the constants of its model",
              "mi300x*2, for s" in constants and "dispatch_setup" in constants,
              constants[:200])
    tap.check("and the measured one is said to have none",
              "m is measured" in constants, constants[-200:])


def use_versions(browser, tap, page, screens):
    browser.open(page)
    told = browser.text("#versions")
    tap.check("two versions are judged in a sentence", "The makespan is longer "
              "by" in told and "95 % interval" in told, told[:200])
    rows = browser.run("return [...document.querySelectorAll('#versions tbody "
                       "tr')].map(r => [...r.cells].map(c => c.textContent))")
    judged = {row[0]: row[-1] for row in rows}
    tap.check("and each kernel in a row", judged.get("slower_one") == "longer"
              and judged.get("steady_one") == "within the noise", judged)
    screens.take("versions", browser, "#versions-section")


def check_contrast(browser, tap, theme):
    browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
    seen, low = browser.run(CONTRAST)
    tap.check(f"every text has a contrast of 4.5 in the {theme} theme",
              seen > 100 and not low, [seen, low])


def main():
    write = "--write" in sys.argv
    timeline, versions, folder = [arg for arg in sys.argv[1:]
                                  if arg != "--write"]
    screens = Screens(folder, write)
    browser, tap = Browser(), Tap()
    try:
        browser.open(timeline)
        for name, width, height in (("small", 1000, 700), ("phone", 390, 844),
                                    ("first", 1300, 1000)):
            browser.resize(width, height)
            screens.take(name, browser)
        screens.take("timelines", browser, "#lanes")
        use_bands(browser, tap)
        use_pick(browser, tap, screens)
        use_search(browser, tap, screens)
        use_range(browser, tap)
        use_marked(browser, tap, screens)
        use_differences(browser, tap)
        for theme in ("light", "dark"):
            check_contrast(browser, tap, theme)
        use_versions(browser, tap, versions, screens)
        bad = browser.console()
        tap.check("the console has no error", not bad, bad)
        screens.check(browser, tap)
    finally:
        browser.close()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
