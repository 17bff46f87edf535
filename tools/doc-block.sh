#!/bin/sh
# SPDX-License-Identifier: MIT
# Replaces the block NAME of FILE (README.md) with standard input:
#   <!-- NAME:begin … --> … <!-- NAME:end -->
set -eu
name=$1
page=$(dirname "$0")/../${2:-README.md}
new=$(mktemp)
trap 'rm -f "$new" "$new.out"' EXIT
cat > "$new"
[ -s "$new" ] || { echo "doc-block: nothing for $name" >&2; exit 1; }
awk -v name="$name" -v new="$new" '
  index($0, "<!-- " name ":begin") { print; found = 1; skip = 1
    print ""; while ((getline line < new) > 0) print line; print ""; next }
  index($0, "<!-- " name ":end") { skip = 0 }
  !skip { print }
  END { exit !found }' "$page" > "$new.out"
cat "$new.out" > "$page"
