/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "trace/fixture.h"

/* Times in the fixture count from its first call, at 1000.123 µs. */
#define AT(us_text_ns) ((INT64_C(us_text_ns) - 1000123) * AQ_NS)

#define CALL                                                                   \
  "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"hipLaunchKernel\","       \
  "\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":2,\"args\":{\"correlation\":5}}"
#define KERNEL(ts, dur)                                                        \
  "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":2,\"tid\":0,"       \
  "\"ts\":" ts ",\"dur\":" dur                                                 \
  ",\"args\":{\"device\":2,\"stream\":0,\"correlation\":5}}"

#define EVENT(category, name, ts, dur)                                         \
  "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name                    \
  "\",\"pid\":7,\"tid\":8,\"ts\":" ts ",\"dur\":" dur "}"

START_TEST(a_launch_and_its_kernel_are_one_row)
{
  fixture f = fixture_data("kineto.json");
  const aq_record *row = fixture_row(&f, "add<float>", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(row->host_begin, 0);
  ck_assert_int_eq(row->host_end, 5250 * AQ_NS);
  ck_assert_int_eq(row->start, AT(1010000));
  ck_assert_int_eq(row->end, AT(1014500));
  ck_assert_int_eq(row->grid_x, 3 * 256);
  ck_assert_int_eq(row->grid_y, 2);
  ck_assert_int_eq(row->grid_z, 1);
  ck_assert_int_eq(row->wg_x, 256);
  ck_assert_int_eq(row->lds, 512);
  ck_assert_int_eq(row->correlation, 2);
  ck_assert_int_eq(row->stream, 0);
  ck_assert_int_eq(row->pid, 1);
  ck_assert_int_eq(row->tid, 11);
  ck_assert_int_eq(row->submit, AQ_TIME_NONE);
  ck_assert_int_eq(f.result.base_ns, 1775078550000000000 + 1000123);
  fixture_free(&f);
}
END_TEST

START_TEST(the_grid_of_a_row_has_three_dimensions)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" CALL ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"k\",\"pid\":2,\"tid\":0,\"ts\":15,\"dur\":3,\"args\":{\"device\":2,"
      "\"stream\":0,\"correlation\":5,\"grid\":[2,3,5],"
      "\"block\":[64,4,7]}}]}");
  const aq_record *row = fixture_row(&f, "k", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, 2 * 64);
  ck_assert_int_eq(row->grid_y, 3 * 4);
  ck_assert_int_eq(row->grid_z, 5 * 7);
  ck_assert_int_eq(row->wg_x, 64);
  ck_assert_int_eq(row->wg_y, 4);
  ck_assert_int_eq(row->wg_z, 7);
  fixture_free(&f);
}
END_TEST

START_TEST(the_grid_of_hipExtModuleLaunchKernel_is_in_work_items)
{
  fixture f = fixture_data("kineto.json");
  const aq_record *row = fixture_row(&f, "gemm \"MT64\", v2", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, 1024);
  ck_assert_int_eq(row->grid_y, 4);
  ck_assert_int_eq(row->wg_x, 256);
  ck_assert_int_eq(row->wg_y, 2);
  ck_assert_int_eq(row->host_begin, AT(1006000));
  fixture_free(&f);
}
END_TEST

START_TEST(copies_and_fills_have_kind_bytes_and_queue)
{
  fixture f = fixture_data("kineto.json");
  const aq_record *copy =
      fixture_row(&f, "Memcpy DtoH (Device -> Host)", AQ_KIND_COPY);
  const aq_record *fill = fixture_row(&f, "Memset (Device)", AQ_KIND_FILL);
  ck_assert_int_eq(copy->bytes, 4096);
  ck_assert_int_eq(copy->host_begin, AT(1020000));
  ck_assert_int_eq(fill->host_end, AT(1053000));
  ck_assert_int_ne(copy->queue, fill->queue);
  ck_assert_int_eq(f.sink.queues[fill->queue].source_id, 3);
  ck_assert_uint_eq(f.result.copies, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(every_node_of_a_graph_has_the_launch_and_the_first_is_marked)
{
  fixture f = fixture_data("kineto.json");
  static const char *const nodes[] = {"node_a", "node_b", "node_c"};
  for (int i = 0; i < 3; i++) {
    const aq_record *row = fixture_row(&f, nodes[i], AQ_KIND_KERNEL);
    ck_assert_int_eq(row->via, AQ_VIA_GRAPH);
    ck_assert_int_eq(row->host_begin, AT(1100000));
    ck_assert_int_eq(row->host_end, AT(1109000));
    ck_assert_int_eq(row->flags, i == 0 ? AQ_FLAG_GRAPH_FIRST : 0);
  }
  fixture_free(&f);
}
END_TEST

START_TEST(calls_that_wait_are_rows)
{
  fixture f = fixture_data("kineto.json");
  const aq_record *copy = fixture_row(&f, "hipMemcpyWithStream", AQ_KIND_WAIT);
  const aq_record *sync = fixture_row(&f, "hipDeviceSynchronize", AQ_KIND_WAIT);
  ck_assert_int_eq(copy->host_begin, AT(1020000));
  ck_assert_int_eq(sync->host_end, AT(1170001));
  ck_assert_int_eq(sync->queue, AQ_NONE);
  ck_assert_uint_eq(f.result.waits, 2);
  fixture_free(&f);
}
END_TEST

#define OLD(category, name, pid, tid, ts, dur, args)                           \
  "{\"ph\":\"X\",\"cat\":\"" category "\",\"name\":\"" name "\",\"pid\":" pid  \
  ",\"tid\":" tid ",\"ts\":" ts ",\"dur\":" dur ",\"args\":{" args "}}"

/* The categories of PyTorch 1.8 to 1.11, whose steps are ops. */
START_TEST(profiles_of_old_versions_are_read)
{
  fixture f = fixture_text(
      "{\"schemaVersion\":1,\"traceEvents\":[" OLD("Operator", "ProfilerStep#1", "9", "123", "50", "400", "\"External id\":1") "," OLD(
          "Operator", "aten::mm", "9", "123", "95", "20",
          "\"External id\":2") "," OLD("Runtime", "hipLaunchKernel", "9", "123",
                                       "100", "5",
                                       "\"correlation\":1,\"external "
                                       "id\":2") "," OLD("Kernel", "gemm", "0",
                                                         "\"stream 7\"", "110",
                                                         "20",
                                                         "\"device\":0,"
                                                         "\"stream\":7,"
                                                         "\"correlation\":"
                                                         "1,\"grid\":[2,1,"
                                                         "1],"
                                                         "\"block\":[64,1,"
                                                         "1]") "," OLD("Run"
                                                                       "tim"
                                                                       "e",
                                                                       "hip"
                                                                       "Mem"
                                                                       "cpy"
                                                                       "Asy"
                                                                       "nc",
                                                                       "9",
                                                                       "12"
                                                                       "3",
                                                                       "14"
                                                                       "0",
                                                                       "5",
                                                                       "\"c"
                                                                       "orr"
                                                                       "ela"
                                                                       "tio"
                                                                       "n\""
                                                                       ":2") "," OLD("Memcpy",
                                                                                     "Memcpy HtoD",
                                                                                     "0",
                                                                                     "\"stream 7\"",
                                                                                     "150",
                                                                                     "10",
                                                                                     "\"device\":0,\"correlation\":2,\"bytes\":64") "," OLD("Memset",
                                                                                                                                            "Memset (Device)",
                                                                                                                                            "0",
                                                                                                                                            "\"stream 7\"",
                                                                                                                                            "170",
                                                                                                                                            "5",
                                                                                                                                            "\"device\":0,\"stream\":7,\"correlation\":3") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *k = fixture_row(&f, "gemm", AQ_KIND_KERNEL);
  ck_assert_int_eq(k->host_begin, -10 * AQ_US + k->start);
  ck_assert_int_eq(k->grid_x, 128);
  ck_assert_int_eq(k->stream, 7);
  const aq_record *copy = fixture_row(&f, "Memcpy HtoD", AQ_KIND_COPY);
  ck_assert_int_eq(copy->bytes, 64);
  ck_assert_int_eq(copy->stream, 7); /* of the thread's name */
  fixture_row(&f, "Memset (Device)", AQ_KIND_FILL);
  const aq_record *step = fixture_row(&f, "ProfilerStep#1", AQ_KIND_RANGE);
  ck_assert_int_eq(step->host_end - step->host_begin, 400 * AQ_US);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 0);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_STRING_NUMBER], 0);
  fixture_free(&f);
}
END_TEST

START_TEST(ranges_of_the_program_are_the_last_rows)
{
  fixture f = fixture_text(
      "{\"traceEvents\":["
      "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"open\",\"ts\":95}"
      "," EVENT("user_annotation", "forward", "90", "20") "," EVENT(
          "user_annotation", "step", "90",
          "100") "," EVENT("gpu_user_annotation", "step", "100",
                           "80") "," EVENT("kernel", "k", "110", "20") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.sink.count, 3);
  ck_assert_uint_eq(f.result.ranges, 2);
  ck_assert_int_eq(f.result.base_ns, 110000); /* of the first packet */
  const aq_record *outer = &f.sink.rows[1], *inner = &f.sink.rows[2];
  ck_assert_ptr_eq(fixture_row(&f, "step", AQ_KIND_RANGE), outer);
  ck_assert_ptr_eq(fixture_row(&f, "forward", AQ_KIND_RANGE), inner);
  ck_assert_int_eq(outer->host_begin, -20 * AQ_US);
  ck_assert_int_eq(outer->host_end, 80 * AQ_US);
  ck_assert_int_eq(outer->tid, 8);
  ck_assert_int_eq(outer->queue, AQ_NONE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_SKIPPED_ROW], 1); /* "open" */
  fixture_free(&f);
}
END_TEST

START_TEST(a_kernel_without_a_call_is_kept_and_counted)
{
  fixture f = fixture_data("kineto.json");
  const aq_record *row = fixture_row(&f, "orphan", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->via, AQ_VIA_NONE);
  ck_assert_int_eq(row->host_begin, AQ_TIME_NONE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 1);
  ck_assert_uint_eq(f.result.dispatches, 6);
  ck_assert_uint_eq(f.result.with_host, 7);
  ck_assert_ptr_null(f.result.advice);
  fixture_free(&f);
}
END_TEST

START_TEST(the_device_is_described)
{
  fixture f = fixture_data("kineto.json");
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_int_eq(f.sink.devices[0].source_id, 2);
  ck_assert_str_eq(f.sink.devices[0].name, "AMD Instinct MI300X");
  ck_assert_str_eq(f.sink.devices[0].gfx, "gfx942");
  ck_assert_int_eq(f.sink.devices[0].cus, 304);
  fixture_free(&f);
}
END_TEST

START_TEST(ranks_with_equal_ids_are_kept_apart)
{
  fixture f = fixture_data("kineto_ranks.json");
  ck_assert_uint_eq(f.sink.device_count, 2);
  ck_assert_uint_eq(f.sink.queue_count, 2);
  for (size_t i = 0; i < f.sink.count; i++) {
    const aq_record *row = &f.sink.rows[i];
    ck_assert_int_eq(row->start - row->host_begin, 5 * AQ_US);
    ck_assert_int_eq(row->pid, row->device == 0 ? 501 : 502);
  }
  fixture_repaired(&f, AQ_REPAIR_COUNT, 0);
  fixture_free(&f);
}
END_TEST

static const char cut_between[] =
    "{\"traceEvents\":[" CALL "," KERNEL("15", "3");
static const char cut_inside[] =
    "{\"traceEvents\":[" CALL
    "," KERNEL("15", "3") ",{\"ph\":"
                          "\"X\",\"cat\":\"kernel\",\"name\":\"cut of";

START_TEST(a_truncated_document_is_refused)
{
  const char *const texts[] = {cut_between, cut_inside};
  for (int i = 0; i < 2; i++) {
    char line[200];
    snprintf(line, sizeof line,
             "in: truncated: it ends at byte %zu, inside an array or object",
             strlen(texts[i]));
    fixture_refused(texts[i], line);
  }
}
END_TEST

START_TEST(a_truncated_document_is_read_as_far_as_it_goes_if_that_is_allowed)
{
  const char *const texts[] = {cut_between, cut_inside};
  for (int i = 0; i < 2; i++) {
    fixture f = fixture_cut(texts[i]);
    fixture_repaired(&f, AQ_REPAIR_TRUNCATED, 1);
    ck_assert_uint_eq(f.result.dispatches, 1);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(numbers_out_of_range_stay_unknown_and_are_named)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" CALL ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"k\",\"pid\":2,\"tid\":0,\"ts\":15,\"dur\":3,\"args\":{"
      "\"device\":2,\"stream\":0,\"correlation\":5,\"grid\":[-1,1,1],"
      "\"block\":[-5,1,1]}}]}");
  fixture_repaired(&f, AQ_REPAIR_BAD_NUMBER, 2);
  const aq_record *row = fixture_row(&f, "k", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, AQ_NONE);
  ck_assert_int_eq(row->grid_y, AQ_NONE);
  ck_assert_int_eq(row->wg_x, AQ_NONE);
  ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "byte "));
  ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "grid: \"-1\""));
  fixture_free(&f);
}
END_TEST

START_TEST(formats_that_are_known_but_not_read_are_named)
{
  fixture f = fixture_text(
      "{ \"traceEvents\":[{}\n,{\"ph\":\"X\",\"name\":\"k\",\"ts\":\"1\","
      "\"dur\":\"2\",\"pid\":\"6\",\"tid\":\"0\",\"args\":{\"BeginNs\":"
      "\"1000\",\"EndNs\":\"3000\"}}]}");
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "results.json of rocprof v1"));
  ck_assert_ptr_nonnull(strstr(f.diag.text, "results.csv"));
  fixture_free(&f);
}
END_TEST

START_TEST(a_grid_of_zero_is_unknown)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" CALL ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"k\",\"pid\":2,\"tid\":0,\"ts\":15,\"dur\":3,\"args\":{"
      "\"device\":2,\"stream\":0,\"correlation\":5,\"grid\":[0,0,0],"
      "\"block\":[0,0,0]}}]}");
  const aq_record *row = fixture_row(&f, "k", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->grid_x, AQ_NONE);
  ck_assert_int_eq(row->wg_z, AQ_NONE);
  fixture_free(&f);
}
END_TEST

START_TEST(a_trace_whose_kernels_are_all_unreadable_names_the_first)
{
  fixture f =
      fixture_text("{\"traceEvents\":[" CALL "," KERNEL("15", "NaN") "]}");
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "skipped 1 row, the first"));
  ck_assert_ptr_nonnull(strstr(f.diag.text, "dur is not a number"));
  fixture_free(&f);
}
END_TEST

START_TEST(trailing_commas_are_dropped)
{
  fixture f =
      fixture_text("{\"traceEvents\":[" CALL "," KERNEL("15", "3") ",],}");
  fixture_repaired(&f, AQ_REPAIR_TRAILING_COMMA, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(numbers_in_strings_are_read)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" CALL ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"k\",\"pid\":\"2\",\"tid\":0,\"ts\":\"15.5\",\"dur\":3,\"args\":{"
      "\"device\":2,\"stream\":0,\"correlation\":\"5\"}}]}");
  fixture_repaired(&f, AQ_REPAIR_STRING_NUMBER, 3);
  ck_assert_int_eq(fixture_row(&f, "k", AQ_KIND_KERNEL)->start, 5500 * AQ_NS);
  fixture_free(&f);
}
END_TEST

START_TEST(rows_out_of_order_are_counted)
{
  fixture f = fixture_text("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":"
                           "\"cuda_runtime\",\"name\":\"hipGraphLaunch\","
                           "\"pid\":1,\"tid\":1,\"ts\":10,\"dur\":2,\"args\":"
                           "{\"correlation\":5}}," KERNEL("25", "3") "," KERNEL(
                               "15", "3") "," KERNEL("30", "1") "]}");
  fixture_repaired(&f, AQ_REPAIR_OUT_OF_ORDER, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(rows_that_start_together_are_in_order)
{
  fixture f = fixture_text("{\"traceEvents\":[" CALL
                           "," KERNEL("15", "0") "," KERNEL("15", "3") "]}");
  fixture_repaired(&f, AQ_REPAIR_OUT_OF_ORDER, 0);
  ck_assert_uint_eq(f.result.dispatches, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(without_a_stream_the_thread_is_the_stream)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" CALL ",{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"k\",\"pid\":2,\"tid\":9,\"ts\":15,\"dur\":3,\"args\":{\"device\":2,"
      "\"correlation\":5}}]}");
  const aq_record *row = fixture_row(&f, "k", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->stream, 9);
  ck_assert_int_eq(f.sink.queues[row->queue].source_id, 9);
  fixture_free(&f);
}
END_TEST

START_TEST(a_negative_duration_ends_at_its_start)
{
  fixture f =
      fixture_text("{\"traceEvents\":[" CALL "," KERNEL("15", "-3.5") "]}");
  fixture_repaired(&f, AQ_REPAIR_NEGATIVE_DURATION, 1);
  const aq_record *row = fixture_row(&f, "k", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->end, row->start);
  fixture_free(&f);
}
END_TEST

START_TEST(a_correlation_id_used_twice_is_counted)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":"
      "\"hipLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":2,\"args\":{"
      "\"correlation\":5}}," CALL "," KERNEL("15", "3") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_DUPLICATE_CORRELATION], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_LOST_LAUNCH], 1);
  fixture_free(&f);
}
END_TEST

/* Of no correlation, or of 0: the work of such a launch is unknown. */
START_TEST(a_launch_without_a_correlation_is_counted)
{
  fixture f =
      fixture_text("{\"traceEvents\":[" CALL "," KERNEL("15", "3") "," EVENT(
          "cuda_runtime", "hipLaunchKernel", "20",
          "2") "," EVENT("cuda_runtime", "hipGetDevice", "30",
                         "2") "," OLD("hip_runtime", "hipMemcpyAsync", "1", "1",
                                      "40", "2", "\"correlation\":-0.0") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_UNTIED_CALL], 2);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_LOST_LAUNCH], 0);
  fixture_free(&f);
}
END_TEST

START_TEST(a_time_that_is_not_a_number_leaves_the_row_out)
{
  fixture f = fixture_text("{\"traceEvents\":[" CALL "," KERNEL(
      "NaN", "3") "," KERNEL("15", "3") "," KERNEL("20", "NaN") "]}");
  fixture_repaired(&f, AQ_REPAIR_SKIPPED_ROW, 2);
  ck_assert_uint_eq(f.result.dispatches, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(names_that_are_no_utf8_are_repaired)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"\xff\xfe \\u00e9\",\"pid\":2,\"tid\":0,\"ts\":15,\"dur\":3,\"args\":{}"
      "}]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_str_eq(aq_names_text(&f.sink.names, f.sink.rows[0].name),
                   "\xef\xbf\xbd\xef\xbf\xbd \xc3\xa9");
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NAME], 1);
  fixture_free(&f);
}
END_TEST

START_TEST(a_kernel_only_trace_says_how_to_record_host_calls)
{
  fixture f = fixture_text("{\"traceEvents\":[" KERNEL("15", "3") "]}");
  fixture_repaired(&f, AQ_REPAIR_NO_HOST_CALL, 1);
  ck_assert_ptr_nonnull(strstr(f.result.advice, "ProfilerActivity.CPU"));
  fixture_free(&f);
}
END_TEST

/* Imports an op in front of a kernel; its repair is named so, at its byte. */
static void check_op(const char *op, aq_trace_repair repair, const char *named)
{
  static const char before[] = "{\"traceEvents\":[" CALL ", ";
  char text[1024], expected[128];
  snprintf(text, sizeof text, "%s%s," KERNEL("15", "3") "]}", before, op);
  fixture f = fixture_text(text);
  fixture_repaired(&f, repair, 1);
  snprintf(expected, sizeof expected, "byte %zu: %s", sizeof before - 1, named);
  ck_assert_uint_eq(f.result.example_count, 1);
  ck_assert_str_eq(f.result.examples[0].text, expected);
  fixture_free(&f);
}

START_TEST(an_op_that_is_left_out_is_named_with_its_place)
{
  check_op("{\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":1,\"dur\":1}",
           AQ_REPAIR_SKIPPED_OP, "op or frame without ph: \"aten::mm\"");
  check_op("{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"ts\":1}",
           AQ_REPAIR_SKIPPED_OP,
           "op or frame in halves (phases B and E): \"aten::mm\"");
  check_op("{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f\",\"ts\":1}",
           AQ_REPAIR_SKIPPED_OP, "op or frame without ts or dur: \"f\"");
  check_op("{\"ph\":\"X\",\"cat\":\"cpu_op\",\"ts\":1,\"dur\":1}",
           AQ_REPAIR_SKIPPED_OP, "op or frame without a name");
  check_op(
      "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"f\",\"ts\":1,\"dur\":-1}",
      AQ_REPAIR_SKIPPED_OP, "ts or dur out of range: \"f\"");
}
END_TEST

START_TEST(arguments_of_an_op_that_are_too_long_are_named_with_their_place)
{
  static const char before[] = "{\"traceEvents\":[" CALL ",";
  char text[8192], value[5001] = "";
  memset(value, 'x', 5000);
  snprintf(
      text, sizeof text,
      "%s{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::cat\",\"pid\":1,"
      "\"tid\":1,\"ts\":1,\"dur\":1,\"args\":{\"Concrete "
      "Inputs\":[\"%s\"]}}," KERNEL("15", "3") "]}",
      before, value);
  fixture f = fixture_text(text);
  fixture_repaired(&f, AQ_REPAIR_LONG_ARGUMENTS, 1);
  snprintf(text, sizeof text, "byte %zu: op: \"aten::cat\"", sizeof before - 1);
  ck_assert_str_eq(f.result.examples[0].text, text);
  fixture_free(&f);
}
END_TEST

START_TEST(a_row_or_range_without_a_phase_is_counted)
{
  fixture f = fixture_text("{\"traceEvents\":[" CALL "," KERNEL(
      "15", "3") ",{\"cat\":\"kernel\","
                 "\"name\":\"k\",\"ts\":20,\"dur\":1},{\"ph\":\"B\",\"cat\":"
                 "\"user_annotation\",\"name\":\"r\",\"ts\":20}]}");
  fixture_repaired(&f, AQ_REPAIR_SKIPPED_ROW, 2);
  fixture_free(&f);
}
END_TEST

START_TEST(epoch_times_do_not_overflow)
{
  fixture f = fixture_text(
      "{\"traceEvents\":[" KERNEL("1775078550123456.789", "3") "," KERNEL(
          "1775078550123459.789", "3") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.sink.rows[1].start - f.sink.rows[0].start, 3 * AQ_US);
  ck_assert_int_eq(f.result.base_ns, 1775078550123456789);
  fixture_free(&f);
}
END_TEST

START_TEST(bad_traces_are_refused_with_their_place)
{
  fixture_refused("{\"deviceProperties\":[],\"x\":1}",
                  "in: no \"traceEvents\" array");
  fixture_refused("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\","
                  "\"name\":\"k\",\"dur\":1}]}",
                  "in: byte 60: an event of a kernel, copy or call has no "
                  "\"ts\"");
  fixture_refused("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\","
                  "\"name\":\"k\",\"ts\":1}]}",
                  "in: byte 59: an event of a kernel, copy or call has no "
                  "\"dur\"");
  fixture_refused("{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\","
                  "\"ts\":1,\"dur\":1}]}",
                  "in: byte 56: an event of a kernel, copy or call has no "
                  "\"name\"");
  fixture_refused("{\"traceEvents\":[]}",
                  "in: no kernel, copy or fill in this kineto trace");
  fixture_refused("{\"traceEvents\":[}",
                  "in: byte 17: not JSON: parse error: unallowed token at "
                  "this point in JSON text");
  fixture_refused("{\"traceEvents\":[]} {}",
                  "in: byte 19: not JSON: text after the end of the document");
}
END_TEST

AQ_TEST_MAIN(
    "trace/kineto", a_launch_and_its_kernel_are_one_row,
    the_grid_of_a_row_has_three_dimensions,
    the_grid_of_hipExtModuleLaunchKernel_is_in_work_items,
    copies_and_fills_have_kind_bytes_and_queue,
    every_node_of_a_graph_has_the_launch_and_the_first_is_marked,
    calls_that_wait_are_rows, a_kernel_without_a_call_is_kept_and_counted,
    the_device_is_described, ranks_with_equal_ids_are_kept_apart,
    a_truncated_document_is_refused,
    a_truncated_document_is_read_as_far_as_it_goes_if_that_is_allowed,
    numbers_out_of_range_stay_unknown_and_are_named, a_grid_of_zero_is_unknown,
    formats_that_are_known_but_not_read_are_named,
    a_trace_whose_kernels_are_all_unreadable_names_the_first,
    trailing_commas_are_dropped, numbers_in_strings_are_read,
    rows_out_of_order_are_counted, rows_that_start_together_are_in_order,
    without_a_stream_the_thread_is_the_stream,
    a_negative_duration_ends_at_its_start,
    a_correlation_id_used_twice_is_counted,
    a_launch_without_a_correlation_is_counted,
    a_time_that_is_not_a_number_leaves_the_row_out,
    names_that_are_no_utf8_are_repaired,
    a_kernel_only_trace_says_how_to_record_host_calls,
    an_op_that_is_left_out_is_named_with_its_place,
    arguments_of_an_op_that_are_too_long_are_named_with_their_place,
    a_row_or_range_without_a_phase_is_counted, epoch_times_do_not_overflow,
    ranges_of_the_program_are_the_last_rows, profiles_of_old_versions_are_read,
    bad_traces_are_refused_with_their_place)
