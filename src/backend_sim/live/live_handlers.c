/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/live/live_handlers.h"

#include <stdlib.h>

#include "backend_sim/futex.h"

enum { LOOK_NS = 4000000 /* between looks for raw stores */ };

/* What the thread always sleeps for: the list, and the end. */
#define HANDLERS_BIT UINT32_C(1)

typedef struct live_handler {
  struct live_handler *next;
  aqsim_signal *signal; /* NULL: dropped */
  aq_wait_item item;
  aq_signal_function *function;
  void *user;
  bool told; /* of the value that it has */
  int64_t value;
} live_handler;

struct aqsim_live_handlers {
  aqsim_live *live;
  pthread_t thread;
  pthread_mutex_t lock; /* of the list; not held while a function runs */
  pthread_cond_t ended; /* a function returned */
  live_handler *first;
  live_handler *running;
  uint32_t stop; /* atomic */
};

/* Whether its condition came to hold since it was called last. */
static bool handler_is_due(live_handler *h)
{
  /* Orders with the change that asks whether anybody sleeps. */
  int64_t value = __atomic_load_n(&h->signal->abi.value, __ATOMIC_SEQ_CST);
  if (!aq_condition_holds(h->item.condition, value, h->item.value)) {
    h->told = false;
    return false;
  }
  if (h->told && value == h->value)
    return false;
  h->told = true;
  h->value = value;
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
  handlers->running = h;
  pthread_mutex_unlock(&handlers->lock);
  bool again = h->function(h->value, h->user);
  pthread_mutex_lock(&handlers->lock);
  handlers->running = NULL;
  if (!again && h->signal)
    handler_drop(h);
  pthread_cond_broadcast(&handlers->ended);
}

/* Calls what is due, frees what was dropped; false if there was nothing. Says
 * what to sleep for. */
static bool handlers_turn(aqsim_live_handlers *handlers, uint32_t *what)
{
  bool called = false;
  *what = HANDLERS_BIT;
  pthread_mutex_lock(&handlers->lock);
  for (live_handler **link = &handlers->first; *link;) {
    live_handler *h = *link;
    if (h->signal && handler_is_due(h)) {
      handler_call(handlers, h);
      called = true;
      link = &handlers->first; /* the list may have changed */
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

static void *handlers_main(void *argument)
{
  aqsim_live_handlers *handlers = argument;
  while (!__atomic_load_n(&handlers->stop, __ATOMIC_SEQ_CST)) {
    const uint32_t *changed = &handlers->live->changed;
    uint32_t seen = __atomic_load_n(changed, __ATOMIC_SEQ_CST);
    uint32_t what;
    if (!handlers_turn(handlers, &what))
      aqsim_futex_wait(changed, seen, LOOK_NS, what);
  }
  return NULL;
}

static aq_status handlers_start(aqsim_live *live, aq_diag *diag)
{
  aqsim_live_handlers *handlers = calloc(1, sizeof *handlers);
  if (!handlers)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a handler");
  handlers->live = live;
  pthread_mutex_init(&handlers->lock, NULL);
  pthread_cond_init(&handlers->ended, NULL);
  if (pthread_create(&handlers->thread, NULL, handlers_main, handlers) == 0) {
    live->handlers = handlers;
    return AQ_OK;
  }
  free(handlers);
  return aq_diag_set(diag, AQ_ERR_RESOURCES,
                     "sim: the thread of signal handlers cannot be started");
}

aq_status aqsim_live_handler_add(aqsim_live *live, aqsim_signal *signal,
                                 const aq_wait_item *item,
                                 aq_signal_function *function, void *user,
                                 aq_diag *diag)
{
  live_handler *h = malloc(sizeof *h);
  if (!h)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "out of memory for a handler");
  *h = (live_handler){
      .signal = signal, .item = *item, .function = function, .user = user};
  aqsim_live_lock(live);
  aq_status status = live->handlers ? AQ_OK : handlers_start(live, diag);
  aqsim_live_unlock(live);
  if (status != AQ_OK) {
    free(h);
    return status;
  }
  aqsim_live_handlers *handlers = live->handlers;
  __atomic_fetch_add(&signal->sleepers, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&handlers->lock);
  h->next = handlers->first;
  handlers->first = h;
  pthread_mutex_unlock(&handlers->lock);
  aqsim_live_wake_hosts(live, HANDLERS_BIT);
  return AQ_OK;
}

void aqsim_live_handlers_drop(aqsim_live *live, const aqsim_signal *signal)
{
  aqsim_live_lock(live);
  aqsim_live_handlers *handlers = live->handlers;
  aqsim_live_unlock(live);
  if (!handlers)
    return;
  bool own = pthread_equal(handlers->thread, pthread_self());
  pthread_mutex_lock(&handlers->lock);
  while (handlers->running && handlers->running->signal == signal && !own)
    pthread_cond_wait(&handlers->ended, &handlers->lock);
  for (live_handler *h = handlers->first; h; h = h->next)
    if (h->signal == signal)
      handler_drop(h);
  pthread_mutex_unlock(&handlers->lock);
}

void aqsim_live_handlers_stop(aqsim_live *live)
{
  aqsim_live_handlers *handlers = live->handlers;
  if (!handlers)
    return;
  __atomic_store_n(&handlers->stop, 1, __ATOMIC_SEQ_CST);
  aqsim_live_wake_hosts(live, HANDLERS_BIT);
  pthread_join(handlers->thread, NULL);
  while (handlers->first) {
    live_handler *h = handlers->first;
    handlers->first = h->next;
    free(h);
  }
  pthread_cond_destroy(&handlers->ended);
  pthread_mutex_destroy(&handlers->lock);
  live->handlers = NULL;
  free(handlers);
}
