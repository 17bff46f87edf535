/* SPDX-License-Identifier: MIT */
/*
 * Deferred operations in every order of events: submit.c and pending.c run on
 * coroutines, and every order of their steps is tried, depth first. A step ends
 * where another thread could come between: before a lock is taken, before
 * memory that others write without it is read, and before each call that runs
 * without it. All state of the steps, stacks too, lies in one arena, which
 * is copied to come back to a state and hashed to know an earlier one.
 *
 * Threads: one submits four operations, one signals their semaphores, one is
 * the retirer, which comes only if it is armed; perhaps one stops the device or
 * destroys the queue. The device completes epochs whose doorbell rang, and
 * returns their slots later.
 *
 * In every state: operations are issued in their order and end once, nothing is
 * called with the lock, and a destroyed queue is not touched. In every last
 * state: no thread is stuck, no operation is deferred, no doorbell is owed,
 * every copy is freed and every reference returned.
 */
#include "config.h"

#include "queue/core/queue_priv.h"
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum {
  OPERATIONS = 4,
  SEMAPHORES = 2,
  STACK = 8192,
  COPY = 640, /* bytes of the copy of a task, at most */
};

typedef enum thread_name {
  SUBMITTER,
  SIGNALLER,
  RETIRER,
  DEVICE,
  ENDER, /* stops the device, or destroys the queue */
  THREADS,
} thread_name;

/* The cause of a thread's wait. */
typedef enum wait_kind {
  NOTHING,
  LOCK,      /* the queue's */
  WORK,      /* the device: an epoch whose doorbell rang */
  ARMED,     /* the retirer: armed, and an epoch is complete */
  ALL_SLOTS, /* all slots of the ring are back */
  CHANGE,    /* a thread woke the hosts, or an epoch is complete */
  SUBMITTED, /* the submitter is done */
  FINISHED,
} wait_kind;

typedef enum end_kind { NO_END, STOPS, DESTROYS } end_kind;

typedef struct arena {
  aq_queue queue;
  aq_queue_timeline timeline;
  aq_sync_domain sync_domain;
  aq_semaphore semaphores[SEMAPHORES];
  aq_point waits[OPERATIONS][SEMAPHORES];
  uint32_t wait_count[OPERATIONS];
  unsigned char copies[OPERATIONS][COPY] __attribute__((aligned(16)));
  bool copied[OPERATIONS];
  int issued, ended[OPERATIONS];
  int owner; /* of the lock, or THREADS */
  uint64_t completed, rung;
  int room;
  bool armed, destroyed;
  unsigned wakes, wakes_seen;
  struct {
    wait_kind waits;
    ucontext_t context;
    unsigned char stack[STACK] __attribute__((aligned(16)));
  } threads[THREADS];
} arena;

static arena a;
static ucontext_t scheduler;
static int running;
static end_kind how;          /* of the search */
static int operations, slots; /* of the ring */

/* ---- steps ---- */

static void pause_until(wait_kind kind)
{
  a.threads[running].waits = kind;
  swapcontext(&a.threads[running].context, &scheduler);
}

/* Another thread may come here. */
static void point(void)
{
  pause_until(NOTHING);
  ck_assert_msg(!a.destroyed, "the queue is touched after its end");
}

static void model_lock(void)
{
  point();
  if (a.owner != THREADS)
    pause_until(LOCK);
  ck_assert_msg(!a.destroyed, "the queue is locked after its end");
  ck_assert_int_eq(a.owner, THREADS);
  a.owner = running;
}

static void model_unlock(void)
{
  ck_assert_int_eq(a.owner, running);
  a.owner = THREADS;
}

static void unlocked(void)
{
  ck_assert_msg(a.owner != running, "a call with the lock");
}

/* ---- what submit.c and pending.c call ---- */

static aq_semaphore *semaphore_retain(aq_semaphore *semaphore)
{
  semaphore->refs++;
  return semaphore;
}

static void semaphore_release(aq_semaphore *semaphore)
{
  semaphore->refs--;
}

static uint64_t semaphore_value(const aq_semaphore *semaphore)
{
  point();
  return semaphore->value;
}

static void semaphore_add(aq_semaphore *semaphore, aq_timepoint *timepoint)
{
  unlocked();
  point();
  if (timepoint->value <= semaphore->value) {
    timepoint->reached(timepoint, AQ_OK, NULL);
    return;
  }
  timepoint->next = semaphore->waiting;
  semaphore->waiting = timepoint;
}

static bool semaphore_cancel(aq_semaphore *semaphore, aq_timepoint *timepoint)
{
  point();
  aq_timepoint **link = &semaphore->waiting;
  while (*link && *link != timepoint)
    link = &(*link)->next;
  const bool found = *link != NULL;
  if (found)
    *link = timepoint->next;
  return found;
}

static uint64_t failed_from(const aq_queue_timeline *timeline)
{
  point();
  return timeline->failed_from;
}

static uint64_t retired(const aq_queue *queue)
{
  point();
  return queue->retired;
}

static void *copy_allocate(size_t size)
{
  ck_assert_uint_le(size, COPY);
  for (int i = 0; i < OPERATIONS; i++)
    if (!a.copied[i]) {
      a.copied[i] = true;
      return a.copies[i];
    }
  return NULL;
}

static void copy_free(void *copy)
{
  for (int i = 0; i < OPERATIONS; i++)
    if (copy == a.copies[i]) {
      ck_assert_msg(a.copied[i], "a copy is freed twice");
      a.copied[i] = false;
      memset(copy, 0, COPY);
      return;
    }
  ck_abort_msg("freed, but never allocated");
}

void aq_queue_ring_doorbell(aq_queue *queue)
{
  if (queue->doorbell_pending)
    a.rung = queue->epoch;
  queue->doorbell_pending = false;
}

/* Its semaphores, then a slot. The second operation has two parts, of which the
 * second waits for the first. */
aq_issue_result aq_task_issue(aq_queue *queue, aq_task *task, aq_diag *diag)
{
  (void)diag;
  ck_assert_int_eq(a.owner, running);
  bool waits = false;
  for (uint32_t i = 0; !task->begun && i < task->sync.wait_count; i++)
    if (task->sync.waits[i].semaphore->value < task->sync.waits[i].value) {
      waits = true;
      if (task->host_waits)
        task->host_waits[i] = 1;
    }
  if (waits)
    return AQ_ISSUE_WAIT;
  if (a.room == 0)
    return AQ_ISSUE_FULL;
  a.room--;
  ck_assert_uint_le(task->resume_at, queue->retired);
  queue->epoch++;
  queue->doorbell_pending = true;
  const bool whole = task->number != 1 || task->begun;
  if (!(task->sync.flags & AQ_SYNC_MORE) || !whole)
    aq_queue_ring_doorbell(queue);
  task->begun = true;
  if (!whole) {
    task->resume_at = queue->epoch;
    return AQ_ISSUE_PART;
  }
  ck_assert_int_eq(task->number, a.issued);
  ck_assert_int_eq(a.ended[task->number]++, 0);
  a.issued++;
  return AQ_ISSUE_DONE;
}

/* A callback of the user may resume the queue. */
void aq_task_fail(const aq_task *task, aq_status status, const char *cause)
{
  (void)status, (void)cause;
  unlocked();
  point();
  ck_assert_int_eq(a.ended[task->number]++, 0);
  a.issued = OPERATIONS; /* none behind it may be issued */
  if (task->number == 0)
    aq_queue_resume(&a.queue);
}

void aq_queue_arm(aq_queue *queue, uint64_t epoch)
{
  (void)queue, (void)epoch;
  a.armed = true;
}

void aq_queue_wake_waiters(aq_queue *queue)
{
  (void)queue;
  a.wakes ^= 1;
  if (a.wakes == a.wakes_seen)
    a.wakes ^= 2; /* another value than the one that was seen */
}

void aq_queue_wait_slots_returned(aq_queue *queue)
{
  (void)queue;
  unlocked();
  point();
  if (a.room < slots && a.timeline.failed_from == AQ_EPOCH_NEVER)
    pause_until(ALL_SLOTS);
}

/* Retires complete epochs, as retire.c does. */
static void retire(void)
{
  const bool any = a.completed > a.queue.retired;
  const bool stopped = a.timeline.failed_from != AQ_EPOCH_NEVER;
  if (!any && !stopped)
    return;
  point();
  a.queue.retired = stopped ? a.queue.epoch : a.completed;
  aq_queue_wake_waiters(&a.queue);
  point();
  if (a.queue.pending_count > 0)
    aq_queue_resume(&a.queue);
}

void aq_queue_poll(aq_queue *queue)
{
  (void)queue;
  unlocked();
}

aq_status aq_queue_progress(aq_queue *queue, aq_time *deadline, aq_diag *diag)
{
  (void)queue, (void)deadline, (void)diag;
  ck_abort_msg("an operation that may be deferred made its host wait");
  return AQ_OK;
}

/* clang-format off */
#define aq_lock(domain, mutex)   ((void)(domain), (void)(mutex), model_lock())
#define aq_unlock(domain, mutex) ((void)(domain), (void)(mutex), model_unlock())
#define aq_semaphore_retain             semaphore_retain
#define aq_semaphore_release            semaphore_release
#define aq_semaphore_value              semaphore_value
#define aq_semaphore_add_timepoint      semaphore_add
#define aq_semaphore_cancel_timepoint   semaphore_cancel
#define aq_queue_timeline_failed_from   failed_from
#define aq_queue_retired                retired
#define malloc copy_allocate
#define free   copy_free
#include "queue/core/pending.c"
#include "queue/core/submit.c"
#undef malloc
#undef free
/* clang-format on */

/* ---- threads ---- */

static void submitter_run(void)
{
  static const aq_task_class class = {.kind = AQ_OPERATION_BARRIER,
                                      .size = sizeof(aq_task)};
  for (int i = 0; i < operations; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    aq_task task =
        aq_task_init(&class, &(aq_sync){.waits = a.waits[i],
                                        .wait_count = a.wait_count[i],
                                        .flags = AQ_SYNC_DEFER});
    task.number = (uint64_t)i;
    if (i % 2)
      task.sync.flags |= AQ_SYNC_MORE;
    if (aq_task_submit(&a.queue, &task, &diag) != AQ_OK)
      a.ended[i]++;
  }
  model_lock(); /* a flush */
  aq_queue_ring_doorbell(&a.queue);
  model_unlock();
}

static void signaller_run(void)
{
  for (int i = 0; i < (how == NO_END ? SEMAPHORES : 1); i++) {
    aq_semaphore *semaphore = &a.semaphores[i];
    pause_until(NOTHING);
    semaphore->value = 1;
    aq_timepoint *first = semaphore->waiting;
    semaphore->waiting = NULL;
    while (first) {
      aq_timepoint *next = first->next;
      pause_until(NOTHING);
      first->reached(first, AQ_OK, NULL);
      first = next;
    }
  }
}

static void retirer_run(void)
{
  for (;;) {
    pause_until(ARMED);
    a.armed = false;
    retire();
  }
}

static void device_run(void)
{
  for (;;) {
    pause_until(WORK);
    a.completed++;
    pause_until(NOTHING);
    a.room++;
  }
}

static bool is_idle_now(void)
{
  model_lock();
  const bool idle = !a.queue.pending_first && !a.queue.resuming &&
                    a.queue.retired == a.queue.epoch;
  model_unlock();
  return idle;
}

/* As queue.c does. */
static bool pending_end(void)
{
  model_lock();
  const bool held = !a.queue.ending && a.queue.pending_first &&
                    a.queue.pending_first->waits_of_task->pending > 0;
  a.queue.ending |= held;
  model_unlock();
  if (held)
    aq_queue_resume(&a.queue);
  return held;
}

static void ender_run(void)
{
  if (how == NO_END)
    return;
  if (how == STOPS) {
    pause_until(NOTHING);
    a.timeline.failed = a.timeline.cause.status = AQ_ERR_QUEUE;
    a.timeline.failed_from = a.queue.retired + 1;
    retire();
    return;
  }
  pause_until(SUBMITTED);
  for (;;) {
    a.wakes_seen = a.wakes;
    if (is_idle_now())
      break;
    if (pending_end())
      continue;
    const uint64_t before = a.queue.retired;
    retire();
    if (a.queue.retired == before)
      pause_until(CHANGE);
  }
  a.destroyed = true;
}

static void thread_run(void)
{
  static void (*const run[THREADS])(void) = {
      submitter_run, signaller_run, retirer_run, device_run, ender_run};
  run[running]();
  pause_until(FINISHED);
}

static bool may_run(int thread)
{
  switch (a.threads[thread].waits) {
  case NOTHING:
    return true;
  case LOCK:
    return a.owner == THREADS;
  case WORK:
    return a.completed < a.rung && a.timeline.failed_from == AQ_EPOCH_NEVER;
  case ARMED:
    return !a.destroyed && a.armed && a.completed > a.queue.retired;
  case ALL_SLOTS:
    return a.room == slots || a.timeline.failed_from != AQ_EPOCH_NEVER;
  case CHANGE:
    return a.wakes != a.wakes_seen || a.completed > a.queue.retired;
  case SUBMITTED:
    return a.threads[SUBMITTER].waits == FINISHED;
  case FINISHED:
    break;
  }
  return false;
}

/* ---- the search ---- */

static uintptr_t stack_top(const ucontext_t *context)
{
#ifdef __x86_64__
  return (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined __aarch64__
  return (uintptr_t)context->uc_mcontext.sp;
#endif
}

static void thread_step(int thread)
{
  running = thread;
  swapcontext(&scheduler, &a.threads[thread].context);
  /* What lies below the stack is no part of the state. */
  unsigned char *stack = a.threads[thread].stack;
  const uintptr_t top = stack_top(&a.threads[thread].context);
  ck_assert_uint_gt(top, (uintptr_t)stack + 512);
  memset(stack, 0, (size_t)(top - (uintptr_t)stack));
}

static uint64_t arena_hash(void)
{
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15), word;
  const unsigned char *at = (const unsigned char *)&a;
  for (size_t i = 0; i + sizeof word <= sizeof a; i += sizeof word) {
    memcpy(&word, at + i, sizeof word);
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
  }
  return hash | 1;
}

typedef struct seen {
  uint64_t *table; /* hashes; 0: none */
  size_t mask, count;
} seen;

/* Whether the hash is new. */
static bool seen_add(seen *s, uint64_t hash)
{
  if (s->count * 2 > s->mask) {
    const seen old = *s;
    s->mask = old.mask * 2 + 1;
    s->table = calloc(s->mask + 1, sizeof *s->table);
    ck_assert_ptr_nonnull(s->table);
    s->count = 0;
    for (size_t i = 0; i <= old.mask; i++)
      if (old.table[i])
        seen_add(s, old.table[i]);
    free(old.table);
  }
  size_t at = hash & s->mask;
  for (; s->table[at]; at = (at + 1) & s->mask)
    if (s->table[at] == hash)
      return false;
  s->table[at] = hash;
  s->count++;
  return true;
}

static void last_state_check(void)
{
  for (int t = 0; t < THREADS; t++)
    ck_assert_msg(a.threads[t].waits == FINISHED || t == RETIRER || t == DEVICE,
                  "thread %d is stuck, waiting for %d", t, a.threads[t].waits);
  ck_assert_ptr_null(a.queue.pending_first);
  ck_assert_uint_eq(a.queue.pending_count, 0);
  ck_assert(!a.queue.resuming && !a.queue.doorbell_pending);
  for (int i = 0; i < operations; i++) {
    ck_assert_int_eq(a.ended[i], 1);
    ck_assert(!a.copied[i]);
  }
  for (int i = 0; i < SEMAPHORES; i++) {
    ck_assert_uint_eq(a.semaphores[i].refs, 1);
    ck_assert_ptr_null(a.semaphores[i].waiting);
  }
}

/* To its first pause. Not inlined: getcontext may return twice. */
static __attribute__((noinline)) void thread_start(int thread)
{
  ucontext_t *context = &a.threads[thread].context;
  getcontext(context);
  context->uc_stack.ss_sp = a.threads[thread].stack;
  context->uc_stack.ss_size = STACK;
  makecontext(context, thread_run, 0);
  thread_step(thread);
}

static void arena_start(void)
{
  memset(&a, 0, sizeof a);
  a.owner = THREADS;
  a.room = slots;
  a.timeline.failed_from = AQ_EPOCH_NEVER;
  a.queue.sync_domain = &a.sync_domain;
  a.queue.timeline = &a.timeline;
  a.queue.notify_ring.size = 64;
  a.queue.options.parked = OPERATIONS;
  for (int i = 0; i < SEMAPHORES; i++)
    a.semaphores[i] = (aq_semaphore){.refs = 1, .sync_domain = &a.sync_domain};
  for (int i = 0; i < operations; i++)
    for (int s = 0; s < SEMAPHORES; s++)
      if ((i + 1) & 1 << s) /* the first one, the second, both, none */
        a.waits[i][a.wait_count[i]++] = (aq_point){&a.semaphores[s], 1};
  for (int t = 0; t < THREADS; t++)
    thread_start(t);
}

enum { DEPTH = 1024 };

static void orders_search(const char *name, int count, int room, end_kind end)
{
  static struct {
    arena *state;
    int next;
  } path[DEPTH];
  seen s = {.mask = (1 << 16) - 1};
  size_t last = 0;
  int depth = 0, deepest = 0;
  operations = count;
  slots = room;
  how = end;
  s.table = calloc(s.mask + 1, sizeof *s.table);
  ck_assert_ptr_nonnull(s.table);
  for (int i = 0; i < DEPTH; i++)
    path[i].state = NULL;
  arena_start();
  seen_add(&s, arena_hash());
  path[0].state = malloc(sizeof a);
  ck_assert_ptr_nonnull(path[0].state);
  *path[0].state = a;
  path[0].next = 0;
  while (depth >= 0) {
    bool any = false;
    a = *path[depth].state;
    if (path[depth].next == 0) {
      for (int t = 0; t < THREADS; t++)
        any |= may_run(t);
      if (!any) {
        last_state_check();
        last++;
      }
    }
    int t = path[depth].next;
    while (t < THREADS && !may_run(t))
      t++;
    path[depth].next = t + 1;
    if (t >= THREADS) {
      depth--;
      continue;
    }
    thread_step(t);
    if (!seen_add(&s, arena_hash()))
      continue;
    ck_assert_int_lt(++depth, DEPTH);
    if (depth > deepest)
      deepest = depth;
    if (!path[depth].state)
      path[depth].state = malloc(sizeof a);
    ck_assert_ptr_nonnull(path[depth].state);
    *path[depth].state = a;
    path[depth].next = 0;
  }
  printf(
      "# %s, %d operations: %zu states, %zu of them last, %d steps at most\n",
      name, count, s.count, last, deepest);
  for (int i = 0; i < DEPTH; i++)
    free(path[i].state);
  free(s.table);
}

START_TEST(deferred_operations_end_once_in_every_order_of_events)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  aqtest_leave_out("sanitizers know one stack a thread");
  return;
#endif
  const int most = aqtest_is_long() ? OPERATIONS : 2;
  for (int count = 2; count <= most; count++)
    for (int room = 1; room <= 2; room++) {
      orders_search("all is signalled", count, room, NO_END);
      orders_search("the device stops", count, room, STOPS);
      orders_search("the queue is destroyed", count, room, DESTROYS);
    }
}
END_TEST

AQ_TEST_MAIN("queue/test_pending_orders",
             deferred_operations_end_once_in_every_order_of_events)
