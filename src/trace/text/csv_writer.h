/* SPDX-License-Identifier: MIT */
/*
 * Writing CSV as RFC 4180 has it: fields with commas, quotes or line ends are
 * quoted; a field that is not known is empty; bytes that are not UTF-8 become
 * U+FFFD. Errors of the file are kept by it: aq_csv_writer_end reports them.
 * Thread rule: one thread at a time.
 */
#ifndef AQ_TRACE_TEXT_CSV_WRITER_H
#define AQ_TRACE_TEXT_CSV_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trace/import/trace.h"

typedef struct aq_csv_writer {
  FILE *file; /* borrowed */
  bool begun; /* the row has a field */
} aq_csv_writer;

void aq_csv_writer_text(aq_csv_writer *out,
                        const char *text); /* NULL: unknown */
void aq_csv_writer_int(aq_csv_writer *out,
                       int64_t value);      /* AQ_NONE: unknown */
void aq_csv_writer_row(aq_csv_writer *out); /* ends it */

aq_status aq_csv_writer_end(aq_csv_writer *out, aq_diag *diag);

/* Calls `put` for each row of a source. */
aq_status aq_csv_writer_rows(aq_csv_writer *out, aq_trace_source *source,
                             void (*put)(aq_csv_writer *out,
                                         aq_trace_source *source,
                                         const aq_record *row, int64_t number),
                             aq_diag *diag);

#endif
