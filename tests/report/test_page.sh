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
# A run, two replays of it and another run: three of them in every order.
mkdir "$work/orders"
for a in m s f p; do
  for b in m s f p; do
    for c in m s f p; do
      case $a$b$c in *m*m* | *s*s* | *f*f* | *p*p*) continue ;; esac
      set -- "$a" "$b" "$c"
      for run; do # by its name
        shift
        [ "$run" = s ] && run="<b>s</b>"
        set -- "$@" "$run"
      done
      "$aqueduct" report "$@" -o "$work/orders/$a$b$c.html"
    done
  done
done
# A launch whose instructions were counted: 16 waves, the last of 40 lanes.
"$aqueduct" launch "$srcdir/doc/examples/kernels/device-gfx90a.hsaco" vadd \
  --grid 1000 --name c --profile-isa -q --args 'buf:f32[1000]=iota' \
  'buf:f32[1000]=1' 'out:f32[1000]' u32:1000 > /dev/null
"$aqueduct" report c -o "$work/code.html"
# A part of a run in which another thread's kernel ran.
python3 - "$work/part.json" << 'END'
import json, sys
events = [{"ph": "X", "cat": "user_annotation", "name": "A", "pid": 1, "tid": 1, "ts": 0,
           "dur": 100}]
for number, tid, ts in ((1, 1, 10), (2, 2, 20), (3, 1, 90)):
    events += [
        {"ph": "X", "cat": "cuda_runtime", "name": "hipLaunchKernel", "pid": 1, "tid": tid,
         "ts": ts, "dur": 2, "args": {"correlation": number}},
        {"ph": "X", "cat": "kernel", "name": f"k{number}", "pid": 0, "tid": tid, "ts": ts + 10,
         "dur": 40, "args": {"correlation": number, "device": 0, "stream": tid}}]
json.dump({"traceEvents": events}, open(sys.argv[1], "w"))
END
"$aqueduct" import "$work/part.json" --name part -q > /dev/null
"$aqueduct" report part --between A -o "$work/part.html"
python3 "$srcdir/tests/report/drive_page.py" "$work/report.html" \
  --part "$work/part.html" \
  --pinned "$work/pinned.html" --code "$work/code.html" \
  --fitted "$work/fitted.html" --siblings "$work/siblings.html" \
  --orders "$work/orders" \
  ${AQ_SCREENSHOTS:+"$AQ_SCREENSHOTS"}
