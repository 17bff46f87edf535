/* SPDX-License-Identifier: MIT */
/* The report of an execution for CI systems: why it failed, and as XML. */
#include "support/aqtest.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/exec/junit.h"

static char text[8192];
static char program[] = "./a \"b\"", argument[] = "<c>";
static char *const args[] = {program, argument, NULL};

/* The report of an execution that ended so; `why`: a failure after all. */
static const char *report(const aq_junit_end *end, const char *why)
{
  char path[4096];
  aq_junit *junit;
  aq_diag diag = AQ_DIAG_INIT;
  snprintf(path, sizeof path, "%s/junit.xml", aqtest_tmpdir());
  ck_assert_status(aq_junit_open(path, args, &junit, &diag), AQ_OK, &diag);
  ck_assert_status(aq_junit_property(junit, "device", "a&b \x01\n", &diag),
                   AQ_OK, &diag);
  ck_assert_status(aq_junit_property(junit, "none", NULL, &diag), AQ_OK, &diag);
  ck_assert_status(aq_junit_failure(junit, why, &diag), AQ_OK, &diag);
  ck_assert_status(aq_junit_close(&junit, end, &diag), AQ_OK, &diag);
  ck_assert_ptr_null(junit);
  FILE *file = fopen(path, "rb");
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  return text;
}

static void check(const aq_junit_end *end, const char *why, const char *counts,
                  const char *result)
{
  const char *xml = report(end, why);
  ck_assert_msg(strstr(xml, counts), "%s", xml);
  if (result)
    ck_assert_msg(strstr(xml, result), "%s", xml);
  else
    ck_assert_msg(!strstr(xml, "message="), "%s", xml);
}

START_TEST(a_report_says_why_the_program_failed)
{
  static const char passed[] = "failures=\"0\" errors=\"0\"",
                    failed[] = "failures=\"1\" errors=\"0\"",
                    broken[] = "failures=\"0\" errors=\"1\"";
  check(&(aq_junit_end){.ran = true}, "", passed, NULL);
  check(&(aq_junit_end){.ran = true, .status = 1 << 8}, "", failed,
        "<failure message=\"exit status 1\"/>");
  check(&(aq_junit_end){.ran = true, .status = SIGSEGV}, "", failed,
        "<failure message=\"ended by signal 11 (SIGSEGV)\"/>");
  check(&(aq_junit_end){.ran = true}, "2 findings", failed,
        "<failure message=\"2 findings\"/>");
  check(&(aq_junit_end){.ran = true, .status = 3 << 8}, "2 findings", failed,
        "<failure message=\"exit status 3\"/>");
  check(&(aq_junit_end){.failure = "timeout", .ran = true, .status = 9}, "",
        failed, "<failure message=\"timeout\"/>");
  check(&(aq_junit_end){.error = "no such file"}, "", broken,
        "<error message=\"no such file\"/>");
}
END_TEST

START_TEST(names_and_values_are_text_of_xml)
{
  const char *xml = report(&(aq_junit_end){.ran = true}, "");
  ck_assert_ptr_nonnull(strstr(xml, " name=\"./a &quot;b&quot; &lt;c>\""));
  ck_assert_ptr_nonnull(strstr(xml, "<property name=\"device\" value=\"a&amp;b "
                                    "\xef\xbf\xbd&#10;\"/>"));
  ck_assert_ptr_null(strstr(xml, "name=\"none\""));
}
END_TEST

START_TEST(a_long_failure_is_kept_whole_and_stays_text_of_xml)
{
  static const char end[] = "the end <\x1b\xc3";
  char why[3000], message[3100];
  memset(why, 0, sizeof why);
  strcpy(why, "x"); /* so that no cut at an even length is between characters */
  for (size_t i = 1; i + 2 + sizeof end < 2000; i += 2)
    memcpy(why + i, "\xc3\xa9", 2);
  snprintf(message, sizeof message, "message=\"%sthe end &lt;%s%s\"", why,
           "\xef\xbf\xbd", "\xef\xbf\xbd");
  strcat(why, end);
  const char *xml = report(&(aq_junit_end){.ran = true}, why);
  ck_assert_msg(strstr(xml, message) != NULL, "%s", xml);
  xml = report(&(aq_junit_end){.ran = true, .failure = why}, "");
  ck_assert_msg(strstr(xml, message) != NULL, "%s", xml);
}
END_TEST

AQ_TEST_MAIN("cli/junit", a_report_says_why_the_program_failed,
             names_and_values_are_text_of_xml,
             a_long_failure_is_kept_whole_and_stays_text_of_xml)
