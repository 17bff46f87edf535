/* SPDX-License-Identifier: MIT */
/*
 * Pools: the memory of alloca, one a device. Internal; operations.h has the
 * contract.
 *
 * A block is of a size class, four to a doubling, and belongs to the transport:
 * it has an allocator of its own below, so blocks are not cut up. A block whose
 * dealloca is under way is handed out again, to an alloca that waits for it.
 * Thread rule: as the context, with a lock inside.
 */
#ifndef AQ_QUEUE_OPS_ALLOCA_POOL_H
#define AQ_QUEUE_OPS_ALLOCA_POOL_H

#include "queue/sync/context_priv.h"

aq_status aq_pools_create(aq_context *context, aq_diag *diag);
void aq_pools_destroy(aq_context *context);

#endif
