/* SPDX-License-Identifier: MIT */
/*
 * Happens-before between packets, copies and the host, from what orders them:
 * barrier bits, barrier packets, signals, waits, and the acquire and release
 * scopes of packets. The host is one actor: all of its threads count as ordered
 * among themselves, which can hide a race between threads and never invents
 * one.
 *
 * One thread at a time, under the lock of the checker.
 */
#ifndef AQ_GPU_CHECK_CORE_ORDER_H
#define AQ_GPU_CHECK_CORE_ORDER_H

#include "common/map.h"
#include "common/order_hooks.h"
#include "gpu/check/core/clocks.h"

typedef enum aq_check_actor {
  AQ_CHECK_HOST,
  AQ_CHECK_KERNEL, /* or another packet */
  AQ_CHECK_COPY,
} aq_check_actor;

enum { AQ_CHECK_ACTS_MAX = (1 << 20) - 1 /* serials, from 1 on */ };

/* A packet, a copy, or accesses of the host: the shadow names it. Facts for
 * reports stay; the knowledge of all but the order goes when it completes. */
typedef struct aq_check_act {
  uint32_t serial, chain, count; /* its epoch */
  uint8_t actor;                 /* aq_check_actor */
  bool done, blocks, launched;
  bool executed;   /* its machine code runs, and is observed */
  uint16_t header; /* of its packet */
  uint32_t queue_id, device;
  uint64_t id; /* of the packet in its queue, or of the copy */
  const aq_amd_queue *queue;
  int64_t kernel; /* name in the checker, or -1 */
  aq_check_knowledge knows;
  aq_copy_desc copy; /* of copies; its dependencies are `waits` */
  aq_copy_box box;
  aq_signal *waits;
} aq_check_act;

typedef struct aq_check_order aq_check_order;

/* NULL: out of memory. */
aq_check_order *aq_check_order_create(void);
void aq_check_order_destroy(aq_check_order *order);

/* Whether acts were dropped: memory or serials ran out. */
bool aq_check_order_is_full(const aq_check_order *order);

/* By serial; NULL: 0, or unknown. */
aq_check_act *aq_check_act_at(const aq_check_order *order, uint32_t serial);

/* ---- the device ---- */

aq_check_act *aq_check_order_launch(aq_check_order *order,
                                    const aq_order_packet *packet);
void aq_check_order_seen(aq_check_order *order, const aq_order_packet *packet);
void aq_check_order_complete(aq_check_order *order,
                             const aq_order_packet *packet);
/* The packet under way, or NULL. */
aq_check_act *aq_check_order_packet(const aq_check_order *order,
                                    const aq_amd_queue *queue, uint64_t id);

aq_check_act *aq_check_order_copy_submit(aq_check_order *order, uint64_t copy,
                                         const aq_copy_desc *desc);
void aq_check_order_copy_ready(aq_check_order *order, uint64_t copy);
aq_check_act *aq_check_order_copy(const aq_check_order *order, uint64_t copy);
void aq_check_order_copy_complete(aq_check_order *order, uint64_t copy);

/* ---- the host ---- */

/* Packets of a queue up to `id` are there for the device. */
void aq_check_order_publish(aq_check_order *order, const aq_amd_queue *queue,
                            uint64_t id);
/* A queue is gone: its address may be another's. */
void aq_check_order_queue_gone(aq_check_order *order,
                               const aq_amd_queue *queue);
/* The host sets a signal, decrements it, or sees it satisfied. */
void aq_check_order_signal_set(aq_check_order *order, uint64_t signal);
void aq_check_order_signal_add(aq_check_order *order, uint64_t signal);
void aq_check_order_signal_seen(aq_check_order *order, uint64_t signal);

/* An act of the host: accesses that a call makes. */
aq_check_act *aq_check_order_host(aq_check_order *order);

/* ---- questions ---- */

/* Whether all of `before` happened before `act`. */
bool aq_check_is_ordered(const aq_check_act *before, const aq_check_act *act);

/* Whether what `before` wrote is visible to `act`, too. */
bool aq_check_is_visible(const aq_check_act *before, const aq_check_act *act);

/* The two touched one place by atomics: `act` comes after what `before` did. */
void aq_check_order_atomic(aq_check_act *act, const aq_check_act *before);

#endif
