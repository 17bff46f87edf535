/* SPDX-License-Identifier: MIT */
#include "cli/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

/* A finding by its check's name, and the names in order. */
typedef struct found {
  const char *check;
  aq_doctor_state state;
  char detail[512], order[1024];
  bool advised;
  int times;
} found;

static void finding_note(const aq_doctor_finding *f, void *user)
{
  found *note = user;
  const size_t used = strlen(note->order);
  snprintf(note->order + used, sizeof note->order - used, "%s|", f->check);
  if (strcmp(f->check, note->check) != 0)
    return;
  note->state = f->state;
  note->advised = f->advice != NULL;
  note->times++;
  snprintf(note->detail, sizeof note->detail, "%s", f->detail);
}

static found examine(const char *check, const char *libhsa, const char *store)
{
  const aq_doctor_options options = {libhsa, store};
  found note = {.check = check};
  aq_doctor_examine(&options, finding_note, &note);
  ck_assert_int_eq(note.times, 1);
  return note;
}

START_TEST(a_library_that_is_absent_is_missing_with_advice)
{
  const found f = examine("HSA runtime", "/nonexistent/libhsa.so", NULL);
  ck_assert_int_eq(f.state, AQ_DOCTOR_MISSING);
  ck_assert(f.advised);
  ck_assert_ptr_nonnull(strstr(f.detail, "/nonexistent/libhsa.so"));
}
END_TEST

START_TEST(a_file_that_is_no_store_is_broken)
{
  const char *path = aqtest_write("broken.db", "no database at all\n", 19);
  const found f = examine("store", NULL, path);
  ck_assert_int_eq(f.state, AQ_DOCTOR_BAD);
  ck_assert_ptr_nonnull(strstr(f.detail, path));
}
END_TEST

START_TEST(a_store_that_nobody_made_is_a_note)
{
  const found f = examine("store", NULL, "/nonexistent/runs.db");
  ck_assert_int_eq(f.state, AQ_DOCTOR_NOTE);
}
END_TEST

/* What executes kernels, and why no other. */
START_TEST(the_way_in_which_code_is_compiled_is_named)
{
  setenv("AQUEDUCT_COMPILE", "off", 1);
  const found off = examine("compiled code", NULL, NULL);
  ck_assert_int_eq(off.state, AQ_DOCTOR_NOTE);
  ck_assert_ptr_nonnull(strstr(off.detail, "interpreter: "));
  ck_assert_ptr_nonnull(strstr(off.detail, "AQUEDUCT_COMPILE is off"));
  setenv("AQUEDUCT_COMPILE", "cc", 1);
  const found gone = examine("compiled code", NULL, NULL);
  ck_assert_int_eq(gone.state, AQ_DOCTOR_BAD);
  ck_assert_ptr_nonnull(strstr(gone.detail, "use auto"));
  setenv("AQUEDUCT_COMPILE", "often", 1);
  const found unknown = examine("compiled code", NULL, NULL);
  ck_assert_int_eq(unknown.state, AQ_DOCTOR_BAD);
  unsetenv("AQUEDUCT_COMPILE");
  const found plain = examine("compiled code", NULL, NULL);
  ck_assert(strncmp(plain.detail, "emitter: ", 9) == 0 ||
            strncmp(plain.detail, "interpreter: ", 13) == 0);
}
END_TEST

START_TEST(findings_come_in_one_order)
{
  const found first = examine("transports", NULL, NULL);
  const found second = examine("transports", "/nonexistent/libhsa.so", NULL);
  ck_assert_str_eq(first.order, second.order);
  ck_assert_ptr_nonnull(strstr(first.detail, "sim"));
}
END_TEST

AQ_TEST_MAIN("cli/doctor/doctor",
             a_library_that_is_absent_is_missing_with_advice,
             a_file_that_is_no_store_is_broken,
             a_store_that_nobody_made_is_a_note,
             the_way_in_which_code_is_compiled_is_named,
             findings_come_in_one_order)
