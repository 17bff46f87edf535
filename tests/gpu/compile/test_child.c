/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <signal.h>
#include <string.h>

#include "gpu/compile/subprocess.h"

static aq_diag diag;

static aq_status run(const char *program)
{
  aq_child child = {.count = 0};
  aq_child_add(&child, program);
  return aq_child_run(&child, NULL, &diag);
}

START_TEST(a_child_succeeds_or_fails)
{
  ck_assert_status(run("/bin/true"), AQ_OK, &diag);
  ck_assert_int_eq(run("/bin/false"), AQ_ERR_INPUT);
  ck_assert_str_eq(diag.text, "false: exit status 1");
}
END_TEST

/* The kernel drops the status of each child then. */
START_TEST(a_child_whose_status_is_lost_has_not_succeeded)
{
  signal(SIGCHLD, SIG_IGN);
  ck_assert_int_eq(run("/bin/false"), AQ_ERR_RESOURCES);
  ck_assert_str_eq(diag.text,
                   "false: exit status unknown: this process ignores "
                   "SIGCHLD, or another thread waited for it");
  ck_assert_int_eq(run("/bin/true"), AQ_ERR_RESOURCES);
}
END_TEST

AQ_TEST_MAIN("gpu/compile/child", a_child_succeeds_or_fails,
             a_child_whose_status_is_lost_has_not_succeeded)
