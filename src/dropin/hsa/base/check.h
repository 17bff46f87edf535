/* SPDX-License-Identifier: MIT */
/*
 * The checker of `exec --check` (gpu/check/core/check.h) in the drop-in:
 * AQUEDUCT_CHECK names the checks. runtime->check is NULL without it, and the
 * functions below do nothing then. Any thread.
 */
#ifndef AQDROP_CHECK_H
#define AQDROP_CHECK_H

#include "common/hsa_sim.h"
#include "dropin/hsa/base/memory.h"
#include "dropin/hsa/base/runtime.h"
#include "gpu/check/core/check.h"
#include "gpu/codeobj/loader.h"

/* Makes runtime->check before the transport is opened. */
aq_status aqdrop_check_open(aqdrop *runtime, aq_diag *diag);

/* The runtime closes, or the process ends: stores the findings. */
void aqdrop_check_put(aqdrop *runtime);
void aqdrop_check_close(aqdrop *runtime);

/* Bytes on either side of an allocation that nothing else may take. */
size_t aqdrop_check_room(const aqdrop *runtime);

/* A call of the program allocated or freed memory of a pool. Freed memory stays
 * mapped where aqdrop_check_room() is not 0: in quarantine. */
void aqdrop_check_allocated(aqdrop *runtime, void *base, size_t size,
                            bool protected, const aqdrop_pool *pool);
void aqdrop_check_freed(aqdrop *runtime, const void *base);

/* A call of a runtime above, with memory of its pool. */
void aqdrop_check_pool(aqdrop *runtime, const aq_hsa_pool *call);

/* The program published packets of a queue up to `id`; before the device knows.
 */
void aqdrop_check_publish(const aqdrop *runtime, const aq_amd_queue *queue,
                          uint64_t id);

/* A call of the program is about to read or write memory itself. */
static inline void aqdrop_check_host(aqdrop *runtime, const void *at,
                                     size_t size, bool write)
{
  if (runtime->check)
    aq_check_host_access(runtime->check, aqdrop_memory_seen(runtime, at, size),
                         size, write);
}

/* Code that was loaded, with the file that it came from. */
void aqdrop_check_code(aqdrop *runtime, const aq_code_image *image,
                       const void *bytes, size_t size);
void aqdrop_check_code_gone(aqdrop *runtime, const aq_code_image *image);

/* The host sees a signal's value; its condition holds. */
static inline void aqdrop_check_seen(const aqdrop *runtime, hsa_signal_t signal)
{
  if (runtime->check)
    aq_check_signal_seen(runtime->check, signal.handle);
}

#endif
