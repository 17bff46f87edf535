/* SPDX-License-Identifier: MIT */
/*
 * Aligns two sequences of numbers: the runs of equal elements that remain when
 * the fewest are left out (E. Myers, An O(ND) Difference Algorithm and Its
 * Variations, 1986, in linear space). Where they differ in very many places it
 * settles for less than the longest common subsequence, and reports it.
 * Pure functions.
 */
#ifndef AQ_REPORT_COMPARE_SEQUENCE_ALIGN_H
#define AQ_REPORT_COMPARE_SEQUENCE_ALIGN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_align_run {
  size_t a, b, length; /* a[a + i] equals b[b + i] */
} aq_align_run;

typedef struct aq_alignment {
  aq_align_run *runs; /* rising in both */
  size_t count, capacity;
  bool exact; /* no fewer elements could have been left out */
} aq_alignment;

enum { AQ_ALIGN_EFFORT = 256 }; /* differences looked for at once, at most */

/* False when out of memory. */
bool aq_align(const uint32_t *a, size_t a_count, const uint32_t *b,
              size_t b_count, aq_alignment *out);
void aq_alignment_fini(aq_alignment *alignment);

#endif
