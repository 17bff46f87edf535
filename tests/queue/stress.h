/* SPDX-License-Identifier: MIT */
/*
 * Threads that submit to all queues at random. Each has a chain of its own, a
 * semaphore and a cell: every step waits for the one before it and often for
 * steps of others, on whatever queue. In the end each cell has gone through its
 * steps in order, or the test fails.
 */
#ifndef AQ_TESTS_QUEUE_STRESS_H
#define AQ_TESTS_QUEUE_STRESS_H

#include "queue/ground.h"

typedef struct stress_plan {
  unsigned threads, queues; /* at most STRESS_THREADS, STRESS_QUEUES */
  uint64_t steps;           /* of each thread */
  uint64_t seed;
} stress_plan;

enum { STRESS_THREADS = 16, STRESS_QUEUES = 32 };

void stress_run(ground *g, const stress_plan *plan);

#endif
