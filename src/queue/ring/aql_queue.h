/* SPDX-License-Identifier: MIT */
/*
 * An AQL queue: one ring of any transport with its kernarg memory, and the
 * programs that go into it packet by packet as their submitter says. The host
 * queue (queue.h) is built on it; replay uses it as it is, since it has to put
 * exactly the packets that were measured.
 *
 * A submission is: reserve ring slots and kernarg memory, write the waits and
 * the program's packets behind their headers, publish the headers in order,
 * ring the doorbell once. When there is no room it asks the transport to let
 * time pass (queue_wait_space); it never spins and never looks inside. A
 * program that is larger than the ring goes in several parts, each with a
 * doorbell of its own.
 *
 * Order: everything in a queue starts in the order of submission; the barriers
 * of the programs decide whether it overlaps. Waits hold back everything
 * submitted after them.
 *
 * Conditions of a program are decided here: everything before one is completed
 * first, and time moves meanwhile. Where the transport can, a submission is
 * walked on the device instead, without a round trip.
 *
 * Kernel arguments lie in a ring and are reused once the read index has passed
 * the packets they belong to, that is when those have completed.
 *
 * Thread rule: one producer at a time. Ownership: the AQL queue owns its ring
 * and its kernarg memory; the transport must outlive it.
 */
#ifndef AQ_QUEUE_RING_AQL_QUEUE_H
#define AQ_QUEUE_RING_AQL_QUEUE_H

#include "cmdbuf/block_processor.h"
#include "common/transport.h"

typedef struct aq_aql_queue aq_aql_queue;

/* Packets that are about to be published: consecutive ids, first the waits. */
typedef struct aq_aql_queue_packets {
  uint64_t first;   /* packet id */
  uint32_t waits;   /* barrier packets that the queue added */
  uint32_t payload; /* packets of the program */
  uint64_t index;   /* of the first of them in the program */
} aq_aql_queue_packets;

typedef struct aq_aql_queue_options {
  aq_transport *transport;
  uint32_t device;
  uint32_t size;         /* packets, a power of two */
  uint64_t kernarg_size; /* bytes, a power of two; 0: 64 a packet, twice */
  bool cooperative;      /* the cooperative queue of the device */
  /* How long room or a condition may not come while nothing completes, in the
   * transport's time, before a submission ends with AQ_ERR_TIMEOUT; 0: for
   * ever. */
  aq_time patience;
  void (*error)(const aq_queue_error *error, void *user); /* may be NULL */
  /* Told of packets before they are published; may be NULL. */
  void (*packets)(const aq_aql_queue_packets *packets, void *user);
  void *user;
} aq_aql_queue_options;

/* A packet of an observed submission that has completed. */
typedef struct aq_observed {
  uint32_t command;   /* index in the program */
  uint64_t packet;    /* id */
  aq_time start, end; /* AQ_TIME_NONE where only stats are collected */
} aq_observed;

/* The effects of an observed submission. */
typedef struct aq_observed_totals {
  uint64_t first, packets; /* ids of the queue */
  uint64_t dispatches, transfers, drains, markers;
} aq_observed_totals;

typedef enum aq_observe {
  AQ_OBSERVE_STATS, /* completions, markers, totals */
  AQ_OBSERVE_TIMES, /* completions with start and end; AQ_CAP_PROFILING */
} aq_observe;

/* The caller's observer. An observed submission has completed when
 * aq_aql_queue_submit returns. Any function may be NULL. */
typedef struct aq_observer {
  aq_observe what;
  void (*packet)(const aq_observed *packet, void *user);
  void (*marker)(const aq_walk_marker *marker, void *user);
  void (*totals)(const aq_observed_totals *totals, void *user);
  void *user;
} aq_observer;

typedef struct aq_submission {
  /* One of them: a one-shot program, or a link. Neither: only waits and a
   * completion. Both stay until the packets have completed. */
  const aq_program *program;
  const aq_link *link;
  const aq_binding *bindings; /* by slot; borrowed for the call */
  uint32_t binding_count;
  const aq_signal *waits; /* each has to reach 0 first */
  uint32_t wait_count;
  aq_signal completion; /* decremented after the last packet; 0: none */
  uint64_t visits;      /* blocks to enter at most; 0: AQ_VISITS_DEFAULT */
  /* The device walks it; not observed, packets untold. Conditions choose it
   * where buffers lie in memory that is hidden from the host. */
  bool on_device;
  const aq_observer *observer; /* NULL: none */
  /* NULL, or signals for each packet of the program, still in use after
   * the call: entries name the signal of each packet, AQ_WALK_COMPLETION the
   * packet with the completion. Not with an observer, nor on the device. */
  aq_walk_log *log;
} aq_submission;

typedef struct aq_submitted {
  uint64_t first;   /* id of the first packet; the others follow it */
  uint64_t packets; /* all of them */
  uint32_t waits;   /* the first of them, added for the waits */
  uint32_t doorbells;
} aq_submitted;

/* The options are copied, the transport they name is borrowed until destroy.
 * Packets still in the ring then are thrown away. NULL may be destroyed. */
aq_status aq_aql_queue_create(const aq_aql_queue_options *options,
                              aq_aql_queue **out, aq_diag *diag);
void aq_aql_queue_destroy(aq_aql_queue *queue);

/* The ring; owned by the queue. */
const aq_ring *aq_aql_queue_ring(const aq_aql_queue *queue);

/* Changes its priority or compute unit mask: the transport's queue_control. */
aq_status aq_aql_queue_change(aq_aql_queue *queue, aq_queue_control control,
                              const aq_queue_control_args *args, aq_diag *diag);

/* Submits; `out` may be NULL. Nothing is submitted when an argument is bad;
 * AQ_ERR_RESOURCES: the visits are used up, submitted packets run and the
 * completion never comes. After any other error the queue takes no more. */
aq_status aq_aql_queue_submit(aq_aql_queue *queue,
                              const aq_submission *submission,
                              aq_submitted *out, aq_diag *diag);

/* Waits until the device's walk has ended and returns its result;
 * aq_aql_queue_submit and aq_aql_queue_destroy do so first. */
aq_status aq_aql_queue_finish(aq_aql_queue *queue, aq_diag *diag);

#endif
