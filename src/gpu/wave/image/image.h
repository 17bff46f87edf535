/* SPDX-License-Identifier: MIT */
/* Which memory image instructions access, for observers and counters. */
#ifndef AQ_GPU_WAVE_IMAGE_IMAGE_H
#define AQ_GPU_WAVE_IMAGE_IMAGE_H

#include "gpu/wave/core/execution_state.h"

/* The element that a lane of an image instruction accesses; of a sample that
 * filters or gathers, the first of its elements. False: it accesses none, or
 * the instruction will stop at its resource. */
bool aq_wave_image_at(const aq_wave *w, const aq_wave_op *o, int lane,
                      uint64_t *address, unsigned *bytes);

#endif
