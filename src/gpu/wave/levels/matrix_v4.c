/* SPDX-License-Identifier: MIT */
/* Matrix instructions for hosts of x86-64-v4. */
#include "config.h"

#if defined(__x86_64__) && !defined(AQ_BASE_HOST_LEVEL)

#pragma GCC optimize("O3", "no-trapping-math", "fp-contract=off")
#pragma GCC target("arch=x86-64-v4,prefer-vector-width=512")

#define AQ_HOST_LEVEL  4
#define AQ_WAVE_MATRIX aq_wave_matrix_v4
#include "gpu/wave/matrix/matrix.inc"

#endif
