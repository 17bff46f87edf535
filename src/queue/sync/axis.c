/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/sync/axis.h"

#include <sched.h>
#include <stdlib.h>

#include "queue/sync/seat.h"

/* ---- flags ---- */

static aq_status flag_make(aq_hub *hub, aq_flag **out, aq_diag *diag)
{
  const bool timed = hub->caps & AQ_CAP_PROFILING;
  aq_flag *flag = calloc(1, sizeof *flag);
  if (!flag)
    return aq_diag_no_memory(diag);
  aq_status status = hub->ops->signal_create(
      hub->transport,
      &(aq_signal_desc){.value = 1, .flags = timed ? AQ_SIGNAL_PROFILE : 0},
      &flag->signal, diag);
  if (status != AQ_OK) {
    free(flag);
    return status;
  }
  aq_lock(hub, &hub->lock);
  flag->next = hub->flags;
  hub->flags = flag;
  aq_unlock(hub, &hub->lock);
  *out = flag;
  return AQ_OK;
}

aq_status aq_flag_take(aq_hub *hub, aq_flag **out, aq_diag *diag)
{
  aq_lock(hub, &hub->lock);
  aq_flag *flag = hub->free_flags;
  if (flag)
    hub->free_flags = flag->next_free;
  aq_unlock(hub, &hub->lock);
  if (!flag) {
    aq_status status = flag_make(hub, &flag, diag);
    if (status != AQ_OK)
      return status;
  } else {
    /* Not at its release: a queue that stops may still store 0. */
    hub->ops->signal_store(hub->transport, flag->signal, 1, AQ_RELEASE);
  }
  /* Release: a thread that finds the flag in its former place finds that place
   * empty next. */
  __atomic_store_n(&flag->refs, 1, __ATOMIC_RELEASE);
  *out = flag;
  return AQ_OK;
}

void aq_flag_release(aq_hub *hub, aq_flag *flag)
{
  if (aq_refs_sub(hub, &flag->refs) > 0)
    return;
  aq_lock(hub, &hub->lock);
  flag->next_free = hub->free_flags;
  hub->free_flags = flag;
  aq_unlock(hub, &hub->lock);
}

/* ---- axes ---- */

aq_status aq_axis_create(aq_hub *hub, aq_queue *queue, aq_axis_retire *retire,
                         bool counted, aq_axis **out, aq_diag *diag)
{
  aq_axis *axis = calloc(1, sizeof *axis);
  if (!axis)
    return aq_diag_no_memory(diag);
  axis->hub = hub;
  axis->queue = queue;
  axis->retire = retire;
  axis->refs = 1;
  axis->failed_from = AQ_EPOCH_NEVER;
  if (counted) {
    aq_status status = hub->ops->signal_create(
        hub->transport, &(aq_signal_desc){.value = AQ_AXIS_START},
        &axis->counter, diag);
    if (status != AQ_OK) {
      free(axis);
      return status;
    }
  }
  pthread_mutex_init(&axis->gate, NULL);
  *out = axis; /* before others find it, and its queue by it */
  aq_lock(hub, &hub->lock);
  axis->id = hub->axes_made++;
  axis->next = hub->axes;
  axis->link = &hub->axes;
  if (axis->next)
    axis->next->link = &axis->next;
  hub->axes = axis;
  aq_unlock(hub, &hub->lock);
  return AQ_OK;
}

/* The hub may be gone as soon as the axis is out of its list, so this is the
 * last use of it. */
static void axis_free(aq_axis *axis)
{
  aq_hub *hub = axis->hub;
  if (axis->counter.handle)
    hub->ops->signal_destroy(hub->transport, axis->counter);
  aq_lock(hub, &hub->lock);
  *axis->link = axis->next;
  if (axis->next)
    axis->next->link = axis->link;
  aq_unlock(hub, &hub->lock);
  pthread_mutex_destroy(&axis->gate);
  free(axis);
}

void aq_axis_release(aq_axis *axis)
{
  if (aq_refs_sub(axis->hub, &axis->refs) == 0)
    axis_free(axis);
}

aq_axis *aq_axis_next(aq_hub *hub, aq_axis *axis)
{
  aq_lock(hub, &hub->lock);
  aq_axis *next = axis ? axis->next : hub->axes;
  while (next && !aq_refs_revive(&next->refs)) /* it is being freed */
    next = next->next;
  aq_unlock(hub, &hub->lock);
  if (axis)
    aq_axis_release(axis);
  return next;
}

void aq_axis_poll(aq_axis *axis)
{
  if (axis->hub->live && pthread_mutex_trylock(&axis->gate) != 0)
    return;
  if (axis->queue)
    axis->retire(axis->queue);
  aq_unlock(axis->hub, &axis->gate);
}

void aq_axes_free(aq_hub *hub)
{
  for (aq_flag *flag = hub->flags, *next; flag; flag = next) {
    next = flag->next;
    hub->ops->signal_destroy(hub->transport, flag->signal);
    free(flag);
  }
  /* Handlers that were never called have left references. One that runs just
   * now gives its own back before its signal can be destroyed: the axis has to
   * outlive that. */
  for (;;) {
    aq_lock(hub, &hub->lock);
    aq_axis *axis = hub->axes;
    const bool ours = axis && aq_refs_revive(&axis->refs);
    aq_unlock(hub, &hub->lock);
    if (!axis)
      break;
    if (ours)
      axis_free(axis);
    else
      sched_yield(); /* it is being freed */
  }
}

/* ---- edges ---- */

void aq_epoch_release(const aq_epoch_ref *edge)
{
  if (edge->flag)
    aq_flag_release(edge->axis->hub, edge->flag);
  aq_axis_release(edge->axis);
}

/* The epoch that it was armed for is complete. */
static bool axis_changed(int64_t value, void *user)
{
  aq_axis *axis = user;
  (void)value;
  aq_lock(axis->hub, &axis->gate);
  if (axis->queue)
    axis->retire(axis->queue);
  aq_unlock(axis->hub, &axis->gate);
  aq_axis_release(axis);
  return false;
}

void aq_epoch_arm(const aq_epoch_ref *edge)
{
  aq_hub *hub = edge->axis->hub;
  if (!aq_hub_has_handlers(hub))
    return;
  const aq_wait_item item = aq_epoch_item(edge);
  aq_axis_retain(edge->axis);
  if (hub->ops->signal_handler(hub->transport, item.signal, item.condition,
                               item.value, axis_changed, edge->axis,
                               NULL) == AQ_OK)
    return;
  aq_axis_release(edge->axis);
  __atomic_store_n(&hub->deaf, true, __ATOMIC_RELAXED);
  aq_seats_ring(hub); /* sleeping hosts look again */
}
