/* SPDX-License-Identifier: MIT */
/*
 * Lines of a text file with their numbers, and fields between commas.
 * One thread; a line is valid until the next one.
 */
#ifndef AQ_STUDY_SERVING_TEXT_LINES_H
#define AQ_STUDY_SERVING_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/diag.h"

enum { AQ_LLM_FIELDS_MAX = 32 };

typedef struct aq_llm_lines {
  FILE *file;
  const char *path; /* named in errors */
  char *line;       /* without its end */
  size_t capacity, length, number;
  char *fields[AQ_LLM_FIELDS_MAX];
  size_t field_count;
} aq_llm_lines;

void aq_llm_lines_fini(aq_llm_lines *lines);

/* The next line that is not empty; *got false: there is none. */
aq_status aq_llm_lines_next(aq_llm_lines *lines, bool *got, aq_diag *diag);

/* Splits the line into its fields, in place; "…" may hold commas. */
aq_status aq_llm_lines_split(aq_llm_lines *lines, aq_diag *diag);

/* The place of the field with this name (in a header), or -1. */
int aq_llm_lines_find(const aq_llm_lines *lines, const char *name);

/* An error at this line: AQ_ERR_INPUT. */
aq_status aq_llm_lines_error(const aq_llm_lines *lines, aq_diag *diag,
                             const char *fmt, ...) AQ_PRINTF(3, 4);

/* A whole number of a field, from `least` to `most`. */
aq_status aq_llm_lines_integer(const aq_llm_lines *lines, int field,
                               const char *name, int64_t least, int64_t most,
                               int64_t *out, aq_diag *diag);

/* "12.0345" as a whole number of parts, `scale` of which make 1: a power of
 * 10. False: it is no such number, finer than a part, or too large. */
bool aq_llm_decimal(const char *text, int64_t scale, int64_t *out);

#endif
