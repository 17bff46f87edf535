#!/bin/sh
# SPDX-License-Identifier: MIT
# The objects of the device library.
# shellcheck disable=SC1091,SC2034 # objects.sh, which reads the variables
cd "${AQ_SRCDIR:-.}" || exit 1
room=src/gpu/devlib
targets=$(grep -v '^#' src/gpu/devlib/targets.tsv)
some="gfx90a gfx942 gfx1250 gfx11-generic"
. tests/support/objects.sh
