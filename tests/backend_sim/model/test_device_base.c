/* SPDX-License-Identifier: MIT */
/* Models that begin with another one, and the models that are built in. */
#include "support/aqtest.h"

#include <stdio.h>
#include <string.h>

#include "backend_sim/model/device_model.h"

static aqsim_model *load(const char *name)
{
  aqsim_model *model = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load(name, NULL, &model, &diag), AQ_OK, &diag);
  return model;
}

static aqsim_model *parse(const char *text)
{
  aqsim_model *model = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(
      aqsim_model_parse("here.device", text, strlen(text), &model, &diag),
      AQ_OK, &diag);
  return model;
}

static void refuse(const char *text, const char *said)
{
  aqsim_model *none = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(
      aqsim_model_parse("bad.device", text, strlen(text), &none, &diag),
      AQ_ERR_INPUT, &diag);
  ck_assert_msg(strstr(diag.text, said) != NULL, "'%s': said \"%s\"", text,
                diag.text);
  ck_assert_ptr_null(none);
}

START_TEST(a_model_says_only_what_differs_from_its_base)
{
  aqsim_model *base = load("mi300x");
  aqsim_model *same = parse("base = mi300x ; same part\n");
  char a[AQSIM_HASH_SIZE], b[AQSIM_HASH_SIZE];
  aqsim_model_hash(base, a);
  aqsim_model_hash(same, b);
  ck_assert_str_eq(a, b);
  ck_assert_str_eq(same->name, "here");
  aqsim_model_destroy(same);

  aqsim_model *other =
      parse("# one\nbase = mi300x ; same part\npacket_fetch = 7 ns ; assumed");
  ck_assert_int_eq(other->packet_fetch, 7 * AQ_NS);
  ck_assert_int_eq(other->packet_decode, base->packet_decode);
  aqsim_model_hash(other, b);
  ck_assert_str_ne(a, b);
  aqsim_model_destroy(other);
  aqsim_model_destroy(base);
}
END_TEST

START_TEST(each_constant_says_which_file_set_it)
{
  const char *edits[] = {"signal_write=1 us", NULL};
  aqsim_model *m;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_model_load("mi300x-rocm7.14", edits, &m, &diag), AQ_OK,
                   &diag);
  ck_assert_str_eq(m->from[AQSIM_KEY_cus], "mi300x");
  ck_assert_str_eq(m->from[AQSIM_KEY_graph_launch], "mi300x-rocm7.14");
  ck_assert_str_eq(m->from[AQSIM_KEY_signal_write], "an edit");
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(what_another_part_does_is_assumed_and_says_so)
{
  aqsim_model *m = parse("base = mi300x ; assumed: alike\ncus = 3 ; published: "
                         "a data sheet\n");
  ck_assert_str_eq(m->sources[AQSIM_KEY_cus], "published: a data sheet");
  const char *source = m->sources[AQSIM_KEY_timestamp_step];
  ck_assert_msg(strncmp(source, "assumed: as mi300x, there measured: ", 36) ==
                    0,
                "%s", source);
  /* A guess of the base stays a guess. */
  ck_assert_str_eq(m->sources[AQSIM_KEY_packet_fetch],
                   "assumed: share of 1.47 us");
  ck_assert_str_eq(aqsim_model_verdict(m), "assumed");
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(an_override_may_repeat_what_the_base_says)
{
  aqsim_model *base = load("mi300x"), *same;
  char text[512], a[AQSIM_HASH_SIZE], b[AQSIM_HASH_SIZE];
  snprintf(text, sizeof text,
           "base = mi300x ; same\npacket_fetch = 0.3 us ; %s",
           base->sources[AQSIM_KEY_packet_fetch]);
  same = parse(text);
  aqsim_model_hash(base, a);
  aqsim_model_hash(same, b);
  ck_assert_str_eq(a, b);
  aqsim_model_destroy(same);
  aqsim_model_destroy(base);
}
END_TEST

START_TEST(a_base_may_be_a_file_beside_the_model)
{
  static const char middle[] = "base = mi300x ; same\ncus = 5 ; assumed\n";
  static const char top[] = "base = middle.device ; same\nxccs = 2 ; assumed\n";
  aqtest_write("middle.device", middle, sizeof middle - 1);
  aqsim_model *m = load(aqtest_write("top.device", top, sizeof top - 1));
  ck_assert_str_eq(m->name, "top");
  ck_assert_int_eq(m->cus, 5);
  ck_assert_int_eq(m->xccs, 2);
  ck_assert_str_eq(m->from[AQSIM_KEY_cus], "middle");
  ck_assert_str_eq(m->from[AQSIM_KEY_clock], "mi300x");
  aqsim_model_destroy(m);
}
END_TEST

START_TEST(bases_that_do_not_end_are_refused)
{
  static const char one[] = "base = two.device ; same\n";
  static const char two[] = "\nbase = one.device ; same\n";
  aqsim_model *none = NULL;
  aq_diag diag = AQ_DIAG_INIT;
  aqtest_write("two.device", two, sizeof two - 1);
  const char *path = aqtest_write("one.device", one, sizeof one - 1);
  ck_assert_status(aqsim_model_load(path, NULL, &none, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "two.device:2: base 'one.device' "
                                          "begins with this model"));
  char text[64], name[32];
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "deep%d.device", i);
    snprintf(text, sizeof text, "base = deep%d.device ; same\n", i + 1);
    path = aqtest_write(name, text, strlen(text));
    if (i == 0)
      snprintf(diag.text, sizeof diag.text, "%s", path);
  }
  char first[AQ_DIAG_TEXT_MAX];
  snprintf(first, sizeof first, "%s", diag.text);
  ck_assert_status(aqsim_model_load(first, NULL, &none, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "is too deep; expected at most 16"));
  ck_assert_ptr_null(none);
}
END_TEST

START_TEST(a_bad_base_is_named_in_one_line)
{
  refuse("base = mi301 ; same\n", "bad.device:1: base 'mi301': unknown device "
                                  "model 'mi301'; expected");
  refuse("base = gone.device ; same", "gone.device: No such file");
  refuse("base = ../x.device ; same", "or a file in the same folder");
  refuse("base = mi300x", "no source for 'base'");
  refuse("base = ; same", "base: expected the name of a model");
  refuse("base = mi300x ; roughly", "expected 'same");
  refuse("base = mi300x ; same\nbase = mi300x ; same",
         "bad.device:2: base: expected once, before the constants");
  refuse("cus = 4 ; assumed\nbase = mi300x ; same",
         "bad.device:2: base: expected once, before the constants");
  refuse("base = mi300x ; same\ncus = 4 ; assumed\ncus = 4 ; assumed",
         "bad.device:3: duplicate key 'cus'; it was set in line 2");
  refuse("base = mi300x ; same\nfetch_window = 1 ; assumed",
         "fetch_window is below fetch_batch");
}
END_TEST

/* ---- built-in models ---- */

static bool begins(const char *text, const char *word)
{
  return strncmp(text, word, strlen(word)) == 0;
}

/* "word" or "word: why", the words that doc/formats/device.md names. */
static bool source_is_known(const char *source)
{
  static const char *const words[] = {
      "measured: ", "published: ", "derived: ", "assumed: "};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (begins(source, words[i]) && source[strlen(words[i])])
      return true;
  return strcmp(source, "assumed") == 0;
}

START_TEST(every_built_in_model_names_the_source_of_each_constant)
{
  for (size_t i = 0; i < aqsim_model_count(); i++) {
    aqsim_model *m = load(aqsim_model_name(i));
    ck_assert_str_eq(m->name, aqsim_model_name(i));
    for (int key = 0; key < AQSIM_KEY_COUNT; key++) {
      aqsim_constant c;
      aqsim_model_constant(m, (size_t)key, &c);
      ck_assert_msg(source_is_known(c.source), "%s: %s: source '%s'", m->name,
                    c.key, c.source);
      ck_assert_ptr_nonnull(c.from);
    }
    aqsim_model_destroy(m);
  }
}
END_TEST

/* Relations that no real part breaks. */
static void check_sane(const aqsim_model *m)
{
  const char *name = m->name;
  ck_assert_msg(m->cus % m->xccs == 0, "%s: %d CUs of %d complexes", name,
                (int)m->cus, (int)m->xccs);
  ck_assert_msg(m->wave_size == (begins(m->gfx, "gfx9") ? 64 : 32), "%s", name);
  ck_assert_msg(m->simds_per_cu == (m->wave_size == 64 ? 4 : 2), "%s", name);
  ck_assert_msg(m->fetch_window >= m->fetch_batch, "%s", name);
  ck_assert_msg(m->acquire_system >= m->acquire_agent, "%s", name);
  ck_assert_msg(m->release_system >= m->release_agent, "%s", name);
  ck_assert_msg(m->timestamp_step * m->timestamp_hz >= AQ_S,
                "%s: stamps are finer than their clock", name);
  ck_assert_msg(m->start_stamp == AQSIM_START_BACK_TO_BACK ||
                    !m->glued_duration_contains_launch,
                "%s: durations contain the launch of no back-to-back start",
                name);
  /* A dispatch costs 1 to 10 us, an idle queue answers within 50 us. */
  aq_time cost =
      m->acquire_agent + m->dispatch_setup + m->release_agent + m->signal_write;
  ck_assert_msg(cost >= AQ_US && cost <= 10 * AQ_US,
                "%s: a dispatch costs %lld "
                "ns",
                name, (long long)(cost / AQ_NS));
  aq_time answer = m->doorbell_to_fetch + m->packet_fetch + m->packet_decode +
                   m->remap_latency + cost;
  ck_assert_msg(answer <= 50 * AQ_US, "%s", name);
}

START_TEST(every_built_in_model_is_sane)
{
  for (size_t i = 0; i < aqsim_model_count(); i++) {
    aqsim_model *m = load(aqsim_model_name(i));
    check_sane(m);
    aqsim_model_destroy(m);
  }
}
END_TEST

START_TEST(the_verdict_of_a_model_without_figures_of_its_own_is_assumed)
{
  static const char *const without[] = {"mi25",   "mi50",   "mi100",
                                        "mi300a", "mi325x", "rx6900xt"};
  for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
    aqsim_model *m = load(without[i]);
    ck_assert_msg(strcmp(aqsim_model_verdict(m), "assumed") == 0, "%s",
                  m->name);
    aqsim_model_destroy(m);
  }
  aqsim_model *m = load("mi210");
  ck_assert_str_eq(aqsim_model_verdict(m), "partly");
  aqsim_model_destroy(m);
}
END_TEST

AQ_TEST_MAIN("backend_sim/device_base",
             a_model_says_only_what_differs_from_its_base,
             each_constant_says_which_file_set_it,
             what_another_part_does_is_assumed_and_says_so,
             an_override_may_repeat_what_the_base_says,
             a_base_may_be_a_file_beside_the_model,
             bases_that_do_not_end_are_refused, a_bad_base_is_named_in_one_line,
             every_built_in_model_names_the_source_of_each_constant,
             every_built_in_model_is_sane,
             the_verdict_of_a_model_without_figures_of_its_own_is_assumed)
