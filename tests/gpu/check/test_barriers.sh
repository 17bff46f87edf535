#!/bin/bash
# SPDX-License-Identifier: MIT
# Races of a workgroup that passed more barriers than a few bits count.
# shellcheck source=tests/gpu/check/sites.sh
. "$AQ_SRCDIR/tests/gpu/check/sites.sh"

program_make barriers barriers -std=c++17 -g -O1 --offload-arch=gfx90a # or a SKIP
try barriers race_behind_many_barriers
echo "1..$number"
