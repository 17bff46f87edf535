#!/bin/sh
# SPDX-License-Identifier: MIT
# Replaces the block NAME of README.md with standard input:
#   <!-- NAME:begin … --> … <!-- NAME:end -->
set -eu
name=$1
readme=$(dirname "$0")/../README.md
new=$(mktemp)
trap 'rm -f "$new" "$new.out"' EXIT
cat > "$new"
[ -s "$new" ] || { echo "readme-block: nothing for $name" >&2; exit 1; }
awk -v name="$name" -v new="$new" '
  index($0, "<!-- " name ":begin") { print; found = 1; skip = 1
    print ""; while ((getline line < new) > 0) print line; print ""; next }
  index($0, "<!-- " name ":end") { skip = 0 }
  !skip { print }
  END { exit !found }' "$readme" > "$new.out"
cat "$new.out" > "$readme"
