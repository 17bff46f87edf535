/* SPDX-License-Identifier: MIT */
/*
 * Threads that allocate, fill, free, wait, cancel, stop queues and destroy
 * them, at random, on every live ground; one such thread on `null` and in
 * virtual time, which one thread drives. AQ_SOAK_SECONDS for each, 2 unless
 * set. Each thread has a queue that it destroys now and then, and uses one that
 * all share. Memory is filled with the number of its owner, and may hold no
 * other when it is freed. A thread that does no step for a minute ends the
 * test: first all threads are listed with the step in which they are.
 */
#include "queue/ground.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "queue/operations.h"

enum { THREADS = 4, HELD = 8, SIZE = 512, PATIENCE = 60 /* seconds */ };

typedef struct lives lives;

typedef struct actor {
  lives *all;
  unsigned number;
  pthread_t thread;
  aq_queue *own;
  aq_semaphore *semaphore;
  uint64_t value; /* the last one that was promised */
  uint64_t random;
  void *held[HELD];  /* memory that is filled, or NULL */
  const char *doing; /* atomic */
  unsigned steps;    /* atomic */
  bool over;         /* atomic */
} actor;

struct lives {
  ground g;
  aq_queue *shared;
  int count;             /* of actors */
  bool stop;             /* atomic */
  pthread_mutex_t lock;  /* of the two below */
  aq_semaphore *offered; /* a point that others wait for, or NULL */
  uint64_t offered_value;
  actor actors[THREADS];
};

static uint64_t next(actor *a)
{
  a->random ^= a->random << 13;
  a->random ^= a->random >> 7;
  a->random ^= a->random << 17;
  return a->random;
}

static void begin(actor *a, const char *what)
{
  __atomic_store_n(&a->doing, what, __ATOMIC_RELAXED);
  __atomic_fetch_add(&a->steps, 1, __ATOMIC_RELAXED);
}

static aq_queue *queue_make(actor *a)
{
  return ground_queue(
      &a->all->g,
      &(aq_queue_options){.size = 64, .notifications = 64, .parked = 32});
}

/* An operation failed, as it may where queues stop: from here on it has a
 * semaphore that has not. */
static void renew(actor *a)
{
  aq_semaphore_release(a->semaphore);
  a->semaphore = ground_semaphore(&a->all->g, 0);
  a->value = 0;
}

/* Of the actor's next point, behind its last one; the flags at random, but for
 * AQ_SYNC_MORE, behind which a flush has to come. */
static void sync_make(actor *a, ground_sync *s)
{
  static const uint32_t flags[] = {0, 0, AQ_SYNC_TRY, AQ_SYNC_DEFER};
  ground_sync_make(s, a->value > 0 ? a->semaphore : NULL, a->value,
                   a->semaphore, a->value + 1);
  s->sync.flags = flags[next(a) % 4];
}

static aq_status settle(actor *a, aq_status status)
{
  if (status == AQ_OK)
    a->value++;
  return status;
}

static aq_status promised_wait(actor *a)
{
  const aq_point point = {a->semaphore, a->value};
  aq_diag diag;
  return a->value == 0 ? AQ_OK
                       : aq_semaphore_wait(&point, 1, AQ_WAIT_ALL, AQ_TIME_MAX,
                                           NULL, &diag);
}

static aq_queue *queue_any(actor *a)
{
  return next(a) % 2 ? a->own : a->all->shared;
}

static void take(actor *a, void **place)
{
  aq_diag diag;
  ground_sync s;
  void *memory = NULL;
  begin(a, "alloca");
  sync_make(a, &s);
  if (settle(a, aq_queue_alloca(queue_any(a), &s.sync,
                                &(aq_memory_request){AQ_MEMORY_DEVICE, SIZE},
                                &memory, &diag)) != AQ_OK)
    return;
  begin(a, "fill");
  sync_make(a, &s);
  s.sync.flags = 0;
  const aq_status filled = settle(
      a, aq_queue_fill(queue_any(a), &s.sync,
                       &(aq_fill){memory, SIZE, a->number + 1, 1, 0}, &diag));
  begin(a, "wait for the fill");
  if (filled == AQ_OK && promised_wait(a) == AQ_OK)
    *place = memory;
  else
    renew(a); /* whether it is allocated does not matter any more */
}

static void give(actor *a, void **place)
{
  aq_diag diag;
  ground_sync s;
  unsigned char bytes[SIZE];
  begin(a, "check");
  ground_move(&a->all->g, bytes, *place, SIZE);
  for (int i = 0; i < SIZE; i++)
    if (bytes[i] != a->number + 1)
      ck_abort_msg("thread %u finds byte %d of its memory to be %u", a->number,
                   i, bytes[i]);
  begin(a, "dealloca");
  sync_make(a, &s);
  if (settle(a, aq_queue_dealloca(queue_any(a), &s.sync, *place, &diag)) ==
      AQ_OK)
    *place = NULL;
}

static void memory_step(actor *a)
{
  void **place = &a->held[next(a) % HELD];
  if (*place)
    give(a, place);
  else
    take(a, place);
}

/* Offers its point to the others, or waits for one of theirs. */
static void other_step(actor *a)
{
  lives *all = a->all;
  aq_diag diag;
  ground_sync s;
  begin(a, "wait of a queue for another");
  pthread_mutex_lock(&all->lock);
  aq_semaphore *offered = all->offered;
  const uint64_t value = all->offered_value;
  all->offered = a->value > 0 ? aq_semaphore_retain(a->semaphore) : NULL;
  all->offered_value = a->value;
  pthread_mutex_unlock(&all->lock);
  if (!offered)
    return;
  ground_sync_make(&s, offered, value, NULL, 0);
  s.sync.flags = next(a) % 2 ? AQ_SYNC_MORE : 0;
  aq_queue_barrier(a->own, &s.sync, &diag);
  aq_queue_flush(a->own);
  aq_semaphore_release(offered);
}

/* The memory stays allocated: the operation that frees it may fail with the
 * queue. */
static void end_step(actor *a, bool stops)
{
  aq_diag diag;
  ground_sync s;
  aq_semaphore *never = ground_semaphore(&a->all->g, 0);
  begin(a, stops ? "stop" : "cancel");
  ground_sync_make(&s, never, 1, NULL, 0);
  s.sync.flags = AQ_SYNC_TRY;
  aq_queue_barrier(a->own, &s.sync, &diag);
  if (stops)
    aq_context_event(a->all->g.context,
                     &(aq_system_event){.device = 0,
                                        .queue = aq_queue_ring(a->own)->id,
                                        .text = "stopped by the test"});
  begin(a, "destroy");
  aq_queue_destroy(a->own);
  aq_semaphore_release(never);
  begin(a, "create");
  a->own = queue_make(a);
  if (promised_wait(a) != AQ_OK)
    renew(a);
}

static void *actor_main(void *user)
{
  actor *a = user;
  while (!__atomic_load_n(&a->all->stop, __ATOMIC_RELAXED)) {
    const unsigned kind = next(a) % 64;
    if (kind == 0)
      end_step(a, true);
    else if (kind < 3)
      end_step(a, false);
    else if (kind < 16)
      other_step(a);
    else
      memory_step(a);
    begin(a, "wait");
    if (promised_wait(a) != AQ_OK)
      renew(a);
  }
  begin(a, "destroy at the end");
  aq_queue_destroy(a->own);
  aq_semaphore_release(a->semaphore);
  __atomic_store_n(&a->over, true, __ATOMIC_RELAXED);
  return NULL;
}

static void list(const lives *all)
{
  for (int i = 0; i < all->count; i++) {
    const actor *a = &all->actors[i];
    aq_queue_stats stats;
    uint64_t value = 0;
    aq_queue_stats_get(a->own, &stats);
    const aq_status status = aq_semaphore_query(a->semaphore, &value, NULL);
    fprintf(stderr,
            "thread %d, step %u: %s; point %llu, the semaphore is at %llu "
            "(%s); its queue: %llu epochs, %u in flight, %llu parked so far\n",
            i, a->steps, a->doing, (unsigned long long)a->value,
            (unsigned long long)value, aq_status_text(status),
            (unsigned long long)stats.epochs, stats.depth,
            (unsigned long long)stats.parked);
  }
}

static bool are_over(const lives *all)
{
  for (int i = 0; i < all->count; i++)
    if (!__atomic_load_n(&all->actors[i].over, __ATOMIC_RELAXED))
      return false;
  return true;
}

/* Stops the threads after some seconds. Looks each second until they have
 * ended whether every one makes progress. */
static void watch(lives *all, unsigned seconds)
{
  unsigned seen[THREADS] = {0}, still[THREADS] = {0};
  for (unsigned second = 0; !are_over(all); second++) {
    sleep(1);
    if (second + 1 >= seconds)
      __atomic_store_n(&all->stop, true, __ATOMIC_RELAXED);
    for (int i = 0; i < all->count; i++) {
      const actor *a = &all->actors[i];
      const unsigned steps = __atomic_load_n(&a->steps, __ATOMIC_RELAXED);
      still[i] = steps == seen[i] ? still[i] + 1 : 0;
      seen[i] = steps;
      if (still[i] < PATIENCE || __atomic_load_n(&a->over, __ATOMIC_RELAXED))
        continue;
      list(all);
      ck_abort_msg("thread %d has been in one step for a minute", i);
    }
  }
}

static void live(const ground_kind *kind, unsigned seconds)
{
  lives *all = calloc(1, sizeof *all);
  ck_assert_ptr_nonnull(all);
  ground_open(&all->g, kind, NULL, NULL);
  all->count = kind->mode == AQ_MODE_LIVE ? THREADS : 1;
  pthread_mutex_init(&all->lock, NULL);
  all->shared = ground_queue(&all->g, &(aq_queue_options){.size = 256});
  for (int i = 0; i < all->count; i++) {
    actor *a = &all->actors[i];
    *a = (actor){.all = all,
                 .number = (unsigned)i,
                 .random = 88172645463325252 + (unsigned)i * 7919,
                 .doing = "nothing yet"};
    a->own = queue_make(a);
    a->semaphore = ground_semaphore(&all->g, 0);
  }
  for (int i = 0; i < all->count; i++)
    ck_assert_int_eq(pthread_create(&all->actors[i].thread, NULL, actor_main,
                                    &all->actors[i]),
                     0);
  watch(all, seconds);
  unsigned steps = 0;
  for (int i = 0; i < all->count; i++) {
    pthread_join(all->actors[i].thread, NULL);
    steps += all->actors[i].steps;
  }
  fprintf(stderr, "%s: %u steps of %d thread%s\n", kind->label, steps,
          all->count, all->count > 1 ? "s" : "");
  aq_semaphore_release(all->offered);
  aq_queue_destroy(all->shared);
  ground_close(&all->g);
  free(all);
}

START_TEST(threads_live_through_stops_and_ends_of_their_queues)
{
  const char *const text = getenv("AQ_SOAK_SECONDS");
  const unsigned seconds = text ? (unsigned)strtoul(text, NULL, 10) : 2;
  for (unsigned i = 0; i < ground_kind_count; i++)
    live(&ground_kinds[i], seconds);
}
END_TEST

AQ_TEST_MAIN("queue/soak_lives",
             threads_live_through_stops_and_ends_of_their_queues)
