/* SPDX-License-Identifier: MIT */
/*
 * Shared virtual memory: attributes of ranges of the program's own memory. A
 * range that a device may access is published in the allocation map. Ranges do
 * not overlap: setting attributes of a part cuts them. Nothing moves: a place
 * that a client prefers or prefetches to is remembered and told.
 */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "backend_sim/live/live.h"
#include "dropin/kfd/kfd_priv.h"

enum { GRANULARITY = 9 /* of pages, a power of two: as the driver has it */ };

static aq_allocation allocation_of(const aqkfd_range *range)
{
  const uint64_t devices = range->access | range->in_place;
  return (aq_allocation){
      .base = range->first,
      .size = range->end - range->first,
      .readers = devices,
      .writers = range->flags & AQKFD_SVM_FLAG_READ_ONLY ? 0 : devices,
      .device = AQ_DEVICE_HOST,
      .kind = AQ_ALLOCATION_SVM,
      .executable = range->flags & AQKFD_SVM_FLAG_EXECUTABLE,
      .fine = range->flags & AQKFD_SVM_FLAG_COHERENT};
}

static void range_withdraw(aqkfd_process *process, aqkfd_range *range)
{
  aqkfd *driver = process->driver;
  if (!range->published)
    return;
  aqkfd_kernels_forget(driver, range->first, range->end - range->first);
  aqsim_live_unmap_begin(driver->transport, NULL, 0);
  aq_allocations_remove(driver->allocations, range->first, AQ_ALLOCATION_SVM);
  aqsim_live_unmap_end(driver->transport);
  range->published = false;
}

/* Whether a device loses an access that it has. */
static bool takes_away(const aq_allocation *was, const aq_allocation *is)
{
  return (was->readers & ~is->readers) || (was->writers & ~is->writers) ||
         (was->executable && !is->executable);
}

/* Publishes a range with its new attributes, in one step: kernels that run keep
 * the access that they have before and after. False: out of memory, and the
 * range is as it was. */
static bool range_become(aqkfd_process *process, aqkfd_range *range,
                         const aqkfd_range *wanted)
{
  aqkfd *driver = process->driver;
  const aq_allocation was = allocation_of(range), is = allocation_of(wanted);
  const bool lost = range->published && takes_away(&was, &is);
  bool done = true;
  if (is.readers == 0) {
    range_withdraw(process, range);
  } else if (!range->published || was.readers != is.readers ||
             was.writers != is.writers || was.executable != is.executable ||
             was.fine != is.fine) {
    if (lost) {
      aqkfd_kernels_forget(driver, range->first, range->end - range->first);
      aqsim_live_unmap_begin(driver->transport, NULL, 0);
    }
    done = range->published
               ? aq_allocations_replace(driver->allocations, range->first,
                                        AQ_ALLOCATION_SVM, &is, 1)
               : aq_allocations_add(driver->allocations, &is);
    if (lost)
      aqsim_live_unmap_end(driver->transport);
  }
  if (done) {
    *range = *wanted;
    range->published = is.readers != 0;
  }
  return done;
}

void aqkfd_ranges_fini(aqkfd_process *process)
{
  while (process->unmapped) {
    aqkfd_stretch *stretch = process->unmapped;
    process->unmapped = stretch->next;
    free(stretch);
  }
  while (process->ranges) {
    aqkfd_range *range = process->ranges;
    process->ranges = range->next;
    range_withdraw(process, range);
    free(range);
  }
  free(process->spares[0]);
  free(process->spares[1]);
}

/* ---- cutting ---- */

/* Both ends of a stretch may cut a range: an unmapping cannot be refused, so
 * what that needs is there before. False: out of memory. */
static bool spares_fill(aqkfd_process *process)
{
  bool full = true;
  for (int i = 0; i < 2; i++) {
    if (!process->spares[i])
      process->spares[i] = malloc(sizeof *process->spares[i]);
    full &= process->spares[i] != NULL;
  }
  return full;
}

static aqkfd_range *spare_take(aqkfd_process *process)
{
  aqkfd_range **place = &process->spares[!process->spares[0]];
  aqkfd_range *spare = *place;
  *place = NULL;
  return spare;
}

/* Ranges are in the order of their addresses. False: out of memory, and the
 * range is whole. */
static bool range_cut(aqkfd_process *process, uint64_t at)
{
  aqkfd_range *range = process->ranges;
  while (range && range->end <= at)
    range = range->next;
  if (!range || range->first >= at)
    return true;
  aqkfd_range *behind = malloc(sizeof *behind);
  if (!behind)
    behind = spare_take(process);
  if (!behind)
    return false;
  aqkfd_range front = *range;
  *behind = *range;
  behind->first = front.end = at;
  const aq_allocation parts[] = {allocation_of(&front), allocation_of(behind)};
  if (range->published &&
      !aq_allocations_replace(process->driver->allocations, range->first,
                              AQ_ALLOCATION_SVM, parts, 2)) {
    free(behind);
    return false;
  }
  front.next = behind;
  *range = front;
  return true;
}

/* Ranges for all of [first, end), cut at both; false: out of memory. */
static bool ranges_cover(aqkfd_process *process, uint64_t first, uint64_t end)
{
  if (!spares_fill(process) || !range_cut(process, first) ||
      !range_cut(process, end))
    return false;
  aqkfd_range **link = &process->ranges;
  while (first < end) {
    while (*link && (*link)->end <= first)
      link = &(*link)->next;
    if (*link && (*link)->first <= first) {
      first = (*link)->end;
      continue;
    }
    aqkfd_range *made = malloc(sizeof *made);
    if (!made)
      return false;
    *made = (aqkfd_range){
        .next = *link,
        .first = first,
        .end = *link && (*link)->first < end ? (*link)->first : end,
        .flags = AQKFD_SVM_FLAG_HOST | AQKFD_SVM_FLAG_COHERENT,
        .preferred = AQKFD_SVM_UNDEFINED,
        .prefetch = AQKFD_SVM_UNDEFINED,
        .granularity = GRANULARITY};
    first = made->end;
    *link = made;
  }
  return true;
}

/* Ends ranges in [first, end); the process is locked. A range that cannot be
 * cut for want of memory ends as a whole: devices reach nothing that is
 * unmapped. */
static void ranges_end(aqkfd_process *process, uint64_t first, uint64_t end)
{
  if (!process->ranges)
    return;
  const bool is_cut = range_cut(process, first) && range_cut(process, end);
  aqkfd_range **link = &process->ranges;
  while (*link) {
    aqkfd_range *range = *link;
    if (is_cut ? range->first < first || range->end > end
               : range->end <= first || range->first >= end) {
      link = &range->next;
      continue;
    }
    *link = range->next;
    range_withdraw(process, range);
    free(range);
  }
  spares_fill(process);
}

/* What devices have of [first, end) goes. The process is locked. */
static void stretch_end(aqkfd_process *process, uint64_t first, uint64_t end)
{
  ranges_end(process, first, end);
  aqkfd_queues_fault(process, first, end);
  aqkfd_blocks_leave(process, first, end);
}

/* The process is locked. */
static void stretches_end(aqkfd_process *process)
{
  aqkfd_stretch *stretch =
      __atomic_exchange_n(&process->unmapped, NULL, __ATOMIC_ACQUIRE);
  while (stretch) {
    aqkfd_stretch *next = stretch->next;
    stretch_end(process, stretch->first, stretch->end);
    free(stretch);
    stretch = next;
  }
}

void aqkfd_process_lock(aqkfd_process *process)
{
  /* A second time on one thread it would fail, and the unlock behind it would
   * let other threads into the outer call. */
  const bool locked = pthread_mutex_lock(&process->lock) == 0;
  assert(locked);
  (void)locked;
  stretches_end(process);
}

void aqkfd_process_unlock(aqkfd_process *process)
{
  stretches_end(process);
  pthread_mutex_unlock(&process->lock);
}

/* For the call that has the lock, or the next one. */
static void stretch_note(aqkfd_process *process, uint64_t first, uint64_t end)
{
  aqkfd_stretch *stretch = malloc(sizeof *stretch);
  if (!stretch)
    return;
  *stretch = (aqkfd_stretch){
      .next = __atomic_load_n(&process->unmapped, __ATOMIC_RELAXED),
      .first = first,
      .end = end};
  while (!__atomic_compare_exchange_n(&process->unmapped, &stretch->next,
                                      stretch, true, __ATOMIC_RELEASE,
                                      __ATOMIC_RELAXED))
    ;
}

/* Whether devices touch some of it at its address. */
static bool devices_have(const aqkfd_process *process, uint64_t first,
                         uint64_t end)
{
  const aq_allocations *map = process->driver->allocations;
  uint64_t at = first;
  while (at < end && !aq_allocations_cover(map, at))
    at += AQKFD_PAGE;
  return at < end || aqkfd_queues_have(process, first, end);
}

void aqkfd_unmapping(aqkfd_process *process, uint64_t address, uint64_t size)
{
  const uint64_t first = address & ~(uint64_t)(AQKFD_PAGE - 1),
                 end = first + aqkfd_round(address - first + size);
  /* munmap itself refuses the rest. */
  if (address % AQKFD_PAGE || end <= first || end > AQKFD_VA_END)
    return;
  /* The simulator's own threads unmap nothing that devices have. */
  if (pthread_mutex_trylock(&process->lock) != 0 &&
      (!devices_have(process, first, end) ||
       pthread_mutex_lock(&process->lock) != 0)) {
    stretch_note(process, first, end);
    return;
  }
  /* Of this stretch alone: on a thread of the simulator's, a queue in another
   * could not end. */
  stretch_end(process, first, end);
  pthread_mutex_unlock(&process->lock);
}

bool aqkfd_ranges_overlap(const aqkfd_process *process, uint64_t address,
                          uint64_t size)
{
  const aqkfd_range *range = process->ranges;
  while (range && range->end <= address)
    range = range->next;
  return range && range->first < address + size;
}

/* ---- attributes ---- */

static int attribute_check(const aqkfd_process *process,
                           const aqkfd_svm_attribute *a)
{
  uint32_t device;
  switch (a->type) {
  case AQKFD_SVM_PREFERRED:
    if (a->value == AQKFD_SVM_UNDEFINED)
      return 0;
    __attribute__((fallthrough));
  case AQKFD_SVM_PREFETCH:
    return a->value == 0 ||
                   aqkfd_device_find(process->driver, a->value, &device)
               ? 0
               : -EINVAL;
  case AQKFD_SVM_ACCESS:
  case AQKFD_SVM_IN_PLACE:
  case AQKFD_SVM_NO_ACCESS:
    return aqkfd_device_find(process->driver, a->value, &device) ? 0 : -EINVAL;
  case AQKFD_SVM_SET_FLAGS:
  case AQKFD_SVM_CLEAR_FLAGS:
  case AQKFD_SVM_GRANULARITY:
    return 0;
  default:
    return -EINVAL;
  }
}

static void attribute_set(aqkfd_range *range, const aqkfd_svm_attribute *a)
{
  const uint64_t bit = aq_device_bit(a->value - 2);
  switch (a->type) {
  case AQKFD_SVM_PREFERRED:
    range->preferred = a->value;
    return;
  case AQKFD_SVM_PREFETCH:
    range->prefetch = a->value;
    return;
  case AQKFD_SVM_SET_FLAGS:
    range->flags |= a->value;
    return;
  case AQKFD_SVM_CLEAR_FLAGS:
    range->flags &= ~a->value;
    return;
  case AQKFD_SVM_GRANULARITY:
    range->granularity = a->value < 63 ? a->value : 63;
    return;
  default:
    range->access &= ~bit;
    range->in_place &= ~bit;
    range->access |= a->type == AQKFD_SVM_ACCESS ? bit : 0;
    range->in_place |= a->type == AQKFD_SVM_IN_PLACE ? bit : 0;
  }
}

static int ranges_set(aqkfd_process *process, const aqkfd_svm_args *args)
{
  const uint64_t first = args->start_addr, end = first + args->size;
  for (uint32_t i = 0; i < args->nattr; i++)
    if (attribute_check(process, &args->attrs[i]) != 0)
      return -EINVAL;
  /* Pages may be mapped without any access. */
  if (msync((void *)(uintptr_t)first, args->size, MS_ASYNC) != 0)
    return -EFAULT;
  if (aqkfd_blocks_overlap(process, first, args->size))
    return -EADDRINUSE;
  if (!ranges_cover(process, first, end))
    return -ENOMEM;
  for (aqkfd_range *range = process->ranges; range; range = range->next)
    if (range->first >= first && range->end <= end) {
      aqkfd_range wanted = *range;
      for (uint32_t i = 0; i < args->nattr; i++)
        attribute_set(&wanted, &args->attrs[i]);
      if (!range_become(process, range, &wanted))
        return -ENOMEM;
    }
  return 0;
}

/* What all ranges of a stretch have in common. */
typedef struct common {
  uint64_t access, in_place;
  uint32_t all, any, preferred, prefetch, granularity;
} common;

static void range_join(common *c, const aqkfd_range *range, bool begun)
{
  const uint32_t undefined = AQKFD_SVM_UNDEFINED;
  if (!begun) {
    *c = (common){range->access,     range->in_place,  range->flags,
                  range->flags,      range->preferred, range->prefetch,
                  range->granularity};
    return;
  }
  c->in_place &= range->in_place | range->access;
  c->access &= range->access;
  c->all &= range->flags;
  c->any |= range->flags;
  c->preferred = c->preferred == range->preferred ? c->preferred : undefined;
  c->prefetch = c->prefetch == range->prefetch ? c->prefetch : undefined;
  if (range->granularity < c->granularity)
    c->granularity = range->granularity;
}

static void attribute_get(const aqkfd_process *process, const common *c,
                          aqkfd_svm_attribute *a)
{
  const uint64_t bit = aq_device_bit(a->value - 2);
  switch (a->type) {
  case AQKFD_SVM_PREFERRED:
    a->value = c->preferred;
    return;
  case AQKFD_SVM_PREFETCH:
    a->value = c->prefetch;
    return;
  case AQKFD_SVM_SET_FLAGS:
    a->value = c->all;
    return;
  case AQKFD_SVM_CLEAR_FLAGS:
    a->value = ~c->any;
    return;
  case AQKFD_SVM_GRANULARITY:
    a->value = c->granularity;
    return;
  default: /* the access of one device; where it retries faults, all have it */
    a->type = c->access & bit || process->xnack ? AQKFD_SVM_ACCESS
              : c->in_place & bit               ? AQKFD_SVM_IN_PLACE
                                                : AQKFD_SVM_NO_ACCESS;
  }
}

static int ranges_get(const aqkfd_process *process, aqkfd_svm_args *args)
{
  const aqkfd_range none = {.flags =
                                AQKFD_SVM_FLAG_HOST | AQKFD_SVM_FLAG_COHERENT,
                            .preferred = AQKFD_SVM_UNDEFINED,
                            .prefetch = AQKFD_SVM_UNDEFINED,
                            .granularity = GRANULARITY};
  const uint64_t end = args->start_addr + args->size;
  uint64_t at = args->start_addr;
  common c = {0};
  bool begun = false;
  for (uint32_t i = 0; i < args->nattr; i++)
    if (args->attrs[i].type > AQKFD_SVM_GRANULARITY)
      return -EINVAL;
  for (const aqkfd_range *r = process->ranges; r && at < end; r = r->next) {
    if (r->end <= at)
      continue;
    if (r->first > at) {
      range_join(&c, &none, begun);
      begun = true;
    }
    if (r->first < end)
      range_join(&c, r, begun);
    begun = true;
    at = r->end;
  }
  if (at < end)
    range_join(&c, &none, begun);
  for (uint32_t i = 0; i < args->nattr; i++)
    attribute_get(process, &c, &args->attrs[i]);
  return 0;
}

int aqkfd_call_svm(aqkfd_process *process, void *arguments)
{
  aqkfd_svm_args *args = arguments;
  if (args->size == 0 || args->start_addr == 0 ||
      args->start_addr % AQKFD_PAGE || args->size % AQKFD_PAGE ||
      args->size > AQKFD_VA_END ||
      args->start_addr > AQKFD_VA_END - args->size || args->op > AQKFD_SVM_GET)
    return -EINVAL;
  aqkfd_process_lock(process);
  const int result = args->op == AQKFD_SVM_SET ? ranges_set(process, args)
                                               : ranges_get(process, args);
  aqkfd_process_unlock(process);
  return result;
}
