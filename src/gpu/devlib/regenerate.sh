#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the objects of targets.tsv: regenerate.sh CLANG, in the top of the
# source tree. Keeps, by name, objects of targets that this release
# does not know.
set -eu
clang=$1
release=$(echo __clang_major__ | "$clang" -E -P -)
if [ "$release" -lt 19 ]; then
  echo "regenerate.sh: $clang is release $release; 19 or later expected" >&2
  exit 1
fi
grep -v '^#' src/gpu/devlib/targets.tsv |
  while IFS="$(printf '\t')" read -r target _ _ since; do
    if [ "$release" -lt "$since" ]; then
      echo "  KEPT     $target: clang $release does not know it"
      continue
    fi
    echo "  DEVLIB   $target"
    object=src/gpu/devlib/objects/$target.hsaco
    sh src/gpu/devlib/compile.sh "$clang" "$target" "$object"
    chmod 644 "$object"
  done
