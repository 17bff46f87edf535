#!/bin/sh
# SPDX-License-Identifier: MIT
# Turns the lines of `make bench` on standard input into the Markdown table of
# executed code: interpreted, compiled, and other emulators of YARDSTICKS.
#   speed-table.sh YARDSTICKS < bench.jsonl
set -eu
command -v jq > /dev/null || { echo "speed-table: needs jq" >&2; exit 2; }
echo "| kernel | interpreted | compiled | ratio | decoded | others | compiled is |"
echo "|---|---|---|---|---|---|---|"
jq -rs --rawfile others "$1" '
  def n: (. * 10 | round | . / 10 | tostring);
  def of($names; $unit): if . == null then "–" else (.value | n) + $unit end;
  ($others | split("\n") | map(select(test("^[^#]")) | split("\t"))) as $known |
  (map({(.bench): .}) | add) as $all |
  $all | keys_unsorted[] | capture("^isa_(?<k>.*)_compiled$").k as $k |
  $all["isa_\($k)_compiled"] as $c |
  [$known[] | select(.[1] == $k)] as $o |
  "| \($k) | \($c.floor | n) | \($c.value | n) | \($c.ratio * 100 | round | . / 100) | " +
  ($all["isa_\($k)_decoded"] | of($k; " KiB")) + " | " +
  (if $o == [] then "– | –" else
    ($o | map("\(.[0]): \(.[2])\(if .[3] == .[2] then "" else "–" + .[3] end)") |
      join("; ")) + " | " +
    "\($c.value / ($o | map(.[3] | tonumber) | max) | round) times as fast" end) + " |"'
