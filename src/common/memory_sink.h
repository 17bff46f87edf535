/* SPDX-License-Identifier: MIT */
/*
 * A record sink that keeps everything in memory: for tests, for comparisons
 * of small runs, and for programs that embed the library. It owns its copies;
 * one thread at a time.
 */
#ifndef AQ_COMMON_MEMORY_SINK_H
#define AQ_COMMON_MEMORY_SINK_H

#include "map.h"
#include "record.h"

typedef struct aq_memory_sink {
  aq_record_sink sink; /* first: pass &m.sink where a sink is wanted */
  aq_record *rows;
  size_t count, capacity;
  aq_edge *edges;
  size_t edge_count, edge_capacity;
  aq_sample *samples;
  size_t sample_count, sample_capacity;
  aq_names names;
  aq_run_device *devices; /* texts are owned by the sink */
  size_t device_count, device_capacity;
  aq_run_queue *queues;
  size_t queue_count, queue_capacity;
  aq_arena arena;
} aq_memory_sink;

/* Caller's storage; fini frees everything that was put. */
void aq_memory_sink_init(aq_memory_sink *sink);
void aq_memory_sink_fini(aq_memory_sink *sink);

#endif
