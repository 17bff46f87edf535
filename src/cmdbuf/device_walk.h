/* SPDX-License-Identifier: MIT */
/*
 * A block processor on the device: the walk as a kernel, which puts packets
 * into the queue that it runs in, and itself behind them where it has to see
 * their effects. Conditions need no round trip to the host that way, and their
 * values may lie where only the device reaches.
 *
 * It is the host's walk over the same blocks, compiled for GPUs in the device
 * library (device/blocks.c). Each run of the kernel fills at most half of the
 * ring and is followed by a dispatch of itself with the barrier bit, so that it
 * starts when all of that is complete; at the end come barrier packets with the
 * signals. Simulators that execute no code run the same source as a host
 * function.
 *
 * Ownership: all of an aq_device_walk is the caller's, in memory that host and
 * device reach, untouched until `done` is 0. Thread rule: the ring has no other
 * producer until then.
 */
#ifndef AQ_CMDBUF_DEVICE_WALK_H
#define AQ_CMDBUF_DEVICE_WALK_H

#include "cmdbuf/block_processor.h"

/* Slots of a ring that it works in. */
enum { AQ_DEVICE_WALK_RING_MIN = 16 };

typedef struct aq_device_walk {
  aq_processor walk; /* started, with a link that the device reads */
  aq_ring ring;      /* a copy: with the same pointers as the queue's */
  uint32_t *headers; /* as many as the ring */
  /* Kernel arguments, reused in each run; at least enough for the largest
   * record. */
  unsigned char *kernarg;
  uint32_t kernarg_size;
  aq_signal completion; /* the submission's, or 0 */
  aq_signal done;       /* 1: decremented when all has ended; or 0 */
  aq_packet again;      /* the kernel's own packet, header included */
  aq_walk result;       /* END or BUDGET, when done */
  uint64_t packets;     /* that it has put, its own included */
  uint64_t runs;        /* of the kernel */
} aq_device_walk;

/* The kernel on one device. */
typedef struct aq_device_walker {
  aq_kernel_info kernel;
  uint64_t module; /* that has it; 0: a host function */
} aq_device_walker;

/* Loads the kernel where the transport executes code (AQ_CAP_EXECUTES), else
 * registers its host function. AQ_ERR_UNSUPPORTED: the transport runs neither,
 * or the device library has no code for the device. */
aq_status aq_device_walker_open(aq_transport *transport, uint32_t device,
                                aq_device_walker *out, aq_diag *diag);

/* Nothing runs it any more. A walker of zeros is none. */
void aq_device_walker_close(aq_transport *transport, aq_device_walker *walker);

/* Makes the packet that starts it. args: 8 bytes of kernarg memory that stay
 * until it has ended. */
void aq_device_walk_prepare(aq_device_walk *walk,
                            const aq_device_walker *walker, void *args);

/* One run of the kernel. */
void aq_device_walk_step(aq_device_walk *walk);

#endif
