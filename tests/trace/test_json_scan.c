/* SPDX-License-Identifier: MIT */
#include "trace/text/json_scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"
#include "trace/text/json_slice.h"

static bool wanted(const char *value, size_t length)
{
  return length == 1 && *value == 'k';
}

static const aq_json_filter filter = {
    .array = "events", .key = "cat", .wanted = wanted};

/* The output for a text that is fed in pieces of `step` bytes, parsed bytes
 * removed in between as the parser does. */
static char *scanned(const char *text, size_t step, const aq_json_filter *f,
                     uint64_t *commas)
{
  aq_json_scan scan;
  aq_json_scan_init(&scan, f, NULL);
  size_t size = strlen(text), used = 0;
  char *out = calloc(1, size * 2 + 64);
  for (size_t i = 0; i < size; i += step) {
    size_t count = size - i < step ? size - i : step;
    ck_assert(aq_json_scan_feed(&scan, text + i, count));
    size_t ready = i + count < size ? aq_json_scan_ready(&scan) : scan.out_size;
    if (ready > 0)
      memcpy(out + used, scan.out, ready);
    used += ready;
    aq_json_scan_drain(&scan, ready);
  }
  *commas = scan.trailing_commas;
  aq_json_scan_fini(&scan);
  return out;
}

/* Whatever the pieces, the same text and count come out. */
static void check(const char *text, const aq_json_filter *f,
                  const char *expected, uint64_t commas)
{
  for (size_t step = 1; step <= strlen(text); step++) {
    uint64_t counted;
    char *out = scanned(text, step, f, &counted);
    ck_assert_msg(strcmp(out, expected) == 0, "step %zu: %s became %s", step,
                  text, out);
    ck_assert_uint_eq(counted, commas);
    free(out);
  }
}

START_TEST(good_json_is_left_alone)
{
  static const char *const texts[] = {
      "{\"a\": [1, -2.5e-3, true, false, null], \"b\": {\"c\": \"x,]}\"}}",
      "[]",
      "{\"q\\\"\": \"\\\\\", \"NaN\": \"Infinity,}\"}",
      "[\"\xff\xfe\", \"\\u00e9\"]",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    check(texts[i], NULL, texts[i], 0);
}
END_TEST

START_TEST(a_comma_before_a_bracket_becomes_a_space)
{
  check("[1, 2,]", NULL, "[1, 2 ]", 1);
  check("{\"a\": [\"x,]\" , \n ], }", NULL, "{\"a\": [\"x,]\"   \n ]  }", 2);
}
END_TEST

START_TEST(what_json_cannot_write_becomes_null)
{
  check("[NaN, -Infinity, Infinity,nan, -inf]", NULL,
        "[null, null, null,null, null]", 0);
  check("{\"a\":null,\"b\":NaN}", NULL, "{\"a\":null,\"b\":null}", 0);
}
END_TEST

START_TEST(unwanted_elements_of_the_array_are_left_out)
{
  check(
      "{\"v\": \"events\", \"events\": [{\"cat\": \"x\", \"a\": [\"]\", {}]},"
      " {\"cat\": \"k\", \"n\": 1}, {\"n\": {\"cat\": \"k\"}, \"cat\": \"x\"},"
      " {\"n\": \"cat\", \"m\": \"k\", \"cat\": \"k\"}], \"b\": [{\"cat\":1}]}",
      &filter,
      "{\"v\": \"events\", \"events\": [{\"cat\": \"k\", \"n\": 1},"
      "{\"n\": \"cat\", \"m\": \"k\", \"cat\": \"k\"}], \"b\": [{\"cat\":1}]}",
      0);
}
END_TEST

START_TEST(a_root_array_is_the_array)
{
  check("[{\"cat\":\"k\"},{\"cat\":\"x\"},1,[2],\"s\",{\"cat\":\"k\"},{}]",
        &filter, "[{\"cat\":\"k\"},{\"cat\":\"k\"}]", 0);
}
END_TEST

START_TEST(trailing_commas_are_counted_in_what_is_left_out_too)
{
  check("[{\"cat\":\"x\",\"a\":[1,],},{\"cat\":\"k\",},]", &filter,
        "[{\"cat\":\"k\" }]", 4);
}
END_TEST

START_TEST(text_after_the_document_is_a_fault)
{
  aq_json_scan scan;
  aq_json_scan_init(&scan, NULL, NULL);
  ck_assert(aq_json_scan_feed(&scan, "[1] \n", 5));
  ck_assert(!aq_json_scan_feed(&scan, " {}", 3));
  ck_assert_str_eq(scan.fault, "text after the end of the document");
  ck_assert_uint_eq(scan.fault_at, 6);
  aq_json_scan_fini(&scan);
}
END_TEST

START_TEST(endless_nesting_is_a_fault)
{
  aq_json_scan scan;
  aq_json_scan_init(&scan, NULL, NULL);
  bool fed = true;
  for (int i = 0; i < 2000 && fed; i++)
    fed = aq_json_scan_feed(&scan, "[", 1);
  ck_assert_str_eq(scan.fault, "nested too deep");
  aq_json_scan_fini(&scan);
}
END_TEST

START_TEST(bytes_of_the_output_are_traced_to_the_source)
{
  static const char text[] = "[{\"cat\":\"x\"},{\"cat\":\"k\",\"a\":NaN}]";
  aq_json_scan scan;
  aq_json_scan_init(&scan, &filter, NULL);
  ck_assert(aq_json_scan_feed(&scan, text, strlen(text)));
  const char *a = memmem(scan.out, scan.out_size, "\"a\"", 3);
  ck_assert_ptr_nonnull(a);
  ck_assert_uint_eq(aq_json_scan_source(&scan, (size_t)(a - scan.out)),
                    (uint64_t)(strstr(text, "\"a\"") - text));
  size_t gone = (size_t)(a - scan.out);
  aq_json_scan_drain(&scan, gone);
  ck_assert_uint_eq(aq_json_scan_source(&scan, 0),
                    (uint64_t)(strstr(text, "\"a\"") - text));
  aq_json_scan_fini(&scan);
}
END_TEST

/* ---- objects set aside ---- */

static bool is_aside(const char *value, size_t length)
{
  return length == 1 && *value == 'a';
}

/* Appends the text to the client's, a `|` behind it. */
static bool take(void *client, const char *text, size_t length, bool whole)
{
  ck_assert(whole);
  strncat(client, text, length);
  strcat(client, "|");
  return strlen(client) < 200;
}

static const aq_json_filter aside = {.array = "events",
                                     .key = "cat",
                                     .wanted = wanted,
                                     .sets_aside = is_aside,
                                     .aside = take};

START_TEST(an_object_set_aside_is_handed_over_whole_and_not_parsed)
{
  static const char text[] =
      "{\"events\":[{\"cat\":\"k\"}, "
      "{\"cat\":\"a\",\"x\":[1,{\"y\":\"}\\\"\"}]}, "
      "{\"cat\":\"x\"},{\"z\":1,\"cat\":\"a\"},{\"cat\":\"k\"}]}";
  for (size_t step = 1; step <= strlen(text); step++) {
    char taken[512] = "", out[512] = "";
    aq_json_scan scan;
    aq_json_scan_init(&scan, &aside, taken);
    for (size_t i = 0; i < strlen(text); i += step) {
      const size_t left = strlen(text) - i;
      ck_assert(aq_json_scan_feed(&scan, text + i, left < step ? left : step));
      const size_t ready =
          left > step ? aq_json_scan_ready(&scan) : scan.out_size;
      strncat(out, scan.out ? scan.out : "", ready);
      aq_json_scan_drain(&scan, ready);
    }
    ck_assert_str_eq(taken, "{\"cat\":\"a\",\"x\":[1,{\"y\":\"}\\\"\"}]}|"
                            "{\"z\":1,\"cat\":\"a\"}|");
    ck_assert_str_eq(out, "{\"events\":[{\"cat\":\"k\"},{\"cat\":\"k\"}]}");
    aq_json_scan_fini(&scan);
  }
}
END_TEST

/* Notes where each object begins, and whether it came whole. */
typedef struct places {
  const aq_json_scan *scan;
  uint64_t at[4];
  bool whole[4];
  size_t count;
} places;

static bool place_note(void *client, const char *text, size_t length,
                       bool whole)
{
  places *p = client;
  ck_assert_uint_ge(length, 1);
  ck_assert_int_eq(*text, '{');
  p->at[p->count] = aq_json_scan_aside(p->scan);
  p->whole[p->count++] = whole;
  return true;
}

START_TEST(an_object_set_aside_has_a_place_and_one_over_a_mebibyte_a_part)
{
  enum { LONG = 3 << 20, PIECE = 4096 };
  static const aq_json_filter noting = {.array = "events",
                                        .key = "cat",
                                        .wanted = wanted,
                                        .sets_aside = is_aside,
                                        .aside = place_note};
  static char text[LONG + 200];
  aq_json_scan scan;
  places found = {.scan = &scan};
  const size_t head = (size_t)sprintf(text, "{\"events\":[{\"cat\":\"k\"}, "
                                            "{\"cat\":\"a\"} , {\"cat\":"
                                            "\"a\",\"x\":\"");
  memset(text + head, 'x', LONG);
  strcpy(text + head + LONG, "\"},{\"cat\":\"a\"}]}");
  aq_json_scan_init(&scan, &noting, &found);
  const size_t length = strlen(text);
  for (size_t at = 0; at < length; at += PIECE) {
    ck_assert(aq_json_scan_feed(&scan, text + at,
                                length - at < PIECE ? length - at : PIECE));
    aq_json_scan_drain(&scan, aq_json_scan_ready(&scan));
  }
  ck_assert_uint_eq(found.count, 3);
  ck_assert(found.whole[0] && !found.whole[1] && found.whole[2]);
  ck_assert_uint_eq(found.at[0], strlen("{\"events\":[{\"cat\":\"k\"}, "));
  ck_assert_uint_eq(found.at[1], head - strlen("{\"cat\":\"a\",\"x\":\""));
  ck_assert_uint_eq(found.at[2], length - strlen("{\"cat\":\"a\"}]}"));
  aq_json_scan_fini(&scan);
}
END_TEST

START_TEST(a_taker_that_refuses_ends_the_scan)
{
  char taken[512];
  aq_json_scan scan;
  memset(taken, 'x', 300);
  taken[300] = 0;
  aq_json_scan_init(&scan, &aside, taken);
  ck_assert(!aq_json_scan_feed(&scan, "[{\"cat\":\"a\"},", 14));
  ck_assert(scan.refused);
  aq_json_scan_fini(&scan);
}
END_TEST

static void check_members(const char *text, const char *expected, bool failed)
{
  char found[256] = "";
  aq_json_members m;
  aq_json_members_begin(&m, (aq_json_slice){text, strlen(text)});
  while (aq_json_members_next(&m)) {
    strncat(found, m.key.text, m.key.length);
    strcat(found, "=");
    strncat(found, m.value.text, m.value.length);
    strcat(found, ";");
  }
  ck_assert_str_eq(found, expected);
  ck_assert_int_eq(m.failed, failed);
}

START_TEST(members_are_keys_with_whole_values)
{
  check_members("{}", "", false);
  check_members(" { \"a\" : 1 , \"b\":[2,{\"c\":\"]\"}],\"d\":\"x\\\"\"} ",
                "a=1;b=[2,{\"c\":\"]\"}];d=\"x\\\"\";", false);
  check_members("{\"a\":null,}", "a=null;", false);
  check_members("[1]", "", true);
  check_members("{\"a\":1 \"b\":2}", "", true);
  check_members("{\"a\":[1}", "", true);
  check_members("{\"a\":\"x}", "", true);
  check_members("{\"a\"}", "", true);
}
END_TEST

START_TEST(escapes_of_a_string_become_utf_8)
{
  static const struct {
    const char *inside, *text;
  } cases[] = {
      {"plain", "plain"},
      {"\\\"\\\\\\/\\n", "\"\\/\n"},
      {"\\u0041\\u00e9\\u20ac", "A\u00e9\u20ac"},
      {"\\ud83d\\ude00", "\U0001f600"},
      {"\\ud83dx", "\ufffdx"},
      {"\\u12g4", "u12g4"},
      {"\\", "\\"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char out[64];
    const size_t size = aq_json_slice_resolve(
        (aq_json_slice){cases[i].inside, strlen(cases[i].inside)}, out);
    out[size] = 0;
    ck_assert_str_eq(out, cases[i].text);
  }
}
END_TEST

AQ_TEST_MAIN("trace/json_scan", good_json_is_left_alone,
             a_comma_before_a_bracket_becomes_a_space,
             what_json_cannot_write_becomes_null,
             unwanted_elements_of_the_array_are_left_out,
             a_root_array_is_the_array,
             trailing_commas_are_counted_in_what_is_left_out_too,
             text_after_the_document_is_a_fault, endless_nesting_is_a_fault,
             bytes_of_the_output_are_traced_to_the_source,
             an_object_set_aside_is_handed_over_whole_and_not_parsed,
             an_object_set_aside_has_a_place_and_one_over_a_mebibyte_a_part,
             a_taker_that_refuses_ends_the_scan,
             members_are_keys_with_whole_values,
             escapes_of_a_string_become_utf_8)
