/* SPDX-License-Identifier: MIT */
/*
 * Pools: the memory of alloca, one a device. Internal; operations.h has the
 * contract.
 *
 * A block is of a size class, four to a doubling, and belongs to the transport:
 * it has an allocator of its own below, so blocks are not cut up. Each is
 *
 *   held ──dealloca submitted──▶ leaving ──it is complete──▶ idle ─▶ held …
 *     ▲                             │
 *     └── alloca that runs after it ┘
 *
 * A leaving block has a semaphore that rises when it has left; an alloca that
 * gets it before waits for that. Thread rule: as the context, with a lock
 * inside.
 */
#ifndef AQ_QUEUE_POOL_H
#define AQ_QUEUE_POOL_H

#include "queue/context_priv.h"

aq_status aq_pools_create(aq_context *context, aq_diag *diag);
void aq_pools_destroy(aq_context *context);

#endif
