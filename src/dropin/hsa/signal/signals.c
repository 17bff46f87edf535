/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "dropin/hsa/base/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "backend_sim/live/live.h"
#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/doorbells.h"

/* ---- life ---- */

bool aqdrop_signal_is_live(aqdrop *runtime, hsa_signal_t signal)
{
  pthread_mutex_lock(&runtime->lock);
  bool live = aq_map_get(&runtime->signals, signal.handle, NULL);
  pthread_mutex_unlock(&runtime->lock);
  return live;
}

void aqdrop_signals_fini(aqdrop *runtime)
{
  aqdrop_ranges_fini(runtime);
  aqdrop_groups_fini(runtime);
  aqdrop_shared_signals_fini(runtime);
  aq_map_fini(&runtime->signals);
}

/* The ordinals of agents, or NULL with a status. */
static hsa_status_t consumers_find(aqdrop *runtime, uint32_t count,
                                   const hsa_agent_t *agents, uint32_t **out)
{
  *out = NULL;
  if (count == 0)
    return HSA_STATUS_SUCCESS;
  if (!agents || count > runtime->agent_count) /* then one is there twice */
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  uint32_t *ordinals = malloc(count * sizeof *ordinals);
  if (!ordinals)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (uint32_t i = 0; i < count; i++) {
    const aqdrop_agent *agent = aqdrop_agent_from(runtime, agents[i]);
    if (!agent) {
      free(ordinals);
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    ordinals[i] = agent->ordinal;
  }
  *out = ordinals;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t aqdrop_signal_open(aqdrop *runtime, const aq_signal_desc *desc,
                                hsa_signal_t *out)
{
  const aq_transport_ops *ops = runtime->transport->ops;
  aq_signal made;
  hsa_status_t status =
      aqdrop_status(ops->signal_create(runtime->transport, desc, &made, NULL));
  if (status != HSA_STATUS_SUCCESS)
    return status;
  if (runtime->check)
    aq_check_object_made(runtime->check, made.handle);
  if (runtime->check)
    aq_check_signal_set(runtime->check, made.handle);
  pthread_mutex_lock(&runtime->lock);
  bool kept = aq_map_put(&runtime->signals, made.handle, 1);
  pthread_mutex_unlock(&runtime->lock);
  if (!kept) {
    ops->signal_destroy(runtime->transport, made);
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
  *out = made;
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t signal_make(aqdrop *runtime, int64_t value, uint32_t count,
                                const hsa_agent_t *consumers, uint32_t flags,
                                hsa_signal_t *out)
{
  uint32_t *ordinals;
  if (!out)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  hsa_status_t status = consumers_find(runtime, count, consumers, &ordinals);
  if (status != HSA_STATUS_SUCCESS)
    return status;
  aq_signal_desc desc = {.value = value,
                         .flags = flags,
                         .consumers = ordinals,
                         .consumer_count = count};
  status = flags & AQ_SIGNAL_IPC
               ? aqdrop_shared_signal_create(runtime, &desc, out)
               : aqdrop_signal_open(runtime, &desc, out);
  free(ordinals);
  return status;
}

hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value,
                               uint32_t num_consumers,
                               const hsa_agent_t *consumers,
                               hsa_signal_t *signal)
{
  AQDROP_ENTER(runtime);
  return signal_make(runtime, initial_value, num_consumers, consumers, 0,
                     signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value,
                                   uint32_t num_consumers,
                                   const hsa_agent_t *consumers,
                                   uint64_t attributes, hsa_signal_t *signal)
{
  AQDROP_ENTER(runtime);
  uint32_t flags = 0;
  if (attributes & HSA_AMD_SIGNAL_AMD_GPU_ONLY)
    flags |= AQ_SIGNAL_GPU_ONLY;
  if (attributes & HSA_AMD_SIGNAL_IPC)
    flags |= AQ_SIGNAL_IPC;
  return signal_make(runtime, initial_value, num_consumers, consumers, flags,
                     signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal)
{
  AQDROP_ENTER(runtime);
  uint64_t references = 0;
  if (!signal.handle)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  pthread_mutex_lock(&runtime->lock);
  bool known = aq_map_get(&runtime->signals, signal.handle, &references);
  if (references > 1)
    aq_map_put(&runtime->signals, signal.handle, references - 1);
  else if (known)
    aq_map_remove(&runtime->signals, signal.handle, NULL);
  pthread_mutex_unlock(&runtime->lock);
  if (!known && runtime->check)
    aq_check_object_unknown(runtime->check, "signal", signal.handle);
  if (!known)
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (references == 1) {
    if (runtime->check)
      aq_check_object_gone(runtime->check, signal.handle);
    runtime->transport->ops->signal_destroy(runtime->transport, signal);
    aqdrop_shared_signal_close(runtime, signal);
  }
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
                                          volatile hsa_signal_value_t **value)
{
  AQDROP_ENTER(runtime);
  if (!value)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_signal_is_live(runtime, signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  *value = &((aq_amd_signal *)(uintptr_t)signal.handle)->value;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_get_event_id(hsa_signal_t signal,
                                         uint32_t *event_id)
{
  AQDROP_ENTER(runtime);
  if (!event_id)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!aqdrop_signal_is_live(runtime, signal))
    return HSA_STATUS_ERROR_INVALID_SIGNAL;
  *event_id = ((const aq_amd_signal *)(uintptr_t)signal.handle)->event_id;
  return HSA_STATUS_SUCCESS;
}

/* ---- values ---- */

/* The functions of values have no status: they do nothing, and that is said,
 * a few times. */
static void stranger_report(hsa_signal_t signal)
{
  enum { LINES = 8 };
  static uint32_t lines; /* atomic */
  if (__atomic_fetch_add(&lines, 1, __ATOMIC_RELAXED) < LINES)
    fprintf(stderr,
            "aqueduct: %#" PRIx64
            " is no signal, or was destroyed: the call does nothing\n",
            signal.handle);
}

static bool handle_is_live(const aqdrop *runtime, hsa_signal_t signal,
                           aqdrop_signal_kind *kind)
{
  const aq_amd_signal *abi = (const aq_amd_signal *)(uintptr_t)signal.handle;
  *kind = AQDROP_SIGNAL;
  if (aqsim_live_signal_is_own(runtime->transport, signal))
    return __atomic_load_n(&abi->kind, __ATOMIC_ACQUIRE) != 0;
  *kind = AQDROP_DOORBELL;
  return aqdrop_doorbell_is(runtime, signal);
}

aqdrop_signal_kind aqdrop_signal_kind_of(aqdrop *runtime, hsa_signal_t signal)
{
  aqdrop_signal_kind kind;
  if (!runtime || !signal.handle)
    return AQDROP_NO_SIGNAL;
  if (handle_is_live(runtime, signal, &kind))
    return kind;
  if (aqdrop_signal_is_live(runtime, signal))
    return AQDROP_SIGNAL;
  stranger_report(signal);
  return AQDROP_STRANGER;
}

static int64_t value_load(hsa_signal_t signal, aq_order order)
{
  aqdrop *runtime = aqdrop_runtime();
  const aqdrop_signal_kind kind = aqdrop_signal_kind_of(runtime, signal);
  if (kind == AQDROP_DOORBELL)
    return aqdrop_doorbell_load(signal);
  if (kind != AQDROP_SIGNAL)
    return 0;
  const int64_t value =
      runtime->transport->ops->signal_load(runtime->transport, signal, order);
  if (value <= 0)
    aqdrop_check_seen(runtime, signal);
  return value;
}

static void value_store(hsa_signal_t signal, int64_t value, aq_order order)
{
  aqdrop *runtime = aqdrop_runtime();
  const aqdrop_signal_kind kind = aqdrop_signal_kind_of(runtime, signal);
  if (kind == AQDROP_DOORBELL)
    aqdrop_doorbell_ring(runtime, signal, (uint64_t)value);
  if (kind != AQDROP_SIGNAL)
    return;
  if (runtime->check)
    aq_check_signal_set(runtime->check, signal.handle);
  runtime->transport->ops->signal_store(runtime->transport, signal, value,
                                        order);
}

static int64_t value_update(hsa_signal_t signal, aq_signal_op op,
                            int64_t operand, int64_t expected, aq_order order)
{
  aqdrop *runtime = aqdrop_runtime();
  if (aqdrop_signal_kind_of(runtime, signal) != AQDROP_SIGNAL)
    return 0;
  if (runtime->check && op == AQ_UPDATE_STORE_SILENT)
    aq_check_signal_set(runtime->check, signal.handle);
  else if (runtime->check)
    aq_check_signal_add(runtime->check, signal.handle);
  return runtime->transport->ops->signal_update(runtime->transport, signal, op,
                                                operand, expected, order);
}

#define LOAD(name, order)                                                      \
  hsa_signal_value_t hsa_signal_load_##name(hsa_signal_t signal)               \
  {                                                                            \
    return value_load(signal, order);                                          \
  }
LOAD(relaxed, AQ_RELAXED)
LOAD(scacquire, AQ_ACQUIRE)
LOAD(acquire, AQ_ACQUIRE)

#define STORE(name, order)                                                     \
  void hsa_signal_store_##name(hsa_signal_t signal, hsa_signal_value_t value)  \
  {                                                                            \
    value_store(signal, value, order);                                         \
  }
STORE(relaxed, AQ_RELAXED)
STORE(screlease, AQ_RELEASE)
STORE(release, AQ_RELEASE)

#define SILENT(name, order)                                                    \
  void hsa_signal_silent_store_##name(hsa_signal_t signal,                     \
                                      hsa_signal_value_t value)                \
  {                                                                            \
    value_update(signal, AQ_UPDATE_STORE_SILENT, value, 0, order);             \
  }
SILENT(relaxed, AQ_RELAXED)
SILENT(screlease, AQ_RELEASE)

#define UPDATE(verb, op, name, order)                                          \
  void hsa_signal_##verb##_##name(hsa_signal_t signal,                         \
                                  hsa_signal_value_t value)                    \
  {                                                                            \
    value_update(signal, op, value, 0, order);                                 \
  }
#define EXCHANGE(verb, op, name, order)                                        \
  hsa_signal_value_t hsa_signal_exchange_##name(hsa_signal_t signal,           \
                                                hsa_signal_value_t value)      \
  {                                                                            \
    return value_update(signal, op, value, 0, order);                          \
  }
#define CAS(verb, op, name, order)                                             \
  hsa_signal_value_t hsa_signal_cas_##name(hsa_signal_t signal,                \
                                           hsa_signal_value_t expected,        \
                                           hsa_signal_value_t value)           \
  {                                                                            \
    return value_update(signal, op, value, expected, order);                   \
  }
#define EVERY_ORDER(MACRO, verb, op)                                           \
  MACRO(verb, op, relaxed, AQ_RELAXED)                                         \
  MACRO(verb, op, scacquire, AQ_ACQUIRE)                                       \
  MACRO(verb, op, acquire, AQ_ACQUIRE)                                         \
  MACRO(verb, op, screlease, AQ_RELEASE)                                       \
  MACRO(verb, op, release, AQ_RELEASE)                                         \
  MACRO(verb, op, scacq_screl, AQ_ACQ_REL)                                     \
  MACRO(verb, op, acq_rel, AQ_ACQ_REL)
EVERY_ORDER(UPDATE, and, AQ_UPDATE_AND)
EVERY_ORDER(UPDATE, or, AQ_UPDATE_OR)
EVERY_ORDER(UPDATE, xor, AQ_UPDATE_XOR)
EVERY_ORDER(UPDATE, add, AQ_UPDATE_ADD)
EVERY_ORDER(UPDATE, subtract, AQ_UPDATE_SUB)
EVERY_ORDER(EXCHANGE, exchange, AQ_UPDATE_EXCHANGE)
EVERY_ORDER(CAS, cas, AQ_UPDATE_CAS)
