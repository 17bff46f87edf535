/* SPDX-License-Identifier: MIT */
/*
 * Profiles: how often each instruction of each kernel was executed, with how
 * many lanes, and how its lanes access memory.
 *
 * A profile belongs to a machine and collects all of its executions. One thread
 * at a time.
 */
#ifndef AQ_GPU_WAVE_PROFILE_PROFILE_H
#define AQ_GPU_WAVE_PROFILE_PROFILE_H

#include "common/record.h"
#include "gpu/wave/core/code.h"

typedef struct aq_wave_profile aq_wave_profile;
typedef struct aq_wave_profile_kernel aq_wave_profile_kernel;

/* NULL: out of memory. */
aq_wave_profile *aq_wave_profile_create(void);
void aq_wave_profile_destroy(aq_wave_profile *profile);

/* The counts of the grid's kernel, which lists every instruction that its code
 * can reach; AQ_ERR_NO_MEMORY. They live as long as the profile. */
aq_status aq_wave_profile_open(aq_wave_profile *profile, aq_wave_grid *grid,
                               aq_wave_profile_kernel **out, aq_diag *diag);

/* Counts an instruction that the wave executes next; after it, whether it
 * branched. False: out of memory. */
bool aq_wave_profile_count(aq_wave_profile_kernel *kernel, aq_wave *w,
                           const aq_wave_op *o);
void aq_wave_profile_branched(aq_wave_profile_kernel *kernel,
                              const aq_wave_op *o);

/* Puts all rows, the first time that it is called. */
aq_status aq_wave_profile_put(aq_wave_profile *profile, aq_record_sink *sink,
                              aq_diag *diag);

#endif
