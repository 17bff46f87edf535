/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/threads/crew.h"

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
  aq_wave_crew *crew;
  pthread_t thread;
  unsigned part;
} crew_thread;

struct aq_wave_crew {
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
  crew_thread threads[AQ_WAVE_CREW_MAX]; /* [0] is the caller */
};

unsigned aq_wave_crew_processors(void)
{
  cpu_set_t set;
  const int count =
      sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  return count > AQ_WAVE_CREW_MAX ? AQ_WAVE_CREW_MAX : (unsigned)count;
}

static void pause_shortly(void)
{
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

static void round_look(const aq_wave_crew *crew, uint64_t done)
{
  for (int i = 0; i < LOOKS; i++) {
    if (__atomic_load_n(&crew->round, __ATOMIC_RELAXED) != done)
      return;
    pause_shortly();
  }
}

static void end_look(const aq_wave_crew *crew)
{
  for (int i = 0; i < LOOKS; i++) {
    if (__atomic_load_n(&crew->left, __ATOMIC_RELAXED) == 0)
      return;
    pause_shortly();
  }
}

static void *crew_main(void *user)
{
  const crew_thread *self = user;
  aq_wave_crew *crew = self->crew;
  uint64_t done = 0;
  pthread_mutex_lock(&crew->lock);
  for (;;) {
    while (crew->round == done && !crew->closes)
      pthread_cond_wait(&crew->begins, &crew->lock);
    if (crew->closes)
      break;
    done = crew->round;
    if (self->part >= crew->parts)
      continue;
    pthread_mutex_unlock(&crew->lock);
    crew->run(crew->user, self->part);
    pthread_mutex_lock(&crew->lock);
    const unsigned left = crew->left - 1;
    __atomic_store_n(&crew->left, left, __ATOMIC_RELAXED);
    if (left == 0)
      pthread_cond_signal(&crew->ends);
    pthread_mutex_unlock(&crew->lock);
    round_look(crew, done);
    pthread_mutex_lock(&crew->lock);
  }
  pthread_mutex_unlock(&crew->lock);
  return NULL;
}

aq_wave_crew *aq_wave_crew_create(unsigned count)
{
  aq_wave_crew *crew = calloc(1, sizeof *crew);
  sigset_t all, before;
  if (!crew)
    return NULL;
  crew->process = getpid();
  pthread_mutex_init(&crew->lock, NULL);
  pthread_cond_init(&crew->begins, NULL);
  pthread_cond_init(&crew->ends, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (crew->count = 1; crew->count < count; crew->count++) {
    crew_thread *t = &crew->threads[crew->count];
    *t = (crew_thread){.crew = crew, .part = crew->count};
    if (pthread_create(&t->thread, NULL, crew_main, t) != 0)
      break;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return crew;
}

void aq_wave_crew_destroy(aq_wave_crew *crew)
{
  if (!crew)
    return;
  if (crew->process == getpid()) {
    pthread_mutex_lock(&crew->lock);
    crew->closes = true;
    pthread_cond_broadcast(&crew->begins);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 1; i < crew->count; i++)
      pthread_join(crew->threads[i].thread, NULL);
    pthread_cond_destroy(&crew->begins);
    pthread_cond_destroy(&crew->ends);
    pthread_mutex_destroy(&crew->lock);
  }
  free(crew);
}

unsigned aq_wave_crew_count(const aq_wave_crew *crew)
{
  return crew->count;
}

void aq_wave_crew_run(aq_wave_crew *crew, unsigned count,
                      void (*run)(void *user, unsigned part), void *user)
{
  if (crew->process != getpid()) {
    for (unsigned i = 0; i < count; i++)
      run(user, i);
    return;
  }
  pthread_mutex_lock(&crew->lock);
  crew->run = run;
  crew->user = user;
  crew->parts = count;
  __atomic_store_n(&crew->left, count - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&crew->round, crew->round + 1, __ATOMIC_RELAXED);
  pthread_cond_broadcast(&crew->begins);
  pthread_mutex_unlock(&crew->lock);
  run(user, 0);
  end_look(crew);
  pthread_mutex_lock(&crew->lock);
  while (crew->left > 0)
    pthread_cond_wait(&crew->ends, &crew->lock);
  pthread_mutex_unlock(&crew->lock);
}
