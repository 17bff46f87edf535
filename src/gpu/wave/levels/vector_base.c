/* SPDX-License-Identifier: MIT */
/* Vector arithmetic and accesses for every host. */
#include "config.h"

/* Few processors of x86-64 run this level: it is compiled in half the time. */
#if defined(__x86_64__)
#pragma GCC optimize("O2", "tree-vectorize", "no-trapping-math",               \
                     "no-math-errno", "fp-contract=off")
#else
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno",                \
                     "fp-contract=off", "no-tree-loop-distribute-patterns")
#endif

#define AQ_WAVE_VECTOR       aq_wave_vector_base
#define AQ_WAVE_ACCESS       aq_wave_access_base
#define AQ_WAVE_DIVISION     aq_wave_division_base
#define AQ_WAVE_FUNCTIONS    aq_wave_functions_base
#define AQ_WAVE_PACKED       aq_wave_packed_base
#define AQ_WAVE_SMALL        aq_wave_small_base
#define AQ_WAVE_ACCESS_SITES aq_wave_access_info_base
#include "gpu/wave/memory/access.inc"
#include "gpu/wave/memory/access_subword.inc"
#include "gpu/wave/observe/access_sites.inc"
#include "gpu/wave/vector/vector.inc"
#include "gpu/wave/vector/vector_division.inc"
#include "gpu/wave/vector/vector_functions.inc"
#include "gpu/wave/vector/vector_packed.inc"
