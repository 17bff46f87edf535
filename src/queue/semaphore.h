/* SPDX-License-Identifier: MIT */
/*
 * Timeline semaphores: 64-bit values that only rise.
 *
 * Queues signal them when operations are complete, hosts whenever they like. A
 * waiter for a value continues when the semaphore has reached it. A wait may
 * come before its signal is promised.
 *
 * Failure: a semaphore that fails stays so. Everything that waits for it, or
 * will, fails with the same cause; values that it had reached stay reached.
 *
 * A semaphore orders queues of all contexts of its transport; other transports
 * refuse it.
 *
 * Ownership: counted references; operations hold one while they are pending.
 * The context that made it has to outlive it. Thread rule: any thread where the
 * transport is live, else the one that drives it. Functions that are called
 * back run on the thread that noticed. They may call whatever does not wait:
 * not aq_semaphore_wait, aq_queue_wait_idle, aq_queue_destroy or
 * aq_context_destroy.
 */
#ifndef AQ_QUEUE_SEMAPHORE_H
#define AQ_QUEUE_SEMAPHORE_H

#include "common/export.h"
#include "queue/context.h"

AQ_BEGIN_DECLS

typedef struct aq_semaphore aq_semaphore;

/* A value of a semaphore, to wait for or to signal. */
typedef struct aq_point {
  aq_semaphore *semaphore;
  uint64_t value;
} aq_point;

enum aq_semaphore_flag {
  /* Only queues of one device wait for it: signals release to that device and
   * not to the whole system. */
  AQ_SEMAPHORE_DEVICE = 1 << 0,
};

/* One that stands at `value`, with aq_semaphore_flag bits; the caller has one
 * reference, and the last release frees it. */
AQ_API aq_status aq_semaphore_create(aq_context *context, uint64_t value,
                                     uint32_t flags, aq_semaphore **out,
                                     aq_diag *diag);
AQ_API aq_semaphore *aq_semaphore_retain(aq_semaphore *semaphore);
AQ_API void aq_semaphore_release(aq_semaphore *semaphore); /* NULL is allowed */

/* Its value now. The status of the failure, in its words, if it has failed;
 * `value` is written in either case and may be NULL. */
AQ_API aq_status aq_semaphore_query(aq_semaphore *semaphore, uint64_t *value,
                                    aq_diag *diag);

/* Raises the value from the host; AQ_ERR_INVALID if it is not larger. */
AQ_API aq_status aq_semaphore_signal(aq_semaphore *semaphore, uint64_t value,
                                     aq_diag *diag);

/* Fails it with a status and a line; the first failure counts. */
AQ_API void aq_semaphore_fail(aq_semaphore *semaphore, aq_status cause,
                              const char *text);

/* Waits until any or all points are reached: at the deadline, in the
 * transport's time, AQ_ERR_TIMEOUT; AQ_ERR_DEADLOCK when in virtual time
 * nothing can reach them (elsewhere the wait continues: another thread may
 * signal); a failure with its cause. `index` may be NULL: the first point that
 * is reached (any), or 0. */
AQ_API aq_status aq_semaphore_wait(const aq_point *points, uint32_t count,
                                   aq_wait_mode mode, aq_time deadline,
                                   uint32_t *index, aq_diag *diag);

/* Called once: with AQ_OK when the value is reached, else with the cause of the
 * failure. At once if that is so already. */
typedef void aq_semaphore_function(aq_status status, const char *cause,
                                   void *user);
/* Arms `function` for a value; AQ_ERR_NO_MEMORY: it is never called. */
AQ_API aq_status aq_semaphore_notify(aq_semaphore *semaphore, uint64_t value,
                                     aq_semaphore_function *function,
                                     void *user, aq_diag *diag);

/* A descriptor that becomes readable when the value is reached or the semaphore
 * fails: an eventfd, the caller's to close. A thread has to look: where the
 * transport has no signal handlers, a later call on the context. */
AQ_API aq_status aq_semaphore_export(aq_semaphore *semaphore, uint64_t value,
                                     int *fd, aq_diag *diag);

AQ_END_DECLS

#endif
