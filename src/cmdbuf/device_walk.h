/* SPDX-License-Identifier: MIT */
/*
 * A block processor on the device: the walk as a kernel, which puts packets
 * into the queue that it runs in, and itself behind them where it has to see
 * their effects. Conditions need no round trip to the host that way.
 *
 * It is the same walk over the same blocks. Each run of the kernel fills at
 * most half of the ring and is followed by a dispatch of itself with the
 * barrier bit, so that it starts when all of that is complete; at the end come
 * barrier packets with the signals.
 *
 * On transports that run host functions the kernel is one. Ownership: all of an
 * aq_device_walk is the caller's, untouched until `done` is 0. Thread rule: the
 * ring has no other producer until then.
 */
#ifndef AQ_CMDBUF_DEVICE_WALK_H
#define AQ_CMDBUF_DEVICE_WALK_H

#include "cmdbuf/processor.h"

/* Slots of a ring that it works in. */
enum { AQ_DEVICE_WALK_RING_MIN = 16 };

typedef struct aq_device_walk {
  aq_processor walk; /* started */
  aq_link direct;    /* room for the link of a one-shot program */
  aq_ring *ring;
  uint32_t *headers; /* as many as the ring */
  /* Kernel arguments, reused in each run; at least enough for the largest
   * record. */
  unsigned char *kernarg;
  uint32_t kernarg_size;
  aq_signal completion; /* the submission's, or 0 */
  aq_signal done;       /* 1: decremented when all has ended */
  aq_packet again;      /* the kernel's own packet, header included */
  aq_walk result;       /* END or BUDGET, when done */
  uint64_t packets;     /* that it has put, its own included */
} aq_device_walk;

/* Registers the kernel. AQ_ERR_UNSUPPORTED: the transport runs none. */
aq_status aq_device_walk_register(aq_transport *transport, uint64_t *object,
                                  aq_diag *diag);

/* Makes the packet that starts it. args: 8 bytes of kernarg memory that stay
 * until it has ended. */
void aq_device_walk_prepare(aq_device_walk *walk, uint64_t object, void *args);

#endif
