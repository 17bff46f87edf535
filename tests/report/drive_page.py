#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Opens a report in headless Chromium and uses it, as TAP.

drive_page.py PAGE [SCREENSHOT-FOLDER] [--pinned PAGE] [--code PAGE]
  [--fitted PAGE] [--siblings PAGE] [--part PAGE] [--orders FOLDER].
With --time it prints instead how long the page takes to open, in ms.
"""
import base64
import pathlib
import sys
import time

from browser import Browser, Tap

ENTER, PLUS = "\ue007", "+"


def settle(browser, seen):
    """The text of the range once it differs from `seen` and stays."""
    last = seen
    for _ in range(50):
        now = browser.text("#range")
        if now != seen and now == last:
            return now
        last = now
        time.sleep(0.05)
    return browser.text("#range")


def read_diagnosis(browser, tap):
    """Each run's time is divided once, and whole names stay at hand."""
    sums = browser.run(
        "return [...document.querySelectorAll('.shares')].map(bar =>"
        " [...bar.children].reduce((sum, part) =>"
        " sum + parseFloat(part.style.flexBasis), 0))")
    tap.check("the shares of each run's time add up to 100 %",
              sums and all(abs(total - 100) < 0.1 for total in sums), sums)
    said = browser.text("#diagnosis p")
    tap.check("a sentence names the bottleneck", " % " in said and
              "no single bottleneck" in said, said)
    titles = browser.run(
        "return [...document.querySelectorAll('#diagnosis ol code')]"
        ".map(name => [name.textContent, name.title])")
    whole = set(browser.run(
        "return [...document.querySelectorAll('#kernels td.name')]"
        ".map(cell => cell.title)"))
    tap.check("the longest kernels have their whole names as titles",
              titles and all(title in whole for _, title in titles), titles)


def use_timeline(browser, tap):
    whole = browser.text("#range")
    browser.click("#zoom-in")
    zoomed = settle(browser, whole)
    tap.check("a button zooms in", zoomed != whole, zoomed)
    browser.run("document.querySelector('canvas').focus()")
    browser.keys("#lanes canvas", PLUS)
    closer = settle(browser, zoomed)
    tap.check("a key zooms in", closer not in (zoomed, whole), closer)
    browser.click("#zoom-all")
    tap.check("all is shown again", settle(browser, closer) == whole, whole)
    browser.keys("#lanes canvas", "n")
    tap.check("a key picks a dispatch and says what it is",
              "duration" in browser.text("#picked"), browser.text("#picked"))
    drawn = browser.run(
        "const c = document.querySelector('#lanes canvas');"
        "const d = c.getContext('2d').getImageData(0,0,c.width,c.height).data;"
        "return new Set(new Uint32Array(d.buffer)).size")
    tap.check("the timeline is drawn in colours", drawn > 4, drawn)


def column(browser, number):
    return browser.run(
        "return [...document.querySelectorAll(`#kernels tbody "
        "td:nth-child(${arguments[0]})`)].map(td => td.textContent)", number)


def use_table(browser, tap):
    sort = "#kernels thead th:nth-child(2)"
    browser.click(f"{sort} button")
    down = [int(text) for text in column(browser, 2) if text]
    tap.check("a click sorts by that column", down == sorted(down)[::-1], down)
    browser.keys(f"{sort} button", ENTER)
    up = [int(text) for text in column(browser, 2) if text]
    tap.check("a key sorts the other way", up == sorted(up), up)
    tap.check("and a screen reader is told",
              browser.run("return document.querySelector(arguments[0])"
                          ".getAttribute('aria-sort')", sort) == "ascending")
    names = column(browser, 1)
    browser.keys("#filter", names[0][:6])
    kept = column(browser, 1)
    tap.check("the filter keeps what has the text", 0 < len(kept) and all(
        names[0][:6].lower() in name.lower() for name in kept), kept)


def use_sizes(browser, tap):
    """A small window and a phone: nothing is cut off at the side, and the first
    screen has the verdict."""
    for width, height in ((1000, 700), (390, 844)):
        browser.resize(width, height)
        seen = browser.run(
            "scrollTo(0, 0);"
            "return [document.documentElement.scrollWidth, innerWidth,"
            " document.querySelector('#diagnosis p')"
            "   .getBoundingClientRect().top, innerHeight]")
        tap.check(f"{width} x {height}: the page is as wide as the window",
                  seen[0] <= seen[1] == width, seen)
        tap.check(f"{width} x {height}: the verdict is on the first screen",
                  0 <= seen[2] < seen[3], seen)
    browser.resize(1300, 1000)


def use_page(browser, tap, folder):
    tap.check("every run has a card", browser.run(
        "return document.querySelectorAll('.card').length") >= 1)
    read_diagnosis(browser, tap)
    use_timeline(browser, tap)
    use_table(browser, tap)
    use_sizes(browser, tap)
    before = browser.run("return document.documentElement.dataset.theme")
    browser.click("#theme")
    after = browser.run("return document.documentElement.dataset.theme")
    tap.check("dark becomes light", before != after, after)
    tap.check("every control has a name", browser.run(
        "return [...document.querySelectorAll('button, input, canvas')]"
        ".every(n => n.textContent.trim() || n.getAttribute('aria-label') ||"
        " document.querySelector(`label[for='${n.id}']`) ||"
        " n.closest('label')?.textContent.trim() ||"
        " n.closest('figure'))"))
    tap.check("nothing of a name became an element", browser.run(
        "return document.querySelectorAll('img, b, iframe').length") == 0)
    tap.check("nothing of a name ran", browser.run(
        "return window.hacked === undefined"))
    if folder:
        shot = base64.b64decode(browser.call("GET", "/screenshot"))
        pathlib.Path(folder, "page.png").write_bytes(shot)
    bad = browser.console()
    tap.check("the console has no error", not bad, bad)


def use_pinned(browser, tap, page):
    """A replay whose rows all kept their measured times."""
    browser.open(page)
    charts = browser.text("#charts")
    tap.check("rows at measured times are said to be so",
              "64 of 64 dispatches replayed at the measured time"
              in charts, charts)
    tap.check("and their ends are not called exact",
              "How far the ends are off" not in charts and
              "on the line they agree" not in charts, charts)


def use_fitted(browser, tap, page):
    """A replay whose constants were fitted to its first 10 dispatches."""
    browser.open(page)
    charts = browser.text("#charts")
    tap.check("the page says to which rows constants were fitted",
              "were fitted to first=10 of m: 10 dispatches, not scored"
              in charts, charts)
    tap.check("and does not count their ends", "54 dispatches" in charts,
              charts)


def use_siblings(browser, tap, page):
    """Two replays of a run that is not on the page; one was fitted to it."""
    browser.open(page)
    charts = browser.text("#charts")
    tap.check("without the measured run no dispatch counts that may be fitted",
              "were fitted to first=10 of a run that is not on this page: "
              "64 dispatches, not scored" in charts, charts)


def use_orders(browser, tap, folder):
    """Pages of the same runs in every order."""
    bad = {}
    pages = sorted(pathlib.Path(folder).glob("*.html"))
    for page in pages:
        browser.open(page)
        if seen := browser.console():
            bad[page.name] = seen
    tap.check("runs may have any order", len(pages) == 24 and not bad, bad)


def use_part(browser, tap, page):
    """A part of a run, in which a kernel from outside of it ran."""
    browser.open(page)
    titles = browser.run("return [...document.querySelectorAll('.shares span')]"
                         ".map(part => part.title)")
    tap.check("what ran outside of the part is a cause of its own",
              any(title.startswith("outside: ") for title in titles), titles)
    tap.check("the sections behind it are there", browser.run(
        "return document.querySelectorAll('#kernels tbody tr').length") >= 1)
    bad = browser.console()
    tap.check("the console has no error of a part", not bad, bad)


def use_code(browser, tap, page):
    """A run whose instructions were counted."""
    tap.check("a page without counts has no section of code", browser.run(
        "return document.getElementById('code-section').hidden"))
    browser.open(page)
    rows = browser.run(
        "return [...document.querySelectorAll('#code table')].map(t =>"
        " [...t.rows].map(r => [...r.cells].map(c => c.textContent)))")
    tap.check("the counts of a kernel's code are in it, by class",
              ["all", "26", "416", "100.0", "62.5", "189", "189", "", ""]
              in rows[0] and any(row[0] == "vmem" for row in rows[0]), rows)
    tap.check("and its instructions that were issued most often",
              len(rows[1]) == 21 and
              ["s_load_dword s0, s[4:5], 0x18", "+0x0", "16"] in rows[1], rows)


def main():
    timed = "--time" in sys.argv
    args = [arg for arg in sys.argv[1:] if arg != "--time"]
    pages = {}
    for use in (use_part, use_pinned, use_code, use_fitted, use_siblings,
                use_orders):
        option = "--" + use.__name__.split("_")[1]
        if option in args:
            at = args.index(option)
            pages[use] = args[at + 1]
            del args[at:at + 2]
    browser = Browser()
    tap = Tap()
    try:
        begin = time.monotonic()
        browser.open(args[0])
        if timed:
            print(round((time.monotonic() - begin) * 1000))
            return 0
        use_page(browser, tap, args[1] if len(args) > 1 else None)
        for use, page in pages.items():
            use(browser, tap, page)
    finally:
        browser.close()
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
