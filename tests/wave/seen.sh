#!/bin/sh
# SPDX-License-Identifier: MIT
# The instructions that execute and that no test executed: seen.sh SEEN ISA.MD.
# SEEN has the names that the tests of src/wave wrote with AQ_SEEN; the page lists
# what executes. Ends with 1 if there is one.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
sed -n '/\*\*x\*\*/s/^| 0x[0-9a-f]* | `\([^`]*\)`.*/\1/p' "$2" |
  sort -u > "$work/executes"
sort -u "$1" > "$work/seen"
comm -23 "$work/executes" "$work/seen" > "$work/without"
sed 's/^/without vectors: /' "$work/without"
all=$(wc -l < "$work/executes")
without=$(wc -l < "$work/without")
echo "$((all - without)) of $all instructions that execute have vectors"
[ "$all" -gt 1000 ] && [ "$without" -eq 0 ]
