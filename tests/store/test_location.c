/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/location.h"

static void set(const char *variable, const char *value)
{
  if (value)
    setenv(variable, value, 1);
  else
    unsetenv(variable);
}

START_TEST(the_default_follows_the_xdg_specification)
{
  static const struct {
    const char *data, *home, *path; /* path NULL: an error */
  } cases[] = {
      {"/d", "/h", "/d/aqueduct/runs.db"},
      {NULL, "/h", "/h/.local/share/aqueduct/runs.db"},
      {"", "/h", "/h/.local/share/aqueduct/runs.db"},
      {"relative", "/h", "/h/.local/share/aqueduct/runs.db"},
      {NULL, NULL, NULL},
      {NULL, "", NULL},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    aq_diag diag = AQ_DIAG_INIT;
    char *path = NULL;
    set("XDG_DATA_HOME", cases[i].data);
    set("HOME", cases[i].home);
    aq_status status = aq_location_default(&path, &diag);
    ck_assert_status(status, cases[i].path ? AQ_OK : AQ_ERR_INPUT, &diag);
    if (cases[i].path)
      ck_assert_str_eq(path, cases[i].path);
    free(path);
  }
}
END_TEST

START_TEST(folders_above_a_path_are_made_and_the_path_itself_is_not)
{
  aq_diag diag = AQ_DIAG_INIT;
  char path[512];
  snprintf(path, sizeof path, "%s/a//b/c/runs.db", aqtest_tmpdir());
  ck_assert_status(aq_location_make(path, &diag), AQ_OK, &diag);
  ck_assert_status(aq_location_make(path, &diag), AQ_OK, &diag);
  ck_assert_int_ne(access(path, F_OK), 0);
  *strrchr(path, '/') = '\0';
  ck_assert_int_eq(access(path, F_OK), 0);
  ck_assert_status(aq_location_make("runs.db", &diag), AQ_OK, &diag);
  ck_assert_status(aq_location_make("/runs.db", &diag), AQ_OK, &diag);
}
END_TEST

START_TEST(a_file_where_a_folder_is_wanted_is_named_in_the_error)
{
  aq_diag diag = AQ_DIAG_INIT;
  char path[512];
  const char *file = aqtest_write("file", "x", 1);
  snprintf(path, sizeof path, "%s/below/runs.db", file);
  ck_assert_status(aq_location_make(path, &diag), AQ_ERR_INPUT, &diag);
  ck_assert_ptr_nonnull(strstr(diag.text, "/file/below: cannot make"));
}
END_TEST

START_TEST(a_path_that_is_too_long_is_refused)
{
  aq_diag diag = AQ_DIAG_INIT;
  char path[8192];
  memset(path, 'x', sizeof path);
  path[0] = path[sizeof path - 2] = '/';
  path[sizeof path - 1] = '\0';
  ck_assert_status(aq_location_make(path, &diag), AQ_ERR_INPUT, &diag);
  bool missing = false;
  ck_assert_status(aq_location_check(path, &missing, &diag), AQ_ERR_INPUT,
                   &diag);
  ck_assert_ptr_null(aq_location_network(path));
}
END_TEST

AQ_TEST_MAIN("store/location", the_default_follows_the_xdg_specification,
             folders_above_a_path_are_made_and_the_path_itself_is_not,
             a_file_where_a_folder_is_wanted_is_named_in_the_error,
             a_path_that_is_too_long_is_refused)
