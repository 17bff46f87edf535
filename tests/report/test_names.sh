#!/bin/sh
# SPDX-License-Identifier: MIT
# Different names never print the same in one table, at any width; renamed kernels show
# their difference, and a GEMM its tile.
# shellcheck disable=SC1091,SC2154 # what lib.sh defines
. "${AQ_SRCDIR:-.}/tests/cli/lib.sh"
AQUEDUCT_STORE=$work/store.db
export AQUEDUCT_STORE
reader=$srcdir/tests/report/read_names.py

wrong=
for seed in 1 2 3; do
  python3 "$reader" make "$work" $seed
  for run in a b; do "$aqueduct" import -q "$work/$run.json" --name "$run$seed" > "$work/out"; done
  wrong=$wrong$(python3 "$reader" check "$aqueduct" kernel "a$seed" "b$seed") || wrong="$wrong!"
done
try echo "$wrong"
check "made names stay apart" [ "${wrong%!*}" = "$wrong" ]
check "some of them are renamed" [ "$("$aqueduct" compare a1 b1 --json | jq '.[0].renamed | length')" -gt 9 ]
try "$aqueduct" explain a1
check "explain shows the tile of the longest kernel, too" sh -c "grep -q 'MT[0-9]*x' '$work/out'"

data=${AQ_DATA:-$srcdir/../shared/data}/measured/raw
if [ ! -d "$data" ]; then
  skip "names of published profiles stay apart" "no published traces in AQ_DATA"
  finish
  exit
fi
runs="mi300x_flux_aiter mi300x_flux_sage"
for file in "$data"/*; do
  name=${file##*/}
  name=${name%%.*}
  "$aqueduct" import -q "$file" --name "$name" > "$work/out" 2>&1 || continue
  case " $runs " in *" $name "*) ;; *) runs="$runs $name" ;; esac
done
# shellcheck disable=SC2086 # a list of names
try python3 "$reader" check "$aqueduct" kernel $runs
check "names of kernels of all published profiles stay apart" [ "$status" = 0 ]
for by in op stack path; do
  try python3 "$reader" check "$aqueduct" $by mi300x_flux_aiter mi300x_flux_sage mi300x_owlv2
  check "and names by $by" [ "$status" = 0 ]
done
widest=$("$aqueduct" stats mi300x_owlv2 --by stack | awk '{ if (length > most) most = length }
                                                          END { print most }')
check "a table of stacks in a pipe has names of 100 columns" [ "$widest" -lt 160 ]
try "$aqueduct" stats mi300x_owlv2 --by stack
check "which begin with the whole innermost frame" contains "$out" \
  "<built-in method softmax of Tensor object at 0x7f8869c6f570> < "
finish
