#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes an offload bundle, as clang's bundler does: bundle.sh OUT OBJECT...
# Prints a line for each object: target, offset and size in the bundle.
set -eu
out=$1
shift
word() { # of 64 bits, the lowest byte first
  n=$1
  for _ in 1 2 3 4 5 6 7 8; do
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf '%03o' $((n & 255)))"
    n=$((n >> 8))
  done
}
target() {
  basename "$1" .hsaco
}
id() {
  echo "hipv4-amdgcn-amd-amdhsa--$(target "$1")"
}
size() {
  wc -c < "$1" | tr -d ' '
}
header=32
for object; do
  name=$(id "$object")
  header=$((header + 24 + ${#name}))
done
at=$header
rows=$(for object; do
  at=$(((at + 15) / 16 * 16))
  echo "$(target "$object") $at $(size "$object")"
  at=$((at + $(size "$object")))
done)
{
  printf __CLANG_OFFLOAD_BUNDLE__
  word $#
  echo "$rows" | while read -r name place bytes; do
    name=$(id "$name")
    word "$place"
    word "$bytes"
    word ${#name}
    printf %s "$name"
  done
  at=$header
  for object; do
    place=$(((at + 15) / 16 * 16))
    head -c $((place - at)) /dev/zero
    cat "$object"
    at=$((place + $(size "$object")))
  done
} > "$out"
echo "$rows"
