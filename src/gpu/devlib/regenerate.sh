#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the objects of a room whose compile.sh does one: regenerate.sh CLANG
# ROOM, in the top of the source tree, with a line for each target on standard
# input, its name and the first release that knows it. Keeps, by name, objects of
# targets that this release does not know.
set -eu
clang=$1 room=$2
release=$(echo __clang_major__ | "$clang" -E -P -)
if [ "$release" -lt 19 ]; then
  echo "regenerate.sh: $clang is release $release; 19 or later expected" >&2
  exit 1
fi
while read -r target since; do
  if [ "$release" -lt "$since" ]; then
    echo "  KEPT     $target: clang $release does not know it"
    continue
  fi
  echo "  OBJECT   $target"
  object=$room/objects/$target.hsaco
  sh "$room/compile.sh" "$clang" "$target" "$object"
  chmod 644 "$object"
done
