/* SPDX-License-Identifier: MIT */
/* Calls for clients that know the simulator: common/hsa_sim.h. */
#include "config.h"

#include "dropin/hsa/base/sim_extension.h"

#include "dropin/hsa/base/check.h"
#include "dropin/hsa/base/executables.h"
#include "dropin/hsa/base/queues.h"

static hsa_status_t device_report(hsa_agent_t agent, aq_device_info *out)
{
  AQDROP_ENTER(runtime);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  if (!out)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  *out = *a->info;
  return HSA_STATUS_SUCCESS;
}

/* Of the executable's code object that the object of a kernel lies in, or
 * NULL. */
static const aq_kernel_scope *scope_find(aqdrop *runtime, uint64_t object)
{
  pthread_mutex_lock(&runtime->lock);
  const aqdrop_loaded *loaded =
      aqdrop_loaded_at(runtime, (const void *)(uintptr_t)object);
  pthread_mutex_unlock(&runtime->lock);
  return loaded ? &loaded->scope : NULL;
}

static hsa_status_t kernel_register(const aq_kernel_desc *kernel,
                                    uint64_t *object)
{
  AQDROP_ENTER(runtime);
  aq_kernel_info info;
  if (!kernel || !object)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aq_kernel_desc own = *kernel;
  if (!own.scope)
    own.scope = scope_find(runtime, own.object);
  aq_status status = runtime->transport->ops->kernel_register(
      runtime->transport, &own, &info, NULL);
  if (status == AQ_OK)
    *object = info.object;
  return aqdrop_status(status);
}

static hsa_status_t kernel_unregister(uint64_t object)
{
  AQDROP_ENTER(runtime);
  runtime->transport->ops->kernel_unregister(runtime->transport, object);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t sleep_until(uint64_t tick)
{
  AQDROP_ENTER(runtime);
  aq_time until = tick > (uint64_t)(AQ_TIME_MAX / AQ_NS)
                      ? AQ_TIME_MAX
                      : (aq_time)tick * AQ_NS;
  return aqdrop_status(runtime->transport->ops->sleep_until(
      runtime->transport, until, false, NULL));
}

static hsa_status_t queue_words(const hsa_queue_t *queue, size_t size,
                                char *text)
{
  AQDROP_ENTER(runtime);
  const char *words = aqdrop_queue_error(runtime, queue);
  if (!words)
    return HSA_STATUS_ERROR_INVALID_QUEUE;
  if (!text || size == 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_put_text(text, size, words);
}

static hsa_status_t queue_packet(const hsa_queue_t *queue, uint64_t *id,
                                 aq_packet *packet)
{
  AQDROP_ENTER(runtime);
  if (!id || !packet)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return aqdrop_queue_error_packet(runtime, queue, id, packet)
             ? HSA_STATUS_SUCCESS
             : HSA_STATUS_ERROR_INVALID_QUEUE;
}

static hsa_status_t clocks_report(uint32_t device, uint64_t *ticks,
                                  uint64_t *system)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  aq_clock_pair pair;
  if (device + UINT64_C(1) >= runtime->agent_count || !ticks || !system)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const aqdrop_agent *agent = &runtime->agents[device + 1];
  runtime->transport->ops->clock_correlate(runtime->transport, agent->ordinal,
                                           &pair);
  *ticks = (uint64_t)((__int128)pair.device * agent->info->timestamp_hz / AQ_S);
  *system = aqdrop_ns(pair.host);
  return HSA_STATUS_SUCCESS;
}

static hsa_status_t pool_call(const aq_hsa_pool *call)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  aqdrop_check_pool(runtime, call);
  return HSA_STATUS_SUCCESS;
}

aq_hsa_sim aqdrop_simulator(const aqdrop *runtime)
{
  return (aq_hsa_sim){.size = sizeof(aq_hsa_sim),
                      .caps = runtime->info.caps,
                      .device = device_report,
                      .kernel_register = kernel_register,
                      .sleep_until = sleep_until,
                      .queue_words = queue_words,
                      .clocks = clocks_report,
                      .kernel_unregister = kernel_unregister,
                      .queue_packet = queue_packet,
                      .pool = pool_call};
}
