/* SPDX-License-Identifier: MIT */
/*
 * Expected contents of out buffers: "[ARG=]FILL[:TOLERANCE]", where ARG is the
 * number of an argument from 1 on, or "out", the only out buffer; FILL a
 * number, iota or @FILE. Pure but for the file.
 */
#ifndef AQ_STUDY_LAUNCH_EXPECTATIONS_H
#define AQ_STUDY_LAUNCH_EXPECTATIONS_H

#include "study/launch/args.h"

typedef struct aq_launch_expect {
  size_t arg; /* number of the argument, from 0 on */
  char fill[4096];
  double tolerance;
} aq_launch_expect;

/* AQ_ERR_INPUT: it is malformed, or names no out buffer. */
aq_status aq_launch_expect_read(const char *text, const aq_launch_arg *args,
                                size_t count, aq_launch_expect *out,
                                aq_diag *diag);

/* AQ_ERR_DIFFERENT names the argument, how many elements differ, and the first
 * of them; AQ_ERR_INPUT where the file does not fit the buffer. */
aq_status aq_launch_expect_check(const aq_launch_expect *expect,
                                 const aq_launch_arg *args, aq_diag *diag);

#endif
