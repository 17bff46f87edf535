#!/bin/sh
# SPDX-License-Identifier: MIT
# The report's timelines, tables and comparison of versions in headless
# Chromium, and its screens beside those kept (`make screens` keeps them).
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"

if ! command -v chromedriver > /dev/null || ! command -v python3 > /dev/null; then
  skip "the timelines are used in a browser" "there is no chromedriver"
  finish
  exit
fi

"$aqueduct" import "$srcdir/tests/report/timeline.jsonl" --name m -q > /dev/null
"$aqueduct" replay m --fit none --name s --counters 5us -q > /dev/null 2>&1
"$aqueduct" report s -o "$work/timeline.html"
# Three runs of each of two versions: one kernel became longer by a half.
for version in before after; do
  for run in 1 2 3; do
    awk -v longer="$([ $version = after ] && echo 5000000 || echo 0)" \
      -v run="$run" 'BEGIN {
      place = "\"device\":{\"id\":0},\"queue\":{\"id\":0}"
      for (i = 0; i < 20; i++) {
        start = i * 50000000
        one = 10000000 + longer + (i * 7 + run) % 5 * 100000
        two = 20000000 + (i * 3 + run * run) % 4 * 100000
        printf "{\"kind\":\"kernel\",\"name\":\"slower_one\",%s," \
          "\"start\":%d,\"end\":%d}\n", place, start, start + one
        printf "{\"kind\":\"kernel\",\"name\":\"steady_one\",%s," \
          "\"start\":%d,\"end\":%d}\n", place, start + one, start + one + two
      }
    }' > "$work/run.jsonl"
    "$aqueduct" import "$work/run.jsonl" --name $version$run -q > /dev/null
  done
done
"$aqueduct" report after1 after2 after3 --against before1 before2 before3 \
  -o "$work/versions.html"
python3 "$srcdir/tests/report/drive_timeline.py" "$work/timeline.html" \
  "$work/versions.html" "$srcdir/tests/report/screens" \
  ${AQ_WRITE_SCREENS:+--write}
