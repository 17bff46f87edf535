/* SPDX-License-Identifier: MIT */
/* Traces that lost records, repeat them or have one from nowhere: each small
 * one here is counted by hand. */
#include <stdio.h>
#include <string.h>

#include "trace/fixture.h"

#define TRACE(events) "{\"traceEvents\":[" events "]}"
#define EVENT(cat, name, pid, ts, dur, args)                                   \
  "{\"ph\":\"X\",\"cat\":\"" cat "\",\"name\":\"" name "\",\"pid\":" #pid      \
  ",\"tid\":0,\"ts\":" #ts ",\"dur\":" #dur ",\"args\":{" args "}}"
#define CALL(name, ts, dur, id)                                                \
  EVENT("cuda_runtime", name, 9, ts, dur, "\"correlation\":" #id)
#define LAUNCH(ts, id) CALL("hipLaunchKernel", ts, 5, id)
#define KERNEL(name, ts, dur, id)                                              \
  EVENT("kernel", name, 0, ts, dur,                                            \
        "\"device\":0,\"stream\":0,\"correlation\":" #id)
#define COPY(ts, dur, id)                                                      \
  EVENT("gpu_memcpy", "Memcpy HtoD", 0, ts, dur,                               \
        "\"device\":0,\"stream\":0,\"correlation\":" #id)

static void damaged(const fixture *f, const char *text)
{
  char damage[256];
  ck_assert_int_eq(aq_trace_damage(&f->result, damage, sizeof damage),
                   text[0] != '\0');
  ck_assert_str_eq(damage, text);
}

/* Rows of lost calls follow all others, by their begin. */
START_TEST(a_launch_without_a_kernel_is_a_row_of_its_own)
{
  fixture f = fixture_text(TRACE(LAUNCH(140, 3) "," LAUNCH(100, 1) "," KERNEL(
      "a", 110, 10, 1) "," LAUNCH(120, 2)));
  fixture_repaired(&f, AQ_REPAIR_LOST_LAUNCH, 2);
  damaged(&f, "2 launch calls without a record of the launched work");
  ck_assert_uint_eq(f.sink.count, 3);
  for (int i = 1; i < 3; i++) {
    const aq_record *row = &f.sink.rows[i];
    ck_assert_int_eq(row->kind, AQ_KIND_CALL);
    ck_assert_int_eq(row->flags, AQ_FLAG_LOST);
    ck_assert_int_eq(row->correlation, i + 1);
    ck_assert_str_eq(aq_names_text(&f.sink.names, row->name),
                     "hipLaunchKernel");
  }
  /* Time 0 is that of the first event read, 140. */
  ck_assert_int_eq(f.sink.rows[1].host_begin, -20 * AQ_US);
  ck_assert_int_eq(f.sink.rows[2].host_begin, 0);
  ck_assert_int_eq(f.sink.rows[2].host_end, 5 * AQ_US);
  ck_assert_str_eq(f.result.examples[0].text, "call: \"hipLaunchKernel\"");
  fixture_free(&f);
}
END_TEST

START_TEST(a_graph_launch_without_a_row_is_lost_too)
{
  fixture f = fixture_text(TRACE(CALL("hipGraphLaunch", 100, 5, 1) "," KERNEL(
      "a", 110, 10, 1) "," CALL("hipGraphLaunch", 200, 5, 2)));
  fixture_repaired(&f, AQ_REPAIR_LOST_LAUNCH, 1);
  fixture_free(&f);
}
END_TEST

/* A launch of a graph each word, a node each letter. */
static fixture graphs(const char *words)
{
  static const char call[] =
      "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipGraphLaunch\","
      "\"pid\":9,\"tid\":0,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d}}";
  static const char node[] =
      ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"%c\",\"pid\":0,\"tid\":0,"
      "\"ts\":%d,\"dur\":5,\"args\":{\"device\":0,\"stream\":0,"
      "\"correlation\":%d}}";
  char text[8192] = "", trace[8300];
  size_t at = 0;
  int id = 0, time = 0;
  for (const char *c = words; *c; c++, time += 20) {
    if (c == words || c[-1] == ' ')
      at += (size_t)snprintf(text + at, sizeof text - at, call, at ? "," : "",
                             time, ++id);
    if (*c != ' ')
      at += (size_t)snprintf(text + at, sizeof text - at, node, *c, time + 10,
                             id);
  }
  snprintf(trace, sizeof trace, TRACE("%s"), text);
  return fixture_text(trace);
}

START_TEST(a_graph_launch_that_lacks_a_node_between_others_is_named)
{
  fixture f = graphs("abcd abcd ac");
  fixture_repaired(&f, AQ_REPAIR_SHORT_GRAPH, 1);
  damaged(&f, "1 launched graph with missing nodes");
  ck_assert_str_eq(f.result.examples[0].text,
                   "graph launch: \"2 of 4 nodes, id 3\"");
  fixture_free(&f);
}
END_TEST

/* A piece of a model, a graph that was launched twice, one with other nodes. */
START_TEST(a_smaller_graph_lacks_nothing)
{
  fixture f = graphs("abcd abcd ab bcd ad ad ax dc");
  fixture_repaired(&f, AQ_REPAIR_SHORT_GRAPH, 0);
  damaged(&f, "");
  fixture_free(&f);
}
END_TEST

/* A host function is no kernel; a capture launches nothing. */
START_TEST(a_call_that_launches_nothing_loses_nothing)
{
  fixture f = fixture_text(TRACE(CALL("hipLaunchHostFunc", 90, 5, 9) "," CALL(
      "hipStreamBeginCapture", 100, 1,
      10) "," LAUNCH(110,
                     1) "," LAUNCH(120,
                                   2) "," CALL("hipStreamEndCapture", 130, 1,
                                               11) "," LAUNCH(140,
                                                              3) "," KERNEL("a",
                                                                            150,
                                                                            10,
                                                                            3)));
  fixture_repaired(&f, AQ_REPAIR_TRUNCATED, 0);
  damaged(&f, "");
  fixture_free(&f);
}
END_TEST

START_TEST(a_capture_that_has_ended_loses_launches_again)
{
  fixture f = fixture_text(
      TRACE(CALL("hipStreamEndCapture", 100, 1, 11) "," LAUNCH(90, 1) "," CALL(
          "hipStreamBeginCapture", 110, 1,
          12) "," CALL("hipStreamEndCapture", 120, 1,
                       13) "," LAUNCH(140, 2) "," LAUNCH(150,
                                                         3) "," KERNEL("a", 160,
                                                                       10, 3)));
  fixture_repaired(&f, AQ_REPAIR_LOST_LAUNCH, 1);
  ck_assert_int_eq(f.sink.rows[1].correlation, 2);
  fixture_free(&f);
}
END_TEST

/* Without --memory-copy-trace no copy has a row. */
START_TEST(a_copy_call_is_lost_only_where_copies_are_recorded)
{
  fixture f = fixture_text(TRACE(CALL("hipMemcpyAsync", 100, 5, 1) "," LAUNCH(
      110, 2) "," KERNEL("a", 120, 10, 2)));
  fixture_repaired(&f, AQ_REPAIR_LOST_COPY, 0);
  fixture_free(&f);
  f = fixture_text(TRACE(CALL("hipMemcpyAsync", 100, 5, 1) "," CALL(
      "hipMemcpyAsync", 110, 5, 2) "," COPY(120, 10, 2)));
  fixture_repaired(&f, AQ_REPAIR_LOST_COPY, 1);
  fixture_free(&f);
}
END_TEST

/* Kernels from before the trace have no call and are first on their queue. */
START_TEST(rows_without_a_call_behind_one_with_a_call_are_damage)
{
  fixture f = fixture_text(
      TRACE(KERNEL("early", 10, 5, 7) "," KERNEL("early", 20, 5, 8) "," LAUNCH(
          30, 1) "," KERNEL("a", 40, 5, 1) "," KERNEL("a", 50, 5,
                                                      2) "," KERNEL("a", 60, 5,
                                                                    3)));
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 4);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNCALLED], 2);
  damaged(&f, "2 rows without the host call that earlier rows of the queue "
              "have (40.0 % of all)");
  fixture_free(&f);
  f = fixture_text(TRACE(
      KERNEL("early", 10, 5, 7) "," LAUNCH(30, 1) "," KERNEL("a", 40, 5, 1)));
  damaged(&f, "");
  fixture_free(&f);
  f = fixture_text(TRACE(KERNEL("a", 40, 5, 1) "," KERNEL("a", 50, 5, 2)));
  damaged(&f, "");
  fixture_free(&f);
}
END_TEST

/* The first row and the third one start before their calls, which have been
 * counted as dropped; only the last one lacks a call. */
START_TEST(a_call_that_was_dropped_for_its_time_is_not_lost)
{
  fixture f = fixture_text(TRACE(
      LAUNCH(15, 1) "," KERNEL("a", 10, 5, 1) "," LAUNCH(20, 2) "," KERNEL(
          "a", 30, 5, 2) "," LAUNCH(45, 3) "," KERNEL("a", 40, 5,
                                                      3) "," KERNEL("a", 50, 5,
                                                                    4)));
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CLOCK_OFFSET], 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNCALLED], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_LOST_LAUNCH], 0);
  fixture_free(&f);
}
END_TEST

/* Of 200 rows, 3 and 2 without a call: 1 % is not told. */
START_TEST(a_few_rows_without_a_call_are_no_damage)
{
  for (int lost = 2; lost <= 3; lost++) {
    static char text[60000];
    size_t at = (size_t)snprintf(text, sizeof text, "{\"traceEvents\":[");
    for (int i = 1; i <= 200; i++) {
      const int ts = 100 * i;
      at += (size_t)snprintf(
          text + at, sizeof text - at,
          "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,"
          "\"tid\":0,\"ts\":%d,\"dur\":5,\"args\":{\"device\":0,\"stream\":0,"
          "\"correlation\":%d}}",
          i > 1 ? "," : "", ts + 10, i);
      if (i <= 200 - lost)
        at += (size_t)snprintf(
            text + at, sizeof text - at,
            ",{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
            "\"hipLaunchKernel\",\"pid\":9,\"tid\":0,\"ts\":%d,\"dur\":5,"
            "\"args\":{\"correlation\":%d}}",
            ts, i);
    }
    snprintf(text + at, sizeof text - at, "]}");
    fixture f = fixture_text(text);
    ck_assert_status(f.status, AQ_OK, &f.diag);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNCALLED], lost > 2 ? 3 : 0);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(kernels_that_all_take_no_time_are_damage)
{
  fixture f =
      fixture_text(TRACE(KERNEL("a", 40, 0, 1) "," KERNEL("a", 50, 0, 2)));
  damaged(&f, "2 kernels with a duration of 0, and none with another");
  fixture_free(&f);
  f = fixture_text(TRACE(KERNEL("a", 40, 0, 1) "," KERNEL("a", 50, 1, 2)));
  damaged(&f, "");
  fixture_free(&f);
}
END_TEST

/* ---- a record from nowhere ---- */

START_TEST(a_record_at_time_0_is_left_out_wherever_it_is)
{
  static const char *const texts[] = {
      TRACE(KERNEL("lost", 0, 10,
                   9) "," KERNEL("a", 1615207264505000, 10,
                                 1) "," KERNEL("b", 1615207264505020, 10, 2)),
      TRACE(KERNEL("a", 1615207264505000, 10, 1) "," KERNEL(
          "lost", 0, 10, 9) "," KERNEL("b", 1615207264505020, 10, 2)),
      /* A clock that began when the machine booted, 18 days ago. */
      TRACE(KERNEL("lost", 0, 10, 9) "," KERNEL(
          "a", 1600000000000, 10, 1) "," KERNEL("b", 1600000000020, 10, 2)),
      TRACE(KERNEL("a", 1600000000000, 10, 1) "," KERNEL(
          "b", 1600000000020, 10, 2) "," KERNEL("lost", 0, 10, 9)),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fixture f = fixture_text(texts[i]);
    ck_assert_status(f.status, AQ_OK, &f.diag);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_STRAY], 1);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 0);
    ck_assert_uint_eq(f.result.dispatches, 2);
    ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "time 0 ns, "));
    ck_assert_int_eq(fixture_row(&f, "b", AQ_KIND_KERNEL)->start -
                         fixture_row(&f, "a", AQ_KIND_KERNEL)->start,
                     20 * AQ_US);
    damaged(&f, "skipped 1 record at a time far from all others");
    fixture_free(&f);
  }
}
END_TEST

START_TEST(a_clock_that_begins_at_0_is_read)
{
  fixture f = fixture_text(TRACE(KERNEL("a", 0, 10, 1) "," KERNEL(
      "b", 20, 10, 2) "," KERNEL("c", 599000000, 10, 3)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_STRAY], 0);
  ck_assert_uint_eq(f.result.dispatches, 3);
  fixture_free(&f);
}
END_TEST

/* ---- records that cannot be ---- */

START_TEST(an_end_that_later_rows_contradict_is_dropped)
{
  fixture f = fixture_text(TRACE(KERNEL("a", 10, 1600000, 1) "," KERNEL(
      "b", 30, 10, 2) "," KERNEL("c", 50, 10, 3) "," KERNEL("d", 70, 10, 4)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CONTRADICTED], 1);
  const aq_record *row = fixture_row(&f, "a", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->start, 0);
  ck_assert_int_eq(row->end, AQ_NONE);
  ck_assert_int_eq(row->flags, AQ_FLAG_CONTRADICTED);
  ck_assert_int_eq(fixture_row(&f, "b", AQ_KIND_KERNEL)->end, 30 * AQ_US);
  damaged(&f, "1 row with an end that later rows of the queue contradict");
  fixture_free(&f);
}
END_TEST

#define SYNC(ts, dur) CALL("hipDeviceSynchronize", ts, dur, 99)

/* The wait returns at 120 us; the last row of the queue says 80 ms, and so
 * does the one before it. */
START_TEST(an_end_that_a_wait_for_the_device_contradicts_is_dropped)
{
  static const char *const texts[] = {
      TRACE(LAUNCH(10, 1) "," LAUNCH(20, 2) "," KERNEL(
          "b", 20, 20, 1) "," KERNEL("a", 60, 80000, 2) "," SYNC(30, 90)),
      TRACE(SYNC(30, 90) "," KERNEL("a", 30, 80000, 1) "," KERNEL(
          "b", 60, 20, 2) "," LAUNCH(10, 1) "," LAUNCH(20, 2)),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fixture f = fixture_text(texts[i]);
    ck_assert_status(f.status, AQ_OK, &f.diag);
    const aq_record *row = fixture_row(&f, "a", AQ_KIND_KERNEL);
    ck_assert_int_eq(row->end, AQ_NONE);
    ck_assert_int_eq(row->flags, AQ_FLAG_CONTRADICTED);
    row = fixture_row(&f, "b", AQ_KIND_KERNEL);
    ck_assert_int_eq(row->end - row->start, 20 * AQ_US);
    damaged(&f, "1 row with an end after a later wait for the device returned");
    fixture_free(&f);
  }
}
END_TEST

#define KERNEL_ON(device, ts, dur, id)                                         \
  EVENT("kernel", "a", device, ts, dur,                                        \
        "\"device\":" #device ",\"stream\":0,\"correlation\":" #id)

/* In turn: clocks that are apart; the same by more, where another row starts
 * after the wait; a launch during the wait; a process with two devices; a wait
 * for a stream. */
START_TEST(an_end_behind_a_wait_that_may_not_be_of_it_is_kept)
{
  static const char *const texts[] = {
      TRACE(LAUNCH(10, 1) "," KERNEL("a", 60, 69, 1) "," SYNC(30, 90)),
      TRACE(LAUNCH(10, 1) "," LAUNCH(15, 2) "," KERNEL(
          "a", 110, 30, 1) "," KERNEL("a", 140, 5, 2) "," SYNC(30, 90)),
      TRACE(LAUNCH(40, 1) "," KERNEL("a", 60, 1000, 1) "," SYNC(30, 90)),
      TRACE(LAUNCH(10, 1) "," LAUNCH(15, 2) "," KERNEL_ON(
          0, 60, 1000, 1) "," KERNEL_ON(1, 60, 5, 2) "," SYNC(30, 90)),
      TRACE(LAUNCH(10, 1) "," KERNEL("a", 60, 1000, 1) "," CALL(
          "hipStreamSynchronize", 30, 90, 9)),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fixture f = fixture_text(texts[i]);
    ck_assert_status(f.status, AQ_OK, &f.diag);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_OUTLASTS_WAIT], 0);
    fixture_free(&f);
  }
}
END_TEST

/* Times of one row equal another's, or its call's: mlcommons/chakra
 * #184. */
START_TEST(rows_of_a_queue_that_overlap_by_much_are_counted)
{
  fixture f = fixture_text(TRACE(KERNEL("a", 10, 100, 1) "," KERNEL(
      "b", 90, 30, 2) "," KERNEL("c", 111, 30, 3) "," KERNEL("d", 130, 30, 3)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  /* b by 20 us; c by 9, and d, of the call of c, by 11. */
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_OVERLAP], 1);
  ck_assert_int_eq(fixture_row(&f, "a", AQ_KIND_KERNEL)->end, 100 * AQ_US);
  damaged(&f,
          "1 row starting over 10 us before the end of an earlier row of the "
          "queue");
  fixture_free(&f);
}
END_TEST

/* Two rows may overlap a little; the nodes of a graph may run side by side. */
START_TEST(rows_that_overlap_are_no_contradiction)
{
  static const char *const texts[] = {
      TRACE(KERNEL("a", 10, 100, 1) "," KERNEL("b", 30, 10, 2) "," KERNEL(
          "c", 50, 10, 3) "," KERNEL("d", 70, 60, 4)),
      TRACE(KERNEL("a", 10, 100, 1) "," KERNEL("b", 30, 10, 1) "," KERNEL(
          "c", 50, 10, 1) "," KERNEL("d", 70, 10, 1)),
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fixture f = fixture_text(texts[i]);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CONTRADICTED], 0);
    fixture_free(&f);
  }
}
END_TEST

#define RANGE(name, ts, dur) EVENT("user_annotation", name, 9, ts, dur, "")

START_TEST(a_record_that_the_file_has_twice_is_one_row)
{
  fixture f = fixture_text(TRACE(
      LAUNCH(100, 1) "," LAUNCH(100, 1) "," KERNEL("a", 110, 10, 1) "," KERNEL(
          "a", 110, 10,
          1) "," CALL("hipDeviceSynchronize", 130, 10,
                      2) "," CALL("hipDeviceSynchronize", 130, 10,
                                  2) "," RANGE("step", 90,
                                               80) "," RANGE("step", 90, 80)));
  fixture_repaired(&f, AQ_REPAIR_REPEATED, 4);
  ck_assert_uint_eq(f.result.dispatches, 1);
  ck_assert_uint_eq(f.result.waits, 1);
  ck_assert_uint_eq(f.result.ranges, 1);
  damaged(&f, "skipped 4 repeated records");
  fixture_free(&f);
}
END_TEST

/* Times in whole us: two short kernels of a graph may look the same. */
START_TEST(equal_rows_without_a_duration_are_two)
{
  fixture f =
      fixture_text(TRACE(KERNEL("a", 110, 0, 1) "," KERNEL("a", 110, 0, 1)));
  ck_assert_uint_eq(f.result.dispatches, 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_REPEATED], 0);
  fixture_free(&f);
}
END_TEST

/* ---- other damage ---- */

START_TEST(a_correlation_of_0_joins_nothing)
{
  fixture f = fixture_text(
      TRACE(CALL("hipMemcpyAsync", 90, 5, 0) "," KERNEL("nccl", 170, 100, 0)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(fixture_row(&f, "nccl", AQ_KIND_KERNEL)->via, AQ_VIA_NONE);
  fixture_free(&f);
}
END_TEST

/* Rows before calls, in a file that is not sorted. */
START_TEST(an_id_used_again_joins_each_row_with_its_own_launch)
{
  fixture f = fixture_text(TRACE(KERNEL("a", 1010, 20, 7) "," KERNEL(
      "b", 5010, 20, 7) "," LAUNCH(1000, 7) "," LAUNCH(5000, 7)));
  fixture_repaired(&f, AQ_REPAIR_DUPLICATE_CORRELATION, 1);
  const aq_record *a = fixture_row(&f, "a", AQ_KIND_KERNEL);
  const aq_record *b = fixture_row(&f, "b", AQ_KIND_KERNEL);
  ck_assert_int_eq(a->start - a->host_begin, 10 * AQ_US);
  ck_assert_int_eq(b->start - b->host_begin, 10 * AQ_US);
  fixture_free(&f);
}
END_TEST

START_TEST(a_launch_of_several_kernels_keeps_them_all)
{
  fixture f = fixture_text(TRACE(KERNEL("a", 1010, 20, 7) "," KERNEL(
      "b", 5010, 20, 7) "," LAUNCH(1000, 7)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.with_host, 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_LOST_LAUNCH], 0);
  fixture_free(&f);
}
END_TEST

START_TEST(a_kernel_in_halves_is_counted)
{
  fixture f = fixture_text(TRACE(
      "{\"ph\":\"B\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"ts\":10},"
      "{\"ph\":\"E\",\"cat\":\"kernel\",\"name\":\"a\",\"pid\":0,\"ts\":30}"
      "," KERNEL("b", 40, 5, 2)));
  ck_assert_uint_eq(f.result.dispatches, 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1);
  ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "phases B and E"));
  fixture_free(&f);
}
END_TEST

START_TEST(a_control_byte_in_a_name_is_kept)
{
  fixture f = fixture_text(TRACE(KERNEL("a\001b\tc", 40, 5, 2)));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_CONTROL_BYTE], 2);
  ck_assert_int_eq(fixture_row(&f, "a\001b\tc", AQ_KIND_KERNEL)->start, 0);
  fixture_free(&f);
}
END_TEST

START_TEST(registers_that_no_gpu_has_are_unknown)
{
  fixture f = fixture_text(
      TRACE(EVENT("kernel", "a", 0, 10, 5,
                  "\"device\":0,\"stream\":0,\"registers per thread\":"
                  "2191500840")));
  ck_assert_int_eq(f.sink.rows[0].vgpr, AQ_NONE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(ranges_have_the_clock_of_the_rows_wherever_the_base_is)
{
  static const char *const texts[] = {
      "{\"baseTimeNanoseconds\":1700000000000000000,\"traceEvents\":[" KERNEL(
          "a", 110, 10, 1) "," RANGE("step", 100, 50) "]}",
      "{\"traceEvents\":[" KERNEL("a", 110, 10, 1) "," RANGE(
          "step", 100, 50) "],"
                           "\"baseTimeNanoseconds\":1700000000000000000}",
  };
  for (size_t i = 0; i < 2; i++) {
    fixture f = fixture_text(texts[i]);
    ck_assert_status(f.status, AQ_OK, &f.diag);
    ck_assert_int_eq(f.result.base_ns, 1700000000000110000);
    ck_assert_int_eq(fixture_row(&f, "step", AQ_KIND_RANGE)->host_begin,
                     -10 * AQ_US);
    ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 0);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(a_base_beyond_all_clocks_is_counted)
{
  fixture f = fixture_text(
      "{\"baseTimeNanoseconds\":9223372036854775807,\"traceEvents\":[" KERNEL(
          "a", 110, 10, 1) "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.result.base_ns, 110000);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  fixture_free(&f);
}
END_TEST

AQ_TEST_MAIN("trace/damage", a_launch_without_a_kernel_is_a_row_of_its_own,
             a_graph_launch_without_a_row_is_lost_too,
             a_graph_launch_that_lacks_a_node_between_others_is_named,
             a_smaller_graph_lacks_nothing,
             a_call_that_launches_nothing_loses_nothing,
             a_capture_that_has_ended_loses_launches_again,
             a_copy_call_is_lost_only_where_copies_are_recorded,
             rows_without_a_call_behind_one_with_a_call_are_damage,
             a_call_that_was_dropped_for_its_time_is_not_lost,
             a_few_rows_without_a_call_are_no_damage,
             kernels_that_all_take_no_time_are_damage,
             a_record_at_time_0_is_left_out_wherever_it_is,
             a_clock_that_begins_at_0_is_read,
             an_end_that_later_rows_contradict_is_dropped,
             an_end_that_a_wait_for_the_device_contradicts_is_dropped,
             an_end_behind_a_wait_that_may_not_be_of_it_is_kept,
             rows_of_a_queue_that_overlap_by_much_are_counted,
             rows_that_overlap_are_no_contradiction,
             a_record_that_the_file_has_twice_is_one_row,
             equal_rows_without_a_duration_are_two,
             a_correlation_of_0_joins_nothing,
             an_id_used_again_joins_each_row_with_its_own_launch,
             a_launch_of_several_kernels_keeps_them_all,
             a_kernel_in_halves_is_counted, a_control_byte_in_a_name_is_kept,
             registers_that_no_gpu_has_are_unknown,
             ranges_have_the_clock_of_the_rows_wherever_the_base_is,
             a_base_beyond_all_clocks_is_counted)
