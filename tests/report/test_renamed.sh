#!/bin/bash
# SPDX-License-Identifier: MIT
# Kernels of one family and shape under another name are renamed, not added and removed;
# the sums add up. A reader of its own plans the programs.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
reader=$srcdir/tests/report/read_renamed.py

wrong=
for seed in 1 2 3 4 5 6 7 8; do
  python3 "$reader" make "$work" $seed
  for run in a b; do "$aqueduct" import -q "$work/$run.json" --name "$run$seed" > /dev/null; done
  "$aqueduct" compare "a$seed" "b$seed" --by kernel --json > "$work/told"
  python3 "$reader" plan "$work/told" "$work" > "$work/out" || wrong="$wrong $seed $(cat "$work/out")"
done
try echo "$wrong"
check "eight planned programs: the renamed kernels, the sums and the groups" [ -z "$wrong" ]
check "some of them have renamed kernels" [ "$(jq '.[0].renamed | length' "$work/told")" -gt 0 ]

try "$aqueduct" compare a8 b8
check "the verdict says so" contains "$out" "(renamed kernels)"
check "and a table names both" contains "$out" "renamed kernel new name"
try "$aqueduct" compare a8 a8 --json --match order
check "a run has renamed nothing of itself" [ "$(jq '.[0].renamed | length' "$work/out")" = 0 ]

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
a=mi300x_flux_aiter b=mi300x_flux_sage
if [ ! -f "$data/$a.json.gz" ]; then
  skip "published profiles: times and calls of renamed kernels" "no published traces in AQ_DATA"
  finish
  exit
fi
for run in "$a" "$b"; do "$aqueduct" import "$data/$run.json.gz" --name "$run" -q > /dev/null 2>&1; done
"$aqueduct" compare $a $b --by kernel --json > "$work/told"
try python3 "$reader" traces "$work/told" "$data/$a.json.gz" "$data/$b.json.gz"
check "published profiles: times and calls of renamed kernels, and the sums" [ "$status" = 0 ]
finish
