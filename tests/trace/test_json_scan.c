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

/* ---- generated texts ---- */

enum { TEXT_MAX = 1 << 14 };

typedef struct generator {
  char text[TEXT_MAX];
  size_t size;
  uint64_t state; /* of the random numbers */
} generator;

static unsigned below(generator *g, unsigned limit)
{
  g->state = g->state * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g->state >> 33) % limit;
}

static void put(generator *g, const char *text)
{
  const size_t length = strlen(text);
  ck_assert_uint_lt(g->size + length, sizeof g->text);
  memcpy(g->text + g->size, text, length + 1);
  g->size += length;
}

static void put_spaces(generator *g)
{
  static const char *const spaces[] = {"",
                                       "",
                                       " ",
                                       "\n",
                                       "\n          ",
                                       "\r\n\t",
                                       "                                       "
                                       "                                "};
  put(g, spaces[below(g, sizeof spaces / sizeof *spaces)]);
}

static void put_string(generator *g)
{
  static const char *const parts[] = {"a",   ",]",   "{",  "\\\"",
                                      "}",   "\\\\", ": ", "\1",
                                      "cat", "",     "x",  "threading.py(1): "};
  put(g, "\"");
  for (unsigned n = below(g, 8); n > 0; n--)
    put(g, parts[below(g, sizeof parts / sizeof *parts)]);
  put(g, "\"");
}

static void put_value(generator *g, unsigned depth)
{
  static const char *const scalars[] = {
      "null", "true", "-1.5e-3", "NaN", "12", "false", "2211714153023.842"};
  const unsigned kind = below(g, depth < 4 ? 4 : 2);
  if (kind == 0) {
    put(g, scalars[below(g, sizeof scalars / sizeof *scalars)]);
  } else if (kind == 1) {
    put_string(g);
  } else {
    put(g, kind == 2 ? "[" : "{");
    for (unsigned n = below(g, 5); n > 0; n--) {
      put_spaces(g);
      if (kind == 3) {
        put_string(g);
        put(g, ":");
        put_spaces(g);
      }
      put_value(g, depth + 1);
      put_spaces(g);
      if (n > 1 || below(g, 40) == 0)
        put(g, ",");
    }
    put_spaces(g);
    put(g, kind == 2 ? "]" : "}");
  }
}

/* Elements of every fate, one in four documents with a byte gone or twice. */
static void put_document(generator *g)
{
  static const char *const fates[] = {"k", "a", "x", "\\u006b"};
  g->size = 0;
  put(g, "{\"v\": 1, \"events\": [");
  for (unsigned n = below(g, 5); n > 0; n--) {
    put_spaces(g);
    put(g, "{");
    for (unsigned before = below(g, 7); before > 0; before--) {
      put_string(g);
      put(g, ":");
      put_value(g, 2);
      put(g, ",");
      put_spaces(g);
    }
    put(g, "\"cat\":");
    put_spaces(g);
    put(g, "\"");
    put(g, fates[below(g, sizeof fates / sizeof *fates)]);
    put(g, "\",\"args\":");
    put_value(g, 0);
    put_spaces(g);
    put(g, n > 1 ? "}," : "}");
  }
  put(g, "], \"w\": ");
  put_value(g, 0);
  put(g, "}");
  if (below(g, 4) == 0) {
    char *at = g->text + below(g, (unsigned)g->size - 1);
    const bool twice = below(g, 2);
    memmove(at + twice, at + !twice, g->size - (size_t)(at - g->text));
    g->size = strlen(g->text);
  }
}

typedef struct outcome {
  char out[2 * TEXT_MAX], taken[2 * TEXT_MAX];
  bool fed;
  uint64_t commas, controls, fault_at;
} outcome;

static bool take_any(void *client, const char *text, size_t length, bool whole)
{
  outcome *o = client;
  ck_assert(whole);
  strncat(o->taken, text, length);
  strcat(o->taken, "|");
  return true;
}

static void scan_in_pieces(const generator *g, size_t step, outcome *o)
{
  static const aq_json_filter any = {.array = "events",
                                     .key = "cat",
                                     .wanted = wanted,
                                     .sets_aside = is_aside,
                                     .aside = take_any};
  aq_json_scan scan;
  memset(o, 0, sizeof *o);
  aq_json_scan_init(&scan, &any, o);
  o->fed = true;
  for (size_t at = 0, used = 0; at < g->size && o->fed; at += step) {
    const size_t left = g->size - at;
    o->fed = aq_json_scan_feed(&scan, g->text + at, left < step ? left : step);
    const size_t ready =
        left > step ? aq_json_scan_ready(&scan) : scan.out_size;
    if (o->fed && ready > 0)
      memcpy(o->out + used, scan.out, ready);
    used += ready;
    aq_json_scan_drain(&scan, ready);
  }
  if (!o->fed) /* how far the text had come depends on the pieces */
    o->out[0] = 0;
  o->commas = scan.trailing_commas;
  o->controls = scan.control_bytes;
  o->fault_at = scan.fault_at;
  aq_json_scan_fini(&scan);
}

START_TEST(a_text_in_one_piece_comes_out_as_byte_by_byte)
{
  enum { TEXTS = 3000 };
  static const size_t steps[] = {63, 64, 65, 200, TEXT_MAX};
  static generator g = {.state = 1};
  static outcome bytes, pieces;
  unsigned faults = 0, commas = 0, asides = 0;
  for (int i = 0; i < TEXTS; i++) {
    put_document(&g);
    scan_in_pieces(&g, 1, &bytes);
    faults += !bytes.fed;
    commas += bytes.commas > 0;
    asides += bytes.taken[0] != 0;
    for (size_t j = 0; j < sizeof steps / sizeof *steps; j++) {
      scan_in_pieces(&g, steps[j], &pieces);
      ck_assert_msg(strcmp(pieces.out, bytes.out) == 0 &&
                        strcmp(pieces.taken, bytes.taken) == 0 &&
                        pieces.fed == bytes.fed &&
                        pieces.commas == bytes.commas &&
                        pieces.controls == bytes.controls &&
                        pieces.fault_at == bytes.fault_at,
                    "text %d in pieces of %zu: %.600s", i, steps[j], g.text);
    }
  }
  ck_assert_uint_gt(faults, TEXTS / 50);
  ck_assert_uint_gt(commas, TEXTS / 20);
  ck_assert_uint_gt(asides, TEXTS / 4);
}
END_TEST

START_TEST(damage_comes_out_the_same_in_pieces_of_any_size)
{
#define BLANKS "                                                              "
  static const char *const texts[] = {
      "{\"events\":[{\"a\":x\",\"b\":[\\ \"}" BLANKS ",{\"cat\":\"k\"}]}",
      "{\"events\":[{\"ph\": \1X\", \"cat\": \"k\", \"n\":\"" BLANKS BLANKS
      "\"},{\"cat\":\"x\"}]}",
      "{\"events\":[{\"cat\":\"x\",\"a\":[1,\x0b" BLANKS BLANKS "]},"
      "{\"cat\":\"k\"}]}",
      "{\"events\":[{\"cat\":\"x\",\"a\":[1, :" BLANKS BLANKS "]},"
      "{\"cat\":\"k\"}]}",
  };
#undef BLANKS
  static generator g;
  static outcome bytes, pieces;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    g.size = 0;
    put(&g, texts[i]);
    scan_in_pieces(&g, 1, &bytes);
    for (size_t step = 2; step <= g.size; step++) {
      scan_in_pieces(&g, step, &pieces);
      ck_assert_str_eq(pieces.out, bytes.out);
      ck_assert_str_eq(pieces.taken, bytes.taken);
      ck_assert_int_eq(pieces.fed, bytes.fed);
      ck_assert_uint_eq(pieces.commas, bytes.commas);
    }
  }
}
END_TEST

static bool take_part(void *client, const char *text, size_t length, bool whole)
{
  unsigned *parts = client;
  (void)text;
  (void)length;
  *parts += !whole;
  return true;
}

START_TEST(a_word_of_an_object_that_is_too_long_goes_with_it)
{
  enum { WORDS = 300000, PIECE = 4096 };
  static const aq_json_filter partly = {.array = "events",
                                        .key = "cat",
                                        .wanted = wanted,
                                        .sets_aside = is_aside,
                                        .aside = take_part};
  static char text[WORDS * 5 + 200];
  for (int padding = 0; padding < 5; padding++) {
    char out[64] = "";
    unsigned parts = 0;
    aq_json_scan scan;
    aq_json_scan_init(&scan, &partly, &parts);
    size_t length = (size_t)sprintf(
        text, "{\"events\":%*s[{\"cat\":\"a\",\"x\":[", padding, "");
    for (int i = 0; i < WORDS; i++)
      length += (size_t)sprintf(text + length, i ? ",null" : "null");
    length += (size_t)sprintf(text + length, "]},{\"cat\":\"k\"}]}");
    for (size_t at = 0; at < length; at += PIECE) {
      ck_assert(aq_json_scan_feed(&scan, text + at,
                                  length - at < PIECE ? length - at : PIECE));
      const size_t ready =
          length - at > PIECE ? aq_json_scan_ready(&scan) : scan.out_size;
      strncat(out, scan.out ? scan.out : "", ready);
      aq_json_scan_drain(&scan, ready);
    }
    ck_assert_uint_eq(parts, 1);
    ck_assert_ptr_nonnull(strstr(out, "[{\"cat\":\"k\"}]}"));
    ck_assert_ptr_null(strstr(out, "null"));
    aq_json_scan_fini(&scan);
  }
}
END_TEST

START_TEST(members_of_generated_objects_are_those_that_were_written)
{
  static generator g = {.state = 2};
  static char written[4 * TEXT_MAX], found[4 * TEXT_MAX];
  for (int i = 0; i < 3000; i++) {
    size_t w = 0, f = 0;
    aq_json_members m;
    g.size = 0;
    put(&g, "{");
    for (unsigned n = 1 + below(&g, 12); n > 0; n--) {
      put_spaces(&g);
      size_t at = g.size;
      put_string(&g);
      w += (size_t)sprintf(written + w, "%.*s=", (int)(g.size - at) - 2,
                           g.text + at + 1);
      put_spaces(&g);
      put(&g, ":");
      put_spaces(&g);
      at = g.size;
      put_value(&g, 0);
      w += (size_t)sprintf(written + w, "%s;", g.text + at);
      put_spaces(&g);
      put(&g, n > 1 ? "," : "}");
    }
    aq_json_members_begin(&m, (aq_json_slice){g.text, g.size});
    while (aq_json_members_next(&m))
      f += (size_t)sprintf(found + f, "%.*s=%.*s;", (int)m.key.length,
                           m.key.text, (int)m.value.length, m.value.text);
    ck_assert(!m.failed);
    ck_assert_str_eq(found, written);
  }
}
END_TEST

START_TEST(a_packed_value_has_no_spaces_between_its_parts)
{
  static const char value[] = "[ [1,\n  2 ] , {\"a b\\\" \" :\tnull}, \" \"]";
  static const char packed[] = "[[1,2],{\"a b\\\" \":null},\" \"]";
  char out[sizeof value];
  const size_t size =
      aq_json_slice_pack((aq_json_slice){value, strlen(value)}, out);
  ck_assert_uint_eq(size, strlen(packed));
  ck_assert_mem_eq(out, packed, size);
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
             escapes_of_a_string_become_utf_8,
             a_text_in_one_piece_comes_out_as_byte_by_byte,
             damage_comes_out_the_same_in_pieces_of_any_size,
             a_word_of_an_object_that_is_too_long_goes_with_it,
             members_of_generated_objects_are_those_that_were_written,
             a_packed_value_has_no_spaces_between_its_parts)
