/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics: the one line a user reads when something is wrong.
 *
 * The function that detects an error calls aq_diag_set() with the error, its
 * place, and the expected input, and returns the same status. Library code
 * never prints; the command line shows the line as `aqueduct: error: LINE`.
 * A diag is the caller's storage; passing NULL drops the text.
 * Thread rule: one thread at a time per diag.
 */
#ifndef AQ_COMMON_DIAG_H
#define AQ_COMMON_DIAG_H

#include "export.h"
#include "status.h"

AQ_BEGIN_DECLS

enum { AQ_DIAG_TEXT_MAX = 512 };

typedef struct aq_diag {
  aq_status status;
  char text[AQ_DIAG_TEXT_MAX]; /* one line, no newline, control bytes as '?' */
} aq_diag;

#define AQ_DIAG_INIT                                                           \
  {                                                                            \
    AQ_OK, ""                                                                  \
  }

/* Words the error and returns `status`, so that `return aq_diag_set(…)` reads
 * well. A text that is too long is cut with an ellipsis. */
AQ_API aq_status aq_diag_set(aq_diag *diag, aq_status status, const char *fmt,
                             ...) AQ_PRINTF(3, 4);

/* The one wording of a failed allocation; returns AQ_ERR_NO_MEMORY. Where the
 * caller asked for an amount, aq_diag_set() names it instead. */
AQ_API aq_status aq_diag_no_memory(aq_diag *diag);

/* Puts "PREFIX: " before the present text: a caller that knows the place
 * better (a file, a section) adds it. Returns diag's status. */
AQ_API aq_status aq_diag_prefix(aq_diag *diag, const char *fmt, ...)
    AQ_PRINTF(2, 3);

AQ_END_DECLS

#endif
