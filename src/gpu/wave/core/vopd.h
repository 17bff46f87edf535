/* SPDX-License-Identifier: MIT */
/* Two instructions in one: VOPD of RDNA. */
#ifndef AQ_GPU_WAVE_CORE_VOPD_H
#define AQ_GPU_WAVE_CORE_VOPD_H

#include "gpu/wave/core/execution_state.h"

/* Whether the operands of both can be executed. */
bool aq_wave_pair_lowers(const aq_isa_inst *inst);

/* Makes `o` execute both, by their handlers; its two halves live as long as
 * `more`. False: one of them cannot be executed, or out of memory. */
bool aq_wave_pair_lower(aq_wave_op *o, aq_wave_decoded *more,
                        aq_wave_handler *x, aq_wave_handler *y);

/* Frees its pair and its form. */
void aq_wave_decoded_clear(aq_wave_decoded *more);

/* Clears and frees it; NULL is fine. */
void aq_wave_decoded_free(aq_wave_decoded *more);

/* Its bytes, of its pair and its form too; of NULL 0. */
size_t aq_wave_decoded_size(const aq_wave_decoded *more);

#endif
