#!/bin/sh
# SPDX-License-Identifier: MIT
# How far simulated ends are from measured ones: a Markdown table over the
# published traces, one device model each (traces/accuracy.tsv). Needs the
# traces in DATA/raw and jq.
# usage: accuracy.sh AQUEDUCT DATA
set -eu
aqueduct=$1
data=$2
list=$(dirname "$0")/../traces/accuracy.tsv
command -v jq > /dev/null || { echo "accuracy: needs jq" >&2; exit 2; }
[ -d "$data/raw" ] || { echo "accuracy: no traces in $data/raw" >&2; exit 2; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export AQUEDUCT_STORE="$dir/runs.db" AQUEDUCT_QUIET=1

# The published error of the trivial formula E, fitted to the trace (for rocprof
# v1, which has no API times, of the formula `begin`).
baseline() { # TRACE
  tr -d - < "$data/baseline.csv" | awk -F, -v trace="$1" '
    function us(ns) { return sprintf("%.2f", ns / 1000) + 0 }
    $1 == trace && ($2 == "E" || ($2 == "begin" && !found)) {
      found = us($4) " / " us($5) " / " us($6) " / " us($7)
    }
    END { print found ? found : "–" }'
}

echo "| trace | model | scored | simulator: median / p90 / p99 / mean | \`E\`, fitted | published \`E\` or \`begin\` | \`zero\` |"
echo "|---|---|---|---|---|---|---|"
tab=$(printf '\t')
while IFS=$tab read -r file model; do
  case $file in '#'* | '') continue ;; esac
  name=${file%%.*}
  measured=$("$aqueduct" import "$data/raw/$file")
  simulated=$("$aqueduct" replay "$measured" --device "$model")
  "$aqueduct" compare "$simulated" --json > "$dir/compare.json"
  jq -r --arg name "$name" --arg model "$model" \
    --arg published "$(baseline "$name")" '
    def us: (. / 10 | round | . / 100 | tostring);
    def row(by): .errors[]
      | select(.quantity == "end" and .class == "all" and .by == by)
      | [.median_ns, .p90_ns, .p99_ns, .mean_ns] | map(us) | join(" / ");
    "| \($name) | \($model) | \(.scored) of \(.rows) | \(row("run")) | " +
    "\([row("E")] | first // "–") | \($published) | \(row("zero")) |"' \
    "$dir/compare.json"
done < "$list"
