#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the pictures of the README from the shipped trace: commands in a
# terminal, and the report of the trace beside its replay.
# usage: pictures.sh AQUEDUCT FOLDER [terminal]. The report needs chromium.
set -eu
aqueduct=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(cd "$2" && pwd)
only=${3:-}
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE="$work/runs.db" AQUEDUCT_QUIET=1
cp "$source/traces/mi300x-resnet18-excerpt.jsonl.gz" "$work/trace.jsonl.gz"
cd "$work"
mkdir bin
ln -s "$aqueduct" bin/aqueduct
PATH="$work/bin:$PATH" "${PYTHON:-python3}" "$source/tools/terminal.py" \
  'aqueduct import trace.jsonl.gz --name m' 'aqueduct explain m' \
  'aqueduct stats m --top 5' > terminal.svg
cp terminal.svg "$folder/terminal.svg"
[ "$only" != terminal ] || exit 0
bin/aqueduct replay m --device mi300x --name s > /dev/null
bin/aqueduct report s -o report.html
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
  --window-size=1080,1440 --virtual-time-budget=5000 --screenshot=report.png \
  "file://$work/report.html" 2> /dev/null
cp report.png "$folder/report.png"
