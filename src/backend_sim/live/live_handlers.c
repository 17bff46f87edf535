/* SPDX-License-Identifier: MIT */
/*
 * The thread that calls back. It looks at the signals of all handlers when one
 * of them changed, at errors when one came, and at everything every LOOK_NS,
 * since stores to memory wake no thread.
 *
 * States of a handler:
 *
 *   armed     in the list, counted in its signal's `sleepers`: its condition
 *             does not hold, or it was called for this value and change
 *   due       its condition holds for another value, or for the same value
 *             after another change by a call (`begun`)
 *   running   `running` points to it; the lock is not held. From due, when the
 *             lead of its adder has ended (interrupt_delay.h)
 *   dropped   `signal` is NULL: its function returned false, or its signal was
 *             destroyed, perhaps by the function itself. Only the thread frees
 *             it, since it may be walking the list
 *
 *   armed → due                the signal changed: whoever changed it
 *   due → running              the thread; it stores `reported`, `value` and
 *                              `changes` before, so that a change during the
 *                              call is another one
 *   running → armed, dropped   the thread, by the result
 *   any → dropped              live_signal_destroy, by drop; waits for running
 *                              first
 *
 * Once for one change at most: `ended` is loaded before the value, `begun`
 * after. If they differ, a call changes the signal just now, and its end looks
 * again. Changes that happen while the function runs make one more call.
 *
 * An error or event is in its list, then `failing` while its callback runs,
 * then freed. All of them are called before any handler, in their order.
 *
 * Locks: the simulator's (device_thread.c) may be held, then `lock`; neither
 * while a function runs. live->handlers changes under both; a thread that
 * holds either may use it. A caller without (drop, settle) is inside of an
 * operation, which close waits for or must not overlap.
 *
 * A thread that removes an object waits for its function to return, a second at
 * most: the function may wait for a lock of the caller's. Then the function
 * runs on with a signal or ring that is destroyed. The memory of signals and
 * queues of the transport stays, so it reads stale values, no foreign memory;
 * a signal placed in memory of the client is the client's affair.
 *
 * End. `stop`, then wait for the function that runs, a second at most; then
 * live->handlers is NULL, under both locks: from here on the device drops
 * errors. If the function still runs, or is the caller, `left` is set: the
 * thread touches nothing of the simulator any more and frees its own memory.
 */
#include "config.h"

#include "backend_sim/live/live_handlers.h"

#include <stdlib.h>
#include <string.h>

#include "backend_sim/engine/futex.h"
#include "backend_sim/queue_state.h"

enum {
  LOOK_NS = 4000000,     /* between looks for raw stores */
  SETTLE_NS = 10000000,  /* that a wait lets callbacks go first */
  RETURN_NS = 1000000000 /* until a callback is left to itself */
};

/* The thread always sleeps for the lists and the end. */
#define HANDLERS_BIT UINT32_C(1)

typedef struct live_handler {
  struct live_handler *next;
  aqsim_signal *signal; /* NULL: dropped */
  aq_wait_item item;
  aq_signal_function *function;
  void *user;
  pid_t adder;   /* the thread that added it */
  bool reported; /* of the value below, after so many changes */
  int64_t value;
  uint32_t changes;
  uint32_t unsure; /* the changes that had begun at a look during one */
} live_handler;

/* An error that the callback of its queue has not seen, or an event that the
 * transport's callback has not. */
typedef struct live_error {
  struct live_error *next;
  const aq_ring *queue; /* NULL: an event */
  void (*function)(const aq_queue_error *error, void *user);
  void (*event_function)(const aq_system_event *event, void *user);
  void *user;
  aq_queue_error error;
  aq_system_event event;
  aq_packet packet;
  char text[];
} live_error;

struct aqsim_live_handlers {
  aqsim_live *live;
  pthread_t thread;
  pthread_mutex_t lock; /* of the following; not held while a function runs */
  pthread_cond_t ended; /* a function returned */
  live_handler *first;
  live_handler *running;
  live_error *first_error, *last_error;
  const live_error *failing; /* whose callback runs, or NULL */
  const aq_ring *failing_queue;
  bool left;     /* the thread frees all this when it ends */
  uint32_t stop; /* atomic */
};

static bool is_own(const aqsim_live_handlers *handlers)
{
  return pthread_equal(handlers->thread, pthread_self());
}

static aqsim_live_handlers *handlers_of(aqsim_live *live)
{
  return __atomic_load_n(&live->handlers, __ATOMIC_ACQUIRE);
}

/* Waits until a function returned; false: `end` (CLOCK_MONOTONIC) came. With
 * the lock. */
static bool ended_wait(aqsim_live_handlers *handlers, int64_t end)
{
  const struct timespec until = {end / 1000000000, end % 1000000000};
  return pthread_cond_timedwait(&handlers->ended, &handlers->lock, &until) == 0;
}

/* ---- calling ---- */

/* A handler's view of its signal. */
typedef struct look {
  bool holds, changing; /* its condition; a call changes the signal just now */
  int64_t value;
  uint32_t changes; /* that have begun */
} look;

/* Loads `ended` first and `begun` last: if they are the same, no call changed
 * the value in between. The order with the change that asks whether a thread
 * sleeps is sequentially consistent. */
static look handler_look(const live_handler *h)
{
  look l;
  const uint32_t ended = __atomic_load_n(&h->signal->ended, __ATOMIC_SEQ_CST);
  l.value = __atomic_load_n(&h->signal->abi.value, __ATOMIC_SEQ_CST);
  l.changes = __atomic_load_n(&h->signal->begun, __ATOMIC_SEQ_CST);
  l.holds = aq_condition_holds(h->item.condition, l.value, h->item.value);
  l.changing = ended != l.changes;
  return l;
}

/* Whether it is to be called for this view. */
static bool look_is_news(const look *l, const live_handler *h)
{
  return l->holds &&
         !(h->reported && l->value == h->value && l->changes == h->changes);
}

/* The same, and then it counts as called. In the middle of a change it is not:
 * the end of the change wakes this thread. A thread that was stopped in the
 * middle, or changed a signal that was destroyed then, is not waited for. */
static bool handler_is_due(live_handler *h)
{
  const look l = handler_look(h);
  h->reported &= l.holds;
  if (!look_is_news(&l, h))
    return false;
  if (l.changing && h->unsure != l.changes) {
    h->unsure = l.changes;
    return false;
  }
  h->reported = true;
  h->value = l.value;
  h->changes = l.changes;
  return true;
}

/* Takes it off its signal; the list is cleaned by the thread. */
static void handler_drop(live_handler *h)
{
  __atomic_fetch_sub(&h->signal->sleepers, 1, __ATOMIC_SEQ_CST);
  h->signal = NULL;
}

/* Calls a function without the lock. */
static void handler_call(aqsim_live_handlers *handlers, live_handler *h)
{
  const aq_order_hooks *order = handlers->live->sim->order;
  handlers->running = h;
  pthread_mutex_unlock(&handlers->lock);
  if (order)
    order->signal_handled(order->user, h->item.signal);
  aqsim_lead_wait(&handlers->live->leads, h->adder);
  bool again = h->function(h->value, h->user);
  pthread_mutex_lock(&handlers->lock);
  handlers->running = NULL;
  if (!again && h->signal && !handlers->left)
    handler_drop(h);
  pthread_cond_broadcast(&handlers->ended);
}

static void error_call(aqsim_live_handlers *handlers)
{
  live_error *e = handlers->first_error;
  handlers->first_error = e->next;
  handlers->failing = e;
  handlers->failing_queue = e->queue;
  pthread_mutex_unlock(&handlers->lock);
  if (e->function)
    e->function(&e->error, e->user);
  else
    e->event_function(&e->event, e->user);
  free(e);
  pthread_mutex_lock(&handlers->lock);
  handlers->failing = NULL;
  handlers->failing_queue = NULL;
  pthread_cond_broadcast(&handlers->ended);
}

static bool is_stopped(const aqsim_live_handlers *handlers)
{
  return __atomic_load_n(&handlers->stop, __ATOMIC_SEQ_CST);
}

/* Runs due callbacks, frees dropped ones; false if there was nothing. Sets
 * the kinds of change to sleep for. */
static bool handlers_turn(aqsim_live_handlers *handlers, uint32_t *what)
{
  bool called = false;
  *what = HANDLERS_BIT;
  pthread_mutex_lock(&handlers->lock);
  for (live_handler **link = &handlers->first; !is_stopped(handlers);) {
    live_handler *h = *link;
    if (handlers->first_error) {
      error_call(handlers);
      called = true;
      link = &handlers->first; /* the list may have changed */
    } else if (!h) {
      break;
    } else if (h->signal && handler_is_due(h)) {
      handler_call(handlers, h);
      called = true;
      link = &handlers->first;
    } else if (!h->signal) {
      *link = h->next;
      free(h);
    } else {
      *what |= aqsim_signal_bit(h->signal);
      link = &h->next;
    }
  }
  pthread_mutex_unlock(&handlers->lock);
  return called;
}

/* ---- life ---- */

static void handlers_free(aqsim_live_handlers *handlers)
{
  while (handlers->first) {
    live_handler *h = handlers->first;
    handlers->first = h->next;
    free(h);
  }
  while (handlers->first_error) {
    live_error *e = handlers->first_error;
    handlers->first_error = e->next;
    free(e);
  }
  pthread_cond_destroy(&handlers->ended);
  pthread_mutex_destroy(&handlers->lock);
  free(handlers);
}

static void *handlers_main(void *argument)
{
  aqsim_live_handlers *handlers = argument;
  while (!is_stopped(handlers)) {
    const uint32_t *changed = &handlers->live->changed;
    uint32_t seen = __atomic_load_n(changed, __ATOMIC_SEQ_CST);
    uint32_t what;
    if (!handlers_turn(handlers, &what) && !is_stopped(handlers))
      aqsim_futex_wait(changed, seen, LOOK_NS, what);
  }
  pthread_mutex_lock(&handlers->lock);
  const bool left = handlers->left;
  pthread_mutex_unlock(&handlers->lock);
  if (left)
    handlers_free(handlers);
  return NULL;
}

/* Whether there is no thread, and none may begin: the simulator closes, which
 * ends before such a thread, while the device still works. The simulator's lock
 * is held. */
static bool handlers_have_ended(const aqsim_live *live)
{
  return !live->handlers && aqsim_live_is_closing(live);
}

/* The simulator's lock is held. */
static aq_status handlers_start(aqsim_live *live, aq_diag *diag)
{
  if (live->handlers)
    return AQ_OK;
  if (handlers_have_ended(live))
    return aq_diag_set(diag, AQ_ERR_RESOURCES, "sim: it is being closed");
  aqsim_live_handlers *handlers = calloc(1, sizeof *handlers);
  if (!handlers)
    return aq_diag_no_memory(diag);
  handlers->live = live;
  pthread_mutex_init(&handlers->lock, NULL);
  aqsim_live_cond_init(&handlers->ended);
  /* The thread compares itself with `thread` as soon as it calls a handler. */
  pthread_mutex_lock(&handlers->lock);
  const bool made =
      pthread_create(&handlers->thread, NULL, handlers_main, handlers) == 0;
  pthread_mutex_unlock(&handlers->lock);
  if (made) {
    __atomic_store_n(&live->handlers, handlers, __ATOMIC_RELEASE);
    return AQ_OK;
  }
  handlers_free(handlers);
  return aq_diag_set(diag, AQ_ERR_RESOURCES,
                     "sim: the thread of signal handlers cannot be started");
}

void aqsim_live_handlers_stop(aqsim_live *live)
{
  /* A start that saw the simulator open ends before. */
  aqsim_live_lock(live);
  aqsim_live_handlers *handlers = live->handlers;
  aqsim_live_unlock(live);
  if (!handlers)
    return;
  const bool own = is_own(handlers);
  const int64_t end = aq_wall_ns() + RETURN_NS;
  pthread_mutex_lock(&handlers->lock);
  __atomic_store_n(&handlers->stop, 1, __ATOMIC_SEQ_CST);
  aqsim_live_wake_hosts(live, HANDLERS_BIT);
  while (!own && (handlers->running || handlers->failing) &&
         ended_wait(handlers, end))
    ;
  pthread_mutex_unlock(&handlers->lock);
  /* Not before: a callback that runs still drops the handlers of the signals
   * that it destroys. From then on the thread touches nothing else of the
   * simulator's, and the device gives it nothing more. */
  aqsim_live_lock(live);
  pthread_mutex_lock(&handlers->lock);
  __atomic_store_n(&live->handlers, NULL, __ATOMIC_RELEASE);
  handlers->left = handlers->running || handlers->failing;
  const bool left = handlers->left;
  const pthread_t thread = handlers->thread;
  pthread_mutex_unlock(&handlers->lock);
  aqsim_live_unlock(live);
  if (left) {
    pthread_detach(thread);
    return;
  }
  pthread_join(thread, NULL);
  handlers_free(handlers);
}

/* ---- handlers of signals ---- */

/* The simulator's lock is held: with it, the thread's memory stays. */
static void handler_put(aqsim_live *live, live_handler *h)
{
  aqsim_live_handlers *handlers = live->handlers;
  aqsim_lead_begin(&live->leads);
  __atomic_fetch_add(&h->signal->sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&handlers->lock);
  h->next = handlers->first;
  handlers->first = h;
  pthread_mutex_unlock(&handlers->lock);
}

aq_status aqsim_live_handler_add(aqsim_live *live, aqsim_signal *signal,
                                 const aq_wait_item *item,
                                 aq_signal_function *function, void *user,
                                 aq_diag *diag)
{
  live_handler *h = malloc(sizeof *h);
  if (!h)
    return aq_diag_no_memory(diag);
  *h = (live_handler){.signal = signal,
                      .item = *item,
                      .function = function,
                      .user = user,
                      .adder = aqsim_lead_thread()};
  aqsim_live_lock(live);
  aq_status status = handlers_start(live, diag);
  if (status == AQ_OK)
    handler_put(live, h);
  aqsim_live_unlock(live);
  if (status == AQ_OK)
    aqsim_live_wake_hosts(live, HANDLERS_BIT);
  else
    free(h);
  return status;
}

void aqsim_live_handlers_drop(aqsim_live *live, const aqsim_signal *signal)
{
  aqsim_live_handlers *handlers = handlers_of(live);
  if (!handlers)
    return;
  const int64_t end = aq_wall_ns() + RETURN_NS;
  pthread_mutex_lock(&handlers->lock);
  while (handlers->running && handlers->running->signal == signal &&
         !is_own(handlers) && ended_wait(handlers, end))
    ;
  for (live_handler *h = handlers->first; h; h = h->next)
    if (h->signal == signal)
      handler_drop(h);
  pthread_mutex_unlock(&handlers->lock);
}

static bool request_names(const aq_wait_request *request,
                          const aqsim_signal *signal)
{
  for (uint32_t i = 0; i < request->count; i++)
    if (aqsim_signal_from(request->items[i].signal) == signal)
      return true;
  return false;
}

/* Whether a handler of a signal that was waited for runs, or is about to. */
static bool callback_is_due(const aqsim_live_handlers *handlers,
                            const aq_wait_request *request)
{
  for (const live_handler *h = handlers->first; h; h = h->next) {
    if (!h->signal || !request_names(request, h->signal))
      continue;
    const look l = handler_look(h);
    if (h == handlers->running || look_is_news(&l, h))
      return true;
  }
  return false;
}

void aqsim_live_handlers_settle(aqsim_live *live,
                                const aq_wait_request *request)
{
  aqsim_live_handlers *handlers = handlers_of(live);
  if (!handlers || is_own(handlers))
    return;
  int64_t end = 0;
  pthread_mutex_lock(&handlers->lock);
  while (callback_is_due(handlers, request)) {
    if (end == 0)
      end = aq_wall_ns() + SETTLE_NS;
    if (!ended_wait(handlers, end))
      break;
  }
  pthread_mutex_unlock(&handlers->lock);
}

/* ---- errors of queues ---- */

/* NULL without memory or a thread. The simulator's lock is held. */
static live_error *error_make(aqsim_live *live, const char *text)
{
  const size_t length = strlen(text) + 1;
  live_error *e = calloc(1, sizeof *e + length);
  if (!e || handlers_start(live, NULL) != AQ_OK) {
    free(e);
    return NULL;
  }
  memcpy(e->text, text, length);
  return e;
}

static void error_add(aqsim_live *live, live_error *e)
{
  aqsim_live_handlers *handlers = live->handlers;
  pthread_mutex_lock(&handlers->lock);
  if (handlers->first_error)
    handlers->last_error->next = e;
  else
    handlers->first_error = e;
  handlers->last_error = e;
  pthread_mutex_unlock(&handlers->lock);
  aqsim_live_wake_hosts(live, HANDLERS_BIT);
}

bool aqsim_live_error_defer(aqsim_live *live, const aqsim_queue *queue,
                            const aq_queue_error *error)
{
  if (handlers_have_ended(live))
    return true;
  live_error *e = error_make(live, error->text);
  if (!e)
    return false;
  e->queue = &queue->ring;
  e->function = queue->error.tell;
  e->user = queue->error.user;
  e->error = *error;
  e->packet = *error->packet;
  e->error.packet = &e->packet;
  e->error.text = e->text;
  error_add(live, e);
  return true;
}

bool aqsim_live_event_defer(aqsim_live *live, const aq_system_event *event)
{
  if (handlers_have_ended(live))
    return true;
  live_error *e = error_make(live, event->text);
  if (!e)
    return false;
  e->event_function = live->sim->event;
  e->user = live->sim->event_user;
  e->event = *event;
  e->event.text = e->text;
  error_add(live, e);
  return true;
}

void aqsim_live_errors_drop(aqsim_live *live, const aq_ring *queue)
{
  aqsim_live_handlers *handlers = handlers_of(live);
  if (!handlers)
    return;
  const int64_t end = aq_wall_ns() + RETURN_NS;
  pthread_mutex_lock(&handlers->lock);
  live_error *last = NULL;
  for (live_error **link = &handlers->first_error; *link;) {
    live_error *e = *link;
    if (e->queue == queue) {
      *link = e->next;
      free(e);
    } else {
      last = e;
      link = &e->next;
    }
  }
  handlers->last_error = last;
  while (handlers->failing_queue == queue && !is_own(handlers) &&
         ended_wait(handlers, end))
    ;
  pthread_mutex_unlock(&handlers->lock);
}

void aqsim_live_errors_settle(aqsim_live *live)
{
  aqsim_live_handlers *handlers = handlers_of(live);
  if (!handlers || is_own(handlers))
    return;
  const int64_t end = aq_wall_ns() + RETURN_NS;
  pthread_mutex_lock(&handlers->lock);
  while ((handlers->first_error || handlers->failing) &&
         ended_wait(handlers, end))
    ;
  pthread_mutex_unlock(&handlers->lock);
}
