/* SPDX-License-Identifier: MIT */
/* Vector arithmetic and accesses for hosts of x86-64-v3. */
#include "config.h"

#if defined(__x86_64__) && !defined(AQ_BASE_HOST_LEVEL)

#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno",                \
                     "fp-contract=off", "no-tree-loop-distribute-patterns")
#pragma GCC target("arch=x86-64-v3")

#define AQ_HOST_LEVEL        3
#define AQ_WAVE_VECTOR       aq_wave_vector_v3
#define AQ_WAVE_ACCESS       aq_wave_access_v3
#define AQ_WAVE_DIVISION     aq_wave_division_v3
#define AQ_WAVE_FUNCTIONS    aq_wave_functions_v3
#define AQ_WAVE_PACKED       aq_wave_packed_v3
#define AQ_WAVE_SMALL        aq_wave_small_v3
#define AQ_WAVE_ACCESS_SITES aq_wave_access_info_v3
#include "gpu/wave/memory/access.inc"
#include "gpu/wave/memory/access_subword.inc"
#include "gpu/wave/observe/access_sites.inc"
#include "gpu/wave/vector/vector.inc"
#include "gpu/wave/vector/vector_division.inc"
#include "gpu/wave/vector/vector_functions.inc"
#include "gpu/wave/vector/vector_packed.inc"

#endif
