/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/model/device_model.h"

static aqsim_model *mi300x(void)
{
  aqsim_model *model = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load("mi300x", NULL, &model, &diag), AQ_OK,
                   &diag);
  return model;
}

/* A model as text, in the order of the keys; `skip` is left out, and `change`
 * has another value or source. Any may be -1. */
static size_t print(const aqsim_model *model, int skip, int change,
                    const char *line, char *text, size_t size)
{
  size_t used = 0;
  for (int i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_constant c;
    aqsim_model_constant(model, (size_t)i, &c);
    if (i == skip)
      continue;
    int n = i == change
                ? snprintf(text + used, size - used, "%s\n", line)
                : snprintf(text + used, size - used, "%s = %s %s ; %s\n", c.key,
                           c.value, c.unit, c.source);
    used += (size_t)n;
    ck_assert_uint_lt(used, size);
  }
  return used;
}

START_TEST(the_embedded_mi300x_carries_its_constants)
{
  aqsim_model *m = mi300x();
  ck_assert_str_eq(m->name, "mi300x");
  ck_assert_str_eq(m->gfx, "gfx942");
  ck_assert_str_eq(m->product, "AMD Instinct MI300X");
  ck_assert_int_eq(m->cus, 304);
  ck_assert_int_eq(m->workgroup_interval, 479);
  ck_assert_int_eq(m->doorbell_to_fetch + m->packet_fetch + m->packet_decode,
                   1470 * AQ_NS);
  ck_assert_int_eq(m->copy_bandwidth, 64000000000);
  ck_assert_int_eq(m->lds_per_workgroup, 65536);
  ck_assert_int_eq(m->start_stamp, AQSIM_START_BACK_TO_BACK);
  ck_assert_str_eq(aqsim_model_verdict(m), "partly");
  ck_assert_uint_ge(aqsim_model_count(), 1);
  ck_assert_str_eq(aqsim_model_name(0), "mi300x");
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(what_is_shown_reads_back_to_the_same_digest)
{
  aqsim_model *m = mi300x(), *again;
  aq_diag diag = AQ_DIAG_INIT;
  char text[16384], a[AQSIM_HASH_SIZE], b[AQSIM_HASH_SIZE];
  size_t size = print(m, -1, -1, NULL, text, sizeof text);
  ck_assert_status(aqsim_model_parse("x.device", text, size, &again, &diag),
                   AQ_OK, &diag);
  aqsim_model_hash(m, a);
  aqsim_model_hash(again, b);
  ck_assert_str_eq(a, b);
  ck_assert_uint_eq(strlen(a), 16);
  ck_assert_str_eq(again->name, "x");
  aqsim_model_destroy(again);
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(a_file_is_loaded_by_its_path)
{
  aqsim_model *m = mi300x(), *again;
  aq_diag diag = AQ_DIAG_INIT;
  char text[16384];
  size_t size = print(m, -1, -1, NULL, text, sizeof text);
  const char *path = aqtest_write("other.device", text, size);
  ck_assert_status(aqsim_model_load(path, NULL, &again, &diag), AQ_OK, &diag);
  ck_assert_str_eq(again->name, "other");
  aqsim_model_destroy(again);
  aqsim_model_destroy(m);
}
END_TEST

/* Another value of the same kind for a constant. */
static const char *other_value(const aqsim_constant *c)
{
  static const char *const units[][2] = {
      {"ps", "7 ps"},    {"ns", "7 ps"},          {"us", "7 ps"},
      {"ms", "7 ps"},    {"MHz", "7 Hz"},         {"GHz", "7 Hz"},
      {"GB/s", "7 B/s"}, {"KiB", "7 B"},          {"B", "7 B"},
      {"TB/s", "7 B/s"}, {"TFLOP/s", "7 FLOP/s"}, {"MiB", "7 B"},
  };
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strcmp(c->unit, units[i][0]) == 0)
      return units[i][1];
  if (strcmp(c->value, "glued") == 0)
    return "wave";
  if (strcmp(c->value, "yes") == 0)
    return "no";
  if (strcmp(c->value, "switch") == 0)
    return "drain";
  if (strcmp(c->value, "completion") == 0)
    return "launch";
  if (strcmp(c->value, "pcie") == 0)
    return "xgmi";
  return strcmp(c->key, "fetch_window") == 0 || strcmp(c->key, "cus") == 0
             ? "256"
         : strcmp(c->value, "2") == 0 ? "3"
                                      : "2";
}

START_TEST(changing_any_constant_changes_the_digest)
{
  aqsim_model *m = mi300x();
  aq_diag diag = AQ_DIAG_INIT;
  char before[AQSIM_HASH_SIZE], after[AQSIM_HASH_SIZE], edit[100];
  aqsim_model_hash(m, before);
  for (size_t i = 0; i < AQSIM_KEY_COUNT; i++) {
    aqsim_model *edited = mi300x();
    aqsim_constant c;
    aqsim_model_constant(edited, i, &c);
    snprintf(edit, sizeof edit, "%s = %s", c.key,
             strncmp(c.key, "queue_size", 10) == 0 ? "128" : other_value(&c));
    ck_assert_status(aqsim_model_set(edited, edit, &diag), AQ_OK, &diag);
    aqsim_model_hash(edited, after);
    ck_assert_msg(strcmp(before, after) != 0, "%s: same digest", edit);
    aqsim_model_constant(edited, i, &c);
    ck_assert_str_eq(c.source, "edited");
    aqsim_model_destroy(edited);
  }
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(the_verdict_comes_from_the_sources_of_timing_constants)
{
  aqsim_model *m = mi300x();
  for (int i = 0; i < AQSIM_KEY_COUNT; i++)
    m->sources[i] = "measured: here";
  ck_assert_str_eq(aqsim_model_verdict(m), "calibrated");
  m->sources[AQSIM_KEY_cus] = "assumed";
  ck_assert_str_eq(aqsim_model_verdict(m), "calibrated");
  m->sources[AQSIM_KEY_glue_lead] = "published: there";
  ck_assert_str_eq(aqsim_model_verdict(m), "partly");
  for (int i = 0; i < AQSIM_KEY_COUNT; i++)
    m->sources[i] = "assumed: a guess";
  ck_assert_str_eq(aqsim_model_verdict(m), "assumed");
  aqsim_model_destroy(m);
}
END_TEST

/* One bad line in place of the first constant, and its diagnosis. */
typedef struct bad_line {
  const char *line, *said;
} bad_line;

static const bad_line bad_lines[] = {
    {"producer = AMD ; assumed", "bad.device:1: unknown key 'producer'"},
    {"product AMD", "bad.device:1: no '=' in 'product AMD'"},
    {"product = AMD", "bad.device:1: no source for 'product'"},
    {"product = AMD ;  ", "bad.device:1: no source for 'product'"},
    {"product = ; assumed", "bad.device:1: product: expected a value"},
    {"product = AMD ; assumed\nproduct = X ; assumed",
     "bad.device:2: duplicate key 'product'; it was set in line 1"},
    {"[part", "bad.device:1: bad section '[part'"},
    {"product = A\001B ; assumed", "bad.device:1: control character"},
    {"packet_fetch = 3 ; assumed", "packet_fetch '3'; expected a time"},
    {"packet_fetch = 3 Hz ; assumed", "packet_fetch '3 Hz'; expected a time"},
    {"packet_fetch = -3 us ; assumed", "expected a time"},
    {"packet_fetch = 0.5 ps ; assumed", "whole picoseconds"},
    {"packet_fetch = 9223372036854775807 s ; assumed", "at most 1000 s"},
    {"packet_fetch = 99999999999999999999 ps ; x", "expected a time"},
    {"packet_fetch = . us ; assumed", "expected a time"},
    {"packet_fetch = us ; assumed", "expected a time"},
    {"packet_fetch = 3 us +- 1 ; assumed", "packet_fetch '1'; expected a time"},
    {"packet_fetch = 3 us +- ; assumed",
     "packet_fetch: expected +- and a time"},
    {"cus = 3 +- 1 ; assumed", "cus '1': expected +- and a time"},
    {"cus = 3 CU ; assumed", "expected a whole number without unit"},
    {"cus = 0 ; assumed", "expected at least 1"},
    {"timestamp_hz = 1 us ; assumed", "expected a frequency"},
    {"copy_bandwidth = 1 us ; assumed", "expected a rate"},
    {"lds_per_workgroup = 1 kB ; assumed", "expected a size"},
    {"start_stamp = early ; assumed", "expected wave or glued"},
    {"read_index_advance = x ; y", "expected completion or launch"},
    {"glued_duration_contains_launch = 1 ; x", "expected yes or no"},
    {"after \"k\" = 1 us ; x", "after: expected the number of work-items"},
    {"after 64 k = 1 us ; x", "after: expected a kernel's name"},
    {"after 64 \"k = 1 us ; x", "after: expected a kernel's name"},
    {"after 64 \"k\" 1 us ; x", "after: expected '=' and a time"},
    {"after 64 \"k\" = 1 us", "after: expected '; SOURCE'"},
    {"after 64 \"k\" = 1 us ; ", "after: expected '; SOURCE'"},
    {"after 64 \"k\" = soon ; x", "after: expected a time"},
    {"after 64 \"k\" = 1 us +- ; x", "after: expected a time"},
    {"after 64 \"k\" = 0 ns ; x", "after: expected a gap of 1 ns to 16 ms"},
    {"after 64 \"k\" = 17 ms ; x", "after: expected a gap of 1 ns to 16 ms"},
    {"after 99999999999999999999 \"k\" = 1 us ; x",
     "after: expected the number of work-items"},
    {"after 64 \"k\" = 1 us ; x\nafter 64 \"k\" = 2 us ; x",
     "bad.device:2: after: the file has another gap of this kernel"},
};

START_TEST(a_bad_line_is_named_with_its_place_and_what_was_expected)
{
  aqsim_model *m = mi300x(), *none = NULL;
  char text[16384];
  for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    size_t size = print(m, -1, 0, bad_lines[i].line, text, sizeof text);
    ck_assert_status(aqsim_model_parse("bad.device", text, size, &none, &diag),
                     AQ_ERR_INPUT, &diag);
    ck_assert_msg(strstr(diag.text, bad_lines[i].said) != NULL,
                  "'%s': said \"%s\"", bad_lines[i].line, diag.text);
    ck_assert_msg(strncmp(diag.text, "bad.device:", 11) == 0, "%s", diag.text);
  }
  ck_assert_ptr_null(none);
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(every_key_is_mandatory)
{
  aqsim_model *m = mi300x(), *none = NULL;
  char text[16384], said[100];
  for (int i = 0; i < AQSIM_KEY_COUNT; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    aqsim_constant c;
    aqsim_model_constant(m, (size_t)i, &c);
    size_t size = print(m, i, -1, NULL, text, sizeof text);
    ck_assert_status(aqsim_model_parse("bad.device", text, size, &none, &diag),
                     AQ_ERR_INPUT, &diag);
    snprintf(said, sizeof said, "missing key '%s'", c.key);
    ck_assert_msg(strstr(diag.text, said) != NULL, "%s", diag.text);
  }
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(constants_that_contradict_each_other_are_refused)
{
  aqsim_model *m = mi300x();
  aq_diag diag = AQ_DIAG_INIT;
  char before[AQSIM_HASH_SIZE], after[AQSIM_HASH_SIZE];
  aqsim_model_hash(m, before);
  static const char *const edits[] = {"fetch_window=2",    "queue_size_min=100",
                                      "queue_size_max=32", "no_such_key=1",
                                      "packet_fetch",      "packet_fetch=",
                                      "packet_fetch=1"};
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    ck_assert_status(aqsim_model_set(m, edits[i], &diag), AQ_ERR_INPUT, &diag);
    ck_assert_msg(strncmp(diag.text, "edit '", 6) == 0, "%s", diag.text);
    aqsim_model_hash(m, after);
    ck_assert_str_eq(before, after);
  }
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(a_time_may_state_its_spread)
{
  aqsim_model *m = mi300x();
  aqsim_constant constant;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_set(m, "packet_fetch=3 us +- 0.5 us", &diag),
                   AQ_OK, &diag);
  aqsim_model_constant(m, AQSIM_KEY_packet_fetch, &constant);
  ck_assert_int_eq(constant.number, 3 * AQ_US);
  ck_assert_int_eq(constant.spread, AQ_US / 2);
  ck_assert_status(aqsim_model_set(m, "packet_fetch=4 us", &diag), AQ_OK,
                   &diag);
  aqsim_model_constant(m, AQSIM_KEY_packet_fetch, &constant);
  ck_assert_int_eq(constant.spread, 0);
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(an_edit_may_multiply_the_value_in_force)
{
  aqsim_model *m = mi300x();
  aq_diag diag = AQ_DIAG_INIT;
  const aq_time setup = m->dispatch_setup, interval = m->workgroup_interval;
  ck_assert_status(aqsim_model_set(m, "dispatch_setup=0.5x", &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(m->dispatch_setup, setup / 2);
  ck_assert_status(aqsim_model_set(m, "dispatch_setup = x4", &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(m->dispatch_setup, 2 * setup);
  ck_assert_status(aqsim_model_set(m, "workgroup_interval=0.3x", &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(m->workgroup_interval, (3 * interval + 5) / 10);
  ck_assert_status(aqsim_model_set(m, "pipes=0.75x", &diag), AQ_OK, &diag);
  ck_assert_int_eq(m->pipes, 3);
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(a_factor_of_no_use_is_refused_and_changes_nothing)
{
  aqsim_model *m = mi300x();
  aq_diag diag = AQ_DIAG_INIT;
  char before[AQSIM_HASH_SIZE], after[AQSIM_HASH_SIZE];
  aqsim_model_hash(m, before);
  static const char *const edits[] = {"pipes=0.3x",
                                      "start_stamp=0.5x",
                                      "clock=0x",
                                      "packet_fetch=1e9x",
                                      "packet_fetch=x",
                                      "packet_fetch=-1x",
                                      "packet_fetch=9999999999999x"};
  for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
    ck_assert_status(aqsim_model_set(m, edits[i], &diag), AQ_ERR_INPUT, &diag);
    aqsim_model_hash(m, after);
    ck_assert_str_eq(before, after);
  }
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(an_unknown_key_gets_the_nearest_one_as_a_suggestion)
{
  aqsim_model *m = mi300x();
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_set(m, "dispach_setup=1us", &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "did you mean dispatch_setup?"));
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(unknown_models_and_unreadable_files_are_input_errors)
{
  aqsim_model *none = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load("mi3000", NULL, &none, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "mi300x"));
  ck_assert_status(aqsim_model_load("/nowhere/x.device", NULL, &none, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_status(aqsim_model_load("/", NULL, &none, &diag), AQ_ERR_INPUT,
                   &diag);
  const char *edits[] = {"packet_fetch=2 us", "nonsense=1", NULL};
  ck_assert_status(aqsim_model_load("mi300x", edits, &none, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_null(none);
}
END_TEST

START_TEST(gaps_behind_kernels_are_read_and_move_the_digest)
{
  aqsim_model *m = mi300x(), *with = NULL;
  char text[16384], plain[AQSIM_HASH_SIZE], hash[AQSIM_HASH_SIZE];
  aq_diag diag = AQ_DIAG_INIT;
  size_t size = print(m, -1, -1, NULL, text, sizeof text);
  size +=
      (size_t)snprintf(text + size, sizeof text - size, "%s",
                       "after 64 \"a \\\"b\\\\\" = 4.5 us +- 20 ns ; measured\n"
                       "after\t0 \"k;=\" = 1 us ; assumed: x\n");
  ck_assert_status(aqsim_model_parse("gaps.device", text, size, &with, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(with->gap_count, 2);
  ck_assert_str_eq(with->gaps[0].name, "a \"b\\");
  ck_assert_int_eq(with->gaps[0].grid, 64);
  ck_assert_int_eq(with->gaps[0].time, 4500 * AQ_NS);
  ck_assert_int_eq(with->gaps[0].spread, 20 * AQ_NS);
  ck_assert_str_eq(with->gaps[1].name, "k;=");
  ck_assert_int_eq(with->gaps[1].grid, 0);
  ck_assert_str_eq(with->gaps[1].source, "assumed: x");
  aqsim_model_hash(with, hash);
  with->gaps[0].time += AQ_NS;
  aqsim_model_hash(with, plain);
  ck_assert_str_ne(plain, hash);
  with->gap_count = 0;
  aqsim_model_hash(with, hash);
  aqsim_model_hash(m, plain);
  ck_assert_str_eq(plain, hash);
  aqsim_model_destroy(m);
  aqsim_model_destroy(with);
}
END_TEST

AQ_TEST_MAIN(
    "backend_sim/model/device_model", the_embedded_mi300x_carries_its_constants,
    what_is_shown_reads_back_to_the_same_digest, a_file_is_loaded_by_its_path,
    changing_any_constant_changes_the_digest,
    the_verdict_comes_from_the_sources_of_timing_constants,
    a_bad_line_is_named_with_its_place_and_what_was_expected,
    every_key_is_mandatory, constants_that_contradict_each_other_are_refused,
    a_time_may_state_its_spread, an_edit_may_multiply_the_value_in_force,
    a_factor_of_no_use_is_refused_and_changes_nothing,
    an_unknown_key_gets_the_nearest_one_as_a_suggestion,
    unknown_models_and_unreadable_files_are_input_errors,
    gaps_behind_kernels_are_read_and_move_the_digest)
