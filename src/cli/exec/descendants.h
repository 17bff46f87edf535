/* SPDX-License-Identifier: MIT */
/* The processes of a program that this one has started: those below this one,
 * of which /proc knows, but for the children that it had before. One thread at
 * a time. */
#ifndef AQ_CLI_EXEC_DESCENDANTS_H
#define AQ_CLI_EXEC_DESCENDANTS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct aq_descendants {
  int *others; /* children from before the program */
  size_t other_count, other_capacity;
} aq_descendants;

/* Before the program starts: a process that became this one by execve may have
 * left it children. The caller ends it with aq_descendants_fini. */
void aq_descendants_begin(aq_descendants *of);

/* Sends a signal (0: none) to each process of the program; returns whether
 * there is one. Orphans count if this process is their subreaper.
 */
bool aq_descendants_kill(const aq_descendants *of, int signal);
void aq_descendants_fini(aq_descendants *of);

#endif
