#!/bin/sh
# SPDX-License-Identifier: MIT
# Wall times of `aqueduct mlir` for a file, the best of a number of runs: cold,
# from the cache, and of mlir-runner alone with the same lowered program. Writes
# the table of doc/modules.md.
#   tools/mlir-times.sh AQUEDUCT FILE [RUNS]
set -eu
aqueduct=$1 file=$2 runs=${3:-9}
top=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
AQUEDUCT_STORE=$work/runs.db AQUEDUCT_CACHE=$work/cache
export AQUEDUCT_STORE AQUEDUCT_CACHE

best() { # COMMAND…: milliseconds
  least=
  i=0
  while [ $i -lt "$runs" ]; do
    [ "$cold" = no ] || rm -rf "$AQUEDUCT_CACHE"
    start=$(date +%s%N)
    "$@" > /dev/null 2>&1
    took=$((($(date +%s%N) - start) / 1000000))
    [ -n "$least" ] && [ "$least" -le $took ] || least=$took
    i=$((i + 1))
  done
  echo "$least"
}

cold=yes
first=$(best "$aqueduct" mlir "$file" --device mi210)
"$aqueduct" mlir "$file" --device mi210 --keep "$work/kept" > /dev/null 2>&1
cold=no
warm=$(best "$aqueduct" mlir "$file" --device mi210)
runner=$(command -v mlir-runner-22 || command -v mlir-runner)
libraries=$(dirname "$(readlink -f "$runner")")/../lib
alone=$(best env AQUEDUCT_DEVICE=mi210 "$runner" "$work/kept/lowered.mlir" \
  --entry-point-result=void \
  --shared-libs="$(find "$libraries"/ -name 'libmlir_runner_utils.so*' | head -n 1)" \
  --shared-libs="$(dirname "$aqueduct")/.libs/libaqueduct_mlir_runtime.so")
"$top/tools/doc-block.sh" mlir-times doc/modules.md << EOF
| $(basename "$file"), best of $runs | wall time |
|---|---|
| cold: lowered, compiled, run, stored | $first ms |
| warm: from the cache | $warm ms |
| mlir-runner alone, with the same runtime | $alone ms |
EOF
