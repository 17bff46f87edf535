/* SPDX-License-Identifier: MIT */
/* Hosts that wait, and what they may ask: values now, callbacks, descriptors.
 * A host that waits looks at the signals of the epochs that will bring what it
 * waits for, and listens to the context's bell for everything else. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "queue/queue_priv.h"
#include "queue/tap_priv.h"

/* ---- a look ---- */

/* Retires the queue that brings a value. */
static void point_poll(const aq_point *point)
{
  aq_semaphore *semaphore = point->semaphore;
  if (!aq_context_has_handlers(semaphore->context)) {
    aq_context_poll(semaphore->context);
    return;
  }
  aq_lock(semaphore->context, &semaphore->lock);
  const aq_promise *promise = aq_semaphore_covering(semaphore, point->value);
  if (!promise && semaphore->promise_count > 0)
    promise = &semaphore->promises[semaphore->promise_count - 1];
  aq_axis *axis = promise ? aq_axis_retain(promise->axis) : NULL;
  aq_unlock(semaphore->context, &semaphore->lock);
  if (!axis)
    return;
  aq_lock(axis->context, &axis->gate);
  if (axis->queue)
    aq_queue_poll(axis->queue);
  aq_unlock(axis->context, &axis->gate);
  aq_axis_release(axis);
}

static bool point_is_reached(const aq_point *point)
{
  return aq_semaphore_value(point->semaphore) >= point->value;
}

aq_status aq_semaphore_query(aq_semaphore *semaphore, uint64_t *value,
                             aq_diag *diag)
{
  point_poll(&(aq_point){semaphore, aq_semaphore_value(semaphore) + 1});
  const aq_status failed = aq_semaphore_failed(semaphore);
  if (value)
    *value = aq_semaphore_value(semaphore);
  return failed == AQ_OK ? AQ_OK : aq_semaphore_word(semaphore, diag);
}

/* ---- waiting ---- */

enum { WAIT_EDGES = 63 };

/* What a host that waits looks at: the bell, then epochs. */
typedef struct host_wait {
  aq_wait_item items[1 + WAIT_EDGES];
  aq_epoch_ref edges[WAIT_EDGES];
  uint32_t count; /* of edges */
} host_wait;

/* The epoch that brings the value, if one is known. */
static void host_wait_add(host_wait *wait, const aq_point *point)
{
  aq_semaphore *semaphore = point->semaphore;
  if (wait->count == WAIT_EDGES)
    return;
  aq_lock(semaphore->context, &semaphore->lock);
  const aq_promise *promise = aq_semaphore_covering(semaphore, point->value);
  if (!promise && semaphore->promise_count > 0 &&
      point->value <= semaphore->promised)
    promise = &semaphore->promises[semaphore->promise_count - 1];
  if (promise) {
    aq_epoch_ref *edge = &wait->edges[wait->count++];
    *edge =
        (aq_epoch_ref){aq_axis_retain(promise->axis), promise->epoch,
                       promise->flag ? aq_flag_retain(promise->flag) : NULL};
    wait->items[wait->count] = aq_epoch_item(edge);
  }
  aq_unlock(semaphore->context, &semaphore->lock);
}

/* Without handlers nobody else looks at what parked operations wait for. */
static void host_wait_add_oldest(host_wait *wait, aq_context *context)
{
  for (aq_axis *axis = context->axes; axis && wait->count < WAIT_EDGES;
       axis = axis->next) {
    aq_epoch_ref *oldest = &wait->edges[wait->count];
    if (axis->queue && aq_queue_oldest(axis->queue, oldest))
      wait->items[++wait->count] = aq_epoch_item(oldest);
  }
}

static void host_wait_end(host_wait *wait)
{
  while (wait->count > 0)
    aq_epoch_release(&wait->edges[--wait->count]);
}

/* What the points say: AQ_OK reached, AQ_ERR_AGAIN not yet, or a failure. */
static aq_status points_look(const aq_point *points, uint32_t count,
                             aq_wait_mode mode, uint32_t *index, aq_diag *diag)
{
  uint32_t reached = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (!point_is_reached(&points[i]))
      point_poll(&points[i]);
    if (point_is_reached(&points[i])) {
      if (mode == AQ_WAIT_ANY) {
        *index = i;
        return AQ_OK;
      }
      reached++;
    } else if (aq_semaphore_failed(points[i].semaphore) != AQ_OK) {
      return aq_semaphore_word(points[i].semaphore, diag);
    }
  }
  *index = 0;
  return reached == count ? AQ_OK : AQ_ERR_AGAIN;
}

/* Sleeps until something changed that may have to do with the points. */
static aq_status points_sleep(aq_context *context, const aq_point *points,
                              uint32_t count, aq_wait_mode mode, int64_t heard,
                              aq_time deadline, aq_diag *diag)
{
  host_wait wait = {.count = 0};
  wait.items[0] = (aq_wait_item){context->bell, AQ_NE, heard};
  if (!aq_context_has_handlers(context))
    host_wait_add_oldest(&wait, context);
  for (uint32_t i = 0; i < count; i++)
    if (!point_is_reached(&points[i])) {
      host_wait_add(&wait, &points[i]);
      if (mode == AQ_WAIT_ALL && wait.count > 0)
        break; /* one after the other */
    }
  const aq_wait_request request = {.items = wait.items,
                                   .count = 1 + wait.count,
                                   .mode = AQ_WAIT_ANY,
                                   .deadline = deadline};
  aq_status status =
      context->ops->wait(context->transport, &request, NULL, diag);
  host_wait_end(&wait);
  return status;
}

aq_status aq_semaphore_wait(const aq_point *points, uint32_t count,
                            aq_wait_mode mode, aq_time deadline,
                            uint32_t *index, aq_diag *diag)
{
  uint32_t which = 0;
  if (count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "a wait for no points");
  aq_context *context = points[0].semaphore->context;
  aq_status status = points_look(points, count, mode, &which, diag);
  while (status == AQ_ERR_AGAIN) {
    /* Orders with aq_context_ring: either it sees us, or we see what it did. */
    __atomic_fetch_add(&context->waiters, 1, __ATOMIC_SEQ_CST);
    const int64_t heard = context->ops->signal_load(context->transport,
                                                    context->bell, AQ_ACQUIRE);
    status = points_look(points, count, mode, &which, diag);
    aq_status slept = AQ_OK;
    if (status == AQ_ERR_AGAIN)
      slept = points_sleep(context, points, count, mode, heard, deadline, diag);
    __atomic_fetch_sub(&context->waiters, 1, __ATOMIC_SEQ_CST);
    if (status == AQ_ERR_AGAIN)
      status = points_look(points, count, mode, &which, diag);
    if (status == AQ_ERR_AGAIN && slept != AQ_OK)
      status = slept;
  }
  if (status == AQ_OK)
    aq_tap_tell(
        context,
        &(aq_tap_event){.kind = AQ_TAP_WAIT,
                        .points = mode == AQ_WAIT_ANY ? &points[which] : points,
                        .count = mode == AQ_WAIT_ANY ? 1 : count});
  if (status == AQ_OK && index)
    *index = which;
  return status;
}

/* ---- callbacks and descriptors ---- */

typedef struct notice {
  aq_timepoint timepoint; /* first */
  aq_semaphore_function *function;
  void *user;
} notice;

static void notice_reached(aq_timepoint *timepoint, aq_status status,
                           const char *cause)
{
  notice *n = (notice *)timepoint;
  n->function(status, cause, n->user);
  free(n);
}

aq_status aq_semaphore_notify(aq_semaphore *semaphore, uint64_t value,
                              aq_semaphore_function *function, void *user,
                              aq_diag *diag)
{
  notice *n = malloc(sizeof *n);
  if (!n)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a notice");
  *n = (notice){{NULL, value, notice_reached}, function, user};
  aq_semaphore_watch(semaphore, &n->timepoint);
  return AQ_OK;
}

/* The descriptor that is written is our own duplicate: the caller may close
 * his. */
static void descriptor_reached(aq_status status, const char *cause, void *user)
{
  const int fd = (int)(intptr_t)user;
  const uint64_t one = 1;
  (void)status, (void)cause;
  ssize_t written;
  do
    written = write(fd, &one, sizeof one);
  while (written < 0 && errno == EINTR);
  close(fd);
}

aq_status aq_semaphore_export(aq_semaphore *semaphore, uint64_t value, int *fd,
                              aq_diag *diag)
{
  const int theirs = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const int ours = theirs < 0 ? -1 : dup(theirs);
  aq_status status = AQ_OK;
  if (ours < 0)
    status = aq_diag_set(diag, AQ_ERR_IO, "an eventfd: %s", strerror(errno));
  else
    status = aq_semaphore_notify(semaphore, value, descriptor_reached,
                                 (void *)(intptr_t)ours, diag);
  if (status == AQ_OK) {
    *fd = theirs;
    return AQ_OK;
  }
  if (ours >= 0)
    close(ours);
  if (theirs >= 0)
    close(theirs);
  return status;
}
