/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <string.h>

#include "common/memory_sink.h"

START_TEST(a_fresh_record_knows_nothing)
{
  aq_record record;
  aq_record_init(&record);
  const int64_t *values = aq_record_values(&record);
  for (int i = 0; i < AQ_RECORD_FIELD_COUNT; i++)
    ck_assert_int_eq(values[i], AQ_NONE);
}
END_TEST

START_TEST(field_table_and_struct_have_the_same_order)
{
  aq_record record;
  aq_record_init(&record);
  record.end = 7;
  ck_assert_int_eq(aq_record_values(&record)[AQ_RECORD_FIELD_end], 7);
  ck_assert_str_eq(aq_record_fields[AQ_RECORD_FIELD_end].name, "end");
  ck_assert_str_eq(aq_record_fields[AQ_RECORD_FIELD_end].unit, "ps");
}
END_TEST

START_TEST(every_kind_has_a_name_and_others_have_none)
{
  for (int64_t kind = AQ_KIND_KERNEL; kind < AQ_KIND_COUNT; kind++)
    ck_assert_ptr_nonnull(aq_record_kind_name(kind));
  ck_assert_ptr_null(aq_record_kind_name(AQ_NONE));
  ck_assert_ptr_null(aq_record_kind_name(AQ_KIND_COUNT));
  ck_assert_str_eq(aq_record_via_name(AQ_VIA_GRAPH), "graph");
}
END_TEST

START_TEST(memory_sink_keeps_rows_names_devices_and_queues)
{
  aq_memory_sink m;
  aq_diag diag = AQ_DIAG_INIT;
  int64_t device, again, queue, name;
  aq_memory_sink_init(&m);
  aq_record_sink *sink = &m.sink;
  ck_assert_status(
      sink->device(sink, &(aq_run_device){.source_id = 3, .cus = AQ_NONE},
                   &device, &diag),
      AQ_OK, &diag);
  ck_assert_status(sink->device(sink,
                                &(aq_run_device){3, "MI300X", "gfx942", 304},
                                &again, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(device, again);
  ck_assert_str_eq(m.devices[device].name, "MI300X");
  ck_assert_int_eq(m.devices[device].cus, 304);
  ck_assert_status(sink->queue(sink, &(aq_run_queue){device, 9}, &queue, &diag),
                   AQ_OK, &diag);
  /* Ids of queues count by device. */
  int64_t other, there;
  ck_assert_status(
      sink->device(sink, &(aq_run_device){.source_id = 4}, &other, &diag),
      AQ_OK, &diag);
  ck_assert_status(sink->queue(sink, &(aq_run_queue){other, 9}, &there, &diag),
                   AQ_OK, &diag);
  ck_assert_int_ne(there, queue);
  ck_assert_status(sink->queue(sink, &(aq_run_queue){other, 9}, &again, &diag),
                   AQ_OK, &diag);
  ck_assert_int_eq(again, there);
  ck_assert_status(sink->name(sink, "gemm", 4, &name, &diag), AQ_OK, &diag);
  aq_record rows[3];
  for (int i = 0; i < 3; i++) {
    aq_record_init(&rows[i]);
    rows[i].name = name;
    rows[i].start = i;
  }
  for (int i = 0; i < 1000; i++)
    ck_assert_status(sink->put(sink, rows, 3, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(m.count, 3000);
  ck_assert_int_eq(m.rows[2999].start, 2);
  const aq_edge edges[] = {{0, 1, AQ_EDGE_CALL, 90},
                           {1, 2, AQ_EDGE_INFERRED, 50}};
  ck_assert_status(sink->put_edges(sink, edges, 2, &diag), AQ_OK, &diag);
  ck_assert_status(sink->put_edges(sink, edges, 1, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(m.edge_count, 3);
  ck_assert_int_eq(m.edges[1].to, 2);
  ck_assert_str_eq(aq_edge_kind_name(m.edges[1].kind), "inferred");
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(an_end_that_is_taken_back_is_flagged_whatever_the_flags_were)
{
  static const int64_t flags[] = {AQ_NONE, 0, AQ_FLAG_EDGE},
                       places[] = {0, 1, 2};
  aq_memory_sink m;
  aq_diag diag = AQ_DIAG_INIT;
  aq_memory_sink_init(&m);
  for (size_t i = 0; i < 3; i++) {
    aq_record row;
    aq_record_init(&row);
    row.flags = flags[i];
    row.end = 1;
    ck_assert_status(m.sink.put(&m.sink, &row, 1, &diag), AQ_OK, &diag);
  }
  ck_assert_status(m.sink.contradict(&m.sink, places, 3, &diag), AQ_OK, &diag);
  for (size_t i = 0; i < 3; i++)
    ck_assert_int_eq(m.rows[i].end, AQ_NONE);
  ck_assert_int_eq(m.rows[0].flags, AQ_FLAG_CONTRADICTED);
  ck_assert_int_eq(m.rows[1].flags, AQ_FLAG_CONTRADICTED);
  ck_assert_int_eq(m.rows[2].flags, AQ_FLAG_CONTRADICTED | AQ_FLAG_EDGE);
  aq_memory_sink_fini(&m);
}
END_TEST

START_TEST(a_diagnostic_is_one_printable_line_even_when_cut)
{
  aq_diag diag = AQ_DIAG_INIT;
  char longer[2000];
  memset(longer, 'x', sizeof longer);
  longer[sizeof longer - 1] = 0;
  longer[3] = '\n';
  longer[4] = '\x1b';
  ck_assert_int_eq(aq_diag_set(&diag, AQ_ERR_INPUT, "%s", longer),
                   AQ_ERR_INPUT);
  ck_assert_ptr_null(strpbrk(diag.text, "\n\x1b"));
  ck_assert_str_eq(diag.text + strlen(diag.text) - 3, "...");
  aq_diag_set(&diag, AQ_ERR_INPUT, "line 3: expected a number");
  ck_assert_int_eq(aq_diag_prefix(&diag, "%s", "a.json"), AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "a.json: line 3: expected a number");
}
END_TEST

AQ_TEST_MAIN("common/record", a_fresh_record_knows_nothing,
             field_table_and_struct_have_the_same_order,
             every_kind_has_a_name_and_others_have_none,
             memory_sink_keeps_rows_names_devices_and_queues,
             an_end_that_is_taken_back_is_flagged_whatever_the_flags_were,
             a_diagnostic_is_one_printable_line_even_when_cut)
