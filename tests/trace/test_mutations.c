/* SPDX-License-Identifier: MIT */
/* Properties of every importer: a trace that was cut is refused or marked, a
 * number that was spoiled is refused or counted. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fixture.h"

typedef struct text {
  char *bytes;
  size_t size;
} text;

static text read_data(const char *name)
{
  char below[256];
  snprintf(below, sizeof below, "trace/data/%s", name);
  FILE *file = fopen(aqtest_source(below), "rb");
  ck_assert_ptr_nonnull(file);
  text t = {malloc(1 << 20), 0};
  t.size = fread(t.bytes, 1, 1 << 20, file);
  fclose(file);
  return t;
}

/* Whether an import counts a repair that the other one does not. */
static bool counts_more(const fixture *f, const fixture *than)
{
  bool more = false;
  for (int i = 0; i < AQ_REPAIR_COUNT; i++)
    more |= f->result.repairs[i] > than->result.repairs[i];
  return more;
}

/* ---- truncation ---- */

/* Of line formats a cut between records cannot be seen. */
static bool is_between(const text *t, size_t at, bool lines)
{
  return lines && (at == 0 || t->bytes[at - 1] == '\n');
}

static void cut_everywhere(const char *name, bool lines)
{
  text t = read_data(name);
  size_t end = t.size;
  while (end > 0 && strchr(" \t\r\n", t.bytes[end - 1]))
    end--;
  /* Without its last line end alone a CSV row is refused, JSON is whole. */
  for (size_t at = 1; at < end; at++) {
    if (is_between(&t, at, lines) || (lines && t.bytes[at] == '\r'))
      continue;
    fixture f = fixture_bytes(t.bytes, at);
    ck_assert_msg(f.status == AQ_ERR_INPUT, "%s cut at byte %zu of %zu", name,
                  at, t.size);
    fixture_free(&f);
  }
  free(t.bytes);
}

START_TEST(a_trace_cut_at_any_byte_is_refused)
{
  cut_everywhere("kineto.json", false);
  cut_everywhere("kineto_ranks.json", false);
  cut_everywhere("rocprofv3.json", false);
  cut_everywhere("rocprof_v1.csv", true);
}
END_TEST

/* A JSON line whose closing brace is there is whole. */
START_TEST(a_trace_of_json_lines_cut_inside_a_record_is_refused)
{
  text t = read_data("ireeperf.jsonl");
  for (size_t at = 1; at < t.size; at++) {
    if (t.bytes[at - 1] == '\n' || t.bytes[at] == '\n')
      continue;
    fixture f = fixture_bytes(t.bytes, at);
    ck_assert_msg(f.status == AQ_ERR_INPUT, "cut at byte %zu of %zu", at,
                  t.size);
    fixture_free(&f);
  }
  free(t.bytes);
}
END_TEST

START_TEST(a_truncated_trace_that_is_allowed_is_marked)
{
  text t = read_data("kineto.json");
  for (size_t at = t.size / 2; at < t.size - 2; at++) {
    t.bytes[at] = '\0';
    fixture f = fixture_cut(t.bytes);
    ck_assert(f.status == AQ_ERR_INPUT ||
              f.result.repairs[AQ_REPAIR_TRUNCATED] == 1);
    fixture_free(&f);
    free(t.bytes);
    t = read_data("kineto.json");
  }
  free(t.bytes);
}
END_TEST

/* ---- numbers ---- */

static const char *const spoilt[] = {"NaN", "-1", "9223372036854775808",
                                     "\"\""};
enum { SPOILT = sizeof spoilt / sizeof *spoilt };

/* The text with `size` bytes at a place replaced. */
static text replaced(const text *t, size_t at, size_t size, const char *by)
{
  const size_t length = strlen(by);
  text out = {malloc(t->size + length + 1), t->size - size + length};
  memcpy(out.bytes, t->bytes, at);
  memcpy(out.bytes + at, by, length);
  memcpy(out.bytes + at + length, t->bytes + at + size, t->size - at - size);
  out.bytes[out.size] = '\0';
  return out;
}

/* Whether rows depend on a number: another last digit makes other rows. */
static bool is_used(const text *t, size_t at, size_t size, const fixture *whole)
{
  text other = replaced(t, at, 0, "");
  char *digit = &other.bytes[at + size - 1];
  *digit = *digit == '1' ? '2' : '1';
  fixture f = fixture_bytes(other.bytes, other.size);
  const bool same = f.status == AQ_OK && f.sink.count == whole->sink.count &&
                    memcmp(f.sink.rows, whole->sink.rows,
                           f.sink.count * sizeof *f.sink.rows) == 0;
  fixture_free(&f);
  free(other.bytes);
  return !same;
}

static void is_noticed(const text *t, size_t at, size_t size, const char *by,
                       const fixture *whole, const char *name)
{
  text other = replaced(t, at, size, by);
  fixture f = fixture_bytes(other.bytes, other.size);
  ck_assert_msg(f.status != AQ_OK || counts_more(&f, whole),
                "%s: nothing said of %s instead of %.*s at byte %zu", name, by,
                (int)size, t->bytes + at, at);
  fixture_free(&f);
  free(other.bytes);
}

static size_t number_size(const char *at)
{
  return strspn(at, "0123456789.");
}

/* Every number behind one of the keys. */
static void spoil_json(const char *name, const char *const *keys)
{
  text t = read_data(name);
  t.bytes[t.size] = '\0';
  fixture whole = fixture_bytes(t.bytes, t.size);
  ck_assert_status(whole.status, AQ_OK, &whole.diag);
  size_t spoiled = 0;
  for (; *keys; keys++) {
    char key[64];
    snprintf(key, sizeof key, "\"%s\":", *keys);
    for (const char *at = t.bytes; (at = strstr(at, key));) {
      at += strlen(key);
      at += strspn(at, " [");
      const size_t size = number_size(at);
      if (size == 0 || !is_used(&t, (size_t)(at - t.bytes), size, &whole))
        continue;
      for (int i = 0; i < SPOILT; i++, spoiled++)
        is_noticed(&t, (size_t)(at - t.bytes), size, spoilt[i], &whole, *keys);
    }
  }
  ck_assert_uint_gt(spoiled, 0);
  fixture_free(&whole);
  free(t.bytes);
}

/* Ids of threads may be negative, so they are left out. */
START_TEST(a_spoilt_number_of_kineto_is_refused_or_counted)
{
  static const char *const keys[] = {
      "dur", "grid", "block", "shared memory", "registers per thread", NULL};
  spoil_json("kineto.json", keys);
}
END_TEST

START_TEST(a_spoilt_number_of_rocprofv3_is_refused_or_counted)
{
  static const char *const keys[] = {"start_timestamp",
                                     "end_timestamp",
                                     "kernel_id",
                                     "group_segment_size",
                                     "private_segment_size",
                                     "bytes",
                                     NULL};
  spoil_json("rocprofv3.json", keys);
}
END_TEST

START_TEST(a_spoilt_number_of_iree_is_refused_or_counted)
{
  static const char *const keys[] = {"start_tick", "end_tick", "host_time_ns",
                                     NULL};
  spoil_json("ireeperf.jsonl", keys);
}
END_TEST

/* In CSV an empty field stands for the empty text. */
static void spoil_csv(const char *name, const char *const *columns)
{
  text t = read_data(name);
  fixture whole = fixture_bytes(t.bytes, t.size);
  ck_assert_status(whole.status, AQ_OK, &whole.diag);
  char header[1024] = "";
  memcpy(header, t.bytes, strcspn(t.bytes, "\r\n"));
  size_t spoiled = 0, column = 0;
  char *rest = header;
  for (char *title; (title = strsep(&rest, ",")); column++) {
    bool used = false;
    title[strlen(title) - 1] = '\0'; /* its quotes */
    for (size_t i = 0; columns[i]; i++)
      used |= strcmp(columns[i], title + 1) == 0;
    if (!used)
      continue;
    char *line = strchr(t.bytes, '\n') + 1;
    while (line < t.bytes + t.size) {
      char *at = line;
      bool quoted = false;
      for (size_t commas = 0; commas < column; at++) {
        quoted ^= *at == '"';
        commas += *at == ',' && !quoted;
      }
      const size_t size = strcspn(at, ",\r\n");
      static const char *const words[] = {"NaN", "-1", "9223372036854775808",
                                          ""};
      for (int i = 0; i < 4; i++, spoiled++)
        is_noticed(&t, (size_t)(at - t.bytes), size, words[i], &whole, title);
      line = strchr(line, '\n') + 1;
    }
  }
  ck_assert_uint_gt(spoiled, 0);
  fixture_free(&whole);
  free(t.bytes);
}

START_TEST(a_spoilt_number_of_rocprof_v1_is_refused_or_counted)
{
  static const char *const columns[] = {
      "grd",       "wgr",        "lds",        "scr",        "vgpr",
      "arch_vgpr", "sgpr",       "accum_vgpr", "DispatchNs", "BeginNs",
      "EndNs",     "CompleteNs", NULL};
  spoil_csv("rocprof_v1.csv", columns);
}
END_TEST

AQ_TEST_MAIN("trace/mutations", a_trace_cut_at_any_byte_is_refused,
             a_trace_of_json_lines_cut_inside_a_record_is_refused,
             a_truncated_trace_that_is_allowed_is_marked,
             a_spoilt_number_of_kineto_is_refused_or_counted,
             a_spoilt_number_of_rocprofv3_is_refused_or_counted,
             a_spoilt_number_of_iree_is_refused_or_counted,
             a_spoilt_number_of_rocprof_v1_is_refused_or_counted)
