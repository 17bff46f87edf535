/* SPDX-License-Identifier: MIT */
/*
 * The contents of a capture: memory that kernels with code of their own find
 * when they begin, and digests of the bytes that they change. A replay then
 * executes them (doc/formats/packets.md).
 *
 * It stands between the simulator and the executor: before a kernel begins, it
 * compares what devices may touch with its copy of it, and writes lines of the
 * bytes that differ; after the kernel's end it does so again, for digests.
 *
 * Thread rule: the executor's, and create and destroy while no kernel runs.
 */
#ifndef AQDROP_CAPTURE_MEMORY_H
#define AQDROP_CAPTURE_MEMORY_H

#include "common/executor.h"

struct aqdrop_capture;

typedef struct aqdrop_capture_memory aqdrop_capture_memory;

/* `inner` and the capture are borrowed. AQUEDUCT_CAPTURE_MEMORY limits the
 * bytes that are written; AQ_ERR_INVALID: it is no size. */
aq_status aqdrop_capture_memory_create(struct aqdrop_capture *capture,
                                       const aq_executor *inner,
                                       aqdrop_capture_memory **out,
                                       aq_diag *diag);
void aqdrop_capture_memory_destroy(
    aqdrop_capture_memory *contents); /* NULL is fine */

/* The executor for the transport. */
const aq_executor *
aqdrop_capture_memory_executor(const aqdrop_capture_memory *contents);

#endif
