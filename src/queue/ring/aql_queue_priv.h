/* SPDX-License-Identifier: MIT */
/* Shared by the files of an AQL queue, and by the host queue on top of it. */
#ifndef AQ_QUEUE_RING_AQL_QUEUE_PRIV_H
#define AQ_QUEUE_RING_AQL_QUEUE_PRIV_H

#include "cmdbuf/device_walk.h"
#include "cmdbuf/link_image.h"
#include "queue/ring/aql_queue.h"
#include "queue/ring/kernarg_ring.h"

/* Kernargs that are free once the read index has passed `packet`. */
typedef struct aq_reclaim {
  uint64_t packet;
  uint64_t head; /* position of the kernarg ring */
} aq_reclaim;

enum { AQ_PAGE = 256 };

/* Signals for the packets of observed submissions, a page at a time. */
typedef struct aq_page {
  aq_walk_log log;
  aq_signal signals[AQ_PAGE];
  aq_walk_entry entries[AQ_PAGE];
  aq_walk_marker markers[AQ_PAGE];
} aq_page;

struct aq_aql_queue {
  aq_aql_queue_options options;
  const aq_transport_ops *ops;
  aq_ring *ring;
  aq_kernarg_ring kernargs;
  uint32_t *headers;    /* of the packets being written, as many as the ring */
  aq_reclaim *reclaims; /* ring of entries, one a part, as many as the ring */
  uint64_t reclaim_first, reclaim_end;
  uint16_t carry; /* barrier bits that the last program left */
  bool broken;

  /* Made when first needed. */
  aq_signal drain; /* of conditions: 1, or 0 when drained */
  aq_builtins builtins;
  bool builtins_known;
  aq_page *page;
  aq_device_walker walker; /* on the device */
  aq_device_walk *walk;    /* memory of the transport */
  uint32_t walk_slots;     /* bindings that fit behind it */
  aq_signal walk_done;
  aq_link_image walk_image; /* of the program under way */
  bool walking;
  struct aq_pm4_part *pm4; /* pm4.c: packets that become commands */
};

/* The rest of one submission. */
typedef struct aq_submit {
  const aq_submission *submission;
  aq_link direct; /* of a one-shot program */
  const aq_link *link;
  aq_processor processor;
  aq_packet drain;
  uint32_t waits, waits_done;
  uint64_t payload_done;
  bool payload; /* the program has not ended */
  bool on_device;
  aq_submitted result;
  bool doorbell_pending; /* published packets that still need a doorbell */
} aq_submit;

/* aql_queue_wait.c */

/* When the patience of a wait that begins now ends. */
aq_time aq_aql_queue_deadline(const aq_aql_queue *queue);

/* Waits until a signal of the queue is 0; AQ_ERR_QUEUE when it stopped. */
aq_status aq_aql_queue_await(aq_aql_queue *queue, aq_signal signal,
                             aq_diag *diag);

/* Makes the queue's `drain` or `walk_done`, at 1, unless it is there. An error
 * of the queue stores -1. */
aq_status aq_aql_queue_signal(aq_aql_queue *queue, aq_signal *signal,
                              aq_diag *diag);

/* aql_queue_submit.c: the doorbell, all of a submission. */
void aq_submit_ring(aq_aql_queue *queue, aq_submit *submit);
aq_status aq_submit_run(aq_aql_queue *queue, aq_submit *submit, aq_diag *diag);

/* Publishes only the waits, and one packet behind them. */
aq_status aq_submit_waits(aq_aql_queue *queue, aq_submit *submit,
                          const aq_packet *last, aq_diag *diag);

/* Room for a part (packet_batch.h); waits until there is some. */
aq_status aq_submit_room(aq_aql_queue *queue, aq_submit *submit,
                         aq_packet_span *part, aq_diag *diag);

/* aql_queue_profile.c: a page before, when it is full and at the end. */
aq_status aq_page_open(aq_aql_queue *queue, const aq_observer *observer,
                       aq_diag *diag);
aq_status aq_page_turn(aq_aql_queue *queue, const aq_observer *observer,
                       aq_diag *diag);
void aq_page_total(const aq_aql_queue *queue, const aq_observer *observer,
                   const aq_submitted *result);
void aq_page_close(aq_aql_queue *queue);

/* aql_queue_device_walk.c: one walk of an AQL queue at a time. */
typedef struct aq_walk_ask {
  const aq_binding *bindings; /* copied */
  uint32_t binding_count;
  uint16_t carry;         /* header bits for the first packet */
  uint64_t visits;        /* as aq_processor_start() takes them */
  unsigned char *kernarg; /* memory for all of the walk */
  uint32_t kernarg_size;
  aq_signal completion, done;
} aq_walk_ask;

/* Makes the kernel, its memory and the image of a link. Until the walk's end
 * this is the last call that may fail. */
aq_status aq_walk_ready(aq_aql_queue *queue, const aq_link *link,
                        uint32_t slots, aq_diag *diag);

/* Fills the state of a ready walk; queue->walk->again starts it. */
void aq_walk_begin(aq_aql_queue *queue, const aq_walk_ask *ask);

/* The device has ended it. */
void aq_walk_end(aq_aql_queue *queue);

aq_status aq_walk_submit(aq_aql_queue *queue, aq_submit *submit, aq_diag *diag);
void aq_walk_close(aq_aql_queue *queue);

#endif
