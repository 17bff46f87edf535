/* SPDX-License-Identifier: MIT */
/*
 * Events of the system. The runtime has handlers of the whole process and
 * cannot remove any, so there is one, and it notifies every open transport:
 * the one global here.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "backend_hsa/core.h"

enum { LINE = 200 };

static struct {
  pthread_mutex_t lock;
  aqhsa *open;
  bool registered; /* with the runtime, until that is shut down */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

void aqhsa_report(const aqhsa *hsa, const char *line)
{
  if (hsa->report)
    hsa->report(line, hsa->report_user);
  else
    fprintf(stderr, "%s\n", line);
}

static bool device_find(const aqhsa *hsa, hsa_agent_t agent, uint32_t *out)
{
  for (uint32_t i = 0; i < hsa->device_count; i++)
    if (hsa->devices[i].agent.handle == agent.handle) {
      *out = i;
      return true;
    }
  return false;
}

static void fault_report(aqhsa *hsa, const hsa_amd_event_t *from)
{
  char text[LINE];
  aq_system_event event = {.kind = AQ_EVENT_MEMORY_FAULT,
                           .queue = AQ_QUEUE_NONE,
                           .address = from->address,
                           .text = text,
                           .reasons = from->reasons};
  if (!device_find(hsa, from->agent, &event.device))
    return;
  snprintf(text, sizeof text,
           "hsa: memory fault of device %" PRIu32 " (%s) at 0x%" PRIx64
           ", reasons 0x%" PRIx32,
           event.device, hsa->devices[event.device].gfx, from->address,
           from->reasons);
  if (hsa->event)
    hsa->event(&event, hsa->event_user);
  else
    aqhsa_report(hsa, text);
}

/* Told as handled: else the runtime ends the process. */
static hsa_status_t event_heard(const hsa_amd_event_t *event, void *user)
{
  (void)user;
  if (event->type != HSA_AMD_GPU_MEMORY_FAULT_EVENT)
    return HSA_STATUS_ERROR;
  pthread_mutex_lock(&process.lock);
  for (aqhsa *hsa = process.open; hsa; hsa = hsa->event_next)
    fault_report(hsa, event);
  pthread_mutex_unlock(&process.lock);
  return HSA_STATUS_SUCCESS;
}

/* The program may have a handler already: then it gets the faults. */
void aqhsa_events_open(aqhsa *hsa)
{
  pthread_mutex_lock(&process.lock);
  bool registered = process.registered;
  pthread_mutex_unlock(&process.lock);
  if (!registered)
    registered = hsa->api->hsa_amd_register_system_event_handler(
                     event_heard, NULL) == HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&process.lock);
  process.registered = registered;
  hsa->event_next = process.open;
  process.open = hsa;
  pthread_mutex_unlock(&process.lock);
  if (registered)
    hsa->caps |= AQ_CAP_EVENTS;
}

void aqhsa_events_close(aqhsa *hsa)
{
  pthread_mutex_lock(&process.lock);
  aqhsa **link = &process.open;
  while (*link && *link != hsa)
    link = &(*link)->event_next;
  if (*link)
    *link = hsa->event_next;
  pthread_mutex_unlock(&process.lock);
}

void aqhsa_events_shut(const aqhsa *hsa)
{
  uint16_t major;
  bool gone = hsa->api->hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR,
                                            &major) != HSA_STATUS_SUCCESS;
  pthread_mutex_lock(&process.lock);
  if (gone)
    process.registered = false;
  pthread_mutex_unlock(&process.lock);
}
