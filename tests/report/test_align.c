/* SPDX-License-Identifier: MIT */
#include "report/compare/sequence_align.h"

#include <stdlib.h>
#include <string.h>

#include "support/aqtest.h"

enum { LONGEST = 60 };

/* The length of the longest common subsequence, by the table. */
static size_t longest_common(const uint32_t *a, size_t n, const uint32_t *b,
                             size_t m)
{
  size_t table[LONGEST + 1][LONGEST + 1] = {{0}};
  for (size_t i = 1; i <= n; i++)
    for (size_t j = 1; j <= m; j++)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                    : table[i - 1][j] > table[i][j - 1] ? table[i - 1][j]
                                                        : table[i][j - 1];
  return table[n][m];
}

static size_t aligned(const uint32_t *a, size_t n, const uint32_t *b, size_t m,
                      bool *exact)
{
  aq_alignment alignment;
  size_t total = 0, after_a = 0, after_b = 0;
  ck_assert(aq_align(a, n, b, m, &alignment));
  for (size_t r = 0; r < alignment.count; r++) {
    const aq_align_run run = alignment.runs[r];
    ck_assert_uint_ge(run.a, after_a);
    ck_assert_uint_ge(run.b, after_b);
    for (size_t i = 0; i < run.length; i++)
      ck_assert_uint_eq(a[run.a + i], b[run.b + i]);
    after_a = run.a + run.length;
    after_b = run.b + run.length;
    total += run.length;
  }
  ck_assert_uint_le(after_a, n);
  ck_assert_uint_le(after_b, m);
  *exact = alignment.exact;
  aq_alignment_fini(&alignment);
  return total;
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
  *state = *state * 1664525 + 1013904223;
  return (*state >> 8) % below;
}

START_TEST(as_few_as_possible_are_left_out)
{
  uint32_t state = 7;
  for (int round = 0; round < 3000; round++) {
    uint32_t a[LONGEST], b[LONGEST];
    const size_t n = draw(&state, LONGEST + 1), m = draw(&state, LONGEST + 1);
    const uint32_t letters = 1 + draw(&state, 6);
    bool exact;
    for (size_t i = 0; i < n; i++)
      a[i] = draw(&state, letters);
    for (size_t i = 0; i < m; i++)
      b[i] = draw(&state, letters);
    ck_assert_uint_eq(aligned(a, n, b, m, &exact), longest_common(a, n, b, m));
    ck_assert(exact);
  }
}
END_TEST

START_TEST(what_was_added_and_removed_is_left_out)
{
  static const uint32_t a[] = {1, 2, 3, 4, 5, 6};
  static const uint32_t b[] = {1, 2, 9, 3, 5, 6, 6};
  bool exact;
  ck_assert_uint_eq(aligned(a, 6, b, 7, &exact), 5);
}
END_TEST

START_TEST(sequences_with_nothing_in_common_are_done_in_time)
{
  enum { MANY = 100000 };
  uint32_t *a = calloc(MANY, sizeof *a), *b = calloc(MANY, sizeof *b);
  bool exact;
  for (size_t i = 0; i < MANY; i++) {
    a[i] = (uint32_t)i;
    b[i] = (uint32_t)(MANY + i);
  }
  ck_assert_uint_eq(aligned(a, MANY, b, MANY, &exact), 0);
  ck_assert(!exact);
  free(a);
  free(b);
}
END_TEST

AQ_TEST_MAIN("report/align", as_few_as_possible_are_left_out,
             what_was_added_and_removed_is_left_out,
             sequences_with_nothing_in_common_are_done_in_time)
