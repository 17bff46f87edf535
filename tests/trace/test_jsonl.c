/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fixture.h"

/* A source over rows in memory. */
typedef struct memory_source {
  aq_trace_source source;
  const aq_memory_sink *sink;
  size_t at;
} memory_source;

static aq_status source_next(aq_trace_source *source, aq_record *rows,
                             int64_t *numbers, size_t capacity, size_t *count,
                             aq_diag *diag)
{
  (void)diag;
  memory_source *m = (memory_source *)source;
  for (*count = 0; *count < capacity && m->at < m->sink->count; m->at++) {
    numbers[*count] = (int64_t)m->at;
    rows[(*count)++] = m->sink->rows[m->at];
  }
  return AQ_OK;
}

static const char *source_name(aq_trace_source *source, int64_t id)
{
  return aq_names_text(&((memory_source *)source)->sink->names, id);
}

static const aq_run_device *source_device(aq_trace_source *source,
                                          int64_t ordinal)
{
  return &((memory_source *)source)->sink->devices[ordinal];
}

static const aq_run_queue *source_queue(aq_trace_source *source,
                                        int64_t ordinal)
{
  return &((memory_source *)source)->sink->queues[ordinal];
}

static char *exported(const aq_memory_sink *sink)
{
  memory_source m = {.source = {.next = source_next,
                                .name = source_name,
                                .device = source_device,
                                .queue = source_queue},
                     .sink = sink};
  char *text = NULL;
  size_t size = 0;
  aq_diag diag = AQ_DIAG_INIT;
  FILE *out = open_memstream(&text, &size);
  ck_assert_status(aq_trace_export("jsonl", &m.source, out, &diag), AQ_OK,
                   &diag);
  fclose(out);
  return text;
}

START_TEST(a_row_is_an_object_of_its_known_fields)
{
  fixture f = fixture_data("rocprof_v1.csv");
  char *text = exported(&f.sink);
  text[strcspn(text, "\n")] = '\0';
  ck_assert_str_eq(
      text,
      "{\"row\":0,\"kind\":\"kernel\",\"via\":\"direct\",\"flags\":0,"
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

START_TEST(devices_carry_what_is_known_of_them)
{
  fixture f = fixture_data("kineto.json");
  char *text = exported(&f.sink);
  ck_assert_ptr_nonnull(
      strstr(text, "\"device\":{\"ordinal\":0,\"id\":2,\"name\":\"AMD Instinct "
                   "MI300X\",\"gfx\":\"gfx942\",\"cus\":304}"));
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(there_is_a_line_for_every_row)
{
  fixture f = fixture_data("kineto.json");
  char *text = exported(&f.sink);
  size_t lines = 0;
  for (const char *at = text; (at = strchr(at, '\n')); at++)
    lines++;
  ck_assert_uint_eq(lines, f.sink.count);
  free(text);
  fixture_free(&f);
}
END_TEST

START_TEST(two_exports_are_the_same_bytes)
{
  fixture f = fixture_data("rocprofv3_set"), g = fixture_data("rocprofv3_set");
  char *a = exported(&f.sink), *b = exported(&g.sink);
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
  memory_source m = {.source = {.next = source_next,
                                .name = source_name,
                                .device = source_device,
                                .queue = source_queue}};
  ck_assert_int_eq(aq_trace_export("kineto", &m.source, stdout, &diag),
                   AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "no format \"kineto\" to export (known: rocprofv3-csv, jsonl, csv, "
                   "perfetto, chrome)");
}
END_TEST

START_TEST(what_was_exported_comes_back_the_same)
{
  static const char *const traces[] = {"kineto.json", "rocprof_v1.csv",
                                       "rocprofv3_set"};
  for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
    fixture f = fixture_data(traces[i]);
    char *first = exported(&f.sink);
    fixture g = fixture_text(first);
    ck_assert_status(g.status, AQ_OK, &g.diag);
    ck_assert_str_eq(g.result.format, "jsonl");
    char *second = exported(&g.sink);
    ck_assert_str_eq(first, second);
    free(second);
    free(first);
    fixture_free(&g);
    fixture_free(&f);
  }
}
END_TEST

#define DEVICE "\"name\":\"k\",\"device\":{\"id\":0},\"queue\":{\"id\":0}"
#define GOOD   "{\"kind\":\"kernel\"," DEVICE ",\"start\":1,\"end\":2}\n"

START_TEST(lines_that_are_no_records_are_refused_with_their_number)
{
  fixture_refused(GOOD "\n[1]\n", "in: line 3: expected one JSON object; ");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"start\":1}\n",
                  "in: line 1: no field end");
  fixture_refused("{\"kind\":\"barrier-and\"," DEVICE "}\n",
                  "in: line 1: expected kernel, copy, fill or wait for kind");
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
                  "expected those of doc/formats/record.md");
  fixture_refused("{\"kind\":\"kernel\"," DEVICE ",\"origin\":1}\n",
                  "in: line 1: a row of a simulated run (it has an origin): "
                  "only measured runs are read");
  fixture_refused("{\"kind\":\"kernel\",\"queue\":{\"id\":0},"
                  "\"device\":{}}\n",
                  "in: line 1: expected an object with an integer id for "
                  "device");
}
END_TEST

AQ_TEST_MAIN("trace/jsonl", what_was_exported_comes_back_the_same,
             lines_that_are_no_records_are_refused_with_their_number,
             a_row_is_an_object_of_its_known_fields,
             devices_carry_what_is_known_of_them, there_is_a_line_for_every_row,
             two_exports_are_the_same_bytes,
             a_format_that_cannot_be_written_is_refused)
