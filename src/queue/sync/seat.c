/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/seat.h"

#include <stdlib.h>

static aq_status seat_make(aq_hub *hub, aq_seat **out, aq_diag *diag)
{
  aq_seat *seat = calloc(1, sizeof *seat);
  if (!seat)
    return aq_diag_no_memory(diag);
  aq_status status = hub->ops->signal_create(
      hub->transport, &(aq_signal_desc){0}, &seat->signal, diag);
  if (status != AQ_OK) {
    free(seat);
    return status;
  }
  aq_lock(hub, &hub->lock);
  seat->next = hub->seats;
  hub->seats = seat;
  aq_unlock(hub, &hub->lock);
  *out = seat;
  return AQ_OK;
}

aq_status aq_seat_take(aq_hub *hub, aq_seat **out, aq_diag *diag)
{
  aq_lock(hub, &hub->lock);
  aq_seat *seat = hub->free_seats;
  if (seat)
    hub->free_seats = seat->next_free;
  aq_unlock(hub, &hub->lock);
  if (!seat)
    return seat_make(hub, out, diag);
  *out = seat;
  return AQ_OK;
}

void aq_seat_give(aq_hub *hub, aq_seat *seat)
{
  if (!seat)
    return;
  aq_lock(hub, &hub->lock);
  seat->next_free = hub->free_seats;
  hub->free_seats = seat;
  aq_unlock(hub, &hub->lock);
}

void aq_seat_ring(const aq_hub *hub, const aq_seat *seat)
{
  hub->ops->signal_update(hub->transport, seat->signal, AQ_UPDATE_ADD, 1, 0,
                          AQ_RELEASE);
}

aq_wait_item aq_seat_item(const aq_hub *hub, const aq_seat *seat)
{
  return (aq_wait_item){
      seat->signal, AQ_NE,
      hub->ops->signal_load(hub->transport, seat->signal, AQ_ACQUIRE)};
}

void aq_seats_ring(aq_hub *hub)
{
  aq_lock(hub, &hub->lock);
  const aq_seat *first = hub->seats;
  aq_unlock(hub, &hub->lock);
  /* Those behind the first stay as they are while the hub lives. */
  for (const aq_seat *seat = first; seat; seat = seat->next)
    aq_seat_ring(hub, seat);
}

void aq_seats_free(aq_hub *hub)
{
  for (aq_seat *seat = hub->seats, *next; seat; seat = next) {
    next = seat->next;
    hub->ops->signal_destroy(hub->transport, seat->signal);
    free(seat);
  }
}
