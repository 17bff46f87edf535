/* SPDX-License-Identifier: MIT */
/* Vector arithmetic and accesses for every host. */
#include "config.h"

#pragma GCC optimize("O3", "no-trapping-math", "fp-contract=off",              \
                     "no-tree-loop-distribute-patterns")

#define AQ_WAVE_VECTOR aq_wave_vector_base
#define AQ_WAVE_ACCESS aq_wave_access_base
#include "wave/access.inc"
#include "wave/vector.inc"
