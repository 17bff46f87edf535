/* SPDX-License-Identifier: MIT */
/*
 * The memory model of machine code: which accesses may be atomics, and of which
 * scope, by their cache bits; and which instructions are fences. One row a
 * family of processors. Pure functions.
 */
#ifndef AQ_GPU_CHECK_RACE_MEMORY_MODEL_H
#define AQ_GPU_CHECK_RACE_MEMORY_MODEL_H

#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"

/* How an access of memory, `bytes` a lane, takes part in a race of two waves of
 * one workgroup, or else of two workgroups or dispatches. */
aq_check_access aq_check_access_of(const aq_isa_inst *inst,
                                   aq_wave_access_info_kind kind,
                                   unsigned bytes, bool in_group);

/* The same of LDS. */
aq_check_access aq_check_access_shared(const aq_isa_inst *inst,
                                       aq_wave_access_info_kind kind,
                                       unsigned bytes);

/* Its part in fences: AQ_CHECK_STALE_NEAR and so on. */
uint8_t aq_check_fence_of(const aq_isa_inst *inst);

/* Whether the code repeats a load though nothing in it can have changed the
 * place: it is an atomic then, or volatile. Or whether it repeats one behind it
 * whose address may be the same: LLVM peels loops off and computes it anew. */
typedef enum aq_check_poll {
  AQ_CHECK_POLLS_NOT,
  AQ_CHECK_POLLS_BESIDE,
  AQ_CHECK_POLLS,
} aq_check_poll;

aq_check_poll aq_check_poll_of(aq_wave_code *code, const aq_check_site *load);

/* Whether the wave waits for its workgroup there. */
bool aq_check_is_barrier(const aq_isa_inst *inst);

/* A float atomic that has no effect on fine-grained memory. */
bool aq_check_is_dropped(const aq_isa_inst *inst);

#endif
