/* SPDX-License-Identifier: MIT */
#include "trace/text/csv_reader.h"

#include <string.h>

#include "common/memory_sink.h"
#include "support/aqtest.h"

enum { ID_NAME, ID_COUNT, ID_START };

static const aq_csv_column columns[] = {
    {ID_NAME, "Kernel_Name", true},
    {ID_COUNT, "Count", false},
    {ID_START, "Start_Timestamp", false},
    {0, NULL, false},
};

typedef struct table {
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag;
  aq_import import;
  aq_stream_reader *reader;
  aq_csv csv;
} table;

static aq_status table_open(table *t, const char *text)
{
  memset(t, 0, sizeof *t);
  aq_memory_sink_init(&t->sink);
  aq_import_init(&t->import, &t->sink.sink, NULL, &t->result, &t->diag);
  ck_assert_int_eq(aq_stream_reader_open_bytes("in", text, strlen(text),
                                               &t->reader, &t->diag),
                   AQ_OK);
  return aq_csv_init(&t->csv, &t->import, t->reader, columns);
}

static void table_close(table *t)
{
  aq_csv_fini(&t->csv);
  aq_stream_reader_close(t->reader);
  aq_import_fini(&t->import);
  aq_memory_sink_fini(&t->sink);
}

static void check_row(table *t, const char *name, int64_t count)
{
  bool got;
  ck_assert_status(aq_csv_next(&t->csv, &got), AQ_OK, &t->diag);
  ck_assert(got);
  size_t length;
  const char *text = aq_csv_text(&t->csv, ID_NAME, &length);
  ck_assert_uint_eq(length, strlen(name));
  ck_assert_mem_eq(text, name, length);
  ck_assert_int_eq(aq_csv_int(&t->csv, ID_COUNT), count);
}

static void check_end(table *t)
{
  bool got = true;
  ck_assert_status(aq_csv_next(&t->csv, &got), AQ_OK, &t->diag);
  ck_assert(!got);
}

START_TEST(quoted_fields_hold_commas_quotes_and_line_ends)
{
  table t;
  ck_assert_status(table_open(&t, "Count,Kernel_Name\n"
                                  "1,\"f<1, 2>(a, b)\"\n"
                                  "2,\"say \"\"hi\"\"\"\n"
                                  "3,\"two\nlines\"\n"
                                  "4,\"\"\n"),
                   AQ_OK, &t.diag);
  check_row(&t, "f<1, 2>(a, b)", 1);
  check_row(&t, "say \"hi\"", 2);
  check_row(&t, "two\nlines", 3);
  check_row(&t, "", 4);
  check_end(&t);
  table_close(&t);
}
END_TEST

START_TEST(lines_end_with_crlf)
{
  table t;
  ck_assert_status(
      table_open(&t, "Kernel_Name,Count\r\na,1\r\n\r\n\"b\",2\r\nc,3\n"), AQ_OK,
      &t.diag);
  check_row(&t, "a", 1);
  check_row(&t, "b", 2);
  check_row(&t, "c", 3);
  check_end(&t);
  table_close(&t);
}
END_TEST

START_TEST(a_return_before_an_empty_last_field_is_not_its_own)
{
  table t;
  ck_assert_status(
      table_open(&t, "Count,Note,Kernel_Name\r\n1,\"x\r\",\r\n2,\"y\r\",\n"),
      AQ_OK, &t.diag);
  check_row(&t, "", 1);
  check_row(&t, "", 2);
  check_end(&t);
  table_close(&t);
}
END_TEST

START_TEST(columns_in_another_case_are_found_and_counted)
{
  table t;
  ck_assert_status(table_open(&t, "kernel name,COUNT\na,1\n"), AQ_OK, &t.diag);
  ck_assert_uint_eq(t.result.repairs[AQ_REPAIR_UNKNOWN_COLUMN_CASE], 2);
  check_row(&t, "a", 1);
  table_close(&t);
}
END_TEST

START_TEST(a_missing_mandatory_column_is_named)
{
  table t;
  ck_assert_int_eq(table_open(&t, "Count\n1\n"), AQ_ERR_INPUT);
  ck_assert_str_eq(t.diag.text, "in: line 1: no column \"Kernel_Name\"");
  aq_stream_reader_close(t.reader);
  aq_import_fini(&t.import);
  aq_memory_sink_fini(&t.sink);
}
END_TEST

START_TEST(rows_of_another_length_are_left_out)
{
  table t;
  ck_assert_status(table_open(&t, "Kernel_Name,Count\na\nb,2\nc,3,4\nd,\n"),
                   AQ_OK, &t.diag);
  check_row(&t, "b", 2);
  check_row(&t, "d", AQ_NONE);
  check_end(&t);
  ck_assert_uint_eq(t.result.repairs[AQ_REPAIR_SKIPPED_ROW], 2);
  ck_assert_uint_eq(t.result.repairs[AQ_REPAIR_BAD_NUMBER], 1);
  ck_assert_str_eq(t.result.examples[0].text,
                   "line 2: not the header's number of fields");
  table_close(&t);
}
END_TEST

START_TEST(a_last_row_without_its_end_may_have_been_cut)
{
  table t;
  bool got;
  ck_assert_status(table_open(&t, "Kernel_Name,Count\na,12\nb,1"), AQ_OK,
                   &t.diag);
  check_row(&t, "a", 12);
  ck_assert_int_eq(aq_csv_next(&t.csv, &got), AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(
      strstr(t.diag.text, "in: line 3: the last row has no end of line"));
  table_close(&t);
}
END_TEST

START_TEST(an_open_quote_is_refused_at_its_line)
{
  table t;
  bool got;
  ck_assert_status(table_open(&t, "Kernel_Name,Count\n\"a\nb\",1\n\"c,2\n"),
                   AQ_OK, &t.diag);
  check_row(&t, "a\nb", 1);
  ck_assert_int_eq(aq_csv_next(&t.csv, &got), AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(
      strstr(t.diag.text, "in: line 4: the last row has no end of line"));
  table_close(&t);
}
END_TEST

START_TEST(times_in_ns_may_have_decimals)
{
  table t;
  bool got;
  aq_tick tick;
  ck_assert_status(table_open(&t, "Kernel_Name,Start_Timestamp\n"
                                  "a,1550151853029637.5\nb,\n"),
                   AQ_OK, &t.diag);
  ck_assert_status(aq_csv_next(&t.csv, &got), AQ_OK, &t.diag);
  ck_assert(aq_csv_tick(&t.csv, ID_START, &tick));
  ck_assert_int_eq(tick.ns, 1550151853029637);
  ck_assert_int_eq(tick.ps, 500);
  ck_assert_status(aq_csv_next(&t.csv, &got), AQ_OK, &t.diag);
  ck_assert(!aq_csv_tick(&t.csv, ID_START, &tick));
  ck_assert(!aq_csv_has(&t.csv, ID_COUNT));
  table_close(&t);
}
END_TEST

AQ_TEST_MAIN("trace/csv", quoted_fields_hold_commas_quotes_and_line_ends,
             lines_end_with_crlf,
             a_return_before_an_empty_last_field_is_not_its_own,
             a_last_row_without_its_end_may_have_been_cut,
             columns_in_another_case_are_found_and_counted,
             a_missing_mandatory_column_is_named,
             rows_of_another_length_are_left_out,
             an_open_quote_is_refused_at_its_line,
             times_in_ns_may_have_decimals)
