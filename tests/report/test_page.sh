#!/bin/sh
# SPDX-License-Identifier: MIT
# The report in headless Chromium: it opens, zooms, sorts, and hostile names
# stay text.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

if ! command -v chromedriver > /dev/null || ! command -v python3 > /dev/null; then
  skip "the report opens in a browser" "there is no chromedriver"
  finish
  exit
fi

"$aqueduct" import "$srcdir/tests/report/hostile.jsonl" --name m -q > /dev/null
"$aqueduct" replay m --device mi300x --name "<b>s</b>" -q > /dev/null 2>&1
"$aqueduct" report "<b>s</b>" -o "$work/report.html"
# The same without host calls: every row is replayed at its measured time.
sed 's/"host_begin": [0-9]*, "host_end": [0-9]*, //' \
  "$srcdir/tests/report/hostile.jsonl" > "$work/pinned.jsonl"
"$aqueduct" import "$work/pinned.jsonl" --name p -q > /dev/null
"$aqueduct" replay p --device mi300x --name q -q > /dev/null 2>&1
"$aqueduct" report p q -o "$work/pinned.html"
# Constants fitted to the first rows, which score nothing.
"$aqueduct" replay m --device mi300x --fit first=10 --name f -q > /dev/null 2>&1
"$aqueduct" report m f -o "$work/fitted.html"
"$aqueduct" report "<b>s</b>" f -o "$work/siblings.html"
# A launch whose instructions were counted: 16 waves, the last of 40 lanes.
"$aqueduct" launch "$srcdir/doc/examples/kernels/device-gfx90a.hsaco" vadd \
  --grid 1000 --name c --profile-isa -q --args 'buf:f32[1000]=iota' \
  'buf:f32[1000]=1' 'out:f32[1000]' u32:1000 > /dev/null
"$aqueduct" report c -o "$work/code.html"
python3 "$srcdir/tests/report/drive_page.py" "$work/report.html" \
  --pinned "$work/pinned.html" --code "$work/code.html" \
  --fitted "$work/fitted.html" --siblings "$work/siblings.html" \
  ${AQ_SCREENSHOTS:+"$AQ_SCREENSHOTS"}
