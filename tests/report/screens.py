# SPDX-License-Identifier: MIT
"""Screenshots, and their comparison with kept ones in the browser."""
import base64
import pathlib
import shutil
import subprocess

# Parts of a picture that may differ, and by how much: fonts are smoothed in
# more than one way.
PART, DIFFERENCE, FONT = 0.01, 40, "DejaVu Sans"

COMPARE = """
const [one, two, difference, done] = arguments;
const load = (png) => new Promise((good, bad) => {
  const image = new Image();
  image.onload = () => good(image);
  image.onerror = bad;
  image.src = `data:image/png;base64,${png}`;
});
const pixels = (image) => {
  const canvas = document.createElement('canvas');
  canvas.width = Math.ceil(image.width / 4);
  canvas.height = Math.ceil(image.height / 4);
  const g = canvas.getContext('2d');
  g.imageSmoothingQuality = 'high';
  g.drawImage(image, 0, 0, canvas.width, canvas.height);
  return g.getImageData(0, 0, canvas.width, canvas.height).data;
};
Promise.all([load(one), load(two)]).then(([a, b]) => {
  if (a.width !== b.width || a.height !== b.height) {
    return done([1, `${a.width}x${a.height}, ${b.width}x${b.height}`]);
  }
  const p = pixels(a), q = pixels(b);
  let other = 0;
  for (let i = 0; i < p.length; i += 4) {
    const most = Math.max(Math.abs(p[i] - q[i]), Math.abs(p[i + 1] - q[i + 1]),
      Math.abs(p[i + 2] - q[i + 2]));
    if (most > difference) other++;
  }
  done([other / (p.length / 4), '']);
}, (error) => done([1, String(error)]));
"""


def font():
    """The family that system-ui stands for here."""
    if not shutil.which("fc-match"):
        return "unknown"
    return subprocess.run(["fc-match", "-f", "%{family}", "system-ui"],
                          capture_output=True, text=True, check=False).stdout


def take(browser, selector=None):
    """A PNG in base64, of an element or of the window."""
    if selector:
        return browser.call("GET", f"/element/{browser.find(selector)}"
                            "/screenshot")
    return browser.call("GET", "/screenshot")


def differ(browser, one, two):
    """The part of the pixels that differ, and a remark."""
    return browser.call("POST", "/execute/async", {
        "script": COMPARE, "args": [one, two, DIFFERENCE]})


class Screens:
    """Keeps pictures in a folder, and compares with those kept."""

    def __init__(self, folder, write):
        self.folder, self.write, self.taken = pathlib.Path(folder), write, {}

    def take(self, name, browser, selector=None):
        self.taken[name] = take(browser, selector)

    def check(self, browser, tap):
        """On a page whose policy lets it load pictures of its own."""
        if self.write:
            for name, picture in self.taken.items():
                (self.folder / f"{name}.png").write_bytes(
                    base64.b64decode(picture))
            return
        if font() != FONT:
            tap.skip("the screens look like those kept",
                     f"system-ui is {font()}, not {FONT}")
            return
        for name, picture in self.taken.items():
            kept = base64.b64encode((self.folder / f"{name}.png")
                                    .read_bytes()).decode()
            part, remark = differ(browser, picture, kept)
            tap.check(f"the screen {name} looks like the one kept",
                      part <= PART, f"{100 * part:.2f} % differ {remark}")
        first, second = list(self.taken.values())[:2]
        tap.check("and the comparison notices another screen",
                  differ(browser, first, second)[0] > PART)
