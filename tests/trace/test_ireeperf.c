/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "trace/fixture.h"

/* The fixture's device has a tick each 10 ns; tick 1000 is 1000000 ns of the
 * host, where the first call was at 1000100. */
static aq_time at_tick(int64_t tick)
{
  return (1000000 + (tick - 1000) * 10 - 1000100) * AQ_NS;
}

START_TEST(dispatches_run_at_their_ticks_by_the_hosts_clock)
{
  fixture f = fixture_data("ireeperf.jsonl");
  const aq_record *row = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(f.result.base_ns, 1000100);
  ck_assert_int_eq(row->start, at_tick(1060));
  ck_assert_int_eq(row->end, at_tick(1063));
  ck_assert_int_eq(f.sink.queues[row->queue].source_id, 1);
  ck_assert_int_eq(row->stream, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(the_grid_is_in_workgroups)
{
  fixture f = fixture_data("ireeperf.jsonl");
  const aq_record *row = fixture_row(&f, "matmul", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, 256);
  ck_assert_int_eq(row->grid_y, 4);
  ck_assert_int_eq(row->grid_z, 1);
  ck_assert_int_eq(row->wg_x, 64);
  ck_assert_int_eq(row->wg_y, 2);
  row = fixture_row(&f, "executable 3 export 1", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, AQ_NONE);
  ck_assert_int_eq(row->wg_x, AQ_NONE);
  fixture_free(&f);
}
END_TEST

START_TEST(submissions_are_joined_by_queue)
{
  fixture f = fixture_data("ireeperf.jsonl");
  /* Number 7 of queue 0 executes a command buffer, that of queue 1 does not. */
  const aq_record *row = fixture_row(&f, "matmul", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->via, AQ_VIA_GRAPH);
  ck_assert_int_eq(row->flags, AQ_FLAG_GRAPH_FIRST);
  ck_assert_int_eq(row->host_begin, 0);
  ck_assert_int_eq(fixture_row(&f, "softmax", AQ_KIND_KERNEL)->flags, 0);
  row = fixture_row(&f, "add", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(row->host_begin, 200 * AQ_NS);
  row = fixture_row(&f, "copy", AQ_KIND_COPY);
  ck_assert_int_eq(row->host_begin, 8900 * AQ_NS);
  ck_assert_int_eq(row->bytes, 4096);
  fixture_free(&f);
}
END_TEST

START_TEST(what_was_mended_is_told)
{
  fixture f = fixture_data("ireeperf.jsonl");
  ck_assert_uint_eq(f.result.dispatches, 5);
  ck_assert_uint_eq(f.result.copies, 1);
  ck_assert_uint_eq(f.result.with_host, 4);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  /* The other device was never asked for its clock. */
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_DOMAIN], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 2);
  ck_assert_int_eq(fixture_row(&f, "elsewhere", AQ_KIND_KERNEL)->via,
                   AQ_VIA_NONE);
  fixture_free(&f);
}
END_TEST

#define SCHEMA "{\"record_type\":\"schema\",\"format\":\"ireeperf-jsonl\"}\n"
#define CLOCK(tick, host)                                                      \
  "{\"record_type\":\"clock_correlation\",\"physical_device_ordinal\":0,"      \
  "\"device_tick\":" tick ",\"host_time_begin_ns\":" host                      \
  ",\"host_time_end_ns\":" host "}\n"
#define EVENT(ticks)                                                           \
  "{\"record_type\":\"dispatch_event\",\"physical_device_ordinal\":0,"         \
  "\"queue_ordinal\":0,\"submission_id\":1,\"key\":\"k\"," ticks "}\n"

#define CALL(host)                                                             \
  "{\"record_type\":\"queue_event\",\"op\":\"dispatch\","                      \
  "\"physical_device_ordinal\":0,\"queue_ordinal\":0,\"submission_id\":1,"     \
  "\"host_time_ns\":" host "}\n"

START_TEST(a_clock_that_is_off_is_told_and_the_call_dropped)
{
  fixture f = fixture_text(SCHEMA CLOCK("10", "1000") CLOCK("20", "2000") EVENT(
      "\"start_tick\":12,\"end_tick\":15") CALL("1900"));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(ticks_are_told_to_the_picosecond)
{
  fixture f = fixture_text(SCHEMA CLOCK("100", "1000") CLOCK("400", "2000")
                               EVENT("\"start_tick\":100,\"end_tick\":101"));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.sink.rows[0].end - f.sink.rows[0].start, 3333);
  fixture_free(&f);
}
END_TEST

START_TEST(what_is_not_of_the_format_is_refused)
{
  fixture_refused(SCHEMA CLOCK("1", "1") CLOCK("2", "2")
                      EVENT("\"start_tick\":12"),
                  "in: line 4: expected an integer for end_tick");
  fixture_refused(
      SCHEMA EVENT("\"start_tick\":12,\"end_tick\":15"),
      "in: no readable kernel, copy or fill in this ireeperf trace: "
      "skipped 1 row, the first at line 2: times out of range");
  fixture_refused(SCHEMA "{\"record_type\":\"dispatch_event\",\n",
                  "in: line 2: expected one JSON object; parse error: "
                  "premature EOF");
  fixture_refused("{\"record_type\":\"schema\",\"format\":\"other\","
                  "\"a\":\"ireeperf-jsonl\"}\n",
                  "in: line 1: expected ireeperf-jsonl for format");
}
END_TEST

AQ_TEST_MAIN("trace/ireeperf", dispatches_run_at_their_ticks_by_the_hosts_clock,
             the_grid_is_in_workgroups, submissions_are_joined_by_queue,
             what_was_mended_is_told,
             a_clock_that_is_off_is_told_and_the_call_dropped,
             ticks_are_told_to_the_picosecond,
             what_is_not_of_the_format_is_refused)
