/* SPDX-License-Identifier: MIT */
/*
 * Waiting for signals, handlers of signals, groups of signals.
 *
 * A wait stays in the runtime from its first line to its last (STAY), so that
 * hsa_shut_down in another thread, which ends it, frees nothing that it uses.
 * Its ends:
 *
 *   held            the values; for the checker the host has seen them
 *   deadline        the values that there are
 *   closing         0, or for a change the value that is compared with: no
 *                   change; and a tenth of a second later, see stay_end
 *   never open      the same, at once or, for a change, by then
 *   no signal       0, with a line for one that was destroyed
 *
 * Memory of signals: the transport's pool stays until it is closed, so a wait
 * may look at a signal that is destroyed. A shared signal lies in pages that
 * its destruction unmaps, so the wait holds those; the last hold unmaps them.
 * The signals of a group are copied, so the group may go.
 *
 * Handlers and functions called once run on the transport's thread, without a
 * lock. Their object is freed by the call (once_call), or was never given to
 * the transport; a runtime that closes before the call leaks it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend_sim/live/live.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/signals.h"

/* ---- waiting ---- */

enum { CLOSED_US = 100000 }; /* how long a wait without the runtime takes */

/* A thread in a wait: the runtime stays until it leaves. */
typedef struct stay {
  aqdrop *runtime; /* NULL: none was open */
  bool closed;     /* the runtime closes */
} stay;

/* Mostly the program ends when the runtime closes, and its status counts, not
 * that of a thread that comes back from a wait and from main(): so that comes
 * back a little later. */
static void stay_end(const stay *s)
{
  aqdrop_runtime_release(s->runtime);
  if (s->closed)
    usleep(CLOSED_US);
}

/* For the first line of a function that waits: the record of the call ends
 * before the stay does, since it reads the clock. */
#define STAY(name)                                                             \
  __attribute__((cleanup(stay_end)))                                           \
  stay name = {aqdrop_runtime_hold(), false};                                  \
  AQDROP_CALL((name).runtime ? (name).runtime->recording : NULL, AQ_KIND_WAIT)

/* Timeouts count in ticks of the system clock, ns. */
static aq_time deadline_from(const aqdrop *runtime, uint64_t timeout)
{
  aq_time now = runtime->transport->ops->now(runtime->transport);
  if (timeout > (uint64_t)(AQ_TIME_MAX - now) / AQ_NS)
    return AQ_TIME_MAX;
  return now + (aq_time)timeout * AQ_NS;
}

/* Signals that processes share lie in memory that their destruction unmaps, so
 * a wait holds them; the memory of the others stays. Releases the shared
 * signals of the first `count` items; a release of another does nothing. */
static void items_release(aqdrop *runtime, const aq_wait_item *items,
                          uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    aqdrop_shared_signal_release(runtime, items[i].signal);
}

/* Counts the signals that it holds into `held`. False, and none is held: one
 * was destroyed. */
static bool items_hold(aqdrop *runtime, const aq_wait_item *items,
                       uint32_t count, uint32_t *held)
{
  *held = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (aqsim_live_signal_is_own(runtime->transport, items[i].signal))
      continue;
    if (!aqdrop_shared_signal_hold(runtime, items[i].signal)) {
      items_release(runtime, items, i);
      return false;
    }
    (*held)++;
  }
  return true;
}

/* AQ_ERR_QUEUE: the runtime closes. */
static aq_status items_wait(aqdrop *runtime, const aq_wait_item *items,
                            uint32_t count, aq_wait_mode mode, uint64_t timeout,
                            uint32_t hint, aq_wait_result *out)
{
  uint32_t held;
  aq_wait_request request = {
      .items = items,
      .count = count,
      .mode = mode,
      .hint = hint == HSA_WAIT_STATE_ACTIVE ? AQ_WAIT_ACTIVE : AQ_WAIT_BLOCKED,
      .deadline = deadline_from(runtime, timeout)};
  if (!items_hold(runtime, items, count, &held))
    return AQ_ERR_INVALID;
  aq_status status =
      runtime->transport->ops->wait(runtime->transport, &request, out, NULL);
  if (held > 0)
    items_release(runtime, items, count);
  return status;
}

/* The value for a wait that the runtime does not outlive: nothing changes the
 * signal any more, so one for a change sees none. HIP 7 has a thread that waits
 * on after hsa_shut_down, for printf; 0 would end it, and then HIP waits for it
 * without end. */
static int64_t closed_value(uint32_t condition, int64_t against)
{
  return condition == HSA_SIGNAL_CONDITION_NE ? against : 0;
}

static int64_t unopened_wait(uint32_t condition, int64_t against,
                             uint64_t timeout)
{
  const uint64_t us = timeout / 1000;
  if (condition == HSA_SIGNAL_CONDITION_NE)
    usleep(us < CLOSED_US ? (useconds_t)us : CLOSED_US);
  return closed_value(condition, against);
}

static int64_t value_now(const aqdrop *runtime, hsa_signal_t signal)
{
  return runtime->transport->ops->signal_load(runtime->transport, signal,
                                              AQ_RELAXED);
}

static int64_t signal_wait(stay *s, hsa_signal_t signal, uint32_t condition,
                           int64_t against, uint64_t timeout, uint32_t hint)
{
  aqdrop *runtime = s->runtime;
  if (!runtime)
    return unopened_wait(condition, against, timeout);
  if (aqdrop_signal_kind_of(runtime, signal) != AQDROP_SIGNAL)
    return 0;
  aq_wait_item item = {signal, (aq_condition)condition, against};
  aq_wait_result result;
  aq_status status =
      items_wait(runtime, &item, 1, AQ_WAIT_ALL, timeout, hint, &result);
  s->closed = status == AQ_ERR_QUEUE;
  if (s->closed)
    return closed_value(condition, against);
  if (status == AQ_OK)
    aqdrop_check_seen(runtime, signal);
  return status == AQ_OK || status == AQ_ERR_TIMEOUT
             ? result.value
             : value_now(runtime, signal);
}

#define WAIT(name)                                                             \
  hsa_signal_value_t hsa_signal_wait_##name(                                   \
      hsa_signal_t signal, uint32_t condition,                                 \
      hsa_signal_value_t compare_value, uint64_t timeout_hint,                 \
      uint32_t wait_state_hint)                                                \
  {                                                                            \
    STAY(s);                                                                   \
    hsa_signal_value_t value = signal_wait(                                    \
        &s, signal, condition, compare_value, timeout_hint, wait_state_hint);  \
    call_.poll =                                                               \
        !aq_condition_holds((aq_condition)condition, value, compare_value);    \
    return value;                                                              \
  }
WAIT(relaxed)
WAIT(scacquire)
WAIT(acquire)

/* Waits for several; handles that are no signals are left out. Returns the
 * index that held (any), 0 (all), or UINT32_MAX. */
static uint32_t several_wait(stay *s, uint32_t count,
                             const hsa_signal_t *signals,
                             const uint32_t *conditions, const int64_t *values,
                             aq_wait_mode mode, uint64_t timeout, uint32_t hint,
                             int64_t *satisfying)
{
  aqdrop *runtime = s->runtime;
  if (!runtime || count == 0 || !signals || !conditions || !values)
    return UINT32_MAX;
  aq_wait_item *items = malloc(count * sizeof *items);
  uint32_t *index = malloc(count * sizeof *index), used = 0;
  aq_wait_result result = {0};
  aq_status status = AQ_ERR_NO_MEMORY;
  for (uint32_t i = 0; items && index && i < count; i++)
    if (aqdrop_signal_kind_of(runtime, signals[i]) == AQDROP_SIGNAL) {
      index[used] = i;
      items[used++] =
          (aq_wait_item){signals[i], (aq_condition)conditions[i], values[i]};
    }
  if (used > 0)
    status = items_wait(runtime, items, used, mode, timeout, hint, &result);
  s->closed = status == AQ_ERR_QUEUE;
  uint32_t found = UINT32_MAX;
  if (status == AQ_OK) {
    for (uint32_t i = 0; i < used; i++)
      if (mode == AQ_WAIT_ALL || i == result.index)
        aqdrop_check_seen(runtime, items[i].signal);
    found = mode == AQ_WAIT_ANY ? index[result.index] : 0;
    if (satisfying && mode == AQ_WAIT_ANY)
      *satisfying = result.value;
    for (uint32_t i = 0; satisfying && mode == AQ_WAIT_ALL && i < used; i++)
      satisfying[index[i]] = value_now(runtime, items[i].signal);
  }
  free(index);
  free(items);
  return found;
}

uint32_t hsa_amd_signal_wait_any(uint32_t signal_count, hsa_signal_t *signals,
                                 uint32_t *conds, hsa_signal_value_t *values,
                                 uint64_t timeout_hint, uint32_t wait_hint,
                                 hsa_signal_value_t *satisfying_value)
{
  STAY(s);
  uint32_t found =
      several_wait(&s, signal_count, signals, conds, values, AQ_WAIT_ANY,
                   timeout_hint, wait_hint, satisfying_value);
  call_.poll = found == UINT32_MAX;
  return found;
}

uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t *signals,
                                 uint32_t *conds, hsa_signal_value_t *values,
                                 uint64_t timeout_hint, uint32_t wait_hint,
                                 hsa_signal_value_t *satisfying_values)
{
  STAY(s);
  uint32_t found =
      several_wait(&s, signal_count, signals, conds, values, AQ_WAIT_ALL,
                   timeout_hint, wait_hint, satisfying_values);
  call_.poll = found == UINT32_MAX;
  return found;
}

/* ---- handlers ---- */

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, uint32_t cond,
                                          hsa_signal_value_t value,
                                          hsa_amd_signal_handler function,
                                          void *arg)
{
  AQDROP_ENTER(runtime);
  if (!function || cond > HSA_SIGNAL_CONDITION_GTE)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_signal_is_live(runtime, signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  return aqdrop_status(runtime->transport->ops->signal_handler(
      runtime->transport, signal, (aq_condition)cond, value, function, arg,
      NULL));
}

/* A function that is called once, through a signal of its own. */
typedef struct once {
  aqdrop *runtime;
  hsa_signal_t signal;
  void (*function)(void *arg);
  void *arg;
} once;

static bool once_call(int64_t value, void *user)
{
  const once o = *(once *)user;
  (void)value;
  o.runtime->transport->ops->signal_destroy(o.runtime->transport, o.signal);
  free(user);
  o.function(o.arg); /* last: it may close the runtime */
  return false;
}

hsa_status_t hsa_amd_async_function(void (*callback)(void *arg), void *arg)
{
  AQDROP_ENTER(runtime);
  const aq_transport_ops *ops = runtime->transport->ops;
  if (!callback)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  once *o = malloc(sizeof *o);
  aq_signal_desc desc = {.value = 0};
  if (!o)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  *o = (once){.runtime = runtime, .function = callback, .arg = arg};
  aq_status status =
      ops->signal_create(runtime->transport, &desc, &o->signal, NULL);
  if (status != AQ_OK) {
    free(o);
    return aqdrop_status(status);
  }
  hsa_signal_t signal = o->signal;
  status = ops->signal_handler(runtime->transport, signal, AQ_EQ, 0, once_call,
                               o, NULL);
  if (status != AQ_OK) {
    ops->signal_destroy(runtime->transport, signal);
    free(o);
  }
  return aqdrop_status(status);
}

/* ---- groups ---- */

typedef struct aqdrop_group {
  struct aqdrop_group *next;
  uint32_t count;
  hsa_signal_t signals[];
} group;

static group *group_make(uint32_t count, const hsa_signal_t *signals)
{
  group *g = malloc(sizeof *g + count * sizeof *signals);
  if (!g)
    return NULL;
  g->count = count;
  memcpy(g->signals, signals, count * sizeof *signals);
  return g;
}

/* The link to a group, to NULL for an unknown one. The lock is held. */
static group **group_link(aqdrop *runtime, hsa_signal_group_t handle)
{
  group **link = &runtime->first_group;
  while (*link && (uintptr_t)*link != handle.handle)
    link = &(*link)->next;
  return link;
}

void aqdrop_groups_fini(aqdrop *runtime)
{
  while (runtime->first_group) {
    group *g = runtime->first_group;
    runtime->first_group = g->next;
    free(g);
  }
}

hsa_status_t hsa_signal_group_create(uint32_t num_signals,
                                     const hsa_signal_t *signals,
                                     uint32_t num_consumers,
                                     const hsa_agent_t *consumers,
                                     hsa_signal_group_t *signal_group)
{
  AQDROP_ENTER(runtime);
  if (num_signals == 0 || !signals || !signal_group ||
      (num_consumers > 0 && !consumers))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < num_signals; i++)
    if (!aqdrop_signal_is_live(runtime, signals[i]))
      return HSA_STATUS_ERROR_INVALID_SIGNAL;
  group *g = group_make(num_signals, signals);
  if (!g)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->lock);
  g->next = runtime->first_group;
  runtime->first_group = g;
  pthread_mutex_unlock(&runtime->lock);
  signal_group->handle = (uintptr_t)g;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t signal_group)
{
  AQDROP_ENTER(runtime);
  if (!signal_group.handle)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  group **link = group_link(runtime, signal_group), *g = *link;
  if (g)
    *link = g->next;
  pthread_mutex_unlock(&runtime->lock);
  if (!g)
    return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  free(g);
  return HSA_STATUS_SUCCESS;
}

/* Without the group, which another thread may destroy meanwhile. */
static hsa_status_t group_signals_wait(stay *s, const group *g,
                                       const uint32_t *conditions,
                                       const int64_t *values, uint32_t hint,
                                       hsa_signal_t *signal, int64_t *value)
{
  int64_t seen = 0;
  uint32_t index = several_wait(s, g->count, g->signals, conditions, values,
                                AQ_WAIT_ANY, UINT64_MAX, hint, &seen);
  if (index == UINT32_MAX)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (signal)
    *signal = g->signals[index];
  if (value)
    *value = seen;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t group_wait(stay *s, hsa_signal_group_t signal_group,
                               const uint32_t *conditions,
                               const int64_t *values, uint32_t hint,
                               hsa_signal_t *signal, int64_t *value)
{
  aqdrop *runtime = s->runtime;
  if (!runtime)
    return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (!conditions || !values || (!signal && !value))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  const group *g = *group_link(runtime, signal_group);
  group *copy = g ? group_make(g->count, g->signals) : NULL;
  pthread_mutex_unlock(&runtime->lock);
  if (!g)
    return HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
  if (!copy)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  const hsa_status_t status =
      group_signals_wait(s, copy, conditions, values, hint, signal, value);
  free(copy);
  return status;
}

#define GROUP_WAIT(name)                                                       \
  hsa_status_t hsa_signal_group_wait_any_##name(                               \
      hsa_signal_group_t signal_group, const uint32_t *conditions,             \
      const hsa_signal_value_t *compare_values, uint32_t wait_state_hint,      \
      hsa_signal_t *signal, hsa_signal_value_t *value)                         \
  {                                                                            \
    STAY(s);                                                                   \
    return group_wait(&s, signal_group, conditions, compare_values,            \
                      wait_state_hint, signal, value);                         \
  }
GROUP_WAIT(relaxed)
GROUP_WAIT(scacquire)
