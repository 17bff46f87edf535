/* SPDX-License-Identifier: MIT */
/*
 * Loads that go from memory to LDS, not to registers: lanes write one after the
 * other, from M0 on. A modifier of plain loads, or instructions of their own
 * (global_load_lds_dword).
 */
#ifndef AQ_GPU_WAVE_CORE_LDS_DIRECT_LOAD_H
#define AQ_GPU_WAVE_CORE_LDS_DIRECT_LOAD_H

#include "gpu/wave/core/execution_state.h"

/* The row whose handler makes all such loads. */
#define AQ_WAVE_DIRECT "global_load_lds_dword"

/* In k[2], beside the bytes of a lane. */
enum { AQ_WAVE_DIRECT_SIGNED = 1 << 8 };

static inline bool aq_wave_is_direct(const aq_isa_inst *inst)
{
  return inst->lds || strstr(inst->row->name, "_load_lds_");
}

/* Whether the instruction can load to LDS. Its size goes into k[2]. */
bool aq_wave_direct_lower(aq_wave_op *o, const aq_isa_inst *inst);

#endif
