/* SPDX-License-Identifier: MIT */
/*
 * Families of kernels: the limits of a kernel, by its name alone.
 * families.def and patterns.def are the tables. Pure functions.
 */
#ifndef AQ_GPU_DURATION_KERNEL_CLASS_H
#define AQ_GPU_DURATION_KERNEL_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "common/time.h"

typedef enum aq_family {
#define F(id, name, ...) AQ_FAMILY_##id,
#include "gpu/duration/families.def"
#undef F
  AQ_FAMILY_COUNT
} aq_family;

/* AQ_FAMILY_UNKNOWN where no pattern fits, or for NULL. */
aq_family aq_family_find(const char *kernel);

/* The families of a run's names by their ids, each found once. All zero is an
 * empty one; one thread. */
typedef struct aq_family_memo {
  uint8_t *families; /* + 1; 0: not known so far */
  size_t size;
} aq_family_memo;

/* The family of the name with this id; without memory it is found anew. */
aq_family aq_family_recall(aq_family_memo *memo, int64_t id, const char *name);
void aq_family_memo_fini(aq_family_memo *memo);

/* "gemm", …; static. */
const char *aq_family_name(aq_family family);

/* Which end of an interval is wanted. */
typedef enum aq_end {
  AQ_END_LEAST = -1,
  AQ_END_MIDDLE = 0,
  AQ_END_MOST = 1
} aq_end;

/* The duration of a kernel of the family that took `measured`, on a device of
 * `clock` and `bandwidth` times the speed, both above 0. */
aq_time aq_family_scale(aq_family family, aq_time measured, double clock,
                        double bandwidth, aq_end end);

#endif
