/* SPDX-License-Identifier: MIT */
/*
 * Remarks on work under way, for a caller that shows them: library code never
 * prints. Borrowed by the function that takes one; NULL drops them.
 */
#ifndef AQ_COMMON_NOTES_H
#define AQ_COMMON_NOTES_H

#include "export.h"

typedef struct aq_notes {
  void (*line)(const char *line, void *user); /* one line without its end */
  void *user;
} aq_notes;

/* Words a remark of at most 2047 bytes. */
void aq_note(const aq_notes *notes, const char *fmt, ...) AQ_PRINTF(2, 3);

#endif
