/* SPDX-License-Identifier: MIT */
/*
 * The memory model of machine code: which accesses may be atomics, and of which
 * scope, by their cache bits; and which instructions are fences. One row a
 * family of processors. Pure functions.
 */
#ifndef AQ_GPU_CHECK_RACE_SCOPES_H
#define AQ_GPU_CHECK_RACE_SCOPES_H

#include "gpu/check/core/core.h"

/* How an access of memory, `bytes` a lane, takes part in a race of two waves of
 * one workgroup, or else of two workgroups or dispatches. */
aq_check_access aq_check_access_of(const aq_isa_inst *inst,
                                   aq_wave_touch_kind kind, unsigned bytes,
                                   bool in_group);

/* The same of LDS. */
aq_check_access aq_check_access_shared(const aq_isa_inst *inst,
                                       aq_wave_touch_kind kind, unsigned bytes);

/* Whether it drops what caches hold of other workgroups' memory. */
bool aq_check_is_fence(const aq_isa_inst *inst);

/* Whether the wave waits for its workgroup there. */
bool aq_check_is_barrier(const aq_isa_inst *inst);

/* A float atomic that has no effect on fine-grained memory. */
bool aq_check_is_dropped(const aq_isa_inst *inst);

#endif
