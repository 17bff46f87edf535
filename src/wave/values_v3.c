/* SPDX-License-Identifier: MIT */
#include "config.h"

#if defined(__x86_64__)
#pragma GCC target("arch=x86-64-v3")
#define AQ_WAVE_VALUES aq_wave_values_v3
#define AQ_WAVE_LEVEL  "x86-64-v3"
#include "wave/values_level.inc"
#else
typedef int aq_wave_values_of_another_processor;
#endif
