/* SPDX-License-Identifier: MIT */
/* Matrix instructions. */
#include "config.h"

#include "wave/state.h"

const aq_wave_semantics aq_wave_matrix[] = {{NULL, NULL}};
