/* SPDX-License-Identifier: MIT */
/*
 * CSV with a header, row by row: quoted fields with commas, quotes and line
 * ends, CRLF, columns found by name whatever their case and punctuation.
 *
 * Memory: one row. Fields are borrowed until the next row.
 * Thread rule: one thread at a time per file.
 */
#ifndef AQ_TRACE_TEXT_CSV_READER_H
#define AQ_TRACE_TEXT_CSV_READER_H

#include "trace/import/import.h"

/* A column an importer looks for: several names may stand for one id. */
typedef struct aq_csv_column {
  int id; /* 0 … AQ_CSV_IDS - 1 */
  const char *name;
  bool mandatory;
} aq_csv_column;

enum { AQ_CSV_IDS = 40 };

typedef struct aq_csv {
  aq_import *import;
  aq_stream_reader *reader;
  uint64_t line; /* of the row that was read, 1 for the header */
  uint64_t next_line;
  const char *at, *end; /* the rest of the reader's piece */
  bool at_end;
  bool cut;   /* the row has no end of line: the file may be truncated */
  char *text; /* the fields of the row, one after the other */
  size_t text_size, text_capacity;
  size_t *ends; /* of each field in `text` */
  size_t field_count, field_capacity;
  size_t columns;                /* in the header */
  size_t index[AQ_CSV_IDS];      /* column of each id; SIZE_MAX: not there */
  const char *names[AQ_CSV_IDS]; /* that they were found by */
} aq_csv;

/* Reads the header of a file and finds the columns, ended by a NULL name. A
 * mandatory one that is absent is AQ_ERR_INPUT. The reader is borrowed. */
aq_status aq_csv_init(aq_csv *csv, aq_import *import, aq_stream_reader *reader,
                      const aq_csv_column *columns);
void aq_csv_fini(aq_csv *csv);

/* The next row; *got is false at the end. A last row without an end of line may
 * have been cut anywhere: the file is truncated. Rows without the header's
 * number of fields are left out and counted. */
aq_status aq_csv_next(aq_csv *csv, bool *got);

bool aq_csv_has(const aq_csv *csv, int id);

/* The text of a column, empty where the column is not there. */
const char *aq_csv_text(const aq_csv *csv, int id, size_t *length);

/* The integer of a column; AQ_NONE where there is no such column, or, counted,
 * no integer in it. */
int64_t aq_csv_int(const aq_csv *csv, int id);

/* The time in ns of a column; false where there is none. */
bool aq_csv_tick(const aq_csv *csv, int id, aq_tick *out);

/* Whether a header line has this column, as aq_csv_init would find it. */
bool aq_csv_header_has(const char *text, size_t length, const char *name);

#endif
