#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the objects of BLAS for the processors of the device library's
# targets.tsv: regenerate.sh CLANG, in the top of the source tree. HIP before 6.3
# knows no generic target.
set -eu
clang=$1
release=$(echo __clang_major__ | "$clang" -E -P -)
if [ "$release" -lt 19 ]; then
  echo "regenerate.sh: $clang is release $release; 19 or later expected" >&2
  exit 1
fi
awk '$2 == "exact" || $2 == "both" {print $1, $4}' src/gpu/devlib/targets.tsv |
  while read -r target since; do
    if [ "$release" -lt "$since" ]; then
      echo "  KEPT     $target: clang $release does not know it"
      continue
    fi
    echo "  BLAS     $target"
    object=src/dropin/blas/objects/$target.hsaco
    sh src/dropin/blas/compile.sh "$clang" "$target" "$object"
    chmod 644 "$object"
  done
