/* SPDX-License-Identifier: MIT */
/*
 * The fit of a replay that names no part: a run that has nothing to fit keeps
 * the constants of its model, with the reason; every other error is the
 * replay's. Memory runs out at each allocation in turn (the linker wraps
 * allocators).
 */
#include "support/aqtest.h"

#include "queue/shortage.h"
#include "study/calibrate/part_fit.h"
#include "study/session/replay.h"

static aq_diag diag = AQ_DIAG_INIT;

/* Kernels that start 9 us after their doorbell on an idle device. */
static aq_store *store_make(int rows)
{
  aq_store *store;
  aq_store_writer *writer;
  aq_run_info info;
  int64_t name, ordinal;
  aq_run_info_init(&info, AQ_RUN_MEASURED);
  info.name = "m";
  ck_assert_status(aq_store_open(":memory:", AQ_STORE_WRITE, &store, &diag),
                   AQ_OK, &diag);
  ck_assert_status(aq_store_writer_open(store, &info, &writer, &diag), AQ_OK,
                   &diag);
  aq_record_sink *sink = aq_store_writer_sink(writer);
  const aq_run_device device = {
      .name = "AMD Instinct MI300X", .gfx = "gfx942", .cus = 304};
  ck_assert_status(sink->name(sink, "k", 1, &name, &diag), AQ_OK, &diag);
  ck_assert_status(sink->device(sink, &device, &ordinal, &diag), AQ_OK, &diag);
  const aq_run_queue queue = {.device = ordinal};
  ck_assert_status(sink->queue(sink, &queue, &ordinal, &diag), AQ_OK, &diag);
  for (int i = 0; i < rows; i++) {
    aq_record row;
    aq_record_init(&row);
    row.kind = AQ_KIND_KERNEL;
    row.name = name;
    row.device = row.queue = row.stream = 0;
    row.flags = 0;
    row.grid_x = row.wg_x = 64;
    row.grid_y = row.grid_z = row.wg_y = row.wg_z = 1;
    row.host_begin = (100 + 50 * (aq_time)i) * AQ_US;
    row.host_end = row.host_begin + 4 * AQ_US;
    row.start = row.host_end + 9 * AQ_US;
    row.end = row.start + 10 * AQ_US;
    row.correlation = i + 1;
    row.pid = row.tid = 1;
    row.via = AQ_VIA_DIRECT;
    ck_assert_status(sink->put(sink, &row, 1, &diag), AQ_OK, &diag);
  }
  ck_assert_status(aq_store_writer_finish(writer, &info, &diag), AQ_OK, &diag);
  return store;
}

typedef struct tried {
  aq_status status;
  aq_diag error, why_not;
  bool fitted;
} tried;

static tried try(aq_store *store, const char *run, long allocation)
{
  const aq_performance_options options = {.device = "mi300x"};
  const aq_replay_ask ask = {.origin = run};
  tried out = {.error = AQ_DIAG_INIT, .why_not = AQ_DIAG_INIT};
  aq_part_fit fit;
  aq_session session;
  ck_assert_status(aq_session_init(&session, &options, NULL, &diag), AQ_OK,
                   &diag);
  shortage_begin(allocation, -1);
  out.status = aq_part_fit_usual(&fit, &session, store, &ask, NULL,
                                 &out.why_not, &out.error);
  out.fitted = fit.edits != NULL;
  aq_part_fit_fini(&fit, &session);
  aq_session_fini(&session);
  return out;
}

START_TEST(a_run_with_too_few_rows_keeps_its_model_with_the_reason)
{
  aq_store *store = store_make(40);
  const tried t = try(store, "m", -1);
  shortage_end();
  ck_assert_status(t.status, AQ_OK, &t.error);
  ck_assert(!t.fitted);
  ck_assert_str_eq(t.error.text, "");
  ck_assert_str_eq(t.why_not.text,
                   "first=20% and on to the tenth idle launch is 11 of the 40 "
                   "rows of the run; expected at least 20");
  aq_store_close(store);
}
END_TEST

START_TEST(memory_that_runs_out_is_an_error)
{
  aq_store *store = store_make(200);
  bool failed = true;
  long failures = 0;
  for (long n = 0; failed; n++) {
    const tried t = try(store, "m", n);
    failed = shortage_over();
    ck_assert_uint_eq(shortage_end(), 0);
    ck_assert_str_eq(t.why_not.text, "");
    ck_assert_int_eq(t.status, failed ? AQ_ERR_NO_MEMORY : AQ_OK);
    ck_assert(t.fitted == !failed);
    failures += failed;
  }
  ck_assert_int_gt(failures, 10);
  aq_store_close(store);
}
END_TEST

START_TEST(a_run_that_the_store_lacks_is_an_error)
{
  aq_store *store = store_make(200);
  const tried t = try(store, "other", -1);
  shortage_end();
  ck_assert_int_eq(t.status, AQ_ERR_NOT_FOUND);
  ck_assert_str_ne(t.error.text, "");
  ck_assert_str_eq(t.why_not.text, "");
  aq_store_close(store);
}
END_TEST

AQ_TEST_MAIN("study/usual_fit",
             a_run_with_too_few_rows_keeps_its_model_with_the_reason,
             memory_that_runs_out_is_an_error,
             a_run_that_the_store_lacks_is_an_error)
