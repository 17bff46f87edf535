/* SPDX-License-Identifier: MIT */
/* The small version of soak_queue: some threads, some queues, every ground. */
#include "queue/stress.h"

START_TEST(many_threads_and_queues_keep_every_chain_in_order)
{
  for (unsigned i = 0; i < ground_kind_count; i++) {
    ground g;
    ground_open(&g, &ground_kinds[i], NULL, NULL);
    stress_run(
        &g, &(stress_plan){.threads = 4, .queues = 6, .steps = 250, .seed = i});
    ground_close(&g);
  }
}
END_TEST

AQ_TEST_MAIN("queue/stress", many_threads_and_queues_keep_every_chain_in_order)
