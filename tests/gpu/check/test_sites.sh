#!/bin/bash
# SPDX-License-Identifier: MIT
# Defects of HIP programs, for gfx90a and, of unwritten values, for gfx1030: every
# fourth, or all of them (make check-whole).
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

fourth() { # COMMAND…: the cases that it prints
  "$@" 2> /dev/null | tr ' ' '\n' |
    awk -v every="${AQ_WHOLE:+1}" 'NF { if (n++ % (every ? 1 : 4) == 0) print }'
}
program_make sites sites -std=c++17 -g -O1 --offload-arch=gfx90a # or a SKIP
for name in sites values barriers hazards floats ends; do
  if [ ! -e "$work/$name" ] &&
    ! hipcc -std=c++17 -g -O1 --offload-arch=gfx90a -o "$work/$name" \
      "$here/$name.hip" > "$work/log" 2>&1; then
    outcome 1 "$name.hip compiles"
    sed 's/^/# /' "$work/log"
    continue
  fi
  case $name in
  floats) checks=all,float ;;
  ends) checks=all,leak ;;
  esac
  for case in $(fourth "$work/$name"); do
    try "$name" "$case"
  done
done

checks=all

# Unwritten values again, in RDNA's code.
if hipcc -std=c++17 -g -O1 --offload-arch=gfx1030 -o "$work/values" \
  "$here/values.hip" > "$work/log" 2>&1; then
  device=rx6900xt of="gfx1030 "
  for case in $(fourth "$work/values"); do
    try values "$case"
  done
  device=mi210 of=
else
  outcome 1 "values.hip compiles for gfx1030"
fi
echo "1..$number"
