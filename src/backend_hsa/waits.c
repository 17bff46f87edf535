/* SPDX-License-Identifier: MIT */
/* Waiting for signals, and completions of drain signals. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "backend_hsa/core.h"

enum { ITEMS_INLINE = 64 };

static int64_t item_value(const aq_wait_item *item)
{
  return __atomic_load_n(
      &((const aq_amd_signal *)(uintptr_t)item->signal.handle)->value,
      __ATOMIC_ACQUIRE);
}

static bool item_holds(const aq_wait_item *item, int64_t *value)
{
  *value = item_value(item);
  return aq_condition_holds(item->condition, *value, item->value);
}

/* ---- waits ---- */

/* Whether the condition holds; `out` has the first item that holds
 * (any), that does not, or else the first of all. */
static bool request_holds(const aq_wait_request *request, aq_wait_result *out)
{
  const bool all = request->mode == AQ_WAIT_ALL;
  int64_t first = 0;
  for (uint32_t i = 0; i < request->count; i++) {
    int64_t value;
    bool holds = item_holds(&request->items[i], &value);
    if (i == 0)
      first = value;
    if (holds != all) {
      *out = (aq_wait_result){i, value};
      return holds;
    }
  }
  *out = (aq_wait_result){0, first};
  return all;
}

/* The runtime's arrays for a wait for any. */
typedef struct any_wait {
  hsa_signal_t *signals;
  uint32_t *conditions;
  hsa_signal_value_t *values;
  uint32_t count, capacity;
  hsa_signal_t signals_inline[ITEMS_INLINE];
  uint32_t conditions_inline[ITEMS_INLINE];
  hsa_signal_value_t values_inline[ITEMS_INLINE];
} any_wait;

static bool any_init(any_wait *any, uint32_t capacity)
{
  any->count = 0;
  any->capacity = capacity;
  any->signals = any->signals_inline;
  any->conditions = any->conditions_inline;
  any->values = any->values_inline;
  if (capacity <= ITEMS_INLINE)
    return true;
  any->signals = malloc(capacity * sizeof *any->signals);
  any->conditions = malloc(capacity * sizeof *any->conditions);
  any->values = malloc(capacity * sizeof *any->values);
  return any->signals && any->conditions && any->values;
}

static void any_fini(any_wait *any)
{
  if (any->capacity <= ITEMS_INLINE)
    return;
  free(any->signals);
  free(any->conditions);
  free(any->values);
}

static void any_add(any_wait *any, aq_signal signal, aq_condition condition,
                    int64_t value)
{
  any->signals[any->count] = signal;
  any->conditions[any->count] = (uint32_t)condition;
  any->values[any->count++] = value;
}

static void any_block(const aqhsa *hsa, any_wait *any, uint64_t ticks,
                      uint32_t state)
{
  hsa_signal_value_t satisfying;
  hsa->api->hsa_amd_signal_wait_any(any->count, any->signals, any->conditions,
                                    any->values, ticks, state, &satisfying);
}

/* Blocks until something of the request may have changed. */
static void request_block(const aqhsa *hsa, const aq_wait_request *request,
                          any_wait *any, uint32_t lacking, uint64_t ticks)
{
  const uint32_t state = request->hint == AQ_WAIT_ACTIVE
                             ? HSA_WAIT_STATE_ACTIVE
                             : HSA_WAIT_STATE_BLOCKED;
  const aq_wait_item *item = &request->items[lacking];
  if (request->mode == AQ_WAIT_ALL || request->count == 1)
    hsa->api->hsa_signal_wait_scacquire(item->signal, (uint32_t)item->condition,
                                        item->value, ticks, state);
  else
    any_block(hsa, any, ticks, state);
}

aq_status aqhsa_wait(aq_transport *t, const aq_wait_request *request,
                     aq_wait_result *out, aq_diag *diag)
{
  const aqhsa *hsa = aqhsa_from(t);
  aq_wait_result seen;
  any_wait any;
  aq_status status = AQ_OK;
  if (request->count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "a wait for no signal");
  bool there = request_holds(request, &seen);
  const aqhsa_patience patience = aqhsa_patience_until(hsa, request->deadline);
  if (!there && !any_init(&any, request->count)) {
    any_fini(&any);
    return aq_diag_no_memory(diag);
  }
  for (uint32_t i = 0; !there && i < request->count; i++)
    any_add(&any, request->items[i].signal, request->items[i].condition,
            request->items[i].value);
  const bool waited = !there;
  while (!there && status == AQ_OK) {
    aq_time left = aqhsa_patience_left(hsa, &patience);
    if (left > 0)
      request_block(hsa, request, &any,
                    request->mode == AQ_WAIT_ALL ? seen.index : 0,
                    aqhsa_clock_ticks(hsa, left));
    there = request_holds(request, &seen);
    if (!there && left == 0)
      status = aq_diag_set(diag, AQ_ERR_TIMEOUT,
                           "wait for %u signals: the deadline passed",
                           request->count);
  }
  if (waited)
    any_fini(&any);
  /* Nothing holds: the first item is as good as any. */
  if (status != AQ_OK && request->mode == AQ_WAIT_ANY)
    seen = (aq_wait_result){0, item_value(&request->items[0])};
  if (out)
    *out = seen;
  return status;
}

/* ---- completions ---- */

static void done_push(aqhsa *hsa, const aq_completion *completion)
{
  if (hsa->done_count == hsa->done_capacity) {
    uint32_t capacity = hsa->done_capacity ? hsa->done_capacity * 2 : 256;
    aq_completion *grown = malloc(capacity * sizeof *grown);
    if (!grown) {
      __atomic_store_n(&hsa->done_lost, true, __ATOMIC_RELAXED);
      return;
    }
    for (uint32_t i = 0; i < hsa->done_count; i++)
      grown[i] = hsa->done[(hsa->done_first + i) & (hsa->done_capacity - 1)];
    free(hsa->done);
    hsa->done = grown;
    hsa->done_first = 0;
    hsa->done_capacity = capacity;
  }
  const uint32_t mask = hsa->done_capacity - 1;
  uint32_t at = hsa->done_count++;
  /* By time, behind others of the same time. */
  for (; at > 0; at--) {
    const aq_completion *before = &hsa->done[(hsa->done_first + at - 1) & mask];
    if (before->time <= completion->time)
      break;
    hsa->done[(hsa->done_first + at) & mask] = *before;
  }
  hsa->done[(hsa->done_first + at) & mask] = *completion;
}

/* When a signal was decremented: the end of its packet where that is known. */
static aq_time completion_time(aqhsa *hsa, const aqhsa_signal *signal)
{
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)signal->held.key;
  hsa_amd_profiling_dispatch_time_t times;
  return abi->end_ts != 0 && aqhsa_origins_times(hsa, signal, &times)
             ? aqhsa_clock_time(hsa, times.end)
             : aqhsa_now(&hsa->base);
}

static void decrements_note(aqhsa *hsa, aqhsa_signal *signal, uint64_t count)
{
  const aq_completion one = {.signal = {signal->held.key},
                             .user = signal->user,
                             .time = completion_time(hsa, signal)};
  for (uint64_t i = 0; i < count; i++)
    done_push(hsa, &one);
}

void aqhsa_drain_change(aqhsa *hsa, aqhsa_signal *signal, int64_t before,
                        int64_t after, bool decrement)
{
  if (before < signal->seen)
    decrements_note(hsa, signal, (uint64_t)(signal->seen - before));
  if (decrement)
    done_push(hsa, &(aq_completion){.signal = {signal->held.key},
                                    .user = signal->user,
                                    .time = aqhsa_now(&hsa->base)});
  signal->seen = after;
}

/* Under the lock. */
static void drains_poll(aqhsa *hsa)
{
  for (aqhsa_signal *s = hsa->drains; s; s = s->drain_next) {
    const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)s->held.key;
    int64_t value = __atomic_load_n(&abi->value, __ATOMIC_ACQUIRE);
    if (value < s->seen)
      decrements_note(hsa, s, (uint64_t)(s->seen - value));
    s->seen = value;
  }
}

bool aqhsa_drains_reap(aqhsa *hsa)
{
  pthread_mutex_lock(&hsa->lock);
  drains_poll(hsa);
  bool any = hsa->done_count > 0;
  pthread_mutex_unlock(&hsa->lock);
  return any;
}

uint32_t aqhsa_drain(aq_transport *t, aq_completion *out, uint32_t capacity)
{
  aqhsa *hsa = aqhsa_from(t);
  uint32_t count = 0;
  pthread_mutex_lock(&hsa->lock);
  drains_poll(hsa);
  for (; count < capacity && hsa->done_count > 0; count++) {
    out[count] = hsa->done[hsa->done_first];
    hsa->done_first = (hsa->done_first + 1) & (hsa->done_capacity - 1);
    hsa->done_count--;
  }
  pthread_mutex_unlock(&hsa->lock);
  return count;
}

bool aqhsa_drains_await(aqhsa *hsa, aq_time span)
{
  any_wait any;
  pthread_mutex_lock(&hsa->lock);
  bool room = any_init(&any, hsa->drain_signals);
  /* One at 0 is not armed: no packet has it. */
  for (const aqhsa_signal *s = hsa->drains; room && s; s = s->drain_next)
    if (s->seen != 0)
      any_add(&any, (aq_signal){s->held.key}, AQ_LT, s->seen);
  pthread_mutex_unlock(&hsa->lock);
  const bool awaited = room && any.count > 0;
  if (awaited)
    any_block(hsa, &any, aqhsa_clock_ticks(hsa, span), HSA_WAIT_STATE_BLOCKED);
  any_fini(&any);
  return awaited;
}
