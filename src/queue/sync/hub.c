/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/hub.h"

#include <stdlib.h>

#include "queue/sync/axis.h"
#include "queue/sync/seat.h"

/* A transport has no place for what its contexts share, and a table of
 * operations from outside of the tree none either: so the process knows. */
static struct {
  pthread_mutex_t lock;
  aq_hub *first;
} hubs = {.lock = PTHREAD_MUTEX_INITIALIZER};

static aq_hub *hub_make(aq_transport *transport, const aq_transport_info *info)
{
  aq_hub *hub = calloc(1, sizeof *hub);
  if (!hub)
    return NULL;
  hub->transport = transport;
  hub->ops = transport->ops;
  hub->caps = info->caps;
  hub->live = info->caps & AQ_CAP_LIVE;
  pthread_mutex_init(&hub->lock, NULL);
  hub->next = hubs.first;
  hubs.first = hub;
  return hub;
}

aq_status aq_hub_take(aq_transport *transport, const aq_transport_info *info,
                      aq_hub **out, aq_diag *diag)
{
  pthread_mutex_lock(&hubs.lock);
  aq_hub *hub = hubs.first;
  while (hub && hub->transport != transport)
    hub = hub->next;
  if (!hub)
    hub = hub_make(transport, info);
  if (hub)
    hub->refs++;
  pthread_mutex_unlock(&hubs.lock);
  if (!hub)
    return aq_diag_no_memory(diag);
  *out = hub;
  return AQ_OK;
}

void aq_hub_give(aq_hub *hub)
{
  if (!hub)
    return;
  pthread_mutex_lock(&hubs.lock);
  const bool last = --hub->refs == 0;
  if (last) {
    aq_hub **link = &hubs.first;
    while (*link != hub)
      link = &(*link)->next;
    *link = hub->next;
  }
  pthread_mutex_unlock(&hubs.lock);
  if (!last)
    return;
  aq_axes_free(hub);
  aq_seats_free(hub);
  pthread_mutex_destroy(&hub->lock);
  free(hub);
}

void aq_hub_poll(aq_hub *hub)
{
  for (aq_axis *axis = aq_axis_next(hub, NULL); axis;
       axis = aq_axis_next(hub, axis))
    aq_axis_poll(axis);
}
