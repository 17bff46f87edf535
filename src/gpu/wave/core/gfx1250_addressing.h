/* SPDX-License-Identifier: MIT */
/*
 * Addresses of gfx1250: a scalar base with a signed offset of a lane, in flat
 * memory too, and offsets that count elements. They are made whole addresses
 * of lanes before the access, in rows that no program names.
 */
#ifndef AQ_GPU_WAVE_CORE_GFX1250_ADDRESSING_H
#define AQ_GPU_WAVE_CORE_GFX1250_ADDRESSING_H

#include "gpu/wave/core/execution_state.h"

/* Whether an access has such an address. */
bool aq_wave_elements_has(const aq_isa_inst *inst);

/* Fills `o` for one after the rest of its fields; o->run is its handler, which
 * runs behind the address's if the instruction is simulated. */
bool aq_wave_elements_lower(aq_wave_op *o, aq_wave_decoded *more,
                            bool simulated);

/* The bytes of an element, as the name of the instruction gives them. */
unsigned aq_wave_element_bytes(const aq_isa_inst *inst);

/* Makes the addresses of an instruction that has such, for an observer. */
void aq_wave_elements_prepare(aq_wave *w, const aq_wave_op *o);

#endif
