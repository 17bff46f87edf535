/* SPDX-License-Identifier: MIT */
/*
 * Status codes: what every fallible function of Aqueduct returns.
 *
 * Outputs are written only when AQ_OK is returned. The function that detects
 * an error also words it (see diag.h); callers only pass the status on.
 * Thread rule: pure functions, callable from anywhere.
 */
#ifndef AQ_COMMON_STATUS_H
#define AQ_COMMON_STATUS_H

#include "export.h"

AQ_BEGIN_DECLS

typedef enum aq_status {
#define X(name, text, exit_code) AQ_##name,
#include "status.def"
#undef X
  AQ_STATUS_COUNT
} aq_status;

/* A short lower-case phrase for `status`; never NULL, static storage. */
AQ_API const char *aq_status_text(aq_status status);

/* The exit code of a command that ends with `status`: 0, 1 or 2. */
AQ_API int aq_status_exit_code(aq_status status);

AQ_END_DECLS

#endif
