#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A picture (SVG) of a terminal in which commands ran: terminal.py COMMAND...

Each command runs in a shell with a terminal of 80 columns as its output; bold
and coloured text stays so. The picture follows the reader's dark or light.
"""
import fcntl
import html
import os
import pty
import re
import struct
import subprocess
import sys
import termios

COLUMNS, WIDTH, LINE, EDGE = 80, 8.43, 18, 14
STYLE = """text { font: 14px 'DejaVu Sans Mono', Menlo, Consolas, monospace;
  fill: #1b1f24; white-space: pre }
.back { fill: #f6f8fa; stroke: #d0d7de } .prompt { fill: #57606a }
.typed, .bold { font-weight: bold } .c31 { fill: #b3261e } .c32 { fill: #116329 }
.c33 { fill: #8a5a00 } .c34 { fill: #0a4fb4 } .c35 { fill: #7a2f96 }
.c36 { fill: #0b6170 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .back { fill: #0d1117; stroke: #30363d }
  .prompt { fill: #8b949e } .c31 { fill: #ff8a80 } .c32 { fill: #7ee787 }
  .c33 { fill: #e3b341 } .c34 { fill: #79c0ff } .c35 { fill: #d2a8ff }
  .c36 { fill: #76d9e6 }
}"""


def run(command):
    """The output of a command on a terminal."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", 40, COLUMNS, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color",
                   "COLUMNS": str(COLUMNS)}
    environment.pop("NO_COLOR", None)
    with subprocess.Popen(["sh", "-c", command], stdin=subprocess.DEVNULL,
                          stdout=theirs, env=environment) as child:
        os.close(theirs)
        got = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the last writer has closed it
                break
            if not piece:
                break
            got += piece
        status = child.wait()
    os.close(ours)
    if status != 0:
        sys.exit(f"terminal.py: status {status} of {command}")
    return got.decode("utf-8").replace("\r\n", "\n").splitlines()


def spans(line):
    """[classes, text] of the pieces of a line, by its escape sequences."""
    classes, found = [], []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if not piece.startswith("\x1b["):
            if piece:
                found.append((" ".join(classes), piece))
            continue
        for code in piece[2:-1].split(";"):
            if code in ("", "0"):
                classes = []
            else:
                classes = classes + ["bold" if code == "1" else f"c{code}"]
    return found


def text_at(row, pieces):
    """One line; each piece starts at its column, whatever the font's width."""
    out, column = [], 0
    y = EDGE + LINE * (row + 1) - 4
    for classes, text in pieces:
        x = EDGE + column * WIDTH
        column += len(text)
        body = text.rstrip()
        if not body:
            continue
        named = f' class="{classes}"' if classes else ""
        out.append(f'<text{named} x="{x:.1f}" y="{y}" '
                   f'textLength="{len(body) * WIDTH:.1f}">'
                   f"{html.escape(body, quote=False)}</text>")
    return out


def main():
    lines = []
    for command in sys.argv[1:]:
        lines.append([("prompt", "$ "), ("typed", command)])
        lines += [spans(line) for line in run(command)]
    width = round(2 * EDGE + COLUMNS * WIDTH)
    height = 2 * EDGE + LINE * len(lines)
    body = [part for row, pieces in enumerate(lines)
            for part in text_at(row, pieces)]
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} '
          f'{height}" width="{width}" height="{height}" role="img">\n<title>'
          f"Output of {html.escape(', '.join(sys.argv[1:]))}</title>\n<style>"
          f'{STYLE}</style>\n<rect class="back" x="0.5" y="0.5" '
          f'width="{width - 1}" height="{height - 1}" rx="6"/>')
    print("\n".join(body))
    print("</svg>")


if __name__ == "__main__":
    main()
