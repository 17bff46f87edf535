/* SPDX-License-Identifier: MIT */
/*
 * Opening and printing captures (doc/formats/capture.md). Opening checks the
 * whole file: a capture that opens is well-formed, whatever its source.
 *
 * Ownership: an open capture owns its bytes; close it after the players that
 * borrow it. Thread rule: an open capture never changes, so any thread may read
 * it.
 */
#ifndef AQ_QUEUE_CAPTURE_CAPTURE_FILE_H
#define AQ_QUEUE_CAPTURE_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/diag.h"
#include "common/export.h"

AQ_BEGIN_DECLS

typedef struct aq_cap_file aq_cap_file;

/* Reads and checks the capture at `path`. AQ_ERR_INPUT: it is malformed, and
 * the line says where; AQ_ERR_IO: it cannot be read. */
AQ_API aq_status aq_cap_file_open(const char *path, aq_cap_file **out,
                                  aq_diag *diag);

/* The same from `size` bytes of memory, which it copies. `name` stands for the
 * path in diagnostics. */
AQ_API aq_status aq_cap_file_parse(const char *name, const void *bytes,
                                   size_t size, aq_cap_file **out,
                                   aq_diag *diag);

/* Frees an open capture. NULL is allowed. */
AQ_API void aq_cap_file_close(aq_cap_file *file);

/* Whether a file begins as a capture does; false if it cannot be read. */
AQ_API bool aq_cap_file_is(const char *path);

/* Prints a capture: calls `line` once for each record, in the order of the
 * file. `text` is one line without its newline, borrowed for the call. */
AQ_API void aq_cap_file_print(const aq_cap_file *file,
                              void (*line)(const char *text, void *user),
                              void *user);

AQ_END_DECLS

#endif
