/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "queue/axis.h"

#include <sched.h>
#include <stdlib.h>

#include "queue/queue.h"
#include "queue/seat.h"

/* ---- flags ---- */

static aq_status flag_make(aq_context *context, aq_flag **out, aq_diag *diag)
{
  const bool timed = context->info.caps & AQ_CAP_PROFILING;
  aq_flag *flag = calloc(1, sizeof *flag);
  if (!flag)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for an epoch");
  aq_status status = context->ops->signal_create(
      context->transport,
      &(aq_signal_desc){.value = 1, .flags = timed ? AQ_SIGNAL_PROFILE : 0},
      &flag->signal, diag);
  if (status != AQ_OK) {
    free(flag);
    return status;
  }
  aq_lock(context, &context->lock);
  flag->next = context->flags;
  context->flags = flag;
  aq_unlock(context, &context->lock);
  *out = flag;
  return AQ_OK;
}

aq_status aq_flag_take(aq_context *context, aq_flag **out, aq_diag *diag)
{
  aq_lock(context, &context->lock);
  aq_flag *flag = context->free_flags;
  if (flag)
    context->free_flags = flag->next_free;
  aq_unlock(context, &context->lock);
  if (!flag) {
    aq_status status = flag_make(context, &flag, diag);
    if (status != AQ_OK)
      return status;
  }
  flag->refs = 1;
  *out = flag;
  return AQ_OK;
}

void aq_flag_release(aq_context *context, aq_flag *flag)
{
  if (aq_refs_sub(context, &flag->refs) > 0)
    return;
  context->ops->signal_store(context->transport, flag->signal, 1, AQ_RELEASE);
  aq_lock(context, &context->lock);
  flag->next_free = context->free_flags;
  context->free_flags = flag;
  aq_unlock(context, &context->lock);
}

/* ---- axes ---- */

aq_status aq_axis_create(aq_context *context, aq_queue *queue, bool counted,
                         aq_axis **out, aq_diag *diag)
{
  aq_axis *axis = calloc(1, sizeof *axis);
  if (!axis)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a queue");
  axis->context = context;
  axis->queue = queue;
  axis->refs = 1;
  axis->failed_from = AQ_EPOCH_NEVER;
  if (counted) {
    aq_status status = context->ops->signal_create(
        context->transport, &(aq_signal_desc){.value = AQ_AXIS_START},
        &axis->counter, diag);
    if (status != AQ_OK) {
      free(axis);
      return status;
    }
  }
  pthread_mutex_init(&axis->gate, NULL);
  aq_lock(context, &context->lock);
  axis->id = context->axes_made++;
  axis->next = context->axes;
  axis->link = &context->axes;
  if (axis->next)
    axis->next->link = &axis->next;
  context->axes = axis;
  aq_unlock(context, &context->lock);
  *out = axis;
  return AQ_OK;
}

/* The context may be gone as soon as the axis is out of its list, so that comes
 * last of what needs it. */
static void axis_free(aq_axis *axis)
{
  aq_context *context = axis->context;
  if (axis->counter.handle)
    context->ops->signal_destroy(context->transport, axis->counter);
  aq_lock(context, &context->lock);
  *axis->link = axis->next;
  if (axis->next)
    axis->next->link = axis->link;
  aq_unlock(context, &context->lock);
  pthread_mutex_destroy(&axis->gate);
  free(axis);
}

void aq_axis_release(aq_axis *axis)
{
  if (aq_refs_sub(axis->context, &axis->refs) == 0)
    axis_free(axis);
}

/* One that is about to be freed has none left. */
static bool axis_revive(aq_axis *axis)
{
  uint32_t refs = __atomic_load_n(&axis->refs, __ATOMIC_RELAXED);
  while (refs > 0)
    if (__atomic_compare_exchange_n(&axis->refs, &refs, refs + 1, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  return false;
}

aq_axis *aq_axis_next(aq_context *context, aq_axis *axis)
{
  aq_lock(context, &context->lock);
  aq_axis *next = axis ? axis->next : context->axes;
  while (next && !axis_revive(next))
    next = next->next;
  aq_unlock(context, &context->lock);
  if (axis)
    aq_axis_release(axis);
  return next;
}

void aq_axis_poll(aq_axis *axis)
{
  if (axis->context->live && pthread_mutex_trylock(&axis->gate) != 0)
    return;
  if (axis->queue)
    aq_queue_poll(axis->queue);
  aq_unlock(axis->context, &axis->gate);
}

void aq_axes_free(aq_context *context)
{
  for (aq_flag *flag = context->flags, *next; flag; flag = next) {
    next = flag->next;
    context->ops->signal_destroy(context->transport, flag->signal);
    free(flag);
  }
  /* Handlers that were never called have left references. One that runs just
   * now gives its own back before its signal can be destroyed: the axis has to
   * outlive that. */
  for (;;) {
    aq_lock(context, &context->lock);
    aq_axis *axis = context->axes;
    const bool ours = axis && axis_revive(axis);
    aq_unlock(context, &context->lock);
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
    aq_flag_release(edge->axis->context, edge->flag);
  aq_axis_release(edge->axis);
}

/* The epoch that it was armed for is complete. */
static bool axis_changed(int64_t value, void *user)
{
  aq_axis *axis = user;
  (void)value;
  aq_lock(axis->context, &axis->gate);
  if (axis->queue)
    aq_queue_poll(axis->queue);
  aq_unlock(axis->context, &axis->gate);
  aq_axis_release(axis);
  return false;
}

void aq_epoch_arm(const aq_epoch_ref *edge)
{
  aq_context *context = edge->axis->context;
  if (!aq_context_has_handlers(context))
    return;
  const aq_wait_item item = aq_epoch_item(edge);
  aq_axis_retain(edge->axis);
  if (context->ops->signal_handler(context->transport, item.signal,
                                   item.condition, item.value, axis_changed,
                                   edge->axis, NULL) == AQ_OK)
    return;
  aq_axis_release(edge->axis);
  __atomic_store_n(&context->deaf, true, __ATOMIC_RELAXED);
  aq_seats_ring(context); /* who sleeps already looks again */
}
