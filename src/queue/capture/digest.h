/* SPDX-License-Identifier: MIT */
/*
 * Bytes of memory that may be a device's: moved by an engine where the
 * transport has one, and digests of them. Internal. Blocks.
 */
#ifndef AQ_QUEUE_CAPTURE_DIGEST_H
#define AQ_QUEUE_CAPTURE_DIGEST_H

#include "common/transport.h"
#include "queue/capture/format.h"

/* Moves bytes between the host and memory of a kind. */
aq_status aq_capture_move(aq_transport *transport, uint32_t device,
                          aq_memory_kind kind, void *to, const void *from,
                          uint64_t size, aq_diag *diag);

static inline uint32_t aq_capture_chunks(uint64_t size)
{
  return (uint32_t)((size + AQ_CAP_CHUNK - 1) / AQ_CAP_CHUNK);
}

/* The digests of all chunks; `out` has room for aq_capture_chunks(size). */
aq_status aq_capture_digest(aq_transport *transport, uint32_t device,
                            aq_memory_kind kind, const void *address,
                            uint64_t size, uint32_t *out, aq_diag *diag);

uint32_t aq_capture_checksum(const void *bytes, uint64_t size);

#endif
