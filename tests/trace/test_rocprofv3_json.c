/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "trace/fixture.h"

/* The fixture's clock counts from its first kernel. */
#define AT(ns) ((INT64_C(ns) - 63857982592000) * AQ_NS)

#define TOOL(records)                                                          \
  "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{" records "}}]}"

START_TEST(a_kernel_has_its_symbol_shape_and_call)
{
  fixture f = fixture_data("rocprofv3.json");
  const aq_record *row = fixture_row(&f, "add(float*)", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->start, 0);
  ck_assert_int_eq(row->end, 2840 * AQ_NS);
  ck_assert_int_eq(row->host_begin, AT(63857982580000));
  ck_assert_int_eq(row->host_end, AT(63857982585000));
  ck_assert_int_eq(row->via, AQ_VIA_DIRECT);
  ck_assert_int_eq(row->grid_x, 1024);
  ck_assert_int_eq(row->grid_y, 4);
  ck_assert_int_eq(row->wg_x, 512);
  ck_assert_int_eq(row->wg_y, 2);
  ck_assert_int_eq(row->lds, 2048);
  ck_assert_int_eq(row->scratch, 64);
  ck_assert_int_eq(row->vgpr, 24);
  ck_assert_int_eq(row->agpr, 8);
  ck_assert_int_eq(row->sgpr, 32);
  ck_assert_int_eq(row->pid, 908);
  ck_assert_int_eq(row->tid, 909);
  ck_assert_int_eq(row->stream, 3);
  ck_assert_int_eq(f.sink.queues[row->queue].source_id, 16);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_NO_HOST_CALL], 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  ck_assert_ptr_nonnull(strstr(f.result.examples[0].text, "\"kernel 77\""));
  fixture_free(&f);
}
END_TEST

START_TEST(a_kernel_without_a_symbol_is_named_by_its_id)
{
  fixture f = fixture_data("rocprofv3.json");
  ck_assert_int_eq(fixture_row(&f, "kernel 77", AQ_KIND_KERNEL)->via,
                   AQ_VIA_NONE);
  fixture_free(&f);
}
END_TEST

START_TEST(a_copy_belongs_to_its_gpu)
{
  fixture f = fixture_data("rocprofv3.json");
  const aq_record *row =
      fixture_row(&f, "MEMORY_COPY_DEVICE_TO_HOST", AQ_KIND_COPY);
  ck_assert_int_eq(row->bytes, 65536);
  ck_assert_int_eq(row->host_end, AT(63857982588000));
  ck_assert_int_eq(f.sink.devices[row->device].source_id, 37946);
  ck_assert_int_eq(f.sink.queues[row->queue].source_id, -4);
  fixture_free(&f);
}
END_TEST

START_TEST(agents_and_waits_are_described)
{
  fixture f = fixture_data("rocprofv3.json");
  ck_assert_uint_eq(f.sink.device_count, 1);
  ck_assert_str_eq(f.sink.devices[0].name, "AMD Instinct MI350X");
  ck_assert_str_eq(f.sink.devices[0].gfx, "gfx950");
  ck_assert_int_eq(f.sink.devices[0].cus, 256);
  ck_assert_int_eq(
      fixture_row(&f, "hipDeviceSynchronize", AQ_KIND_WAIT)->host_end,
      AT(63857982700000));
  fixture_free(&f);
}
END_TEST

START_TEST(a_truncated_document_is_read_if_that_is_allowed)
{
  fixture f = fixture_cut(
      "{\"rocprofiler-sdk-tool\":[{\"buffer_records\":{\"kernel_dispatch\":["
      "{\"start_timestamp\":5,\"end_timestamp\":9,\"dispatch_info\":{"
      "\"kernel_id\":1}},{\"start_timestamp\":5");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_TRUNCATED], 1);
  ck_assert_uint_eq(f.result.dispatches, 1);
  fixture_free(&f);
}
END_TEST

#define PROCESS(pid, id, symbol, start, end)                                   \
  "{\"metadata\":{\"pid\":" pid "},\"kernel_symbols\":[{\"kernel_id\":" id     \
  ",\"formatted_kernel_name\":\"" symbol "\"}],\"buffer_records\":{"           \
  "\"kernel_dispatch\":[{\"start_timestamp\":" start ",\"end_timestamp\":" end \
  ",\"dispatch_info\":{\"kernel_id\":" id "}}]}}"

/* The ids of kernels are each process's own. */
START_TEST(a_document_of_two_processes_has_the_symbols_of_each)
{
  fixture f = fixture_text("{\"rocprofiler-sdk-tool\":[" PROCESS(
      "10", "1", "first", "100", "200") "," PROCESS("20", "1", "second", "300",
                                                    "400") "]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.dispatches, 2);
  ck_assert_int_eq(fixture_row(&f, "first", AQ_KIND_KERNEL)->pid, 10);
  ck_assert_int_eq(fixture_row(&f, "second", AQ_KIND_KERNEL)->pid, 20);
  fixture_free(&f);
}
END_TEST

#define MARKER(correlation, operation)                                         \
  "{\"kind\":0,\"operation\":" operation                                       \
  ",\"thread_id\":5,\"correlation_id\":{\"internal\":" correlation             \
  "},\"start_timestamp\":900,\"end_timestamp\":2100}"
#define MARKED                                                                 \
  "\"buffer_records\":{\"kernel_dispatch\":[{\"start_timestamp\":1000,"        \
  "\"end_timestamp\":2000,\"dispatch_info\":{\"kernel_id\":1}}],"              \
  "\"marker_api\":["

/* As rocprofv3 writes them: a range has the message of its correlation. */
START_TEST(markers_are_ranges_with_their_messages)
{
  fixture f = fixture_text(
      "{\"rocprofiler-sdk-tool\":[{\"metadata\":{\"pid\":5},\"strings\":{"
      "\"buffer_records\":[{\"kind\":\"MARKER_CORE_API\",\"operations\":["
      "\"roctxMarkA\",\"roctxThreadRangeA\",\"roctxGetThreadId\"]}],"
      "\"marker_api\":[{\"key\":3,\"value\":\"step 1\"},"
      "{\"key\":4,\"value\":\"here\"}]}," MARKED MARKER("3", "1") "," MARKER(
          "4", "0") "," MARKER("9", "2") "]}}]}");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.ranges, 2); /* the call is none */
  const aq_record *range = fixture_row(&f, "step 1", AQ_KIND_RANGE);
  ck_assert_int_eq(range->host_begin, -100 * AQ_NS);
  ck_assert_int_eq(range->host_end, 1100 * AQ_NS);
  ck_assert_int_eq(range->pid, 5);
  ck_assert_int_eq(range->tid, 5);
  fixture_row(&f, "here", AQ_KIND_RANGE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 0);
  fixture_free(&f);
  /* Messages behind the records that have them. */
  f = fixture_text("{\"rocprofiler-sdk-tool\":[{" MARKED MARKER(
      "3", "1") "]},\"strings\":{\"marker_api\":[{\"key\":3,\"value\":"
                "\"late\"}]}}]}");
  fixture_row(&f, "late", AQ_KIND_RANGE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 0);
  fixture_free(&f);
  /* A range whose message is lost. */
  f = fixture_text(
      "{\"rocprofiler-sdk-tool\":[{\"strings\":{\"buffer_records\":[{"
      "\"operations\":[\"roctxMarkA\",\"roctxThreadRangeA\"]}],"
      "\"marker_api\":[]}," MARKED MARKER("3", "1") "]}}]}");
  fixture_row(&f, "marker 3", AQ_KIND_RANGE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  fixture_free(&f);
  f = fixture_text(
      "{\"rocprofiler-sdk-tool\":[{" MARKED MARKER("3", "1") "]}}]}");
  fixture_row(&f, "marker 3", AQ_KIND_RANGE);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  bool named = false;
  for (size_t i = 0; i < f.result.example_count; i++)
    named |= strstr(f.result.examples[i].text,
                    "correlation_id without a message") != NULL;
  ck_assert(named);
  fixture_free(&f);
}
END_TEST

#define COUNTED(id, start, end, values)                                        \
  "{\"thread_id\":5,\"dispatch_data\":{\"correlation_id\":{\"internal\":" id   \
  "},\"start_timestamp\":" start ",\"end_timestamp\":" end                     \
  ",\"dispatch_info\":{\"agent_id\":{\"handle\":10},\"queue_id\":{\"handle\":" \
  "1},\"kernel_id\":1,\"dispatch_id\":" id                                     \
  ",\"workgroup_size\":{\"x\":64,\"y\":1,\"z\":1},\"grid_size\":{\"x\":1024,"  \
  "\"y\":2,\"z\":1}}},\"records\":[" values "]}"
#define VALUE "{\"counter_id\":{\"handle\":1},\"value\":3.0}"
#define COUNTERS(dispatches, kernels)                                          \
  "{\"rocprofiler-sdk-tool\":[{\"kernel_symbols\":[{\"kernel_id\":1,"          \
  "\"formatted_kernel_name\":\"k(int)\"}],\"callback_records\":{"              \
  "\"counter_collection\":[" dispatches                                        \
  "]},\"buffer_records\":{\"kernel_dispatch\":[" kernels "]}}]}"

/* rocprofv3 --pmc traces no kernels; with --kernel-trace both are there. */
START_TEST(a_dispatch_with_counters_alone_is_a_row)
{
  fixture f = fixture_text(COUNTERS(
      COUNTED("1", "1000", "2000", VALUE "," VALUE "," VALUE) "," COUNTED(
          "2", "3000", "3500", VALUE),
      "{\"start_timestamp\":3000,\"end_timestamp\":3500,"
      "\"dispatch_info\":{\"kernel_id\":1,\"dispatch_id\":2}}"));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_COUNTER_ROW], 3);
  ck_assert_uint_eq(f.result.dispatches, 2);
  fixture_free(&f);
  f = fixture_text(COUNTERS(COUNTED("1", "1000", "2000", VALUE "," VALUE), ""));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  const aq_record *row = fixture_row(&f, "k(int)", AQ_KIND_KERNEL);
  ck_assert_int_eq(row->end - row->start, 1000 * AQ_NS);
  ck_assert_int_eq(row->grid_x, 1024);
  ck_assert_int_eq(row->grid_y, 2);
  ck_assert_int_eq(row->wg_x, 64);
  ck_assert_int_eq(row->tid, 5);
  ck_assert_int_eq(row->correlation, 1);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_COUNTER_ROW], 1);
  fixture_free(&f);
  /* A file that is cut behind them still has them. */
  f = fixture_cut(
      "{\"rocprofiler-sdk-tool\":[{\"callback_records\":{"
      "\"counter_collection\":[" COUNTED("1", "1000", "2000", VALUE) "]},\"b");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.dispatches, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(records_without_a_mandatory_field_are_refused)
{
  fixture_refused(TOOL("\"kernel_dispatch\":[{\"end_timestamp\":9}]"),
                  "in: byte 82: a record has no \"start_timestamp\"");
  fixture_refused(TOOL("\"kernel_dispatch\":[{\"start_timestamp\":9}]"),
                  "in: byte 84: a record has no \"end_timestamp\"");
  fixture_refused(TOOL("\"kernel_dispatch\":[{\"start_timestamp\":1,"
                       "\"end_timestamp\":9}]"),
                  "in: byte 102: a record has no \"kernel_id\"");
  fixture_refused(TOOL(""), "in: no kernel, copy or fill in this "
                            "rocprofv3-json trace");
}
END_TEST

AQ_TEST_MAIN("trace/rocprofv3_json", a_kernel_has_its_symbol_shape_and_call,
             a_kernel_without_a_symbol_is_named_by_its_id,
             a_copy_belongs_to_its_gpu, agents_and_waits_are_described,
             a_truncated_document_is_read_if_that_is_allowed,
             a_document_of_two_processes_has_the_symbols_of_each,
             markers_are_ranges_with_their_messages,
             a_dispatch_with_counters_alone_is_a_row,
             records_without_a_mandatory_field_are_refused)
