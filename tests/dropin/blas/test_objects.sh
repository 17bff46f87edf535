#!/bin/sh
# SPDX-License-Identifier: MIT
# The objects of the BLAS libraries.
# shellcheck disable=SC1091,SC2034 # objects.sh, which reads the variables
cd "${AQ_SRCDIR:-.}" || exit 1
room=src/dropin/blas
targets=$(awk '$2 == "exact" || $2 == "both"' src/gpu/devlib/targets.tsv)
some="gfx90a gfx942 gfx1100"
. tests/support/objects.sh
