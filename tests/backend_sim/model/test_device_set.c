/* SPDX-License-Identifier: MIT */
#include "backend_sim/model/device_set.h"

#include <string.h>

#include "support/aqtest.h"

static aq_status load(const char *list, const char *edit, aqsim_device_set *set,
                      aq_diag *diag)
{
  const char *edits[] = {edit, NULL};
  return aqsim_device_set_load(list, edits, set, diag);
}

START_TEST(a_list_is_names_and_how_often)
{
  aqsim_device_set set;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(load("mi300x*2,mi300x-rocm7.14,mi300x*1", NULL, &set, &diag),
                   AQ_OK, &diag);
  ck_assert_uint_eq(set.count, 4);
  ck_assert_str_eq(set.models[1]->name, "mi300x");
  ck_assert_str_eq(set.models[2]->name, "mi300x-rocm7.14");
  ck_assert_str_eq(set.models[3]->name, "mi300x");
  aqsim_device_set_fini(&set);
}
END_TEST

START_TEST(an_edit_is_for_all_or_for_one)
{
  aqsim_device_set set;
  aq_diag diag = AQ_DIAG_INIT;
  const char *edits[] = {"cus=7", "1:cus=9", NULL};
  ck_assert_status(aqsim_device_set_load("mi300x*3", edits, &set, &diag), AQ_OK,
                   &diag);
  ck_assert_int_eq(set.models[0]->cus, 7);
  ck_assert_int_eq(set.models[1]->cus, 9);
  ck_assert_int_eq(set.models[2]->cus, 7);
  aqsim_device_set_fini(&set);
}
END_TEST

START_TEST(what_is_wrong_is_named_and_nothing_is_made)
{
  static const char *const wrong[][3] = {
      {"", NULL, "expected NAME or NAME*N"},
      {"mi300x,", NULL, "expected NAME or NAME*N"},
      {",mi300x", NULL, "expected NAME or NAME*N"},
      {"mi300x*0", NULL, "'mi300x*0'; expected NAME or NAME*N"},
      {"mi300x*", NULL, "'mi300x*'; expected NAME or NAME*N"},
      {"*4", NULL, "'*4'; expected NAME or NAME*N"},
      {"mi300x*65", NULL, "at most 64 devices"},
      {"mi300x*99999999999999999999", NULL, "at most 64 devices"},
      {"mi300x*33,mi300x*32", NULL, "'mi300x*32'; expected"},
      {"mi300x,nothing", NULL, "unknown device model 'nothing'"},
      {"mi300x*2", "2:cus=1", "device 2; expected less than 2"},
      {"mi300x*2", "1:nothing=1", "unknown key 'nothing'"},
      {"mi300x*2", "1;cus=1", "unknown key '1;cus'"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    aqsim_device_set set = {.count = 77};
    aq_diag diag = AQ_DIAG_INIT;
    ck_assert_status(load(wrong[i][0], wrong[i][1], &set, &diag), AQ_ERR_INPUT,
                     &diag);
    ck_assert_msg(strstr(diag.text, wrong[i][2]) != NULL, "%s: %s", wrong[i][0],
                  diag.text);
    ck_assert_uint_eq(set.count, 77);
  }
}
END_TEST

START_TEST(names_of_a_list_are_counted_without_models)
{
  uint32_t count;
  aq_diag diag = AQ_DIAG_INIT;
  ck_assert_status(aqsim_device_set_count("a*60,b,c*3", &count, &diag), AQ_OK,
                   &diag);
  ck_assert_uint_eq(count, 64);
}
END_TEST

AQ_TEST_MAIN("backend_sim/model/device_set", a_list_is_names_and_how_often,
             an_edit_is_for_all_or_for_one,
             what_is_wrong_is_named_and_nothing_is_made,
             names_of_a_list_are_counted_without_models)
