/* SPDX-License-Identifier: MIT */
/* What queues did, through the store: a run of its own, with what is asked of
 * it in SQL. */
#include "queue/ground.h"

#include "store/store_test.h"

START_TEST(operations_are_kept_in_the_store)
{
  const char *path = fresh_path("operations.db");
  aq_store *store = store_open(path, AQ_STORE_WRITE);
  const aq_run_info info = run_named("operations");
  aq_store_writer *writer;
  ground g;
  ground_open(&g, &ground_kinds[0], NULL, NULL);
  ck_assert_ok(&g, aq_store_writer_open(store, &info, &writer, &g.diag));
  ground own = g;
  ck_assert_ok(
      &g, aq_context_create(
              &(aq_context_options){.size = sizeof(aq_context_options),
                                    .transport = g.t,
                                    .way = g.kind->way,
                                    .records = aq_store_writer_sink(writer)},
              &own.context, &g.diag));
  aq_queue *queues[2] = {ground_queue(&own, NULL), ground_queue(&own, NULL)};
  aq_semaphore *done = ground_semaphore(&own, 0);
  uint64_t cell = 1;
  for (uint64_t i = 0; i < 300; i++) {
    ground_sync s;
    ck_assert_ok(&g, ground_dispatch(&g, queues[i % 2],
                                     ground_sync_make(&s, done, i, done, i + 1),
                                     &cell, i));
  }
  ground_wait(&own, done, 300);
  aq_queue_destroy(queues[0]);
  aq_queue_destroy(queues[1]);
  ck_assert_ok(&g, aq_context_records_flush(own.context, &g.diag));
  aq_semaphore_release(done);
  aq_context_destroy(own.context);
  ck_assert_ok(&g, aq_store_writer_finish(writer, NULL, &g.diag));
  ground_close(&g);
  aq_store_close(store);
  ck_assert_int_eq(sql_integer(path, "SELECT count(*) FROM records JOIN names "
                                     "ON names.id = records.name "
                                     "WHERE names.text = 'dispatch' "
                                     "AND end_ps - start_ps >= 1000000 "
                                     "AND host_begin_ps <= observe_ps"),
                   300);
  ck_assert_int_eq(
      sql_integer(path, "SELECT count(DISTINCT queue) FROM records"), 2);
  /* Each but the first waits for the other queue: by one edge, unless that was
   * complete already. */
  ck_assert_int_eq(1 << AQ_WAIT_ONE_EDGE, 16);
  ck_assert_int_ge(
      sql_integer(path, "SELECT count(*) FROM records WHERE strategy = 16"),
      100);
  ck_assert_int_gt(sql_integer(path, "SELECT max(depth) FROM records"), 1);
}
END_TEST

AQ_TEST_MAIN("queue/records", operations_are_kept_in_the_store)
