/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "trace/fixture.h"

static const char kineto[] =
    "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":"
    "2,\"tid\":0,\"ts\":15,\"dur\":3,\"args\":{\"device\":2,\"stream\":0}}]}";

static void refused_path(const char *path, const char *line)
{
  char expected[512];
  fixture f = fixture_path(path);
  snprintf(expected, sizeof expected, "%s: %s", path, line);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_str_eq(f.diag.text, expected);
  ck_assert_int_eq(aq_status_exit_code(f.status), 2);
  fixture_free(&f);
}

static const char *folder(const char *name)
{
  static char path[512];
  snprintf(path, sizeof path, "%s/%s", aqtest_tmpdir(), name);
  mkdir(path, 0777);
  return path;
}

static const char *write_gzip(const char *name, const char *text)
{
  const char *path = aqtest_write(name, "", 0);
  gzFile file = gzopen(path, "wb");
  ck_assert_int_eq(gzwrite(file, text, (unsigned)strlen(text)),
                   (int)strlen(text));
  gzclose(file);
  return path;
}

START_TEST(each_format_is_found_by_content)
{
  static const struct {
    const char *file, *format;
  } files[] = {
      {"kineto.json", "kineto"},          {"rocprofv3.json", "rocprofv3-json"},
      {"rocprofv3_set", "rocprofv3-csv"}, {"rocprof_v1.csv", "rocprof-v1"},
      {"ireeperf.jsonl", "ireeperf"},     {"jax.xplane.pb", "xplane"},
      {"rocprofv3.pftrace", "perfetto"},
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    fixture f = fixture_data(files[i].file);
    ck_assert_str_eq(f.result.format, files[i].format);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(gzip_needs_no_name)
{
  fixture f = fixture_path(write_gzip("trace.json", kineto));
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.bytes, strlen(kineto));
  fixture_free(&f);
}
END_TEST

START_TEST(a_truncated_gzip_file_is_refused)
{
  char bytes[512], line[128];
  FILE *file = fopen(write_gzip("whole.json.gz", kineto), "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const char *path = aqtest_write("cut.json.gz", bytes, size - 9);
  snprintf(line, sizeof line,
           "truncated: it ends at byte %zu, inside its compressed stream",
           size - 9);
  refused_path(path, line);
}
END_TEST

START_TEST(an_empty_file_is_refused)
{
  refused_path(aqtest_write("empty.json", "", 0), "empty file");
}
END_TEST

START_TEST(a_missing_file_is_refused)
{
  refused_path("/nonexistent/trace.json", "No such file or directory");
}
END_TEST

START_TEST(a_file_of_another_kind_is_refused_with_what_is_known)
{
  fixture_refused(
      "\x7f"
      "ELF...",
      "in: unknown format (known: kineto, rocprofv3-json, "
      "rocprofv3-csv, rocprof-v1, ireeperf, jsonl, xplane, perfetto)");
  fixture_refused(
      "{\"nodes\": []}",
      "in: unknown format (known: kineto, rocprofv3-json, "
      "rocprofv3-csv, rocprof-v1, ireeperf, jsonl, xplane, perfetto)");
}
END_TEST

START_TEST(a_format_can_be_named)
{
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  aq_trace_options options = {.format = "rocprof-v1"};
  aq_memory_sink_init(&sink);
  ck_assert_int_eq(aq_trace_import_bytes("in", kineto, strlen(kineto), &options,
                                         &sink.sink, &result, &diag),
                   AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "in: line 1: no column \"KernelName\"");
  options.format = "otf2";
  ck_assert_int_eq(aq_trace_import_bytes("in", kineto, strlen(kineto), &options,
                                         &sink.sink, &result, &diag),
                   AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "no format \"otf2\" to import (known: kineto, "
                              "rocprofv3-json, rocprofv3-csv, rocprof-v1, "
                              "ireeperf, jsonl, xplane, perfetto)");
  aq_memory_sink_fini(&sink);
}
END_TEST

START_TEST(a_directory_without_traces_is_refused)
{
  const char *path = folder("none");
  refused_path(path, "no trace in this directory (0 JSON and CSV files looked "
                     "at)");
  aqtest_write("none/other.json", "{}", 2);
  aqtest_write("none/kernel_trace.csv", "", 0);
  refused_path(path, "no trace in this directory (1 JSON and CSV files looked "
                     "at)");
}
END_TEST

START_TEST(a_truncated_file_in_a_directory_is_refused)
{
  char bytes[512];
  const char *path = folder("cut");
  FILE *file = fopen(write_gzip("cut/a.json.gz", kineto), "rb");
  size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  aqtest_write("cut/a.json.gz", bytes, size / 2);
  fixture f = fixture_path(path);
  ck_assert_int_eq(f.status, AQ_ERR_INPUT);
  ck_assert_ptr_nonnull(strstr(f.diag.text, "a.json.gz: truncated: "));
  fixture_free(&f);
}
END_TEST

START_TEST(a_directory_with_one_trace_is_that_trace)
{
  const char *path = folder("one");
  aqtest_write("one/trace.json", kineto, strlen(kineto));
  aqtest_write("one/notes.json", "{}", 2);
  fixture f = fixture_path(path);
  ck_assert_status(f.status, AQ_OK, &f.diag);
  ck_assert_uint_eq(f.result.dispatches, 1);
  fixture_free(&f);
  aqtest_write("one/other.json", kineto, strlen(kineto));
  refused_path(path,
               "several traces in this directory (2 kineto): name one of them");
  static const char v1[] = "\"KernelName\",\"gpu-id\",\"BeginNs\"\n";
  aqtest_write("one/other.json", v1, strlen(v1));
  refused_path(path, "several traces in this directory (1 kineto, 1 "
                     "rocprof-v1): name one of them");
}
END_TEST

static void note_progress(uint64_t done, uint64_t total, void *user)
{
  ck_assert_uint_le(done, total);
  *(uint64_t *)user = total;
}

START_TEST(progress_is_told)
{
  uint64_t total = 0;
  aq_memory_sink sink;
  aq_trace_result result;
  aq_diag diag = AQ_DIAG_INIT;
  aq_trace_options options = {.progress = note_progress, .user = &total};
  aq_memory_sink_init(&sink);
  ck_assert_status(
      aq_trace_import(aqtest_write("p.json", kineto, strlen(kineto)), &options,
                      &sink.sink, &result, &diag),
      AQ_OK, &diag);
  ck_assert_uint_eq(total, strlen(kineto));
  aq_memory_sink_fini(&sink);
}
END_TEST

START_TEST(the_table_tells_what_each_format_can)
{
  size_t imports = 0, exports = 0;
  for (const aq_trace_format *f = aq_trace_formats(); f->name; f++) {
    ck_assert_ptr_nonnull(f->summary);
    imports += f->imports;
    exports += f->exports;
  }
  ck_assert_uint_eq(imports, 8);
  ck_assert_uint_eq(exports, 6);
}
END_TEST

AQ_TEST_MAIN("trace/formats", each_format_is_found_by_content,
             gzip_needs_no_name, a_truncated_gzip_file_is_refused,
             an_empty_file_is_refused, a_missing_file_is_refused,
             a_file_of_another_kind_is_refused_with_what_is_known,
             a_format_can_be_named, a_directory_without_traces_is_refused,
             a_truncated_file_in_a_directory_is_refused,
             a_directory_with_one_trace_is_that_trace, progress_is_told,
             the_table_tells_what_each_format_can)
