/* SPDX-License-Identifier: MIT */
/*
 * Orders of copies: checked requests of a client to the devices' engines.
 * Any thread may call; an order borrows its dependencies for the call.
 */
#ifndef AQ_DROPIN_HSA_COPY_COPIES_H
#define AQ_DROPIN_HSA_COPY_COPIES_H

#include "dropin/hsa/base/runtime.h"

/* The caller's description of a copy. */
typedef struct aqdrop_order {
  aqdrop *runtime;
  uint32_t device, engine;
  uint32_t to_device, from_device; /* ordinals, or AQ_DEVICE_HOST */
  const hsa_signal_t *dependencies;
  uint32_t count;          /* of them */
  hsa_signal_t completion; /* handle 0: none */
} aqdrop_order;

/* Chooses the device that copies: the source, or the destination if that is
 * the host; the first one between host and host. */
hsa_status_t aqdrop_order_agents(aqdrop_order *o, hsa_agent_t to,
                                 hsa_agent_t from);

/* The copy of `size` bytes that the order describes. */
aq_copy_desc aqdrop_order_linear(const aqdrop_order *o, void *to,
                                 const void *from, size_t size);

/* Logs and submits a copy. */
aq_status aqdrop_copy_submit(const aqdrop *runtime, const aq_copy_desc *copy);

/* Submits the copy of `size` bytes with the order's completion signal. */
hsa_status_t aqdrop_order_submit(const aqdrop_order *o, void *to,
                                 const void *from, size_t size);

/* Frees the operations of batches that were under way when the transport
 * closed. */
void aqdrop_batches_fini(aqdrop *runtime);

#endif
