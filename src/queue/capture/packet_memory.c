/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/capture/packet_memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/array.h"
#include "common/fnv.h"
#include "common/guest_memory.h"
#include "common/wall_clock.h"

enum { BUDGET = 1 << 20 }; /* instructions a step */

typedef struct region {
  uint64_t base, end; /* whole pages */
} region;

typedef struct computer {
  const aq_packet_file *file;
  const aq_executor *executor;
  aq_time timeout;
  aq_packet_computed *out;
  region *regions; /* mapped, apart from each other */
  size_t region_count, region_capacity;
  aq_allocation *published;
  size_t published_count, published_capacity;
} computer;

/* One execution's lines. */
typedef struct section {
  const aq_packet_event *execute;
  const aq_packet_event *executed; /* NULL: not there */
} section;

static void *host_address(uint64_t address)
{
  return (void *)(uintptr_t)address; /* NOLINT(session-no-int-to-ptr) */
}

static bool is_of(const aq_packet_event *event, const aq_packet_event *execute)
{
  return event->n[AQ_PACKET_N_QUEUE] == execute->n[AQ_PACKET_N_QUEUE] &&
         event->n[AQ_PACKET_N_PACKET] == execute->n[AQ_PACKET_N_PACKET];
}

/* ---- memory ---- */

/* The region at an address, or else the least that begins behind it; NULL:
 * neither. */
static const region *region_find(const computer *c, uint64_t address)
{
  const region *next = NULL;
  for (const region *r = c->regions; r < c->regions + c->region_count; r++) {
    if (r->base <= address && address < r->end)
      return r;
    if (r->base > address && (!next || r->base < next->base))
      next = r;
  }
  return next;
}

static bool is_mapped(const computer *c, uint64_t address, uint64_t size)
{
  while (size > 0) {
    const region *r = region_find(c, address);
    if (!r || r->base > address)
      return false;
    const uint64_t part = r->end - address;
    if (part >= size)
      return true;
    address += part;
    size -= part;
  }
  return true;
}

/* Maps the pages that no other allocation has. They stay until the program
 * opens HSA again, with their bytes. */
static aq_status pages_map(computer *c, uint64_t at, uint64_t end,
                           aq_diag *diag)
{
  while (at < end) {
    const region *r = region_find(c, at);
    if (r && r->base <= at) {
      at = r->end;
      continue;
    }
    const uint64_t to = r && r->base < end ? r->base : end;
    if (!AQ_ARRAY_RESERVE(c->regions, c->region_capacity, c->region_count + 1))
      return aq_diag_no_memory(diag);
    aq_status status = aq_guest_memory_map(at, to - at, diag);
    if (status != AQ_OK)
      return status;
    c->regions[c->region_count++] = (region){at, to};
    at = to;
  }
  return AQ_OK;
}

/* As devices see it; a mask of all has one bit less in the file. */
static aq_allocation allocation_of(const aq_packet_event *event)
{
  const int64_t *n = event->n, readers = n[AQ_PACKET_N_READERS],
                writers = n[AQ_PACKET_N_WRITERS];
  return (aq_allocation){
      .base = (uint64_t)n[AQ_PACKET_N_ADDRESS],
      .size = (uint64_t)n[AQ_PACKET_N_SIZE],
      .readers = readers == INT64_MAX ? AQ_DEVICES_ALL : (uint64_t)readers,
      .writers = writers == INT64_MAX ? AQ_DEVICES_ALL : (uint64_t)writers,
      .device = (uint32_t)n[AQ_PACKET_N_DEVICE],
      .kind = (uint8_t)event->memory,
      .executable = n[AQ_PACKET_N_EXECUTABLE] != 0};
}

static aq_status allocation_add(computer *c, const aq_packet_event *event,
                                aq_diag *diag)
{
  const aq_allocation a = allocation_of(event);
  aq_allocation at_host = a;
  at_host.base = aq_address_host(a.base);
  if (a.size == 0 || a.size > AQ_ALIAS_BASE || at_host.base >= AQ_ALIAS_BASE)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "allocation of %" PRIu64 " bytes at 0x%" PRIx64
                       "; expected an address and a size below 2^47",
                       a.size, a.base);
  aq_status status = pages_map(c, aq_allocation_first(&at_host),
                               aq_allocation_end(&at_host), diag);
  if (status != AQ_OK)
    return status;
  if (!AQ_ARRAY_RESERVE(c->published, c->published_capacity,
                        c->published_count + 1) ||
      !aq_allocations_add(c->executor->allocations, &a))
    return aq_diag_no_memory(diag);
  c->published[c->published_count++] = a;
  return AQ_OK;
}

static void allocation_drop(computer *c, const aq_packet_event *event)
{
  const aq_allocation a = allocation_of(event);
  for (size_t i = c->published_count; i-- > 0;) {
    const aq_allocation *p = &c->published[i];
    if (p->base != a.base || p->kind != a.kind || p->size != a.size)
      continue;
    aq_allocations_remove(c->executor->allocations, p->base,
                          (aq_allocation_kind)p->kind);
    c->published[i] = c->published[--c->published_count];
    return;
  }
}

static aq_status memory_fill(const computer *c, const aq_packet_event *event,
                             aq_diag *diag)
{
  const uint64_t address = (uint64_t)event->n[AQ_PACKET_N_ADDRESS];
  if (!is_mapped(c, address, event->blob_size))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%u bytes at 0x%" PRIx64
                       " lie in no allocation of the file",
                       event->blob_size, address);
  memcpy(host_address(address), event->blob, event->blob_size);
  return AQ_OK;
}

/* The process opened HSA again, or all is done: everything starts as zeros. */
static void memory_drop(computer *c)
{
  while (c->published_count > 0) {
    const aq_allocation *a = &c->published[--c->published_count];
    aq_allocations_remove(c->executor->allocations, a->base,
                          (aq_allocation_kind)a->kind);
  }
  while (c->region_count > 0) {
    const region *r = &c->regions[--c->region_count];
    munmap(host_address(r->base), r->end - r->base);
  }
}

/* ---- one execution ---- */

static aq_status different(const section *s, aq_diag *diag, const char *what)
{
  return aq_diag_set(
      diag, AQ_ERR_DIFFERENT, "kernel %s, packet %lld of queue %lld: %s",
      s->execute->name, (long long)s->execute->n[AQ_PACKET_N_PACKET],
      (long long)s->execute->n[AQ_PACKET_N_QUEUE], what);
}

/* Its memory, as its first instruction found it. */
static aq_status memory_restore(computer *c, const section *s, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (const aq_packet_event *e = s->execute; e < s->executed; e++) {
    if (e->kind == AQ_PACKET_E_ALLOCATION)
      status = allocation_add(c, e, diag);
    else if (e->kind == AQ_PACKET_E_ALLOCATION_END)
      allocation_drop(c, e);
    else if (e->kind == AQ_PACKET_E_MEMORY)
      status = memory_fill(c, e, diag);
    if (status != AQ_OK)
      return aq_diag_prefix(diag, "%s:%u", c->file->name, e->line);
  }
  return AQ_OK;
}

/* AQ_OK: it ends as in the program. `*elapsed`: the executor's prediction. */
static aq_status steps_run(const computer *c, const section *s, void *execution,
                           aq_time *elapsed, aq_diag *diag)
{
  const uint64_t ticks = (uint64_t)s->executed->n[AQ_PACKET_N_TICKS];
  const int64_t began = aq_wall_ns();
  const bool faults = s->executed->n[AQ_PACKET_N_FAULT] != 0;
  aq_execution_step step;
  aq_execution_state state;
  do {
    state = c->executor->step(execution, BUDGET, ticks, &step);
    *elapsed = aq_time_add(*elapsed, step.elapsed);
    if (c->timeout > 0 && state == AQ_EXECUTION_MORE &&
        aq_wall_ns() - began > c->timeout / AQ_NS)
      return aq_diag_set(diag, AQ_ERR_TIMEOUT,
                         "kernel %s, packet %lld of queue %lld: its code has "
                         "not ended",
                         s->execute->name,
                         (long long)s->execute->n[AQ_PACKET_N_PACKET],
                         (long long)s->execute->n[AQ_PACKET_N_QUEUE]);
  } while (state == AQ_EXECUTION_MORE);
  if (state == AQ_EXECUTION_WAITS)
    return different(s, diag, "it waits for memory to change");
  if (state == AQ_EXECUTION_FAULT && !faults)
    return different(s, diag, step.fault.text);
  if (state == AQ_EXECUTION_DONE && faults)
    return different(s, diag, "it ends; in the capture it stopped the queue");
  return AQ_OK;
}

static aq_status digests_compare(const computer *c, const section *s,
                                 aq_diag *diag)
{
  char text[80];
  for (const aq_packet_event *e = s->execute; e < s->executed; e++) {
    if (e->kind != AQ_PACKET_E_WROTE)
      continue;
    const uint64_t address = (uint64_t)e->n[AQ_PACKET_N_ADDRESS],
                   size = (uint64_t)e->n[AQ_PACKET_N_SIZE];
    if (!is_mapped(c, address, size))
      return aq_diag_set(diag, AQ_ERR_INPUT,
                         "%s:%u: %" PRIu64 " bytes at 0x%" PRIx64
                         " lie in no allocation of the file",
                         c->file->name, e->line, size, address);
    const uint64_t digest =
        aq_fnv_add(AQ_FNV_START, host_address(address), size) & INT64_MAX;
    if (digest == (uint64_t)e->n[AQ_PACKET_N_DIGEST])
      continue;
    snprintf(text, sizeof text, "other bytes from 0x%" PRIx64 " to 0x%" PRIx64,
             address, address + size);
    return different(s, diag, text);
  }
  return AQ_OK;
}

/* For the packet that was executed: between the two times that the process
 * opened HSA. Older files do not number packets. */
static void duration_keep(const computer *c, const aq_packet_event *execute,
                          aq_time elapsed)
{
  const aq_packet_event *const first = c->file->events, *const end =
                                                            first +
                                                            c->file->count;
  const aq_packet_event *e = execute;
  while (e > first && e->kind != AQ_PACKET_E_OPEN)
    e--;
  for (e++; e < end && e->kind != AQ_PACKET_E_OPEN; e++)
    if (e->kind == AQ_PACKET_E_PACKET && is_of(e, execute)) {
      c->out->durations[e - first] = elapsed;
      return;
    }
}

static aq_status section_execute(const computer *c, const section *s,
                                 aq_diag *diag)
{
  const int64_t *n = s->execute->n;
  const aq_kernel_packet packet = s->execute->packet.kernel;
  const aq_execution_desc desc = {
      .packet = &packet,
      .kernel = s->execute->name,
      .gfx = s->execute->gfx,
      .queue = host_address((uint64_t)n[AQ_PACKET_N_ADDRESS]),
      .dispatch_id = (uint64_t)n[AQ_PACKET_N_PACKET],
      .device = (uint32_t)n[AQ_PACKET_N_DEVICE],
      .cus = (uint32_t)n[AQ_PACKET_N_CUS],
      .wave_size = (uint32_t)n[AQ_PACKET_N_WAVE_SIZE],
      .timestamp_hz = (uint64_t)n[AQ_PACKET_N_HZ]};
  void *execution;
  aq_status status =
      c->executor->begin(c->executor->user, &desc, &execution, diag);
  if (status != AQ_OK)
    return aq_diag_prefix(diag, "%s:%u", c->file->name, s->execute->line);
  aq_time elapsed = 0;
  status = steps_run(c, s, execution, &elapsed, diag);
  c->executor->end(execution);
  if (status == AQ_OK && c->out->durations)
    duration_keep(c, s->execute, elapsed);
  return status == AQ_OK ? digests_compare(c, s, diag) : status;
}

/* ---- all of them ---- */

/* Whether its lines are enough to repeat it; `why` says why not. */
static const char *section_lacks(const aq_packet_file *file, section *s)
{
  const aq_packet_event *const end = file->events + file->count;
  const aq_kernel_packet *packet = &s->execute->packet.kernel;
  s->executed = NULL;
  if (!s->execute->gfx)
    return "the capture lacks its processor (a dispatch by PM4, or an older "
           "file)";
  for (const aq_packet_event *e = s->execute + 1; e < end; e++) {
    if (e->kind == AQ_PACKET_E_CONTENTS_END)
      return "the capture has no memory from there on";
    if (e->kind == AQ_PACKET_E_EXECUTE)
      return "others execute beside it";
    if (e->kind == AQ_PACKET_E_OPEN)
      break;
    if (e->kind == AQ_PACKET_E_EXECUTED && is_of(e, s->execute)) {
      s->executed = e;
      break;
    }
  }
  if (!s->executed)
    return "it has no end in the capture";
  if (s->execute->n[AQ_PACKET_N_OPEN] > 0)
    return "others execute beside it";
  if (s->executed->n[AQ_PACKET_N_WAITS] > 0)
    return "it waits for the host or for another kernel";
  for (int i = 0; i < 3; i++)
    if (packet->grid_size[i] == 0 || packet->workgroup_size[i] == 0)
      return "its packet has an empty grid";
  return NULL;
}

static aq_status events_execute(computer *c, aq_diag *diag)
{
  const aq_packet_event *const end = c->file->events + c->file->count;
  aq_status status = AQ_OK;
  for (const aq_packet_event *e = c->file->events; e < end && status == AQ_OK;
       e++) {
    section s = {.execute = e};
    if (e->kind == AQ_PACKET_E_OPEN)
      memory_drop(c);
    if (e->kind != AQ_PACKET_E_EXECUTE)
      continue;
    const char *lacks = section_lacks(c->file, &s);
    if (lacks) {
      snprintf(c->out->why, sizeof c->out->why, "packet %lld of queue %lld: %s",
               (long long)e->n[AQ_PACKET_N_PACKET],
               (long long)e->n[AQ_PACKET_N_QUEUE], lacks);
      return AQ_OK;
    }
    status = memory_restore(c, &s, diag);
    if (status == AQ_OK)
      status = section_execute(c, &s, diag);
    c->out->computed += status == AQ_OK;
    e = s.executed;
  }
  return status;
}

static bool durations_create(const aq_packet_file *file,
                             aq_packet_computed *out)
{
  out->durations = malloc(file->count * sizeof *out->durations);
  for (size_t i = 0; out->durations && i < file->count; i++)
    out->durations[i] = AQ_TIME_NONE;
  return out->durations != NULL;
}

aq_status aq_packet_contents_execute(const aq_packet_file *file,
                                     const aq_executor *executor,
                                     aq_time timeout, aq_packet_computed *out,
                                     aq_diag *diag)
{
  computer c = {
      .file = file, .executor = executor, .timeout = timeout, .out = out};
  *out = (aq_packet_computed){.executions = 0};
  aq_status status = aq_packet_file_check(file, diag);
  for (size_t i = 0; i < file->count; i++)
    out->executions += file->events[i].kind == AQ_PACKET_E_EXECUTE;
  if (status != AQ_OK || out->executions == 0)
    return status;
  if (!executor->allocations)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "executor %s has no allocations, so it cannot execute "
                       "the code of a capture",
                       executor->name);
  if (executor->predicts && executor->predicts(executor->user) &&
      !durations_create(file, out))
    return aq_diag_no_memory(diag);
  const bool was_open = aq_allocations_are_open(executor->allocations);
  aq_allocations_open(executor->allocations, false);
  status = events_execute(&c, diag);
  memory_drop(&c);
  aq_allocations_open(executor->allocations, was_open);
  free(c.regions);
  free(c.published);
  if (status == AQ_ERR_DIFFERENT)
    aq_diag_prefix(diag,
                   "%" PRIu64 " of %" PRIu64
                   " executions computed the captured bytes; the first that "
                   "did not",
                   out->computed, out->executions);
  return status;
}
