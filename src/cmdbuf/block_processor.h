/* SPDX-License-Identifier: MIT */
/*
 * The block processor: walks a program and writes its packets into ring slots.
 *
 * It writes bodies and kernargs and leaves the header words to its caller,
 * which publishes them in order when everything is in place. It stops where its
 * room ends and continues from there with the next.
 *
 * A condition, or an indirect grid without a patch kernel, is looked at when
 * everything before it is complete: the walk puts the span's drain packet
 * there, stops with AQ_WALK_DRAIN, and expects to be gone on with only when
 * that packet has run.
 *
 * Programs come from a builder of this process or have been validated: what
 * those promise is asserted, not checked. Thread rule: one thread at a time per
 * processor.
 */
#ifndef AQ_CMDBUF_BLOCK_PROCESSOR_H
#define AQ_CMDBUF_BLOCK_PROCESSOR_H

#include <stdbool.h>

#include "cmdbuf/link.h"
#include "common/ring.h"

typedef enum aq_walk {
  AQ_WALK_END,   /* of the program */
  AQ_WALK_FULL,  /* no room for the next packet */
  AQ_WALK_DRAIN, /* its last packet has to run first */
  /* It cannot continue: */
  AQ_WALK_BUDGET, /* too many blocks were visited */
  AQ_WALK_DEPTH,  /* a call within AQ_CALL_DEPTH calls */
} aq_walk;

#define AQ_VISITS_DEFAULT (UINT64_C(1) << 24)

/* Where a walk stands. */
typedef struct aq_processor {
  const aq_link *link;
  const aq_binding *slots;
  const aq_block *block;
  uint64_t published;    /* where offset 0 of the block's rodata would lie */
  uint32_t offset;       /* of the next record in the block */
  uint32_t packets_left; /* of the block */
  uint32_t kernarg_left; /* bytes, of the block */
  uint16_t carry; /* header bits that a barrier left for the next packet */
  bool drained;   /* the drain packet of the next record was put */
  uint8_t depth;  /* of calls */
  uint32_t stack[AQ_CALL_DEPTH]; /* blocks where returns continue */
  uint64_t visits;               /* blocks that may still be entered */
} aq_processor;

enum {
  AQ_WALK_COMPLETION = 0xffffffff
}; /* another's signal, none of the log */

/* A packet that hooks have given a completion signal. */
typedef struct aq_walk_entry {
  uint64_t packet;  /* id */
  uint32_t command; /* index in the program */
  uint32_t signal;  /* which of the log's */
} aq_walk_entry;

typedef struct aq_walk_marker {
  uint64_t packet; /* id of the next packet */
  uint64_t value;
  uint32_t command;
  uint32_t entry; /* of the log: that of the next packet */
  aq_marker_kind kind;
} aq_walk_marker;

/* Written by the hooks of stats and times. Signals are 1 when they are given
 * here. The walk stops as if full when there is no room for an entry or a
 * marker. */
typedef struct aq_walk_log {
  const aq_signal *signals;
  aq_walk_entry *entries;
  uint32_t capacity, used; /* of both */
  aq_walk_marker *markers; /* NULL: markers are not logged */
  uint32_t marker_capacity, marker_used;
  /* Stats only, summed up. Atomics and waits for values count as transfers. */
  uint64_t dispatches, transfers, drains;
  uint64_t marked; /* by the reader that empties the markers */
} aq_walk_log;

/* Room, and the walk's use of it. */
typedef struct aq_packet_span {
  aq_ring *ring;
  uint64_t first; /* id of the first slot */
  uint32_t slots;
  uint32_t *headers;      /* `slots` header and setup words, written here */
  unsigned char *kernarg; /* aligned to AQ_KERNARG_ALIGN */
  uint32_t kernarg_size;  /* bytes */
  uint32_t packets;       /* used so far */
  uint32_t kernarg_used;  /* bytes used so far */
  const aq_packet *drain; /* with its header; copied where it is needed */
  aq_walk_log *log;       /* of stats and times */
} aq_packet_span;

/* Starts a walk. slots: checked with aq_link_check_slots; carry: header bits to
 * add to the first packet; visits: 0 for the default. */
void aq_processor_start(aq_processor *processor, const aq_link *link,
                        const aq_binding *slots, uint16_t carry,
                        uint64_t visits);

/* Packets and kernarg bytes up to where the flow is not known yet, or a little
 * more than `most` packets. */
void aq_processor_demand(const aq_processor *processor, uint64_t most,
                         uint64_t *packets, uint64_t *kernarg);

/* Fills the span. The plain walk, and the walks with hooks. */
aq_walk aq_processor_fill(aq_processor *processor, aq_packet_span *span);
aq_walk aq_processor_fill_stats(aq_processor *processor, aq_packet_span *span);
aq_walk aq_processor_fill_times(aq_processor *processor, aq_packet_span *span);

/* Publishes the filled packets. A packet that another one publishes stays as it
 * is: that one may have run already. */
static inline void aq_packet_span_publish(const aq_packet_span *span)
{
  /* Locals: the compiler has to think that packets may overlap the rest. */
  aq_packet *const packets = span->ring->packets;
  const uint64_t mask = span->ring->size - 1, first = span->first;
  const uint32_t *headers = span->headers;
  const uint32_t count = span->packets;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t header = headers[i];
    if (aq_header_type(header) != AQ_PACKET_INVALID)
      aq_packet_publish(&packets[(first + i) & mask], (uint16_t)header,
                        (uint16_t)(header >> 16));
  }
}

#endif
