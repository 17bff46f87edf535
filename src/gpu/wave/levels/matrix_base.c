/* SPDX-License-Identifier: MIT */
/* Matrix instructions for every host. */
#include "config.h"

#pragma GCC optimize("O3", "no-trapping-math", "fp-contract=off")

#define AQ_WAVE_MATRIX aq_wave_matrix_base
#include "gpu/wave/matrix/matrix.inc"
