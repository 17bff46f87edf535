#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's three commands with their output, as Markdown.
# usage: readme-outputs.sh AQUEDUCT VADD: VADD is doc/examples/ci/vadd.hip,
# compiled by hipcc for gfx90a.
set -eu
aqueduct=$1
vadd=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
aqueduct=$(cd "$(dirname "$aqueduct")" && pwd)/$(basename "$aqueduct")
export AQUEDUCT_STORE="$work/runs.db" AQUEDUCT_QUIET=1 COLUMNS=80
cp "$source"/doc/examples/study/*.json "$work"
cp "$source/traces/mi300x-resnet18-excerpt.jsonl.gz" "$work/trace.jsonl.gz"
cp "$vadd" "$work/vadd"
cd "$work"

try() { # COMMAND…: as a user types it, then its output
  echo "\$ aqueduct $*"
  "$aqueduct" "$@"
}

silent() {
  echo "\$ aqueduct $*"
  "$aqueduct" "$@" > /dev/null
}

piped() { # COMMAND ARGUMENT FILTER
  echo "\$ aqueduct $1 $2 | $3"
  "$aqueduct" "$1" "$2" | sh -c "$3"
}

echo "**Test GPU code without a GPU.** A HIP program runs unchanged; its kernels execute:"
echo
echo '```console'
try exec --device mi210 --name vadd -- ./vadd
try stats vadd
echo '```'
echo
echo "**See where the time goes, and simulate it.** A trace becomes a run; its replay"
echo "has the same submissions on a calibrated device model:"
echo
echo '```console'
silent import trace.jsonl.gz --name m
try explain m
silent replay m --device mi300x --name s
piped compare s "grep -E 'scored [0-9]|^error|^end +(all|idle)'"
echo '```'
echo
echo "**Study scheduling.** A plan of workloads, policies and seeds becomes a table with"
echo "confidence intervals:"
echo
echo '```console'
silent sweep plan.json
try study --plan chat --by-client
echo '```'
