#!/bin/sh
# SPDX-License-Identifier: MIT
# Turns the lines of `make bench` on standard input into a Markdown table: all
# lines, or the lines of the named benchmarks.
set -eu
command -v jq > /dev/null || { echo "bench-table: needs jq" >&2; exit 2; }
echo "| benchmark | value | floor in the same run | ratio |"
echo "|---|---|---|---|"
jq -r 'def n: (. * 10 | round | . / 10 | tostring);
  select(($ARGS.positional | length) == 0 or
         (.bench | IN($ARGS.positional[]))) |
  "| \(.bench) | \(.value | n) \(.unit) | " +
  (if .floor == null then "– | –" else "\(.floor | n) \(.unit) | \(.ratio * 100 | round | . / 100)" end) + " |"' --args "$@"
