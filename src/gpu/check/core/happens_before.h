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
#ifndef AQ_GPU_CHECK_CORE_HAPPENS_BEFORE_H
#define AQ_GPU_CHECK_CORE_HAPPENS_BEFORE_H

#include "common/map.h"
#include "common/order_hooks.h"
#include "gpu/check/core/access_history.h"
#include "gpu/check/core/vector_clock.h"

typedef enum aq_check_actor {
  AQ_CHECK_HOST,
  AQ_CHECK_KERNEL, /* or another packet */
  AQ_CHECK_COPY,
} aq_check_actor;

enum { AQ_HB_EVENTS_MAX = (1 << 20) - 1 /* serials, from 1 on */ };

/* A packet, a copy, or accesses of the host: the shadow names it. When it
 * completes its facts stay, for reports, and of its knowledge the order that a
 * packet had. */
typedef struct aq_hb_event {
  uint32_t serial, chain, count; /* its epoch */
  uint8_t actor;                 /* aq_check_actor */
  bool done, blocks, launched;
  bool executed;   /* its machine code runs, and is observed */
  uint16_t header; /* of its packet */
  uint32_t queue_id, device;
  uint64_t id; /* of the packet in its queue, or of the copy */
  const aq_amd_queue *queue;
  int64_t kernel;     /* name in the checker, or -1 */
  aq_check_bits bits; /* of its accesses, if it is executed */
  aq_check_view knows;
  aq_copy_desc copy; /* of copies; its dependencies are `waits` */
  aq_copy_box box;
  aq_signal *waits;
} aq_hb_event;

typedef struct aq_hb aq_hb;

/* `host_unseen`: no caller reports the host's calls, so it counts as knowing of
 * each packet that completed. NULL: out of memory. */
aq_hb *aq_hb_create(bool host_unseen);
void aq_hb_destroy(aq_hb *order);

/* Whether acts were dropped: memory or serials ran out. */
bool aq_hb_is_full(const aq_hb *order);

/* By serial; NULL: 0, or unknown. */
aq_hb_event *aq_hb_event_at(const aq_hb *order, uint32_t serial);

/* ---- the device ---- */

aq_hb_event *aq_hb_launch(aq_hb *order, const aq_order_packet *packet);
void aq_hb_seen(aq_hb *order, const aq_order_packet *packet);
/* A value at a place of memory: whoever wrote it is not known, unless it is a
 * signal's. */
void aq_hb_memory_seen(aq_hb *order, const aq_order_packet *packet,
                       uint64_t address);
void aq_hb_complete(aq_hb *order, const aq_order_packet *packet);
/* Whether the packet has completed: packets begin in the order of their ids. */
bool aq_hb_is_complete(const aq_hb *order, const aq_amd_queue *queue,
                       uint64_t id);
/* The packet under way, or NULL. */
aq_hb_event *aq_hb_packet(const aq_hb *order, const aq_amd_queue *queue,
                          uint64_t id);

aq_hb_event *aq_hb_copy_submit(aq_hb *order, uint64_t copy,
                               const aq_copy_desc *desc);
void aq_hb_copy_ready(aq_hb *order, uint64_t copy);
aq_hb_event *aq_hb_copy(const aq_hb *order, uint64_t copy);
void aq_hb_copy_complete(aq_hb *order, uint64_t copy);

/* ---- the host ---- */

/* Packets of a queue up to `id` are there for the device. */
void aq_hb_publish(aq_hb *order, const aq_amd_queue *queue, uint64_t id);
/* A queue is gone: its address may be another's. */
void aq_hb_queue_gone(aq_hb *order, const aq_amd_queue *queue);
/* The host sets a signal, decrements it, or sees it satisfied. */
void aq_hb_signal_set(aq_hb *order, uint64_t signal);
void aq_hb_signal_add(aq_hb *order, uint64_t signal);
void aq_hb_signal_seen(aq_hb *order, uint64_t signal);

/* An act of the host: accesses that a call makes, until it is done. */
aq_hb_event *aq_hb_host(aq_hb *order);
void aq_hb_host_done(aq_hb_event *act);

/* ---- questions ---- */

/* Whether all of `before` happened before `act`. */
bool aq_check_is_ordered(const aq_hb_event *before, const aq_hb_event *act);

/* Whether what `before` wrote is visible to `act`, too. */
bool aq_check_is_visible(const aq_hb_event *before, const aq_hb_event *act);

/* The two touched one place by atomics: `act` comes after what `before` did. */
void aq_hb_atomic(aq_hb *order, aq_hb_event *act, const aq_hb_event *before);

#endif
