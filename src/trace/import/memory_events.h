/* SPDX-License-Identifier: MIT */
/*
 * Allocations and frees that a source recorded become the allocations of a run
 * (common/memory_block.def), each with the op around it, and two counters of
 * each device: the bytes allocated and reserved over time.
 *
 * Events come in any order; all is put at the end of the import. A free ends
 * the latest allocation at its address; so does the next allocation there, with
 * a count: the source lost the free. Memory: 96 bytes an event, at
 * the end twice, 48 an allocation, to the end of the import. Thread rule: one
 * thread at a time per import.
 */
#ifndef AQ_TRACE_IMPORT_MEMORY_EVENTS_H
#define AQ_TRACE_IMPORT_MEMORY_EVENTS_H

#include "common/diag.h"
#include "common/ops.h"
#include "trace/import/decimal.h"

struct aq_import;

typedef struct aq_memory_event {
  aq_tick at;     /* of the source's clock */
  int64_t device; /* ordinal; AQ_NONE: the host's memory. Of a free that of the
                     allocation counts */
  uint64_t scope; /* addresses of different scopes differ */
  int64_t address;
  int64_t bytes; /* below 0: freed; 0: freed, of an unknown size */
  /* All of the device's behind this event; AQ_NONE: not recorded. */
  int64_t allocated, reserved;
  int64_t pid, tid;
  /* Set at the end: */
  int64_t time; /* ps of the run */
  size_t place; /* in the order in which they came */
} aq_memory_event;

typedef struct aq_memory_events {
  aq_memory_event *events;
  size_t event_count, event_capacity;
  aq_memory_block *list;
  size_t count, capacity;
} aq_memory_events;

void aq_memory_events_fini(aq_memory_events *allocations);

/* An event of more than 2^50 bytes is counted and left out. */
aq_status aq_memory_event_add(struct aq_import *import, aq_memory_event event);

/* Pairs allocations with frees, and notes them for the context to find their
 * ops; all rows have been read. */
aq_status aq_memory_events_pair(struct aq_import *import);

/* Puts allocations and counters; the context has been put. */
aq_status aq_memory_events_put(struct aq_import *import);

#endif
