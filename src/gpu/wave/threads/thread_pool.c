/* SPDX-License-Identifier: MIT */
/*
 * Rounds of a pool. The caller stores run, user, parts and left, and then round
 * + 1; a thread is idle (done == round), at work (done == round, its part
 * counted in `left`) or has not seen the round (done < round). A thread whose
 * part is not asked for skips the round, and may miss it.
 *
 * All of it changes under the lock. A thread takes the lock to find its round
 * and to end it, the caller to begin and to end it: so the caller's stores
 * before a round are visible in it, and the threads' stores after it. The looks
 * at round and left without the lock are hints that spare a sleep.
 *
 * The caller of round N + 1 has seen left == 0 of round N, so no thread still
 * runs its part then. A part does not leave its function but by returning; the
 * guard's longjmp ends inside it.
 */
#include "config.h"

#include "gpu/wave/threads/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Rounds follow each other closely: looks at a word that changes soon, about
 * 20 us, before sleeping for it. */
enum { LOOKS = 1000 };

typedef struct crew_thread {
  aq_thread_pool *thread_pool;
  pthread_t thread;
  unsigned part;
} crew_thread;

struct aq_thread_pool {
  pid_t process;
  unsigned count; /* the caller among them */
  pthread_mutex_t lock;
  pthread_cond_t begins, ends;
  /* Under the lock; round and left are also looked at without it. */
  uint64_t round;
  unsigned parts, left;
  bool closes;
  void (*run)(void *user, unsigned part);
  void *user;
  crew_thread threads[AQ_THREAD_POOL_MAX]; /* [0] is the caller */
};

unsigned aq_thread_pool_processors(void)
{
  cpu_set_t set;
  const int count =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > AQ_THREAD_POOL_MAX ? AQ_THREAD_POOL_MAX : (unsigned)count;
}

static void pause_shortly(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void round_poll(const aq_thread_pool *thread_pool, uint64_t done)
{
  for (int i = 0; i < LOOKS; i++) {
    if (__atomic_load_n(&thread_pool->round, __ATOMIC_RELAXED) != done)
      return;
    pause_shortly();
  }
}

static void end_poll(const aq_thread_pool *thread_pool)
{
  for (int i = 0; i < LOOKS; i++) {
    if (__atomic_load_n(&thread_pool->left, __ATOMIC_RELAXED) == 0)
      return;
    pause_shortly();
  }
}

static void *crew_main(void *user)
{
  const crew_thread *self = user;
  aq_thread_pool *thread_pool = self->thread_pool;
  uint64_t done = 0;
  pthread_mutex_lock(&thread_pool->lock);
  for (;;) {
    while (thread_pool->round == done && !thread_pool->closes)
      pthread_cond_wait(&thread_pool->begins, &thread_pool->lock);
    if (thread_pool->closes)
      break;
    done = thread_pool->round;
    if (self->part >= thread_pool->parts)
      continue;
    pthread_mutex_unlock(&thread_pool->lock);
    thread_pool->run(thread_pool->user, self->part);
    pthread_mutex_lock(&thread_pool->lock);
    const unsigned left = thread_pool->left - 1;
    __atomic_store_n(&thread_pool->left, left, __ATOMIC_RELAXED);
    if (left == 0)
      pthread_cond_signal(&thread_pool->ends);
    pthread_mutex_unlock(&thread_pool->lock);
    round_poll(thread_pool, done);
    pthread_mutex_lock(&thread_pool->lock);
  }
  pthread_mutex_unlock(&thread_pool->lock);
  return NULL;
}

aq_thread_pool *aq_thread_pool_create(unsigned count)
{
  aq_thread_pool *thread_pool = calloc(1, sizeof *thread_pool);
  sigset_t all, before;
  if (!thread_pool)
    return NULL;
  thread_pool->process = getpid();
  pthread_mutex_init(&thread_pool->lock, NULL);
  pthread_cond_init(&thread_pool->begins, NULL);
  pthread_cond_init(&thread_pool->ends, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (thread_pool->count = 1; thread_pool->count < count;
       thread_pool->count++) {
    crew_thread *t = &thread_pool->threads[thread_pool->count];
    *t = (crew_thread){.thread_pool = thread_pool, .part = thread_pool->count};
    if (pthread_create(&t->thread, NULL, crew_main, t) != 0)
      break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return thread_pool;
}

void aq_thread_pool_destroy(aq_thread_pool *thread_pool)
{
  if (!thread_pool)
    return;
  if (thread_pool->process == getpid()) {
    pthread_mutex_lock(&thread_pool->lock);
    thread_pool->closes = true;
    pthread_cond_broadcast(&thread_pool->begins);
    pthread_mutex_unlock(&thread_pool->lock);
    for (unsigned i = 1; i < thread_pool->count; i++)
      pthread_join(thread_pool->threads[i].thread, NULL);
    pthread_cond_destroy(&thread_pool->begins);
    pthread_cond_destroy(&thread_pool->ends);
    pthread_mutex_destroy(&thread_pool->lock);
  }
  free(thread_pool);
}

unsigned aq_thread_pool_count(const aq_thread_pool *thread_pool)
{
  return thread_pool->count;
}

void aq_thread_pool_run(aq_thread_pool *thread_pool, unsigned count,
                        void (*run)(void *user, unsigned part), void *user)
{
  if (thread_pool->process != getpid()) {
    for (unsigned i = 0; i < count; i++)
      run(user, i);
    return;
  }
  pthread_mutex_lock(&thread_pool->lock);
  thread_pool->run = run;
  thread_pool->user = user;
  thread_pool->parts = count;
  __atomic_store_n(&thread_pool->left, count - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&thread_pool->round, thread_pool->round + 1,
                   __ATOMIC_RELAXED);
  pthread_cond_broadcast(&thread_pool->begins);
  pthread_mutex_unlock(&thread_pool->lock);
  run(user, 0);
  end_poll(thread_pool);
  pthread_mutex_lock(&thread_pool->lock);
  while (thread_pool->left > 0)
    pthread_cond_wait(&thread_pool->ends, &thread_pool->lock);
  pthread_mutex_unlock(&thread_pool->lock);
}
