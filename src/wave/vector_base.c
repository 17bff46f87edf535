/* SPDX-License-Identifier: MIT */
/* Vector arithmetic for every host. */
#include "config.h"

#pragma GCC optimize("O3", "no-trapping-math", "fp-contract=off")

#define AQ_WAVE_VECTOR aq_wave_vector_base
#include "wave/vector.inc"
