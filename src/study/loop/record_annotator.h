/* SPDX-License-Identifier: MIT */
/*
 * The run loop's record sink: it stands between the transport, which knows when
 * each packet did what, and the user's sink, and adds what only the host knows
 * of a packet.
 *
 * Notes are kept in one ring a queue, indexed by packet id, twice as large as
 * the queue's ring: a device may hand a slot out again when its packet has
 * launched, and report the packet when it has completed. Rows are passed on in
 * batches. One thread.
 */
#ifndef AQ_STUDY_LOOP_RECORD_ANNOTATOR_H
#define AQ_STUDY_LOOP_RECORD_ANNOTATOR_H

#include <pthread.h>

#include "common/map.h"
#include "common/record.h"
#include "common/ring.h"
#include "common/workload.h"

enum { AQ_RUN_SINK_BATCH = 64 };

/* The host's knowledge of one packet. */
typedef struct aq_packet_note {
  uint64_t packet;
  int64_t kind; /* AQ_NONE: as the transport says */
  int64_t via, flags, origin, name, correlation;
  int64_t stream, pid, tid;
  int64_t host_begin, host_end, bytes;
  uint32_t unknown; /* aq_unknown bits */
} aq_packet_note;

typedef struct aq_noted_queue {
  aq_packet_note *notes; /* clear where a packet below `noted` has none */
  uint64_t mask;
  uint64_t noted; /* one past the last packet; above it nothing was written */
} aq_noted_queue;

typedef struct aq_record_annotator {
  aq_record_sink sink;        /* first: passed to the transport */
  pthread_mutex_t lock;       /* of what put and add share */
  aq_record_sink *to;         /* the user's */
  aq_workload_source *source; /* texts of names */
  aq_noted_queue *queues;     /* in order of creation */
  size_t queue_count;
  aq_map by_ring;    /* ring id → index in queues */
  aq_map by_ordinal; /* the user's queue ordinal → ring id */
  int64_t *names;    /* by name id: the user's id + 1, or 0 */
  size_t name_count;
  int64_t last_ordinal; /* the queue of the last row, usually the next too */
  aq_noted_queue *last_queue;
  aq_status status; /* the first error; the transport may lose it */
  aq_diag diag;
  size_t batched;
  aq_record batch[AQ_RUN_SINK_BATCH];
} aq_record_annotator;

void aq_record_annotator_init(aq_record_annotator *sink, aq_record_sink *to,
                              aq_workload_source *source);
void aq_record_annotator_fini(aq_record_annotator *sink);

/* Makes unknown the parts of a row's shape that its packet had to state without
 * a source: aq_unknown bits. */
void aq_record_annotator_shape_forget(aq_record *row, uint32_t unknown);

/* Starts notes for a queue of the transport. */
aq_status aq_record_annotator_add(aq_record_annotator *sink,
                                  const aq_ring *ring, aq_diag *diag);

/* The note of a packet of the queue that was added as number `queue`, to be
 * filled in before the packet is published. */
static inline aq_packet_note *
aq_record_annotator_note(aq_record_annotator *sink, uint32_t queue,
                         uint64_t packet)
{
  aq_noted_queue *on = &sink->queues[queue];
  aq_packet_note *note = &on->notes[packet & on->mask];
  uint64_t noted = on->noted;
  for (; noted < packet; noted++)
    on->notes[noted & on->mask] = (aq_packet_note){0};
  note->packet = packet;
  /* Relaxed: the doorbell orders a packet's note before its row; of later
   * packets the device may see any value. */
  __atomic_store_n(&on->noted, noted > packet ? noted : packet + 1,
                   __ATOMIC_RELAXED);
  return note;
}

/* The first error so far; from any thread. */
aq_status aq_record_annotator_check(aq_record_annotator *sink, aq_diag *diag);

/* Hands the last rows on, and returns the first error of all; when nothing puts
 * rows any more. */
aq_status aq_record_annotator_flush(aq_record_annotator *sink, aq_diag *diag);

#endif
