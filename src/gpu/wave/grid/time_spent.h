/* SPDX-License-Identifier: MIT */
/*
 * Where the time of execution went, by kernel, for a program that did not end
 * in its time. Any thread; each function takes the lock for itself and calls
 * the callback without it.
 */
#ifndef AQ_WAVE_TIME_SPENT_H
#define AQ_WAVE_TIME_SPENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct aq_time_spent aq_time_spent;

/* NULL: out of memory. `budget_ns`: the time that the program has. */
aq_time_spent *aq_time_spent_create(int64_t budget_ns);
void aq_time_spent_destroy(aq_time_spent *spent);

/* A step of a dispatch, known by its address until it ends. */
typedef struct aq_time_step {
  const void *dispatch;
  const char *kernel; /* borrowed for the call */
  int64_t ns;
  uint64_t instructions;             /* of waves */
  uint64_t group_started, group_all; /* workgroups so far, and in all */
} aq_time_step;

/* Without memory the step is not counted; the report counts it as missing. */
void aq_time_spent_add(aq_time_spent *spent, const aq_time_step *step);
void aq_time_spent_end(aq_time_spent *spent, const void *dispatch);

/* Reports in lines, the first time that it is called: the sum, the kernels that
 * took most, and how far the running dispatch is that took most. */
void aq_time_spent_tell(aq_time_spent *spent,
                        void (*tell)(const char *line, void *user), void *user);

#endif
