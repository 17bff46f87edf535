/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/engine/signal_handlers.h"

#include <stdlib.h>

struct aqsim_handler {
  aqsim_event event; /* first */
  aqsim_watcher watcher;
  aqsim_handlers *handlers;
  aqsim_handler *next;
  aqsim_signal *signal; /* NULL: dropped while it runs */
  aq_condition condition;
  int64_t value;
  int64_t told; /* the value it was called for last */
  aq_time delay;
  bool pending, running, called;
  aq_signal_function *function;
  void *user;
};

static bool handler_holds(const aqsim_handler *h, int64_t value)
{
  return aq_condition_holds(h->condition, value, h->value);
}

static void handler_arm(aqsim_handler *h)
{
  if (h->pending || h->running)
    return;
  h->pending = true;
  aqsim_calendar_push(h->handlers->calendar, &h->event,
                      *h->handlers->now + h->delay, AQSIM_AT_NOTICE);
}

static void handler_changed(aqsim_watcher *watcher, int64_t value)
{
  aqsim_handler *h =
      (aqsim_handler *)(void *)((char *)watcher -
                                offsetof(aqsim_handler, watcher));
  h->called = false;
  if (handler_holds(h, value))
    handler_arm(h);
}

/* Takes it out of the list and frees it. */
static void handler_free(aqsim_handler *h)
{
  aqsim_handlers *handlers = h->handlers;
  aqsim_handler **link = &handlers->first;
  while (*link != h)
    link = &(*link)->next;
  *link = h->next;
  aqsim_signal_unwatch(&h->watcher);
  if (h->pending)
    aqsim_calendar_forget(handlers->calendar, &h->event, sizeof h->event);
  aqsim_calendar_release(handlers->calendar, 1);
  free(h);
}

static void handler_fire(aqsim_event *event)
{
  aqsim_handler *h = (aqsim_handler *)event;
  int64_t value = aqsim_signal_load(h->signal);
  h->pending = false;
  if (!handler_holds(h, value))
    return;
  h->running = h->called = true;
  h->told = value;
  bool again = h->function(value, h->user);
  h->running = false;
  if (!again || !h->signal) {
    handler_free(h);
    return;
  }
  /* It may have changed the signal itself. */
  value = aqsim_signal_load(h->signal);
  if (!h->called && handler_holds(h, value))
    handler_arm(h);
}

aq_status aqsim_handler_add(aqsim_handlers *handlers, aqsim_signal *signal,
                            const aq_wait_item *item,
                            aq_signal_function *function, void *user,
                            aq_time delay, aq_diag *diag)
{
  aqsim_handler *h = calloc(1, sizeof *h);
  if (!h || !aqsim_calendar_reserve(handlers->calendar, 1)) {
    free(h);
    return aq_diag_no_memory(diag);
  }
  *h = (aqsim_handler){.event = {handler_fire},
                       .watcher = {.changed = handler_changed},
                       .handlers = handlers,
                       .next = handlers->first,
                       .signal = signal,
                       .condition = item->condition,
                       .value = item->value,
                       .delay = delay,
                       .function = function,
                       .user = user};
  handlers->first = h;
  aqsim_signal_watch(&signal->each, &h->watcher);
  if (handler_holds(h, aqsim_signal_load(signal)))
    handler_arm(h);
  return AQ_OK;
}

void aqsim_handlers_drop(aqsim_handlers *handlers, const aqsim_signal *signal)
{
  for (aqsim_handler *h = handlers->first, *next; h; h = next) {
    next = h->next;
    if (h->signal != signal)
      continue;
    if (h->running)
      h->signal = NULL;
    else
      handler_free(h);
  }
}

void aqsim_handlers_poll(aqsim_handlers *handlers)
{
  for (aqsim_handler *h = handlers->first; h; h = h->next) {
    int64_t value = h->signal ? aqsim_signal_load(h->signal) : 0;
    if (h->signal && handler_holds(h, value) &&
        (!h->called || value != h->told))
      handler_arm(h);
  }
}

void aqsim_handlers_fini(aqsim_handlers *handlers)
{
  while (handlers->first)
    handler_free(handlers->first);
}
