/* SPDX-License-Identifier: MIT */
/* Waiting hosts, and their queries: values now, callbacks, descriptors. A
 * waiting host looks at the signals of the epochs that will bring its values,
 * and sits on a waiter of its own for everything else. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "queue/core/queue_priv.h"
#include "queue/core/submit_hooks_priv.h"

/* ---- a look ---- */

/* Retires the queue that brings a value. */
static void point_poll(const aq_point *point)
{
  aq_semaphore *semaphore = point->semaphore;
  if (!aq_sync_domain_has_reliable_handlers(semaphore->sync_domain)) {
    aq_sync_domain_poll(semaphore->sync_domain);
    return;
  }
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  const aq_pending_signal *pending =
      aq_semaphore_find_pending_signal(semaphore, point->value);
  if (!pending && semaphore->pending_signal_count > 0)
    pending = aq_semaphore_pending_signal_at(
        semaphore, semaphore->pending_signal_count - 1);
  aq_queue_timeline *timeline =
      pending ? aq_queue_timeline_retain(pending->timeline) : NULL;
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
  if (!timeline)
    return;
  aq_queue_timeline_poll(timeline);
  aq_queue_timeline_release(timeline);
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
  return failed == AQ_OK ? AQ_OK : aq_semaphore_failure(semaphore, diag);
}

/* ---- waiting ---- */

enum { WAIT_EDGES = 63, POINTS_FEW = 8 };

typedef struct host_wait host_wait;

/* A point that has not been reached. */
typedef struct host_point {
  aq_timepoint timepoint; /* first */
  host_wait *wait;
} host_point;

/* A host that waits: its waiter, and the epochs that it looks at. */
struct host_wait {
  aq_sync_domain *sync_domain;
  const aq_point *points;
  uint32_t point_count;
  aq_wait_mode mode;
  aq_waiter *waiter;
  host_point *watched, few[POINTS_FEW];
  uint32_t notified; /* atomic: of them, the ones not called again */
  aq_wait_item items[1 + WAIT_EDGES];
  aq_epoch_ref edges[WAIT_EDGES];
  uint32_t count; /* of edges */
};

static void host_signal_pending(aq_timepoint *timepoint)
{
  const host_wait *wait = ((host_point *)timepoint)->wait;
  aq_waiter_wake(wait->sync_domain, wait->waiter);
}

static void host_reached(aq_timepoint *timepoint, aq_status status,
                         const char *cause)
{
  host_wait *wait = ((host_point *)timepoint)->wait;
  (void)status, (void)cause; /* it looks at the semaphore */
  aq_waiter_wake(wait->sync_domain, wait->waiter);
  /* Release, and last: the host may be gone afterwards. */
  __atomic_fetch_add(&wait->notified, 1, __ATOMIC_RELEASE);
}

/* Takes the waiter, and has it rung. */
static aq_status host_wait_begin(host_wait *wait, aq_diag *diag)
{
  wait->notified = wait->count = 0;
  wait->watched = wait->few;
  if (wait->point_count > POINTS_FEW)
    wait->watched = malloc(wait->point_count * sizeof *wait->watched);
  if (!wait->watched)
    return aq_diag_no_memory(diag);
  aq_status status = aq_waiter_acquire(wait->sync_domain, &wait->waiter, diag);
  if (status != AQ_OK) {
    if (wait->watched != wait->few)
      free(wait->watched);
    return status;
  }
  for (uint32_t i = 0; i < wait->point_count; i++) {
    wait->watched[i] = (host_point){
        {.value = wait->points[i].value,
         .reached = host_reached,
         .pending_signal =
             wait->point_count > WAIT_EDGES ? NULL : host_signal_pending},
        wait};
    aq_semaphore_add_timepoint(wait->points[i].semaphore,
                               &wait->watched[i].timepoint);
  }
  return AQ_OK;
}

static void host_wait_end(host_wait *wait)
{
  uint32_t notified = 0;
  for (uint32_t i = 0; i < wait->point_count; i++)
    notified += !aq_semaphore_cancel_timepoint(wait->points[i].semaphore,
                                               &wait->watched[i].timepoint);
  while (__atomic_load_n(&wait->notified, __ATOMIC_ACQUIRE) < notified)
    sched_yield(); /* a thread is about to */
  aq_waiter_release(wait->sync_domain, wait->waiter);
  if (wait->watched != wait->few)
    free(wait->watched);
}

/* The epoch that brings the value, if one is known. */
static void host_wait_add(host_wait *wait, const aq_point *point)
{
  aq_semaphore *semaphore = point->semaphore;
  if (wait->count == WAIT_EDGES)
    return;
  aq_lock(semaphore->sync_domain, &semaphore->lock);
  const aq_pending_signal *pending =
      aq_semaphore_find_pending_signal(semaphore, point->value);
  if (!pending && semaphore->pending_signal_count > 0 &&
      point->value <= semaphore->pending_signal)
    pending = aq_semaphore_pending_signal_at(
        semaphore, semaphore->pending_signal_count - 1);
  if (pending) {
    aq_epoch_ref *edge = &wait->edges[wait->count++];
    *edge = (aq_epoch_ref){
        aq_queue_timeline_retain(pending->timeline), pending->epoch,
        pending->flag
            ? aq_epoch_signal_retain(semaphore->sync_domain, pending->flag)
            : NULL};
    wait->items[wait->count] = aq_epoch_item(edge);
  }
  aq_unlock(semaphore->sync_domain, &semaphore->lock);
}

/* Without handlers no other code looks at the waits of deferred operations. */
static void host_wait_add_oldest(host_wait *wait)
{
  aq_sync_domain *sync_domain = wait->sync_domain;
  for (aq_queue_timeline *timeline = aq_queue_timeline_next(sync_domain, NULL);
       timeline; timeline = aq_queue_timeline_next(sync_domain, timeline)) {
    aq_epoch_ref *oldest = &wait->edges[wait->count];
    aq_lock(sync_domain, &timeline->retire_lock);
    if (wait->count < WAIT_EDGES && timeline->queue &&
        aq_queue_oldest(timeline->queue, oldest))
      wait->items[++wait->count] = aq_epoch_item(oldest);
    aq_unlock(sync_domain, &timeline->retire_lock);
  }
}

static void edges_drop(host_wait *wait)
{
  while (wait->count > 0)
    aq_epoch_release(&wait->edges[--wait->count]);
}

/* The points: AQ_OK reached, AQ_ERR_AGAIN not reached, or a failure, of any of
 * them where none is reached that is enough. */
static aq_status points_poll(const aq_point *points, uint32_t count,
                             aq_wait_mode mode, uint32_t *index, aq_diag *diag)
{
  const aq_semaphore *failed = NULL;
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
    } else if (!failed && aq_semaphore_failed(points[i].semaphore) != AQ_OK) {
      failed = points[i].semaphore;
    }
  }
  if (failed)
    return aq_semaphore_failure(failed, diag);
  *index = 0;
  return reached == count ? AQ_OK : AQ_ERR_AGAIN;
}

/* Sleeps until something changed that may have to do with the points. `rung` is
 * the waiter as it was before they were looked at. */
static aq_status points_sleep(host_wait *wait, aq_wait_item rung,
                              aq_time *deadline, aq_diag *diag)
{
  aq_sync_domain *sync_domain = wait->sync_domain;
  wait->items[0] = rung;
  if (!aq_sync_domain_has_reliable_handlers(sync_domain))
    host_wait_add_oldest(wait);
  for (uint32_t i = 0; i < wait->point_count; i++)
    if (!point_is_reached(&wait->points[i])) {
      host_wait_add(wait, &wait->points[i]);
      if (wait->mode == AQ_WAIT_ALL && wait->count > 0)
        break; /* one after the other */
    }
  aq_wait_request request = {
      .items = wait->items, .count = 1 + wait->count, .mode = AQ_WAIT_ANY};
  const aq_status status =
      aq_sync_domain_sleep(sync_domain, &request, deadline, diag);
  edges_drop(wait);
  return status;
}

/* A look was not enough. */
static aq_status points_wait(host_wait *wait, aq_time deadline, uint32_t *which,
                             aq_diag *diag)
{
  aq_status status = host_wait_begin(wait, diag);
  if (status != AQ_OK)
    return status;
  aq_status slept = AQ_OK;
  for (;;) {
    const aq_wait_item rung = aq_waiter_item(wait->sync_domain, wait->waiter);
    status =
        points_poll(wait->points, wait->point_count, wait->mode, which, diag);
    if (status != AQ_ERR_AGAIN || slept != AQ_OK)
      break;
    slept = points_sleep(wait, rung, &deadline, diag);
  }
  host_wait_end(wait);
  return status == AQ_ERR_AGAIN ? slept : status;
}

aq_status aq_semaphore_wait(const aq_point *points, uint32_t count,
                            aq_wait_mode mode, aq_time deadline,
                            uint32_t *index, aq_diag *diag)
{
  uint32_t which = 0;
  if (count == 0)
    return aq_diag_set(diag, AQ_ERR_INVALID, "a wait for no points");
  for (uint32_t i = 1; i < count; i++)
    if (points[i].semaphore->sync_domain != points[0].semaphore->sync_domain)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "point %u: a semaphore of another transport", i);
  aq_status status = points_poll(points, count, mode, &which, diag);
  if (status == AQ_ERR_AGAIN) {
    host_wait wait;
    wait.sync_domain = points[0].semaphore->sync_domain;
    wait.points = points;
    wait.point_count = count;
    wait.mode = mode;
    status = points_wait(&wait, deadline, &which, diag);
  }
  if (status == AQ_OK)
    aq_submit_hooks_notify(
        points[0].semaphore->context,
        &(aq_submit_event){.kind = AQ_SUBMIT_WAIT,
                           .points =
                               mode == AQ_WAIT_ANY ? &points[which] : points,
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
    return aq_diag_no_memory(diag);
  *n = (notice){{.value = value, .reached = notice_reached}, function, user};
  aq_semaphore_add_timepoint(semaphore, &n->timepoint);
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
    status = aq_diag_set(diag, AQ_ERR_IO, "eventfd: %s", strerror(errno));
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
