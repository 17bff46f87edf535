/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "trace/import/memory_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/map.h"
#include "trace/import/import.h"

/* No memory is larger. */
#define BYTES_MAX (INT64_C(1) << 50)

void aq_memory_events_fini(aq_memory_events *allocations)
{
  free(allocations->events);
  free(allocations->list);
}

static bool is_size(int64_t bytes)
{
  return bytes >= -BYTES_MAX && bytes <= BYTES_MAX;
}

aq_status aq_memory_event_add(aq_import *import, aq_memory_event event)
{
  aq_memory_events *a = &import->memory;
  if (!is_size(event.bytes) ||
      (event.allocated != AQ_NONE && !is_size(event.allocated)) ||
      (event.reserved != AQ_NONE && !is_size(event.reserved))) {
    aq_import_fault(import, AQ_REPAIR_SKIPPED_OP,
                    "allocation of more than 2^50 bytes", NULL, 0);
    return AQ_OK;
  }
  event.place = a->event_count;
  return AQ_ARRAY_PUSH(a->events, a->event_count, a->event_capacity, event)
             ? AQ_OK
             : aq_diag_no_memory(import->diag);
}

static int event_order(const void *a, const void *b)
{
  const aq_memory_event *x = a, *y = b;
  if (x->time != y->time)
    return x->time < y->time ? -1 : 1;
  return x->place < y->place ? -1 : x->place > y->place;
}

/* In times of the run, in their order. */
static void events_arrange(aq_import *import)
{
  aq_memory_events *a = &import->memory;
  size_t kept = 0;
  for (size_t i = 0; i < a->event_count; i++) {
    aq_memory_event *event = &a->events[i];
    if (!aq_import_time_is_near(import, event->at, &event->time))
      aq_import_stray(import, AQ_REPAIR_SKIPPED_OP, event->at.ns, "allocation",
                      sizeof "allocation" - 1);
    else
      a->events[kept++] = *event;
  }
  a->event_count = kept;
  if (kept > 0)
    qsort(a->events, kept, sizeof *a->events, event_order);
}

static uint64_t key_of(const aq_memory_event *event)
{
  return (uint64_t)event->address ^ event->scope << 52;
}

static bool allocate(aq_import *import, aq_map *live,
                     const aq_memory_event *event)
{
  aq_memory_events *a = &import->memory;
  return AQ_ARRAY_PUSH(a->list, a->count, a->capacity,
                       (aq_memory_block){.device = event->device,
                                         .address = event->address,
                                         .bytes = event->bytes,
                                         .allocated = event->time,
                                         .freed = AQ_TIME_NONE,
                                         .op = AQ_NONE}) &&
         aq_map_put(live, key_of(event), a->count - 1);
}

/* Of memory that was allocated before the trace began, the size may be known.
 */
static bool release(aq_import *import, aq_map *live, aq_memory_event *event)
{
  aq_memory_events *a = &import->memory;
  uint64_t known;
  if (aq_map_remove(live, key_of(event), &known)) {
    a->list[known].freed = event->time;
    event->device = a->list[known].device;
    event->bytes = -a->list[known].bytes;
    return true;
  }
  if (event->address == 0) /* freeing NULL does nothing */
    return true;
  return AQ_ARRAY_PUSH(
      a->list, a->count, a->capacity,
      (aq_memory_block){.device = event->device,
                        .address = event->address,
                        .bytes = event->bytes < 0 ? -event->bytes : AQ_NONE,
                        .allocated = AQ_TIME_NONE,
                        .freed = event->time,
                        .op = AQ_NONE});
}

/* Sums the recorded sizes where the source has no totals of a device. */
static bool total_set(aq_import *import, aq_map *sums, aq_memory_event *event)
{
  uint64_t sum = 0;
  int64_t total;
  if (event->device == AQ_NONE || event->allocated != AQ_NONE)
    return true;
  aq_map_get(sums, (uint64_t)event->device, &sum);
  if (__builtin_add_overflow((int64_t)sum, event->bytes, &total)) {
    aq_import_fault(import, AQ_REPAIR_BAD_NUMBER,
                    "sum of the sizes of a device's allocations", NULL, 0);
    return true;
  }
  event->allocated = total;
  return aq_map_put(sums, (uint64_t)event->device, (uint64_t)event->allocated);
}

/* The events so far, with the lost frees among them. */
typedef struct pairing {
  aq_memory_event *events;
  size_t count, capacity;
  aq_map live, sums;
} pairing;

static bool event_pair(aq_import *import, pairing *p, aq_memory_event event)
{
  const size_t number = import->memory.count;
  const bool allocates = event.bytes > 0;
  return (allocates ? allocate(import, &p->live, &event)
                    : release(import, &p->live, &event)) &&
         total_set(import, &p->sums, &event) &&
         AQ_ARRAY_PUSH(p->events, p->count, p->capacity, event) &&
         (!allocates || !import->context.active ||
          aq_context_block_add(import, number, event.time, event.pid,
                               event.tid) == AQ_OK);
}

/* A block at an address in use shows that the one before it was freed, at this
 * time at the latest. */
static bool lost_free_pair(aq_import *import, pairing *p, aq_memory_event event)
{
  char address[24];
  if (event.bytes <= 0 || !aq_map_get(&p->live, key_of(&event), NULL))
    return true;
  const int length =
      snprintf(address, sizeof address, "0x%" PRIx64, (uint64_t)event.address);
  aq_import_fault(import, AQ_REPAIR_LOST_FREE, "address allocated again",
                  address, (size_t)length);
  event.bytes = 0;
  return event_pair(import, p, event);
}

aq_status aq_memory_events_pair(aq_import *import)
{
  aq_memory_events *a = &import->memory;
  pairing p = {.events = NULL};
  bool ok = true;
  events_arrange(import);
  for (size_t i = 0; i < a->event_count && ok; i++)
    ok = lost_free_pair(import, &p, a->events[i]) &&
         event_pair(import, &p, a->events[i]);
  aq_map_fini(&p.live);
  aq_map_fini(&p.sums);
  free(a->events);
  a->events = p.events;
  a->event_count = p.count;
  a->event_capacity = p.capacity;
  import->result->allocations = a->count;
  return ok ? AQ_OK : aq_diag_no_memory(import->diag);
}

/* One counter of a device: of several events at one time the last counts. */
static aq_status counter_put(aq_import *import, int64_t device, int counter)
{
  const aq_memory_events *a = &import->memory;
  aq_record_sink *sink = import->sink;
  aq_sample sample = {.time = AQ_TIME_NONE};
  aq_status status = AQ_OK;
  for (size_t i = 0; i < a->event_count && status == AQ_OK; i++) {
    const aq_memory_event *event = &a->events[i];
    const int64_t value = counter == AQ_COUNTER_memory_reserved
                              ? event->reserved
                              : event->allocated;
    if (event->device != device || value == AQ_NONE)
      continue;
    if (sample.time != AQ_TIME_NONE && sample.time != event->time)
      status = sink->put_counters(sink, &sample, 1, import->diag);
    sample = (aq_sample){counter, device, event->time, value};
  }
  return status == AQ_OK && sample.time != AQ_TIME_NONE
             ? sink->put_counters(sink, &sample, 1, import->diag)
             : status;
}

aq_status aq_memory_events_put(aq_import *import)
{
  const aq_memory_events *a = &import->memory;
  aq_record_sink *sink = import->sink;
  int64_t devices = 0;
  aq_status status = AQ_OK;
  for (size_t i = 0; i < a->event_count; i++)
    if (a->events[i].device >= devices)
      devices = a->events[i].device + 1;
  for (int64_t i = 0; i < devices && status == AQ_OK && sink->put_counters;
       i++) {
    status = counter_put(import, i, AQ_COUNTER_memory_allocated);
    if (status == AQ_OK)
      status = counter_put(import, i, AQ_COUNTER_memory_reserved);
  }
  if (status != AQ_OK || !sink->put_memory_blocks || a->count == 0)
    return status;
  return sink->put_memory_blocks(sink, a->list, a->count, import->diag);
}
