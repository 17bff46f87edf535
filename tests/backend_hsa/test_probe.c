/* SPDX-License-Identifier: MIT */
#include "support/aqtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend_hsa/probe.h"

static const char *fake_runtime(void)
{
  static char path[4096];
  const char *root = getenv("AQ_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/backend_hsa/.libs/libfakehsa.so",
           root ? root : ".");
  return path;
}

START_TEST(a_runtime_that_works_tells_its_agents)
{
  aqhsa_probe_result found;
  unsetenv("FAKE_HSA_STATUS");
  aqhsa_probe(fake_runtime(), &found);
  ck_assert_int_eq(found.state, AQHSA_PROBE_READY);
  ck_assert_uint_eq(found.cpus, 1);
  ck_assert_uint_eq(found.gpus, 2);
  ck_assert_str_eq(found.gpu, "gfx942");
  ck_assert_str_eq(found.problem, "");
  ck_assert_ptr_nonnull(strstr(found.path, "libfakehsa.so"));
}
END_TEST

START_TEST(a_runtime_that_fails_is_quoted)
{
  aqhsa_probe_result found;
  setenv("FAKE_HSA_STATUS", "0x1008", 1);
  aqhsa_probe(fake_runtime(), &found);
  ck_assert_int_eq(found.state, AQHSA_PROBE_FAILED);
  ck_assert_str_eq(found.problem,
                   "hsa_init: HSA_STATUS_ERROR_OUT_OF_RESOURCES (0x1008)");
  setenv("FAKE_HSA_STATUS", "0x77", 1);
  aqhsa_probe(fake_runtime(), &found);
  ck_assert_str_eq(found.problem, "hsa_init: an unknown status (0x77)");
}
END_TEST

START_TEST(no_library_and_another_library_are_told_apart)
{
  aqhsa_probe_result found;
  aqhsa_probe("/nonexistent/libhsa.so", &found);
  ck_assert_int_eq(found.state, AQHSA_PROBE_ABSENT);
  ck_assert_str_eq(found.path, "");
  ck_assert_ptr_nonnull(strstr(found.problem, "/nonexistent/libhsa.so"));
  aqhsa_probe("libz.so.1", &found);
  ck_assert_int_eq(found.state, AQHSA_PROBE_FOREIGN);
  ck_assert_ptr_nonnull(strstr(found.problem, "it has no symbol hsa_init"));
}
END_TEST

AQ_TEST_MAIN("backend_hsa/probe", a_runtime_that_works_tells_its_agents,
             a_runtime_that_fails_is_quoted,
             no_library_and_another_library_are_told_apart)
