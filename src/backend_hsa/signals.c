/* SPDX-License-Identifier: MIT */
/*
 * Signals: made by the runtime, loaded from memory. Changes go through the
 * runtime, which notifies sleepers, except silent stores.
 */
#include "config.h"

#include <stdlib.h>

#include "backend_hsa/core.h"

static aq_amd_signal *signal_abi(aq_signal signal)
{
  return (aq_amd_signal *)(uintptr_t)signal.handle;
}

aqhsa_signal *aqhsa_signal_find(aqhsa *hsa, aq_signal signal)
{
  pthread_mutex_lock(&hsa->lock);
  aqhsa_held *held = aqhsa_table_get(&hsa->signals, signal.handle);
  pthread_mutex_unlock(&hsa->lock);
  return (aqhsa_signal *)held;
}

/* ---- life ---- */

enum { CONSUMERS_MAX = 65 };

static hsa_status_t signal_make(const aqhsa *hsa, const aq_signal_desc *desc,
                                const hsa_agent_t *agents, aq_signal *out)
{
  uint64_t attributes = 0;
  if (desc->flags & AQ_SIGNAL_GPU_ONLY)
    attributes |= HSA_AMD_SIGNAL_AMD_GPU_ONLY;
  if (desc->flags & AQ_SIGNAL_IPC)
    attributes |= HSA_AMD_SIGNAL_IPC;
  if (!attributes)
    return hsa->api->hsa_signal_create(desc->value, desc->consumer_count,
                                       agents, out);
  return hsa->api->hsa_amd_signal_create(desc->value, desc->consumer_count,
                                         agents, attributes, out);
}

/* Behind the others, so that signals found at once and without times are
 * reported in the order of making. */
static void drain_link(aqhsa *hsa, aqhsa_signal *signal)
{
  if (!hsa->drains)
    hsa->drains_end = &hsa->drains;
  signal->drain_link = hsa->drains_end;
  *hsa->drains_end = signal;
  hsa->drains_end = &signal->drain_next;
  hsa->drain_signals++;
}

aq_status aqhsa_signal_create(aq_transport *t, const aq_signal_desc *desc,
                              aq_signal *out, aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  hsa_agent_t agents[CONSUMERS_MAX];
  aq_signal made;
  if (desc->place)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "hsa: the runtime says where a signal is");
  for (uint32_t i = 0; i < desc->consumer_count; i++) {
    const uint32_t one = desc->consumers[i];
    if ((one != AQ_DEVICE_HOST && one >= hsa->device_count) ||
        i == CONSUMERS_MAX)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "hsa: a signal for device %u, which is not there",
                         one);
    agents[i] = one == AQ_DEVICE_HOST ? hsa->host : hsa->agents[one];
  }
  aqhsa_signal *signal = calloc(1, sizeof *signal);
  if (!signal)
    return aq_diag_no_memory(diag);
  hsa_status_t got = signal_make(hsa, desc, agents, &made);
  if (got != HSA_STATUS_SUCCESS) {
    free(signal);
    return aqhsa_fail(hsa->api, got, diag, "hsa_signal_create");
  }
  signal->flags = desc->flags;
  signal->user = desc->user;
  signal->seen = desc->value;
  pthread_mutex_lock(&hsa->lock);
  bool kept = aqhsa_table_put(&hsa->signals, &signal->held, made.handle);
  if (kept && (desc->flags & AQ_SIGNAL_DRAIN))
    drain_link(hsa, signal);
  pthread_mutex_unlock(&hsa->lock);
  if (!kept) {
    hsa->api->hsa_signal_destroy(made);
    free(signal);
    return aq_diag_no_memory(diag);
  }
  /* Completions have times too. */
  if (desc->flags & (AQ_SIGNAL_PROFILE | AQ_SIGNAL_DRAIN))
    aqhsa_profile(hsa);
  *out = made;
  return AQ_OK;
}

void aqhsa_signal_destroy(aq_transport *t, aq_signal handle)
{
  aqhsa *hsa = aqhsa_from(t);
  pthread_mutex_lock(&hsa->lock);
  aqhsa_signal *signal =
      (aqhsa_signal *)aqhsa_table_get(&hsa->signals, handle.handle);
  if (signal) {
    aqhsa_table_remove(&hsa->signals, &signal->held);
    if (signal->flags & AQ_SIGNAL_DRAIN) {
      *signal->drain_link = signal->drain_next;
      if (signal->drain_next)
        signal->drain_next->drain_link = signal->drain_link;
      else
        hsa->drains_end = signal->drain_link;
      hsa->drain_signals--;
    }
    /* Handlers stay, since the runtime may be about to call one. */
    aqhsa_handler **end = &signal->handlers;
    for (; *end; end = &(*end)->next)
      __atomic_store_n(&(*end)->dropped, true, __ATOMIC_RELEASE);
    *end = hsa->dropped;
    hsa->dropped = signal->handlers;
  }
  pthread_mutex_unlock(&hsa->lock);
  if (!signal)
    return;
  hsa->api->hsa_signal_destroy(handle);
  free(signal);
}

void aqhsa_signals_close(aqhsa *hsa)
{
  while (hsa->signals.first)
    aqhsa_signal_destroy(&hsa->base, (aq_signal){hsa->signals.first->key});
  aq_map_fini(&hsa->signals.map);
}

void aqhsa_signals_free(aqhsa *hsa)
{
  while (hsa->dropped) {
    aqhsa_handler *handler = hsa->dropped;
    hsa->dropped = handler->next;
    free(handler);
  }
}

/* ---- values ---- */

int64_t aqhsa_signal_load(aq_transport *t, aq_signal signal, aq_order order)
{
  (void)t;
  (void)order;
  return __atomic_load_n(&signal_abi(signal)->value, __ATOMIC_ACQUIRE);
}

static int64_t op_apply(aq_signal_op op, int64_t value, int64_t operand,
                        int64_t expected)
{
  const uint64_t a = (uint64_t)value, b = (uint64_t)operand;
  switch (op) {
  case AQ_UPDATE_ADD:
    return (int64_t)(a + b);
  case AQ_UPDATE_SUB:
    return (int64_t)(a - b);
  case AQ_UPDATE_AND:
    return value & operand;
  case AQ_UPDATE_OR:
    return value | operand;
  case AQ_UPDATE_XOR:
    return value ^ operand;
  case AQ_UPDATE_CAS:
    return value == expected ? operand : value;
  case AQ_UPDATE_EXCHANGE:
  case AQ_UPDATE_STORE_SILENT:
    return operand;
  }
  return value;
}

/* Every change through the runtime's compare and swap: its other operations do
 * not return the previous value. */
static int64_t value_change(const aqhsa *hsa, aq_signal signal, aq_signal_op op,
                            int64_t operand, int64_t expected)
{
  int64_t seen = __atomic_load_n(&signal_abi(signal)->value, __ATOMIC_ACQUIRE);
  for (;;) {
    int64_t before = seen;
    seen = hsa->api->hsa_signal_cas_scacq_screl(
        signal, before, op_apply(op, before, operand, expected));
    if (seen == before)
      return before;
  }
}

/* Distinguishes the host's changes of a drain signal from the device's. */
static int64_t drain_update(aqhsa *hsa, aqhsa_signal *signal, aq_signal_op op,
                            int64_t operand, int64_t expected)
{
  const aq_signal handle = {signal->held.key};
  pthread_mutex_lock(&hsa->lock);
  int64_t before = value_change(hsa, handle, op, operand, expected);
  bool decrement = (op == AQ_UPDATE_ADD && operand == -1) ||
                   (op == AQ_UPDATE_SUB && operand == 1);
  aqhsa_drain_change(hsa, signal, before,
                     op_apply(op, before, operand, expected), decrement);
  pthread_mutex_unlock(&hsa->lock);
  return before;
}

int64_t aqhsa_signal_update(aq_transport *t, aq_signal handle, aq_signal_op op,
                            int64_t operand, int64_t expected, aq_order order)
{
  aqhsa *hsa = aqhsa_from(t);
  (void)order;
  if (hsa->drain_signals > 0) {
    aqhsa_signal *signal = aqhsa_signal_find(hsa, handle);
    if (signal && (signal->flags & AQ_SIGNAL_DRAIN))
      return drain_update(hsa, signal, op, operand, expected);
  }
  if (op == AQ_UPDATE_STORE_SILENT)
    return __atomic_exchange_n(&signal_abi(handle)->value, operand,
                               __ATOMIC_ACQ_REL);
  return value_change(hsa, handle, op, operand, expected);
}

void aqhsa_signal_store(aq_transport *t, aq_signal handle, int64_t value,
                        aq_order order)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_signal *signal = aqhsa_signal_find(hsa, handle);
  (void)order;
  if (signal)
    __atomic_store_n(&signal->copied, false, __ATOMIC_RELAXED);
  if (signal && (signal->flags & AQ_SIGNAL_DRAIN))
    drain_update(hsa, signal, AQ_UPDATE_EXCHANGE, value, 0);
  else
    hsa->api->hsa_signal_store_screlease(handle, value);
}

/* ---- handlers ---- */

/* The runtime calls a handler that stays as long as its condition holds. Ours
 * is called once for a change: so it goes each time, and comes back to wait for
 * another value than the one that it saw, or for the condition again. It does
 * not notice a signal that has the same value again by then. */
static bool handler_call(hsa_signal_value_t value, void *user)
{
  aqhsa_handler *h = user;
  if (__atomic_load_n(&h->dropped, __ATOMIC_ACQUIRE))
    return false;
  const bool holds = aq_condition_holds(h->condition, value, h->reference);
  if (holds && !h->function(value, h->user))
    return false;
  bool stays = false;
  /* Its signal goes under the lock; the runtime calls nothing back here. */
  pthread_mutex_lock(&h->hsa->lock);
  if (!h->dropped) /* without memory, it stays as it is */
    stays = h->hsa->api->hsa_amd_signal_async_handler(
                h->signal, (uint32_t)(holds ? AQ_NE : h->condition),
                holds ? value : h->reference, handler_call,
                h) != HSA_STATUS_SUCCESS;
  pthread_mutex_unlock(&h->hsa->lock);
  return stays;
}

aq_status aqhsa_signal_handler(aq_transport *t, aq_signal handle,
                               aq_condition condition, int64_t value,
                               aq_signal_function *function, void *user,
                               aq_diag *diag)
{
  aqhsa *hsa = aqhsa_from(t);
  aqhsa_signal *signal = aqhsa_signal_find(hsa, handle);
  if (!signal || !function)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "signal_handler: expected a signal and a function");
  aqhsa_handler *handler = malloc(sizeof *handler);
  if (!handler)
    return aq_diag_no_memory(diag);
  *handler = (aqhsa_handler){.hsa = hsa,
                             .signal = handle,
                             .condition = condition,
                             .reference = value,
                             .function = function,
                             .user = user};
  pthread_mutex_lock(&hsa->lock);
  handler->next = signal->handlers;
  signal->handlers = handler;
  pthread_mutex_unlock(&hsa->lock);
  hsa_status_t got = hsa->api->hsa_amd_signal_async_handler(
      handle, (uint32_t)condition, value, handler_call, handler);
  if (got == HSA_STATUS_SUCCESS)
    return AQ_OK;
  return aqhsa_fail(hsa->api, got, diag, "hsa_amd_signal_async_handler");
}

/* ---- times ---- */

aq_status aqhsa_dispatch_times(aq_transport *t, aq_signal handle,
                               aq_time *start, aq_time *end)
{
  aqhsa *hsa = aqhsa_from(t);
  const aqhsa_signal *signal = aqhsa_signal_find(hsa, handle);
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)handle.handle;
  hsa_amd_profiling_dispatch_time_t times;
  if (!signal || abi->end_ts == 0 ||
      (!(signal->flags & AQ_SIGNAL_PROFILE) &&
       !__atomic_load_n(&hsa->queue_profiled, __ATOMIC_RELAXED)))
    return AQ_ERR_INVALID;
  pthread_mutex_lock(&hsa->lock);
  const bool known = aqhsa_origins_times(hsa, signal, &times);
  pthread_mutex_unlock(&hsa->lock);
  if (!known)
    return AQ_ERR_INVALID;
  *start = aqhsa_clock_time(hsa, times.start);
  *end = aqhsa_clock_time(hsa, times.end);
  return AQ_OK;
}
