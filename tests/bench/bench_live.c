/* SPDX-License-Identifier: MIT */
/*
 * Live mode in wall time: the time of a null kernel from its doorbell until the
 * host sees the completion, spinning, and after silence; the cost of an idle
 * device; packets of four producers on one queue; and the same latency through
 * HSA and the drop-in library. Floor of the latency: two threads that answer
 * each other through one word of memory.
 */
#include "bench/bench.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend_hsa/hsa.h"
#include "backend_sim/sim.h"

enum {
  RING = 1024,
  WARM = 20000,
  TRIES = 20000,
  SILENT_TRIES = 40,
  SILENCE_US = 20000,
  PRODUCERS = 4,
  ROUNDS = 5,
  CROWD = 200000,
};

typedef struct bed {
  aq_transport *t;
  aq_ring *queue;
  aq_signal done;
  uint64_t object;
} bed;

static void check(aq_status status, const aq_diag *diag)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_live: %s\n", diag->text);
  exit(1);
}

static int64_t *value_of(aq_signal signal)
{
  return &((aq_amd_signal *)(uintptr_t)signal.handle)->value;
}

static uint64_t put(bed *b)
{
  uint64_t id;
  aq_diag diag = AQ_DIAG_INIT;
  while (!aq_ring_try_reserve(b->queue, 1, &id))
    check(b->t->ops->queue_wait_space(b->t, b->queue, 1, AQ_TIME_MAX, &diag),
          &diag);
  aq_packet *slot = aq_ring_slot(b->queue, id);
  aq_kernel_packet packet = {.workgroup_size = {64, 1, 1},
                             .grid_size = {64, 1, 1},
                             .kernel_object = b->object,
                             .completion_signal = b->done};
  memcpy((char *)slot + 4, (const char *)&packet + 4, sizeof packet - 4);
  aq_packet_publish(slot,
                    aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, 0,
                                     AQ_SCOPE_AGENT, AQ_SCOPE_AGENT),
                    1);
  return id;
}

static void spin(const bed *b)
{
  while (__atomic_load_n(value_of(b->done), __ATOMIC_ACQUIRE) != 0)
    ;
}

/* Doorbell to completion, in us. */
static double once(bed *b, bool raw)
{
  __atomic_store_n(value_of(b->done), 1, __ATOMIC_RELEASE);
  uint64_t id = put(b);
  double begin = aqbench_now();
  if (raw)
    __atomic_store_n(b->queue->doorbell, id, __ATOMIC_RELEASE);
  else
    b->t->ops->queue_doorbell(b->t, b->queue, id);
  spin(b);
  return (aqbench_now() - begin) * 1e6;
}

static void bed_open(bed *b, const aq_transport_ops *ops)
{
  aq_diag diag = AQ_DIAG_INIT;
  aq_transport_options options = {.size = sizeof options, .mode = AQ_MODE_LIVE};
  aq_kernel_info kernel;
  check(ops->open(&options, &b->t, &diag), &diag);
  check(b->t->ops->queue_create(b->t, &(aq_queue_desc){.size = RING}, &b->queue,
                                &diag),
        &diag);
  check(b->t->ops->kernel_register(b->t, &(aq_kernel_desc){.name = "null"},
                                   &kernel, &diag),
        &diag);
  check(b->t->ops->signal_create(b->t, &(aq_signal_desc){.value = 1}, &b->done,
                                 &diag),
        &diag);
  b->object = kernel.object;
  for (int i = 0; i < WARM; i++)
    once(b, i & 1); /* the first one ends the lockstep */
}

static int double_order(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *values, int count, double q)
{
  qsort(values, (size_t)count, sizeof *values, double_order);
  return values[(int)((count - 1) * q)];
}

static double spinning(void *context)
{
  static double values[TRIES];
  for (int i = 0; i < TRIES; i++)
    values[i] = once(context, false);
  return quantile(values, TRIES, 0.5);
}

static double spinning_p99(void *context)
{
  static double values[TRIES];
  for (int i = 0; i < TRIES; i++)
    values[i] = once(context, false);
  return quantile(values, TRIES, 0.99);
}

static double silent(void *context, bool raw)
{
  double values[SILENT_TRIES];
  for (int i = 0; i < SILENT_TRIES; i++) {
    usleep(SILENCE_US);
    values[i] = once(context, raw);
  }
  return quantile(values, SILENT_TRIES, 0.5);
}

static double silent_call(void *context)
{
  return silent(context, false);
}

static double silent_raw(void *context)
{
  return silent(context, true);
}

/* A blocked wait instead of spinning. */
static double blocked(void *context)
{
  bed *b = context;
  static double values[TRIES / 10];
  aq_diag diag = AQ_DIAG_INIT;
  aq_wait_item item = {b->done, AQ_EQ, 0};
  aq_wait_request request = {
      .items = &item, .count = 1, .deadline = AQ_TIME_MAX};
  for (int i = 0; i < TRIES / 10; i++) {
    __atomic_store_n(value_of(b->done), 1, __ATOMIC_RELEASE);
    double begin = aqbench_now();
    b->t->ops->queue_doorbell(b->t, b->queue, put(b));
    check(b->t->ops->wait(b->t, &request, NULL, &diag), &diag);
    values[i] = (aqbench_now() - begin) * 1e6;
  }
  return quantile(values, TRIES / 10, 0.5);
}

static double cpu_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Percent of a core after 10 ms of silence. */
static double idle(void *context)
{
  (void)context;
  usleep(10000);
  double begin = cpu_now(), wall = aqbench_now();
  usleep(500000);
  return (cpu_now() - begin) / (aqbench_now() - wall) * 100;
}

static void *produce(void *argument)
{
  bed *b = argument;
  for (int i = 0; i < CROWD / PRODUCERS; i++)
    b->t->ops->queue_doorbell(b->t, b->queue, put(b));
  return NULL;
}

/* Packets of four producers, in ns each. */
static double crowd(void *context)
{
  bed *b = context;
  pthread_t threads[PRODUCERS];
  __atomic_store_n(value_of(b->done), CROWD, __ATOMIC_RELEASE);
  double begin = aqbench_now();
  for (int i = 0; i < PRODUCERS; i++)
    pthread_create(&threads[i], NULL, produce, b);
  for (int i = 0; i < PRODUCERS; i++)
    pthread_join(threads[i], NULL);
  while (__atomic_load_n(value_of(b->done), __ATOMIC_ACQUIRE) != 0)
    sched_yield();
  return (aqbench_now() - begin) / CROWD * 1e9;
}

/* ---- the floor ---- */

typedef struct pair {
  uint32_t ask __attribute__((aligned(64)));
  uint32_t answer __attribute__((aligned(64)));
} pair;

static void *answer(void *argument)
{
  pair *p = argument;
  for (uint32_t i = 1; i <= TRIES; i++) {
    while (__atomic_load_n(&p->ask, __ATOMIC_ACQUIRE) != i)
      ;
    __atomic_store_n(&p->answer, i, __ATOMIC_RELEASE);
  }
  return NULL;
}

static double ping_pong(void *context)
{
  static double values[TRIES];
  pair p = {0, 0};
  pthread_t thread;
  (void)context;
  if (pthread_create(&thread, NULL, answer, &p) != 0)
    abort();
  for (uint32_t i = 1; i <= TRIES; i++) {
    double begin = aqbench_now();
    __atomic_store_n(&p.ask, i, __ATOMIC_RELEASE);
    while (__atomic_load_n(&p.answer, __ATOMIC_ACQUIRE) != i)
      ;
    values[i - 1] = (aqbench_now() - begin) * 1e6;
  }
  pthread_join(thread, NULL);
  return quantile(values, TRIES, 0.5);
}

int main(void)
{
  bed b;
  bed_open(&b, &aqsim_transport_ops);
  aqbench_compare("live_spinning_p50", "us", ROUNDS, NULL, spinning, &b);
  aqbench_compare("live_spinning_p99", "us", ROUNDS, NULL, spinning_p99, &b);
  aqbench_compare("live_blocked_p50", "us", ROUNDS, NULL, blocked, &b);
  aqbench_compare("live_after_silence_call_p50", "us", 1, NULL, silent_call,
                  &b);
  aqbench_compare("live_after_silence_raw_store_p50", "us", 1, NULL, silent_raw,
                  &b);
  aqbench_compare("live_idle", "% of a core", 3, NULL, idle, &b);
  aqbench_compare("live_four_producers", "ns", ROUNDS, NULL, crowd, &b);
  b.t->ops->close(b.t);
  /* The drop-in library of this build, through HSA. */
  setenv("AQUEDUCT_LIBHSA_PATH", ".libs/libhsa-runtime64.so.1", 0);
  bed_open(&b, &aqhsa_transport_ops);
  aqbench_compare("dropin_doorbell_to_completion_p50", "us", ROUNDS, ping_pong,
                  spinning, &b);
  aqbench_compare("dropin_blocked_p50", "us", ROUNDS, NULL, blocked, &b);
  b.t->ops->close(b.t);
  aqbench_compare("memory_ping_pong_p50", "us", ROUNDS, NULL, ping_pong, &b);
  return 0;
}
