/* SPDX-License-Identifier: MIT */
/*
 * Events. Setting one wakes all that wait for it; one that resets itself is
 * then not signaled, and one without waiters stays signaled until the next
 * wait. The age of an event counts how often it was set, so that a waiter that
 * missed one notices.
 *
 * Here, unlike in the kernel's driver, a setting by a client's call is for each
 * other thread once, even after a thread without a use for it took it: AMD's
 * runtime of ROCm 5.2 waits for one event in several threads, each of which
 * reads its signal first, and trusts that 200 us of polling hide the race; on a
 * busy machine they do not. It reads the signal again, so to wake for nothing
 * is harmless. A waiter that gives an age, or that waits for all of several
 * events, has nothing of this: it wakes as the kernel's driver wakes it. (That
 * runtime waits for all of one event.)
 *
 * A signal event has a slot in a page of the client: a device writes there
 * before it interrupts, and a kernel may write without an interrupt, so waits
 * look at the slots now and then.
 */
#include "config.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "dropin/kfd/kfd_priv.h"

enum { LOOK_NS = 2000000, FIRST_OTHER = 1 << 30 };

static const uint64_t unset =
    UINT64_MAX; /* a slot that nothing was written to */

/* One event of a wait; in the event's list. */
struct aqkfd_waiter {
  aqkfd_waiter *next;
  aqkfd_event *event; /* NULL: it was destroyed */
  pid_t thread;
  uint32_t id;
  bool aged; /* the client knows its age */
  bool active;
};

void aqkfd_events_init(aqkfd_process *process)
{
  pthread_condattr_t monotonic;
  pthread_mutex_init(&process->event_lock, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&process->event_set, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

static void event_free(aqkfd_event *event)
{
  if (event)
    free(event->taken_by);
  free(event);
}

void aqkfd_events_fini(aqkfd_process *process)
{
  while (process->events) {
    aqkfd_event *event = process->events;
    process->events = event->next;
    event_free(event);
  }
  pthread_cond_destroy(&process->event_set);
  pthread_mutex_destroy(&process->event_lock);
}

static aqkfd_event *event_find(const aqkfd_process *process, uint32_t id)
{
  if (id < AQKFD_EVENTS)
    return process->signals[id];
  aqkfd_event *event = process->events;
  while (event && event->id != id)
    event = event->next;
  return event;
}

/* Whether a client's setting is new to a thread, which then has it. Without
 * memory to follow that, it may be new again. */
static bool event_take(aqkfd_event *event, pid_t thread)
{
  if (!event->client_set || !event->auto_reset)
    return false;
  for (size_t i = 0; i < event->takers; i++)
    if (event->taken_by[i] == thread)
      return false;
  (void)AQ_ARRAY_PUSH(event->taken_by, event->takers, event->takers_room,
                      thread);
  return true;
}

/* `setter`: the client's thread, or 0: a device, which leaves a client's
 * setting to the threads that it is new to. */
static void event_raise(aqkfd_process *process, aqkfd_event *event,
                        pid_t setter)
{
  event->signaled = !event->auto_reset || !event->waiters;
  event->age++;
  if (setter) {
    event->client_set = true;
    event->takers = 0;
    event_take(event, setter);
  }
  for (aqkfd_waiter *w = event->waiters; w; w = w->next) {
    event_take(event, w->thread);
    w->active = true;
  }
  if (event->waiters)
    pthread_cond_broadcast(&process->event_set);
}

static void slot_clear(const aqkfd_process *process, uint32_t id)
{
  if (process->event_page && id < AQKFD_EVENTS)
    __atomic_store_n(&process->event_page[id], unset, __ATOMIC_RELEASE);
}

void aqkfd_event_interrupt(aqkfd_process *process, uint32_t id)
{
  pthread_mutex_lock(&process->event_lock);
  aqkfd_event *event = id < AQKFD_EVENTS ? process->signals[id] : NULL;
  if (event) {
    slot_clear(process, id);
    event_raise(process, event, 0);
  }
  pthread_mutex_unlock(&process->event_lock);
}

void aqkfd_event_fault(aqkfd_process *process, uint32_t device,
                       uint64_t address, uint32_t reasons)
{
  pthread_mutex_lock(&process->event_lock);
  for (aqkfd_event *event = process->events; event; event = event->next)
    if (event->type == AQKFD_EVENT_MEMORY) {
      event->memory = (aqkfd_memory_exception){
          .not_present = (reasons & AQ_FAULT_NOT_PRESENT) != 0,
          .read_only = (reasons & AQ_FAULT_READ_ONLY) != 0,
          .no_execute = (reasons & AQ_FAULT_NO_EXECUTE) != 0,
          .va = address & ~(uint64_t)(AQKFD_PAGE - 1),
          .gpu_id = aqkfd_gpu_id(device)};
      event_raise(process, event, 0);
    }
  pthread_mutex_unlock(&process->event_lock);
}

void aqkfd_event_hang(aqkfd_process *process, uint32_t device)
{
  enum { ONE_ENGINE = 1 };
  pthread_mutex_lock(&process->event_lock);
  for (aqkfd_event *event = process->events; event; event = event->next)
    if (event->type == AQKFD_EVENT_HARDWARE) {
      event->hardware = (aqkfd_hardware_exception){
          .reset_type = ONE_ENGINE, .gpu_id = aqkfd_gpu_id(device)};
      event_raise(process, event, 0);
    }
  pthread_mutex_unlock(&process->event_lock);
}

/* ---- making ---- */

/* Whether events of the type have a slot, which devices write. */
static bool is_signal(uint32_t type)
{
  return type == AQKFD_EVENT_SIGNAL || type == AQKFD_EVENT_DEBUG;
}

/* The client gives its page by the handle of a block, once, before the first
 * signal event, or maps ours. */
static int page_take(aqkfd_process *process, uint64_t handle, bool needed)
{
  if (process->event_page || (!handle && !needed))
    return handle ? -EINVAL : 0;
  aqkfd_block *block = handle ? aqkfd_block_find(process, handle) : NULL;
  if (handle && (!block || block->size < AQKFD_EVENT_PAGE))
    return -EINVAL;
  uint64_t *page =
      block ? aqkfd_block_map(block)
            : aqkfd_file_map(process, AQKFD_EVENT_OFFSET, AQKFD_EVENT_PAGE);
  if (!page)
    return block ? -EINVAL : -ENOMEM;
  process->event_page_ours = !block;
  for (uint32_t i = 0; i < AQKFD_EVENTS; i++)
    page[i] = unset;
  process->event_page = page;
  return 0;
}

/* An id for the event, and its place; false: there are too many. */
static bool event_name(aqkfd_process *process, aqkfd_event *event)
{
  uint32_t id = 1; /* 0 is no event */
  if (!is_signal(event->type)) {
    event->id = FIRST_OTHER + process->other_events++;
    return true;
  }
  while (id < AQKFD_EVENTS && process->signals[id])
    id++;
  if (id == AQKFD_EVENTS)
    return false;
  event->id = id;
  process->signals[id] = event;
  slot_clear(process, id);
  return true;
}

int aqkfd_call_event_create(aqkfd_process *process, void *arguments)
{
  aqkfd_create_event_args *args = arguments;
  if (args->event_type > AQKFD_EVENT_MEMORY)
    return -EINVAL;
  aqkfd_event *event = calloc(1, sizeof *event);
  if (!event)
    return -ENOMEM;
  event->type = args->event_type;
  event->auto_reset = args->auto_reset;
  event->age = 1;
  aqkfd_process_lock(process);
  pthread_mutex_lock(&process->event_lock);
  int result =
      page_take(process, args->event_page_offset, is_signal(event->type));
  if (result == 0 && !event_name(process, event))
    result = -ENOSPC;
  if (result == 0) {
    event->next = process->events;
    process->events = event;
    args->event_id = event->id;
    args->event_trigger_data = event->id;
    args->event_slot_index = is_signal(event->type) ? event->id : 0;
    args->event_page_offset = is_signal(event->type) ? AQKFD_EVENT_OFFSET : 0;
  }
  pthread_mutex_unlock(&process->event_lock);
  aqkfd_process_unlock(process);
  if (result != 0)
    free(event);
  return result;
}

int aqkfd_call_event_destroy(aqkfd_process *process, void *arguments)
{
  const aqkfd_event_args *args = arguments;
  pthread_mutex_lock(&process->event_lock);
  aqkfd_event **link = &process->events;
  while (*link && (*link)->id != args->event_id)
    link = &(*link)->next;
  aqkfd_event *event = *link;
  const bool known = event != NULL;
  if (known) {
    *link = event->next;
    if (event->id < AQKFD_EVENTS)
      process->signals[event->id] = NULL;
    for (aqkfd_waiter *w = event->waiters; w; w = w->next)
      w->event = NULL;
    pthread_cond_broadcast(&process->event_set);
  }
  pthread_mutex_unlock(&process->event_lock);
  event_free(event);
  return known ? 0 : -EINVAL;
}

/* Clients set and reset signal events only. */
static int event_change(aqkfd_process *process, uint32_t id, bool set)
{
  pthread_mutex_lock(&process->event_lock);
  aqkfd_event *event = event_find(process, id);
  const bool may = event && event->type == AQKFD_EVENT_SIGNAL;
  if (may && set)
    event_raise(process, event, gettid());
  else if (may)
    event->signaled = event->client_set = false;
  pthread_mutex_unlock(&process->event_lock);
  return may ? 0 : -EINVAL;
}

int aqkfd_call_event_set(aqkfd_process *process, void *arguments)
{
  return event_change(process, ((aqkfd_event_args *)arguments)->event_id, true);
}

int aqkfd_call_event_reset(aqkfd_process *process, void *arguments)
{
  return event_change(process, ((aqkfd_event_args *)arguments)->event_id,
                      false);
}

/* ---- waiting ---- */

typedef struct wait {
  aqkfd_process *process;
  aqkfd_wait_events_args *args;
  aqkfd_event_data *data; /* the client's */
  aqkfd_waiter *waiters;
} wait;

static bool wait_join(const wait *w)
{
  const pid_t thread = gettid();
  for (uint32_t i = 0; i < w->args->num_events; i++) {
    const uint32_t id = w->data[i].event_id;
    aqkfd_event *event = event_find(w->process, id);
    if (!event)
      return false;
    const uint64_t age = event->type == AQKFD_EVENT_SIGNAL ? w->data[i].age : 0;
    const bool may_miss =
        !age && (!w->args->wait_for_all || w->args->num_events == 1);
    const bool raised = event->signaled || (age && age != event->age);
    const bool misses =
        (raised || age || may_miss) && event_take(event, thread) && may_miss;
    w->waiters[i] = (aqkfd_waiter){.next = event->waiters,
                                   .event = event,
                                   .thread = thread,
                                   .id = id,
                                   .aged = age != 0,
                                   .active = raised || misses};
    if (event->auto_reset)
      event->signaled = false;
    event->waiters = &w->waiters[i];
  }
  return true;
}

static void wait_leave(const wait *w)
{
  for (uint32_t i = 0; i < w->args->num_events; i++) {
    aqkfd_waiter *waiter = &w->waiters[i];
    if (!waiter->event)
      continue;
    aqkfd_waiter **link = &waiter->event->waiters;
    while (*link != waiter)
      link = &(*link)->next;
    *link = waiter->next;
  }
}

/* Slots that were written without an interrupt. */
static void slots_look(const wait *w)
{
  const aqkfd_process *process = w->process;
  for (uint32_t i = 0; process->event_page && i < w->args->num_events; i++) {
    const uint32_t id = w->waiters[i].id;
    if (w->waiters[i].event && id < AQKFD_EVENTS &&
        __atomic_load_n(&process->event_page[id], __ATOMIC_ACQUIRE) != unset) {
      slot_clear(process, id);
      event_raise(w->process, w->waiters[i].event, 0);
    }
  }
}

static uint32_t wait_result(const wait *w)
{
  uint32_t active = 0;
  for (uint32_t i = 0; i < w->args->num_events; i++) {
    if (!w->waiters[i].event)
      return AQKFD_WAIT_FAIL;
    active += w->waiters[i].active;
  }
  return active == w->args->num_events || (active && !w->args->wait_for_all)
             ? AQKFD_WAIT_COMPLETE
             : AQKFD_WAIT_TIMEOUT;
}

/* 0, or -EFAULT: the client unmapped its list meanwhile. */
static int data_fill(const wait *w)
{
  if (!aqkfd_reaches((uintptr_t)w->data, w->args->num_events * sizeof *w->data,
                     true))
    return -EFAULT;
  for (uint32_t i = 0; i < w->args->num_events; i++) {
    const aqkfd_event *event = w->waiters[i].event;
    if (!event || !w->waiters[i].active)
      continue;
    if (event->type == AQKFD_EVENT_MEMORY)
      w->data[i].memory = event->memory;
    else if (event->type == AQKFD_EVENT_HARDWARE)
      w->data[i].hardware = event->hardware;
    else if (w->waiters[i].aged)
      w->data[i].age = event->age;
  }
  return 0;
}

static struct timespec time_after(struct timespec from, int64_t ns)
{
  enum { SECOND = 1000000000 };
  ns += from.tv_nsec;
  return (struct timespec){from.tv_sec + ns / SECOND, ns % SECOND};
}

static bool is_before(struct timespec a, struct timespec b)
{
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* Sleeps until an event is set, for a look at slots, or until the end. */
static bool wait_sleep(const wait *w, const struct timespec *end)
{
  struct timespec now, look;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (end && !is_before(now, *end))
    return false;
  look = time_after(now, LOOK_NS);
  if (end && is_before(*end, look))
    look = *end;
  pthread_cond_timedwait(&w->process->event_set, &w->process->event_lock,
                         &look);
  return true;
}

/* Waits: 0, with the result in the arguments, or a negative errno. */
static int wait_run(const wait *w)
{
  const bool forever = w->args->timeout == UINT32_MAX;
  struct timespec end;
  int error = 0;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end = time_after(end, (int64_t)w->args->timeout * 1000000);
  pthread_mutex_lock(&w->process->event_lock);
  if (wait_join(w)) {
    do {
      slots_look(w);
      w->args->wait_result = wait_result(w);
    } while (w->args->wait_result == AQKFD_WAIT_TIMEOUT &&
             wait_sleep(w, forever ? NULL : &end));
    if (w->args->wait_result == AQKFD_WAIT_COMPLETE)
      error = data_fill(w);
    else if (w->args->wait_result == AQKFD_WAIT_FAIL)
      error = -EIO;
  } else {
    error = -EINVAL;
  }
  wait_leave(w);
  pthread_mutex_unlock(&w->process->event_lock);
  return error;
}

static int wait_make(aqkfd_process *process, aqkfd_wait_events_args *args)
{
  const uint64_t size = args->num_events * sizeof(aqkfd_event_data);
  aqkfd_waiter few[8] = {{NULL}};
  if (args->num_events > 2 * AQKFD_EVENTS)
    return -EINVAL;
  if (!aqkfd_reaches(args->events_ptr, size, true))
    return -EFAULT;
  aqkfd_waiter *waiters = args->num_events <= sizeof few / sizeof *few
                              ? few
                              : calloc(args->num_events, sizeof *waiters);
  if (!waiters)
    return -ENOMEM;
  aqsim_live_look(process->driver->transport);
  const wait w = {process, args, (void *)(uintptr_t)args->events_ptr, waiters};
  const int result = wait_run(&w);
  if (waiters != few)
    free(waiters);
  return result;
}

int aqkfd_call_event_wait(aqkfd_process *process, void *arguments)
{
  aqkfd_wait_events_args *args = arguments;
  const int error = wait_make(process, args);
  if (error)
    args->wait_result = AQKFD_WAIT_FAIL;
  return error;
}
