#!/bin/bash
# SPDX-License-Identifier: MIT
# Kernels of one family under another name are renamed where the inputs of the operator or the
# name are certain, else added and removed; the sums add up. A reader of its own plans the programs.
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
check "and a table names both" grep -q "^renamed kernel  *new name" "$work/out"
check "and groups by kernel do" contains "$("$aqueduct" compare a8 b8 --by kernel)" "gemm > gemm_v2"
"$aqueduct" compare a8 b8 --by family --json > "$work/told"
try "$aqueduct" compare a8 b8 --by family
check "the family gemm is not the kernel gemm" [ "${out#*gemm > gemm_v2}" = "$out" ]
check "nor in JSON" [ "$(jq '[.[0].groups[] | select(has("new_name"))] | length' "$work/told")" = 0 ]
try "$aqueduct" compare a8 a8 --json --match order
check "a run has renamed nothing of itself" [ "$status $(jq '.[0].renamed | length' "$work/out")" = "0 0" ]

two_runs() { # KIND: of the reader
  python3 "$reader" "$1" "$work"
  for run in a b; do "$aqueduct" import -q "$work/$run.json" --name "$1_$run" > /dev/null; done
}
renamed() { jq '.[0].renamed | length' "$work/out"; }

two_runs parts
try "$aqueduct" compare parts_a parts_b --time ..140us --by kernel --json
check "a part of a run lacks no name that the rest of it has" \
  [ "$(renamed) $(jq -c '[.[0].groups[] | [.was_calls, .calls]] | sort' "$work/out")" = "0 [[0,4],[1,1],[4,0]]" ]

# Pairs of all names with all would take gigabytes; a sanitizer reserves more.
two_runs many
if [ -z "${AQ_SANITIZERS:-}" ]; then
  try bash -c 'ulimit -v 1500000; exec "$@"' - "$aqueduct" compare many_a many_b --json
  check "of 8000 names on each side none is certain, and none takes memory" [ "$status $(renamed)" = "0 0" ]
fi

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
