#!/bin/bash
# SPDX-License-Identifier: MIT
# How much longer kernels execute under each check: the table of doc/checker.md.
# Processor time of a number of launches less that of one, by that of plain
# execution without compiled code, which no check uses; medians of rounds, in
# which the checks take turns. The last row has the limits that are aimed at.
#   tests/gpu/check/cost.sh AQUEDUCT [ROUNDS]
set -eu
aqueduct=$(realpath "$1") rounds=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export AQUEDUCT_STORE=$work/runs.db
hipcc -O2 --offload-arch=gfx90a -o "$work/cost" "$here/cost.hip" \
  > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

used() { # CHECK KERNEL LAUNCHES: milliseconds
  local how=(--check="$1" --check-report "$work/report")
  [ "$1" = off ] && how=(--kernels-from isa --compile off)
  rm -rf "$work"/runs.db*
  local TIMEFORMAT=%U
  { time "$aqueduct" exec --quiet --device mi210 "${how[@]}" \
    "$work/cost" "$2" "$3" > "$work/out" 2>&1; } 2> "$work/time" ||
    { cat "$work/out" "$work/report" >&2; exit 1; }
  awk '{ print int(1000 * $1) }' "$work/time"
}

median() { sort -n | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

checks="off memory init race sync wait api all"
echo "| kernel | plain |$(for c in $checks; do
  [ "$c" = off ] || printf ' %s |' "$c"
done)"
echo "|---|---|$(for c in $checks; do
  [ "$c" = off ] || printf -- '---|'
done)"
while read -r kernel launches what; do
  for ((round = 0; round < rounds; round++)); do
    for check in $checks; do
      once=$(used "$check" "$kernel" 1)
      many=$(used "$check" "$kernel" "$launches")
      echo $((many - once)) >> "$work/$kernel.$check"
      paste -d' ' <(tail -n 1 "$work/$kernel.$check") \
        <(tail -n 1 "$work/$kernel.off") |
        awk '{ printf "%.2f\n", $1 / ($2 > 0 ? $2 : 1) }' \
          >> "$work/$kernel.$check.ratio"
    done
  done
  row="| $what | $(awk -v n="$launches" '{ printf "%.2f", $1 / (n - 1) }' \
    <(median < "$work/$kernel.off")) ms |"
  for check in $checks; do
    [ "$check" = off ] ||
      row="$row $(median < "$work/$kernel.$check.ratio") |"
  done
  echo "$row"
done << 'EOF'
stream 400 `stream`: 2^18 items, two loads and a store each
reduce 200 `reduce`: 2^18 items, LDS, barriers
product 300 `product`: matrix product of 128, tiles in LDS
orbit 200 `orbit`: arithmetic in a loop
blocks 40 `blocks`: 2^12 items, malloc() and free() of 64 bytes each
EOF
echo "| aimed at, at most | | 1.5 | 2 | 3 | | 2.5 | | |"
