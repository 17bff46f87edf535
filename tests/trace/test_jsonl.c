/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "trace/fixture.h"

static char *exported(const fixture *f)
{
  return fixture_export(f, "jsonl");
}

START_TEST(a_row_is_an_object_of_its_known_fields)
{
  fixture f = fixture_data("rocprof_v1.csv");
  char *text = exported(&f);
  char *row = strchr(text, '\n') + 1;
  row[strcspn(row, "\n")] = '\0';
  ck_assert_str_eq(
      row, "{\"row\":0,\"kind\":\"kernel\",\"via\":\"direct\",\"flags\":0,"
           "\"name\":\"void scale<double>(double*, int) [clone .kd]\","
           "\"correlation\":0,\"device\":{\"ordinal\":0,\"id\":8},"
           "\"queue\":{\"ordinal\":0,\"id\":0},\"pid\":700,\"tid\":701,"
           "\"packet\":0,\"grid_x\":134217728,\"grid_y\":1,\"grid_z\":1,"
           "\"wg_x\":256,\"wg_y\":1,\"wg_z\":1,\"lds\":1024,\"scratch\":16,"
           "\"vgpr\":24,\"agpr\":4,\"sgpr\":32,\"submit\":0,\"start\":25588000,"
           "\"end\":1156471000,\"complete\":1180871000}");
  free(text);
  fixture_free(&f);
}
END_TEST

/* U+FFFD stands for each byte that is no text, in the store and in files. */
START_TEST(names_that_are_no_utf8_are_replaced_and_counted)
{
  static const char trace[] =
      "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":"
      "\"a\\u0000b\",\"ts\":1,\"dur\":1,\"args\":{\"device\":0,"
      "\"stream\":0}},{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"x\xff\xc3y\","
      "\"ts\":3,\"dur\":1,\"args\":{\"device\":0,\"stream\":0}}]}";
  fixture f = fixture_text(trace);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.repairs[AQ_REPAIR_BAD_NAME], 2);
  fixture_row(&f,
              "a\xef\xbf\xbd"
              "b",
              AQ_KIND_KERNEL);
  fixture_row(&f, "x\xef\xbf\xbd\xef\xbf\xbdy", AQ_KIND_KERNEL);
  fixture_free(&f);
}
END_TEST

START_TEST(a_nul_in_a_line_is_refused)
{
  static const char raw[] = "{\"kind\":\"kernel\"}\0{\"kind\":\"copy\"}\n";
  fixture f = fixture_bytes(raw, sizeof raw - 1);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  fixture_free(&f);
  fixture_refused("{\"kind\":\"kernel\",\"name\":\"a\\u0000b\"}\n",
                  "in: line 1: a NUL character, expected text without");
  f = fixture_text("{\"kind\":\"kernel\",\"name\":\"a\\\\u0000b\","
                   "\"device\":{\"id\":0},\"queue\":{\"id\":0},"
                   "\"start\":1,\"end\":2}\n");
  ck_assert_status(f.status, AQ_OK, &f.diag); /* an escaped backslash */
  fixture_free(&f);
}
END_TEST

/* Names that a recorder stored as they were, in a run or in a store of old. */
START_TEST(what_is_written_is_utf8_whatever_is_stored)
{
  static const char *const formats[] = {"jsonl", "csv", "chrome"};
  fixture f = fixture_data("rocprof_v1.csv");
  int64_t id;
  ck_assert_int_eq(
      f.sink.sink.name(&f.sink.sink, "bad\xff\xc3name", 9, &id, &f.diag),
      AQ_OK);
  for (size_t i = 0; i < f.sink.count; i++)
    f.sink.rows[i].name = id;
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    char *text = fixture_export(&f, formats[i]);
    ck_assert(aq_text_is_utf8(text, strlen(text)));
    ck_assert_ptr_nonnull(strstr(text, "bad\xef\xbf\xbd\xef\xbf\xbdname"));
    free(text);
  }
  fixture_free(&f);
}
END_TEST

START_TEST(devices_carry_what_is_known_of_them)
{
  fixture f = fixture_data("kineto.json");
  char *text = exported(&f);
  ck_assert_ptr_nonnull(
      strstr(text, "\"device\":{\"ordinal\":0,\"id\":2,\"name\":\"AMD Instinct "
                   "MI300X\",\"gfx\":\"gfx942\",\"cus\":304}"));
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(the_first_line_tells_the_run_and_where_it_ran)
{
  fixture f = fixture_data("rocprof_v1.csv");
  char *text = exported(&f), expected[256];
  text[strcspn(text, "\n")] = '\0';
  snprintf(expected, sizeof expected,
           "{\"kind\":\"run\",\"run\":\"measured\",\"base_ns\":%lld,"
           "\"devices\":[{\"ordinal\":0,\"id\":8}],\"queues\":"
           "[{\"ordinal\":0,\"id\":0,\"device\":0}",
           (long long)f.result.base_ns);
  ck_assert_int_eq(strncmp(text, expected, strlen(expected)), 0);
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(there_is_a_line_for_every_row)
{
  fixture f = fixture_data("kineto.json");
  char *text = exported(&f);
  size_t lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')); at++)
    lines++;
  ck_assert_uint_eq(lines, 1 + f.sink.count + f.sink.edge_count);
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(two_exports_are_the_same_bytes)
{
  fixture f = fixture_data("rocprofv3_set"), g = fixture_data("rocprofv3_set");
  char *a = exported(&f), *b = exported(&g);
  ck_assert_str_eq(a, b);
  free(b);
  free(a);
  fixture_free(&g);
  fixture_free(&f);
}
END_TEST

START_TEST(a_format_that_cannot_be_written_is_refused)
{
  aq_diag diag = AQ_DIAG_INIT;
  const aq_run_info info = {.kind = AQ_RUN_MEASURED};
  aq_memory_sink empty = {0};
  fixture_source m = fixture_read(&empty, &info);
  ck_assert_int_eq(aq_trace_export("kineto", &m.source, stdout, &diag),
                   AQ_ERR_INPUT);
  ck_assert_str_eq(
      diag.text,
      "no format \"kineto\" to export (known: rocprofv3-csv, jsonl, csv, "
      "perfetto, chrome, att)");
}
END_TEST

START_TEST(what_was_exported_comes_back_the_same)
{
  static const char *const traces[] = {"kineto.json", "rocprof_v1.csv",
                                       "rocprofv3_set"};
  for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
    fixture f = fixture_data(traces[i]);
    char *first = exported(&f);
    fixture g = fixture_text(first);
    ck_assert_status(g.status, AQ_OK, &g.diag);
    ck_assert_str_eq(g.result.format, "jsonl");
    char *second = exported(&g);
    ck_assert_str_eq(first, second);
    free(second);
    free(first);
    fixture_free(&g);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(a_simulated_run_comes_back_with_its_barriers_and_dependencies)
{
  fixture f = fixture_text(
      "{\"kind\":\"run\",\"run\":\"simulated\",\"transport\":\"sim\","
      "\"device_model\":\"mi300x\",\"seed\":7,\"reproducible\":true}\n"
      "{\"kind\":\"kernel\",\"origin\":3,\"name\":\"k\",\"device\":{\"id\":0},"
      "\"queue\":{\"id\":1},\"start\":1,\"end\":2}\n"
      "{\"kind\":\"barrier-and\",\"device\":{\"id\":0},\"queue\":{\"id\":0},"
      "\"end\":9}\n"
      "{\"kind\":\"edge\",\"to\":1,\"from\":0,\"how\":\"inferred\","
      "\"confidence\":55}\n");
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.result.run.kind, AQ_RUN_SIMULATED);
  ck_assert_str_eq(f.result.run.device_model, "mi300x");
  ck_assert_int_eq(f.result.run.seed, 7);
  ck_assert_uint_eq(f.sink.count, 2);
  ck_assert_int_eq(f.sink.rows[0].origin, 3);
  ck_assert_int_eq(f.sink.rows[1].kind, AQ_KIND_BARRIER_AND);
  ck_assert_uint_eq(f.sink.edge_count, 1);
  ck_assert_int_eq(f.sink.edges[0].kind, AQ_EDGE_INFERRED);
  ck_assert_int_eq(f.sink.edges[0].confidence, 55);
  fixture_free(&f);
}
END_TEST

#define DEVICE "\"name\":\"k\",\"device\":{\"id\":0},\"queue\":{\"id\":0}"
#define GOOD   "{\"kind\":\"kernel\"," DEVICE ",\"start\":1,\"end\":2}\n"

/* 512: later rows contradict its end. */
START_TEST(a_contradicted_row_has_no_end)
{
  fixture f = fixture_text("{\"kind\":\"kernel\",\"flags\":512," DEVICE
                           ",\"start\":1}\n" GOOD);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_int_eq(f.sink.rows[0].end, AQ_NONE);
  ck_assert_int_eq(f.sink.rows[0].flags, AQ_FLAG_CONTRADICTED);
  fixture_free(&f);
}
END_TEST

START_TEST(lines_that_are_no_records_are_refused_with_their_number)
{
  fixture_refused(GOOD "\n[1]\n", "in: line 3: expected one JSON object; ");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"start\":1}\n",
                  "in: line 1: no field end");
  fixture_refused(
      "{\"kind\":\"barrier-and\"," DEVICE "}\n",
      "in: line 1: expected kernel, copy, fill, wait, call or range for kind");
  fixture_refused("{\"kind\":\"range\",\"name\":\"a\",\"host_begin\":2,"
                  "\"host_end\":1}\n",
                  "in: line 1: host_end is before host_begin");
  fixture_refused("{\"kind\":\"kernels\"," DEVICE "}\n",
                  "in: line 1: unknown word for kind");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"grid_x\":\"8\"}\n",
                  "in: line 1: expected an integer for grid_x");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"grid_x\":-8}\n",
                  "in: line 1: out of range: grid_x");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE
                  ",\"end\":9223372036854775807}\n",
                  "in: line 1: out of range: end");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"start\":2,\"end\":1}\n",
                  "in: line 1: end is before start");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"gird_x\":8}\n",
                  "in: line 1: a field that is unknown or given twice, "
                  "expected the fields of doc/formats/record.md");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"origin\":1}\n",
                  "in: line 1: a row of a simulated run (it has an origin), "
                  "but no line before it marks the run as simulated");
  fixture_refused("{\"kind\":\"run\",\"run\":\"imagined\"}\n",
                  "in: line 1: expected measured or simulated for run");
  fixture_refused(GOOD "{\"kind\":\"run\",\"run\":\"measured\"}\n",
                  "in: line 2: a run may only be described by the first line");
  fixture_refused("{\"kind\":\"run\",\"run\":\"measured\",\"queues\":[{"
                  "\"id\":0,\"device\":0}]}\n",
                  "in: line 1: a queue of a device that is not in devices");
  fixture_refused(GOOD "{\"kind\":\"edge\",\"to\":0,\"from\":1,\"how\":"
                       "\"call\",\"confidence\":90}\n",
                  "in: line 2: a dependency of rows that did not come before "
                  "it");
  fixture_refused(GOOD GOOD "{\"kind\":\"edge\",\"to\":1,\"from\":0,"
                            "\"how\":\"call\",\"confidence\":0}\n",
                  "in: line 3: expected 1 to 100 for confidence");
  fixture_refused("{\"kind\":\"kernel\",\"queue\":{\"id\":0},"
                  "\"device\":{}}\n",
                  "in: line 1: expected an object with an integer id for "
                  "device");
}
END_TEST

AQ_TEST_MAIN("trace/jsonl", what_was_exported_comes_back_the_same,
             a_contradicted_row_has_no_end,
             lines_that_are_no_records_are_refused_with_their_number,
             a_row_is_an_object_of_its_known_fields,
             names_that_are_no_utf8_are_replaced_and_counted,
             a_nul_in_a_line_is_refused,
             what_is_written_is_utf8_whatever_is_stored,
             devices_carry_what_is_known_of_them, there_is_a_line_for_every_row,
             the_first_line_tells_the_run_and_where_it_ran,
             a_simulated_run_comes_back_with_its_barriers_and_dependencies,
             two_exports_are_the_same_bytes,
             a_format_that_cannot_be_written_is_refused)
