/* SPDX-License-Identifier: MIT */
#include "transport/fault/fault_schedule.h"

#include <string.h>

#include "support/aqtest.h"

static aq_status parse(const char *text, aq_fault_schedule *out, aq_diag *diag)
{
  return aq_fault_schedule_parse(text, strlen(text), "f.json", out, diag);
}

START_TEST(every_fault_can_be_written_down)
{
  static const char text[] =
      "{\"faults\": ["
      "{\"fault\": \"doorbell-lost\", \"queue\": 1, \"doorbell\": 2},"
      "{\"fault\": \"doorbell-late\", \"queue\": 1, \"doorbell\": 3,"
      " \"delay\": \"2.5us\"},"
      "{\"fault\": \"doorbell-duplicated\", \"queue\": 1, \"doorbell\": 4,"
      " \"delay\": \"0ns\"},"
      "{\"fault\": \"header-late\", \"queue\": 0, \"packet\": 5,"
      " \"delay\": \"1ms\"},"
      "{\"fault\": \"header-corrupted\", \"queue\": 0, \"packet\": 6},"
      "{\"fault\": \"dependency-missing\", \"queue\": 0, \"barrier\": 7},"
      "{\"fault\": \"queue-error\", \"queue\": 0, \"packet\": 8},"
      "{\"fault\": \"interrupt-lost\", \"interrupt\": 9},"
      "{\"fault\": \"copy-slow\", \"copy\": 10, \"delay\": \"1s\"},"
      "{\"fault\": \"out-of-memory\", \"allocation\": 11}]}";
  aq_fault_schedule s;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(parse(text, &s, &diag), AQ_OK, &diag);
  ck_assert_uint_eq(s.count, AQ_FAULT_KINDS);
  for (size_t i = 0; i < s.count; i++) {
    ck_assert_int_eq(s.faults[i].kind, (int)i);
    ck_assert_uint_eq(s.faults[i].at, i + 2);
  }
  ck_assert_uint_eq(s.faults[AQ_FAULT_DOORBELL_LATE].queue, 1);
  ck_assert_int_eq(s.faults[AQ_FAULT_DOORBELL_LATE].delay, 2500 * AQ_NS);
  ck_assert_uint_eq(s.faults[AQ_FAULT_HEADER_CORRUPTED].type, 255);
  ck_assert_uint_eq(s.faults[AQ_FAULT_QUEUE_ERROR].reason, 32);
  aq_fault_schedule_fini(&s);
}
END_TEST

START_TEST(a_bad_document_is_one_line_with_its_place)
{
  static const struct {
    const char *text, *words;
  } rows[] = {
      {"", "f.json"},
      {"[]", "an object expected"},
      {"{}", "\"faults\" is missing"},
      {"{\"faults\": {}}", "f.json: faults: an array expected"},
      {"{\"faults\": [], \"more\": 1}", "unknown key \"more\""},
      {"{\"faults\": [3]}", "f.json: faults[0]: an object expected"},
      {"{\"faults\": [{}]}", "faults[0]: \"fault\" is missing"},
      {"{\"faults\": [{\"fault\": \"x\"}]}",
       "faults[0].fault: unknown fault \"x\""},
      {"{\"faults\": [{\"fault\": \"copy-slow\", \"copy\": 0}]}",
       "\"delay\" is missing"},
      {"{\"faults\": [{\"fault\": \"copy-slow\", \"queue\": 0}]}",
       "unknown key \"queue\"; known are fault, copy, delay"},
      {"{\"faults\": [{\"fault\": \"copy-slow\", \"copy\": 0, "
       "\"delay\": 5}]}",
       "faults[0].delay: "},
      {"{\"faults\": [{\"fault\": \"doorbell-lost\", \"doorbell\": 0}]}",
       "\"queue\" is missing"},
      {"{\"faults\": [{\"fault\": \"doorbell-lost\", \"doorbell\": -1, "
       "\"queue\": 0}]}",
       "-1 is out of range"},
      {"{\"faults\": [{\"fault\": \"header-corrupted\", \"packet\": 0, "
       "\"queue\": 0, \"type\": 3}]}",
       "faults[0].type: 3: 1 (INVALID) or 6 to 255 expected"},
      {"{\"faults\": [{\"fault\": \"queue-error\", \"packet\": 0, "
       "\"queue\": 0, \"reason\": 0}]}",
       "faults[0].reason: 0 is out of range"},
      {"{\"faults\": [{\"fault\": \"out-of-memory\", \"allocation\": 1},\n"
       "{\"fault\": \"out-of-memory\", \"allocation\": 1}]}",
       "faults[1]: the same fault a second time"},
      {"{\"faults\": [\n,]}", "f.json: line 2: "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    aq_fault_schedule s = {NULL, 77};
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(parse(rows[i].text, &s, &diag), AQ_ERR_INPUT, &diag);
    ck_assert_msg(strstr(diag.text, rows[i].words) != NULL, "%s: says \"%s\"",
                  rows[i].text, diag.text);
    ck_assert_ptr_null(strchr(diag.text, '\n'));
    ck_assert_uint_eq(s.count, 77); /* written only on success */
  }
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
  aq_fault_schedule s;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aq_fault_schedule_read("/no/such.json", &s, &diag),
                   AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "/no/such.json"));
}
END_TEST

START_TEST(a_seed_gives_the_same_faults_and_all_kinds_come_up)
{
  unsigned kinds[AQ_FAULT_KINDS] = {0};
  aq_diag diag = AQ_DIAG_INIT;
  for (uint64_t seed = 0; seed < 300; seed++) {
    aq_fault_schedule a, b;
    ck_assert_status(aq_fault_schedule_random(seed, true, &a, &diag), AQ_OK,
                     &diag);
    ck_assert_status(aq_fault_schedule_random(seed, true, &b, &diag), AQ_OK,
                     &diag);
    ck_assert_uint_eq(a.count, b.count);
    ck_assert_uint_gt(a.count, 0);
    for (size_t i = 0; i < a.count; i++) {
      const aq_fault *x = &a.faults[i], *y = &b.faults[i];
      ck_assert(x->kind == y->kind && x->queue == y->queue && x->at == y->at &&
                x->delay == y->delay && x->type == y->type);
      kinds[x->kind]++;
    }
    aq_fault_schedule_fini(&a);
    aq_fault_schedule_fini(&b);
  }
  for (int i = 0; i < AQ_FAULT_KINDS; i++)
    ck_assert_msg(kinds[i] > 10, "%s: %u", aq_fault_texts[i].name, kinds[i]);
}
END_TEST

START_TEST(without_device_hooks_a_seed_gives_no_device_faults)
{
  aq_diag diag = AQ_DIAG_INIT;
  for (uint64_t seed = 0; seed < 300; seed++) {
    aq_fault_schedule s;
    ck_assert_status(aq_fault_schedule_random(seed, false, &s, &diag), AQ_OK,
                     &diag);
    for (size_t i = 0; i < s.count; i++)
      ck_assert(!aq_fault_texts[s.faults[i].kind].device);
    aq_fault_schedule_fini(&s);
  }
}
END_TEST

AQ_TEST_MAIN("transport/fault/fault_schedule", every_fault_can_be_written_down,
             a_bad_document_is_one_line_with_its_place,
             a_file_that_is_not_there_is_named,
             a_seed_gives_the_same_faults_and_all_kinds_come_up,
             without_device_hooks_a_seed_gives_no_device_faults)
