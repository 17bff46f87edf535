/* SPDX-License-Identifier: MIT */
/* Events of the whole system: memory that is not there. */
#include "config.h"

#include "dropin/hsa/base/events.h"

#include <stdio.h>
#include <stdlib.h>

#include "dropin/hsa/base/queues.h"

hsa_status_t
hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                      void *data)
{
  AQDROP_ENTER(runtime);
  hsa_status_t status = HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&runtime->lock);
  if (callback && runtime->event) {
    status = HSA_STATUS_ERROR;
  } else {
    runtime->event = callback;
    runtime->event_data = data;
  }
  pthread_mutex_unlock(&runtime->lock);
  return status;
}

/* Calls the handler; false when there is none or it did not take the event. */
static bool event_handle(aqdrop *runtime, const hsa_amd_event_t *event)
{
  pthread_mutex_lock(&runtime->lock);
  hsa_amd_system_event_callback_t callback = runtime->event;
  void *data = runtime->event_data;
  pthread_mutex_unlock(&runtime->lock);
  return callback && callback(event, data) == HSA_STATUS_SUCCESS;
}

void aqdrop_event_notify(const aq_system_event *event, void *user)
{
  aqdrop *runtime = user;
  const aqdrop_agent *agent = &runtime->agents[0];
  for (uint32_t i = 1; i < runtime->agent_count; i++)
    if (runtime->agents[i].ordinal == event->device)
      agent = &runtime->agents[i];
  const hsa_amd_event_t fault = {.type = HSA_AMD_GPU_MEMORY_FAULT_EVENT,
                                 .agent = aqdrop_agent_handle(agent),
                                 .address = event->address,
                                 .reasons = event->reasons};
  if (event->queue != AQ_QUEUE_NONE)
    aqdrop_queue_fault_keep(runtime, event);
  if (event_handle(runtime, &fault))
    return;
  fprintf(stderr, "aqueduct: %s\n", event->text);
  abort(); /* as ROCr does: no event would ever wake a thread that waits for it
            */
}

void aqdrop_event_in_use(aqdrop *runtime, const aqdrop_agent *agent,
                         const void *address)
{
  const hsa_amd_event_t error = {.type = HSA_AMD_GPU_MEMORY_ERROR_EVENT,
                                 .agent = aqdrop_agent_handle(agent),
                                 .address = (uintptr_t)address,
                                 .reasons = HSA_AMD_MEMORY_ERROR_MEMORY_IN_USE};
  if (!event_handle(runtime, &error))
    fprintf(stderr,
            "aqueduct: memory at %p is the ring of a queue: not freed\n",
            address);
}
