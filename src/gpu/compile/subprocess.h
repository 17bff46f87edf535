/* SPDX-License-Identifier: MIT */
/*
 * A tool as a child process, to its end: its input is empty, its output and its
 * messages are kept. One thread at a time.
 */
#ifndef AQ_GPU_COMPILE_SUBPROCESS_H
#define AQ_GPU_COMPILE_SUBPROCESS_H

#include "common/diag.h"

/* A command line under construction; texts are borrowed. */
enum { AQ_CHILD_ARGS = 96 };

typedef struct aq_child {
  const char *args[AQ_CHILD_ARGS + 1]; /* ended by NULL */
  int count;
} aq_child;

/* Adds an argument; more than there is room for make the run an error. */
void aq_child_add(aq_child *child, const char *arg);

/* Runs it. `messages` (NULL: nowhere) is a file that its standard error is
 * appended to. AQ_ERR_INPUT: it failed; the line is the first error that it
 * reported, with file and line, and how many more there are. AQ_ERR_RESOURCES:
 * it did not start, or how it ended is not known. */
aq_status aq_child_run(const aq_child *child, const char *messages,
                       aq_diag *diag);

#endif
