/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/signals.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/engine/allocation_publish.h"
#include "common/transport.h"

enum { CHUNK_SIGNALS = 64 };

void aqsim_signals_fini(aqsim_signals *signals)
{
  for (uint32_t i = 0; i < signals->slab.count; i++)
    aqsim_withdraw(signals->allocations,
                   (const void *)signals->slab.chunks[i].first,
                   AQ_ALLOCATION_SIGNALS);
  aq_slab_fini(&signals->slab);
  free(signals->drained);
  *signals = (aqsim_signals){0};
}

static bool signals_grow(aqsim_signals *signals)
{
  size_t count;
  aqsim_signal *chunk =
      aq_slab_grow(&signals->slab, sizeof *chunk, _Alignof(aqsim_signal),
                   CHUNK_SIGNALS, &count);
  if (!chunk ||
      !aqsim_publish(signals->allocations, chunk, count * sizeof *chunk,
                     AQ_ALLOCATION_SIGNALS, AQ_DEVICE_HOST))
    return false;
  while (count-- > 0) {
    chunk[count].next = signals->free;
    signals->free = &chunk[count];
  }
  return true;
}

static void list_init(aqsim_watcher *list)
{
  *list = (aqsim_watcher){list, list, NULL};
}

aq_status aqsim_signal_check(const aq_signal_desc *desc, uint32_t devices,
                             aq_diag *diag)
{
  if (desc->consumer_count > 0 && !desc->consumers)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal_create: %u consumers without a list",
                       desc->consumer_count);
  if ((uintptr_t)desc->place % _Alignof(aqsim_signal) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal_create: a place that is not aligned to %zu",
                       _Alignof(aqsim_signal));
  for (uint32_t i = 0; i < desc->consumer_count; i++) {
    uint32_t consumer = desc->consumers[i];
    if (consumer >= devices && consumer != AQ_DEVICE_HOST)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "signal_create: consumer %u; expected the host or a "
                         "device less than %u",
                         consumer, devices);
    for (uint32_t j = 0; j < i; j++)
      if (desc->consumers[j] == consumer)
        return aq_diag_set(diag, AQ_ERR_INVALID,
                           "signal_create: consumers %u and %u are the same", j,
                           i);
  }
  return AQ_OK;
}

/* Whether the host has no interrupt from it. */
static bool desc_is_polled(const aq_signal_desc *desc)
{
  if (desc->flags & (AQ_SIGNAL_IPC | AQ_SIGNAL_GPU_ONLY))
    return true;
  for (uint32_t i = 0; i < desc->consumer_count; i++)
    if (desc->consumers[i] == AQ_DEVICE_HOST)
      return false;
  return desc->consumer_count > 0;
}

/* All of a signal but the part that others may see. */
static void signal_init(aqsim_signal *signal, const aq_signal_desc *desc)
{
  memset((char *)signal + sizeof signal->abi, 0,
         sizeof *signal - sizeof signal->abi);
  signal->user = desc->user;
  signal->flags = desc->flags;
  signal->polled = desc_is_polled(desc);
  list_init(&signal->zero);
  list_init(&signal->each);
}

static void abi_init(aqsim_signal *signal, const aq_signal_desc *desc)
{
  signal->abi =
      (aq_amd_signal){.kind = AQ_AMD_SIGNAL_USER, .value = desc->value};
}

static aqsim_signal *signal_place(aqsim_signals *signals,
                                  const aq_signal_desc *desc)
{
  aqsim_signal *signal = desc->place;
  if (!aqsim_publish(signals->allocations, signal, sizeof signal->abi,
                     AQ_ALLOCATION_SIGNALS, AQ_DEVICE_HOST))
    return NULL;
  signal_init(signal, desc);
  if (signal->abi.kind != AQ_AMD_SIGNAL_USER)
    abi_init(signal, desc);
  signal->placed = true;
  signal->next = signals->placed;
  signals->placed = signal;
  return signal;
}

aqsim_signal *aqsim_signal_create(aqsim_signals *signals,
                                  const aq_signal_desc *desc)
{
  aqsim_signal *signal;
  if (desc->place) {
    signal = signal_place(signals, desc);
    if (!signal)
      return NULL;
  } else {
    if (!signals->free && !signals_grow(signals))
      return NULL;
    signal = signals->free;
    signals->free = signal->next;
    signal_init(signal, desc);
    abi_init(signal, desc);
  }
  signal->number = signals->created++;
  return signal;
}

const aqsim_signal *aqsim_signals_find(const aqsim_signals *signals,
                                       aq_signal handle)
{
  if (aqsim_signal_is_pooled(signals, handle))
    return aqsim_signal_from(handle)->abi.kind ? aqsim_signal_from(handle)
                                               : NULL;
  const aqsim_signal *placed = signals->placed;
  while (placed && aqsim_signal_handle(placed).handle != handle.handle)
    placed = placed->next;
  return placed;
}

bool aqsim_signals_trust(const aqsim_signals *signals, uint64_t address,
                         uint64_t size)
{
  aq_allocation a;
  return signals->trusts &&
         aq_allocations_find(signals->allocations, address, 0, AQ_ACCESS_WRITE,
                             &a) &&
         a.kind == AQ_ALLOCATION_POOL && a.shift == 0 &&
         size <= aq_allocation_end(&a) - address;
}

aqsim_named aqsim_signal_named(const aqsim_signals *signals, aq_signal handle,
                               aqsim_access access, uint64_t *unmapped)
{
  if (!signals->awake || aqsim_signals_find(signals, handle))
    return AQSIM_NAMED_SIGNAL;
  if (aqsim_signal_is_pooled(signals, handle))
    return AQSIM_NAMED_DESTROYED;
  *unmapped = handle.handle;
  if (handle.handle % _Alignof(aq_amd_signal) != 0 ||
      aq_slab_covers(&signals->slab, handle.handle) || /* inside of one */
      (!aqsim_signals_trust(signals, handle.handle, sizeof(aq_amd_signal)) &&
       aqsim_memory_unmapped(access, handle.handle, sizeof(aq_amd_signal),
                             unmapped)))
    return AQSIM_NAMED_NOTHING;
  return AQSIM_NAMED_FOREIGN;
}

static void list_clear(aqsim_watcher *list)
{
  while (list->next != list)
    aqsim_signal_unwatch(list->next);
}

void aqsim_signal_destroy(aqsim_signals *signals, aqsim_signal *signal)
{
  list_clear(&signal->zero);
  list_clear(&signal->each);
  if (signal->placed) { /* others may have it still */
    aqsim_signal **link = &signals->placed;
    while (*link != signal)
      link = &(*link)->next;
    *link = signal->next;
    aqsim_withdraw(signals->allocations, signal, AQ_ALLOCATION_SIGNALS);
    return;
  }
  signal->abi.kind = 0;
  signal->next = signals->free;
  signals->free = signal;
}

void aqsim_signal_watch(aqsim_watcher *list, aqsim_watcher *watcher)
{
  watcher->next = list;
  watcher->previous = list->previous;
  list->previous->next = watcher;
  list->previous = watcher;
}

void aqsim_signal_unwatch(aqsim_watcher *watcher)
{
  if (!watcher->next)
    return;
  watcher->next->previous = watcher->previous;
  watcher->previous->next = watcher->next;
  watcher->next = watcher->previous = NULL;
}

void aqsim_watchers_notify(aqsim_watcher *list, int64_t value)
{
  for (aqsim_watcher *w = list->next, *next; w != list; w = next) {
    next = w->next;
    w->changed(w, value);
  }
}

bool aqsim_drain_grow(aqsim_signals *signals)
{
  size_t old = signals->drain_capacity, capacity = old ? old * 2 : 256;
  aq_completion *grown = malloc(capacity * sizeof *grown);
  if (!grown)
    return false;
  for (size_t i = 0; i < signals->drain_count; i++)
    grown[i] = signals->drained[(signals->drain_first + i) & (old - 1)];
  free(signals->drained);
  signals->drained = grown;
  signals->drain_first = 0;
  signals->drain_capacity = capacity;
  return true;
}

void aqsim_drain_notify(aqsim_signals *signals, size_t count)
{
  __atomic_store_n(&signals->drain_count, count, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&signals->drainers, __ATOMIC_SEQ_CST))
    signals->awake(signals->awake_user, UINT32_MAX);
}

/* The new value of a signal that has `before`. */
static int64_t updated(aq_signal_op op, int64_t before, int64_t operand,
                       int64_t expected)
{
  switch (op) {
  case AQ_UPDATE_ADD:
    return (int64_t)((uint64_t)before + (uint64_t)operand);
  case AQ_UPDATE_SUB:
    return (int64_t)((uint64_t)before - (uint64_t)operand);
  case AQ_UPDATE_AND:
    return before & operand;
  case AQ_UPDATE_OR:
    return before | operand;
  case AQ_UPDATE_XOR:
    return before ^ operand;
  case AQ_UPDATE_CAS:
    return before == expected ? operand : before;
  case AQ_UPDATE_EXCHANGE:
  case AQ_UPDATE_STORE_SILENT:
    return operand;
  }
  return before;
}

int64_t aqsim_signal_change(aqsim_signal *signal, aq_signal_op op,
                            int64_t operand, int64_t expected)
{
  const bool counted = aqsim_signal_change_begin(signal);
  int64_t before = aqsim_signal_load(signal), value;
  do
    value = updated(op, before, operand, expected);
  while (!__atomic_compare_exchange_n(&signal->abi.value, &before, value, true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
  aqsim_signal_change_end(signal, counted);
  return before;
}

int64_t aqsim_signal_update(aqsim_signals *signals, aqsim_signal *signal,
                            aq_signal_op op, int64_t operand, int64_t expected,
                            aq_time now)
{
  int64_t before = aqsim_signal_change(signal, op, operand, expected);
  bool decrement = (op == AQ_UPDATE_ADD && operand < 0) ||
                   (op == AQ_UPDATE_SUB && operand > 0);
  if (decrement && aqsim_signal_has(signal, AQ_SIGNAL_DRAIN))
    aqsim_drain_note(signals, signal, now);
  aqsim_signal_notify(signals, signal, updated(op, before, operand, expected));
  return before;
}

void aqsim_signal_store(aqsim_signals *signals, aqsim_signal *signal,
                        int64_t value)
{
  const bool counted = aqsim_signal_change_begin(signal);
  __atomic_store_n(&signal->abi.value, value, __ATOMIC_SEQ_CST);
  aqsim_signal_change_end(signal, counted);
  aqsim_signal_notify(signals, signal, value);
}

uint32_t aqsim_signals_drain(aqsim_signals *signals, aq_completion *out,
                             uint32_t capacity)
{
  const size_t left = signals->drain_count;
  const size_t count = left < capacity ? left : capacity;
  const size_t to_end = signals->drain_capacity - signals->drain_first;
  const size_t straight = count < to_end ? count : to_end;
  if (count == 0)
    return 0;
  memcpy(out, signals->drained + signals->drain_first, straight * sizeof *out);
  memcpy(out + straight, signals->drained, (count - straight) * sizeof *out);
  signals->drain_first =
      (signals->drain_first + count) & (signals->drain_capacity - 1);
  aqsim_drain_count_set(signals, left - count, aqsim_signals_are_live(signals));
  return (uint32_t)count;
}
