/* SPDX-License-Identifier: MIT */
/*
 * Doorbells of the drop-in with eight client threads beside one, each with a
 * queue and a signal of its own, as a HIP program has streams. The floor is one
 * thread doing the same, in free-running live mode.
 *
 * Machines have fewer cores than there are threads here, so nothing is counted
 * by thread: dropin_completion_8_threads is the wall time of all operations
 * over their number (doorbell to completion, seen by an active wait), and
 * dropin_doorbell_8_threads the processor time of the calling thread for one
 * packet and its doorbell, in bursts. Neither should rise with the threads.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "bench/bench.h"
#include "bench/hsa_client.h"

enum {
  THREADS = 8,
  QUEUE = 256,
  BURST = 128,
  ROUNDS = 5,
  OPERATIONS = 16000,
  BELLS = THREADS * BURST * 100
};

typedef struct client {
  hsa_queue_t *queue;
  hsa_signal_t done;
  uint32_t operations;
  double seconds; /* processor time of its doorbells */
} client;

static client clients[THREADS];

static void *client_begin(void *data)
{
  client *c = data;
  client_check(hsa_signal_create(0, 0, NULL, &c->done));
  return NULL;
}

static void *operate(void *data)
{
  const client *c = data;
  for (uint32_t i = 0; i < c->operations; i++) {
    hsa_signal_store_relaxed(c->done, 1);
    client_submit(c->queue, c->done);
    hsa_signal_wait_scacquire(c->done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_ACTIVE);
  }
  return NULL;
}

static double thread_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Bursts of packets with a doorbell each. */
static void *ring(void *data)
{
  client *c = data;
  c->seconds = 0;
  for (uint32_t i = 0; i < c->operations; i += BURST) {
    hsa_signal_store_relaxed(c->done, BURST);
    const double begin = thread_now();
    for (uint32_t j = 0; j < BURST; j++)
      client_submit(c->queue, c->done);
    c->seconds += thread_now() - begin;
    hsa_signal_wait_scacquire(c->done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX,
                              HSA_WAIT_STATE_BLOCKED);
  }
  return NULL;
}

/* Wall seconds of `count` threads that share `operations`. */
static double crowd(int count, uint32_t operations, void *work(void *))
{
  pthread_t threads[THREADS];
  const double begin = aqbench_now();
  for (int i = 0; i < count; i++) {
    clients[i].operations = operations / (uint32_t)count;
    if (pthread_create(&threads[i], NULL, work, &clients[i]) != 0)
      exit(1);
  }
  for (int i = 0; i < count; i++)
    pthread_join(threads[i], NULL);
  return aqbench_now() - begin;
}

static double bells(int count)
{
  double seconds = 0;
  crowd(count, BELLS, ring);
  for (int i = 0; i < count; i++)
    seconds += clients[i].seconds;
  return seconds / BELLS * 1e9;
}

static double one_completion(void *context)
{
  (void)context;
  return crowd(1, OPERATIONS, operate) / OPERATIONS * 1e6;
}

static double eight_completions(void *context)
{
  (void)context;
  return crowd(THREADS, OPERATIONS, operate) / OPERATIONS * 1e6;
}

static double one_bell(void *context)
{
  (void)context;
  return bells(1);
}

static double eight_bells(void *context)
{
  (void)context;
  return bells(THREADS);
}

int main(void)
{
  client_check(hsa_init());
  for (int i = 0; i < THREADS; i++)
    clients[i].queue = client_queue(QUEUE);
  /* A second thread that calls ends the lockstep. */
  crowd(THREADS, THREADS, client_begin);
  crowd(THREADS, OPERATIONS / 10, operate);
  aqbench_compare("dropin_completion_8_threads", "us", ROUNDS, one_completion,
                  eight_completions, NULL);
  aqbench_compare("dropin_doorbell_8_threads", "ns", ROUNDS, one_bell,
                  eight_bells, NULL);
  client_check(hsa_shut_down());
  return 0;
}
