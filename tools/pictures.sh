#!/bin/sh
# SPDX-License-Identifier: MIT
# Photographs the report of the shipped trace beside its replay.
# usage: pictures.sh AQUEDUCT FOLDER. Needs chromium.
set -eu
aqueduct=$1
folder=$2
source=$(dirname "$0")/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE="$work/runs.db" AQUEDUCT_QUIET=1
"$aqueduct" import "$source/traces/mi300x-resnet18-excerpt.jsonl.gz" \
  --name measured > /dev/null
"$aqueduct" replay measured --device mi300x --name simulated > /dev/null
"$aqueduct" report simulated -o "$work/report.html"
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars \
  --window-size=1080,1440 --virtual-time-budget=5000 --screenshot="$work/report.png" \
  "file://$work/report.html" 2> /dev/null
cp "$work/report.png" "$folder/report.png"
