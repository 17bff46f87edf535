#!/bin/bash
# SPDX-License-Identifier: MIT
# Accesses that leave a variable of a module for its neighbour.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"
program_make variables variables -std=c++17 -g -O1 --offload-arch=gfx90a
for case in $("$work/variables" 2> /dev/null); do
  try variables "$case"
done
echo "1..$number"
