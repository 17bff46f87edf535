/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/seat.h"

#include <stdlib.h>

static aq_status seat_make(aq_context *context, aq_seat **out, aq_diag *diag)
{
  aq_seat *seat = calloc(1, sizeof *seat);
  if (!seat)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a waiting host");
  aq_status status = context->ops->signal_create(
      context->transport, &(aq_signal_desc){0}, &seat->signal, diag);
  if (status != AQ_OK) {
    free(seat);
    return status;
  }
  aq_lock(context, &context->lock);
  seat->next = context->seats;
  context->seats = seat;
  aq_unlock(context, &context->lock);
  *out = seat;
  return AQ_OK;
}

aq_status aq_seat_take(aq_context *context, aq_seat **out, aq_diag *diag)
{
  aq_lock(context, &context->lock);
  aq_seat *seat = context->free_seats;
  if (seat)
    context->free_seats = seat->next_free;
  aq_unlock(context, &context->lock);
  if (!seat)
    return seat_make(context, out, diag);
  *out = seat;
  return AQ_OK;
}

void aq_seat_give(aq_context *context, aq_seat *seat)
{
  if (!seat)
    return;
  aq_lock(context, &context->lock);
  seat->next_free = context->free_seats;
  context->free_seats = seat;
  aq_unlock(context, &context->lock);
}

void aq_seat_ring(const aq_context *context, const aq_seat *seat)
{
  context->ops->signal_update(context->transport, seat->signal, AQ_UPDATE_ADD,
                              1, 0, AQ_RELEASE);
}

aq_wait_item aq_seat_item(const aq_context *context, const aq_seat *seat)
{
  return (aq_wait_item){
      seat->signal, AQ_NE,
      context->ops->signal_load(context->transport, seat->signal, AQ_ACQUIRE)};
}

void aq_seats_ring(aq_context *context)
{
  aq_lock(context, &context->lock);
  const aq_seat *first = context->seats;
  aq_unlock(context, &context->lock);
  /* Those behind the first stay as they are while the context lives. */
  for (const aq_seat *seat = first; seat; seat = seat->next)
    aq_seat_ring(context, seat);
}

void aq_seats_free(aq_context *context)
{
  for (aq_seat *seat = context->seats, *next; seat; seat = next) {
    next = seat->next;
    context->ops->signal_destroy(context->transport, seat->signal);
    free(seat);
  }
}
