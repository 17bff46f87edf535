/* SPDX-License-Identifier: MIT */
/* A million operations from 16 threads on 32 queues, a part for each way of
 * waiting of a live device (AQ_SOAK_STEPS: each thread's); then ten million
 * through one queue, whose memory must not grow. */
#include "queue/stress.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

START_TEST(a_million_operations_of_many_threads_keep_their_order)
{
  const char *const steps = getenv("AQ_SOAK_STEPS");
  for (unsigned i = 0; i < ground_kind_count; i++) {
    if (ground_kinds[i].mode != AQ_MODE_LIVE)
      continue;
    ground g;
    fprintf(stderr, "%s\n", ground_kinds[i].label);
    ground_open(&g, &ground_kinds[i], NULL, NULL);
    stress_run(&g, &(stress_plan){.threads = STRESS_THREADS,
                                  .queues = STRESS_QUEUES,
                                  .steps = steps ? strtoul(steps, NULL, 10)
                                                 : 1000000 / 5 / STRESS_THREADS,
                                  .seed = i});
    ground_close(&g);
  }
}
END_TEST

/* Resident, in KiB. */
static long resident(void)
{
  FILE *file = fopen("/proc/self/statm", "r");
  long size = 0, pages = 0;
  ck_assert_ptr_nonnull(file);
  ck_assert_int_eq(fscanf(file, "%ld %ld", &size, &pages), 2);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

START_TEST(ten_million_operations_need_no_more_memory_than_some)
{
  const ground_kind kind = {"null", "null", AQ_MODE_VIRTUAL, AQ_EDGE_CHOOSE};
  ground g;
  ground_open(&g, &kind, NULL, NULL);
  aq_queue *queue = ground_queue(&g, NULL);
  aq_semaphore *done = ground_semaphore(&g, 0);
  uint64_t cell = 0, expected = 0;
  size_t after_some = 0;
  long after_million = resident(); /* its own memory is allocated */
  for (uint64_t i = 0; i < 10000000; i++) {
    ground_sync s;
    if (ground_dispatch(&g, queue, ground_sync_make(&s, NULL, 0, done, i + 1),
                        &cell, i) != AQ_OK)
      ck_abort_msg("operation %llu: %s", (unsigned long long)i, g.diag.text);
    expected = ground_stepped(expected, i);
    if (i == 10000)
      after_some = mallinfo2().uordblks;
    if (i == 1000000)
      after_million = resident();
  }
  fprintf(stderr, "resident after 1 M operations: %ld KiB, after 10 M: %ld\n",
          after_million, resident());
  ck_assert_int_le(resident(), after_million + 64);
  ck_assert_uint_le(mallinfo2().uordblks, after_some + 4096);
  ground_wait(&g, done, 10000000);
  ck_assert_uint_eq(cell, expected);
  aq_queue_destroy(queue);
  aq_semaphore_release(done);
  ground_close(&g);
}
END_TEST

AQ_TEST_MAIN("queue/soak_queue",
             a_million_operations_of_many_threads_keep_their_order,
             ten_million_operations_need_no_more_memory_than_some)
