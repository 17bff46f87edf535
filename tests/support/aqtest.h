/* SPDX-License-Identifier: MIT */
/*
 * What every test program shares: a main() over a list of tests, and helpers.
 *
 * A test file includes this, writes START_TEST(name_is_a_sentence) … END_TEST,
 * and ends with AQ_TEST_MAIN("folder/file", test, test, …). Output is TAP.
 */
#ifndef AQ_TESTS_AQTEST_H
#define AQ_TESTS_AQTEST_H

#include <check.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"

/* Check writes a line to a file for every assertion that passes, to record
 * where a test was when it crashed. Millions pass here: each place writes once.
 * */
#undef ck_assert_msg
#define ck_assert_msg(expr, ...)                                               \
  do {                                                                         \
    static atomic_bool noted_;                                                 \
    if (!(expr))                                                               \
      _ck_assert_failed(__FILE__, __LINE__, "Assertion '" #expr "' failed",    \
                        ##__VA_ARGS__);                                        \
    if (!atomic_load_explicit(&noted_, memory_order_relaxed)) {                \
      atomic_store_explicit(&noted_, true, memory_order_relaxed);              \
      mark_point();                                                            \
    }                                                                          \
  } while (0)

/* One test, and one line of TAP. */
typedef struct aqtest_case {
  const char *name; /* CK_RUN_CASE selects it by that */
  const TTest *test;
  int index;         /* the test reads it as _i */
  int timeout;       /* seconds; 0: 120 */
  const char *lacks; /* why it does not apply: it is not run; or NULL */
} aqtest_case;

/* Runs the cases and prints TAP, or only failures, skips and a sum without
 * CK_TAP_LOG_FILE_NAME. Check's own TAP has no SKIP. Returns main()'s exit
 * code. */
int aqtest_run(const char *suite, const aqtest_case *cases, size_t count);

/* The same for tests that need no more than their names. */
int aqtest_main(const char *suite, const TTest *const *tests, size_t count);

#define AQ_TEST_MAIN(suite, ...)                                               \
  int main(void)                                                               \
  {                                                                            \
    const TTest *const tests[] = {__VA_ARGS__};                                \
    return aqtest_main(suite, tests, sizeof tests / sizeof *tests);            \
  }

/* Fails with the diagnostic's text unless the status is the expected one. */
#define ck_assert_status(status, expected, diag)                               \
  do {                                                                         \
    aq_status got_ = (status);                                                 \
    ck_assert_msg(got_ == (expected), "%s: got \"%s\" (%s)", #status,          \
                  aq_status_text(got_), (diag)->text);                         \
  } while (0)

/* Whether the test runs all of its parts, as in check-all, or a slice of them,
 * as in make check. AQ_LONG and AQ_ORACLES ask for all. */
bool aqtest_is_long(void);

/* A path below the source tree's tests/ folder; valid until the next call. */
const char *aqtest_source(const char *name);

/* The published traces and tables (AQ_DATA, or shared/data beside the
 * checkout), or NULL where they are not there: the test then calls the other
 * and returns. */
const char *aqtest_data(const char *name);
void aqtest_skip_unpublished(void);

/* A fresh empty directory that is removed when the process ends. */
const char *aqtest_tmpdir(void);

/* Writes a file in aqtest_tmpdir() and returns its path (static storage). */
const char *aqtest_write(const char *name, const void *bytes, size_t size);

/* Makes the current test a SKIP in the count, for this reason, unless it fails;
 * the test then returns. The first reason counts. */
void aqtest_skip(const char *fmt, ...) AQ_PRINTF(1, 2);

/* The current test does not apply to its target (a transport without
 * priorities has no order of priorities): it is not counted, and the suite says
 * once how many do not, by reason. The test then returns. */
void aqtest_leave_out(const char *fmt, ...) AQ_PRINTF(1, 2);

#endif
