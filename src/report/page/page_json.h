/* SPDX-License-Identifier: MIT */
/* JSON for the page's data: it stands in an element of the page. One thread. */
#ifndef AQ_REPORT_PAGE_PAGE_JSON_H
#define AQ_REPORT_PAGE_PAGE_JSON_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text as JSON that may stand in a script of a page: valid UTF-8, harmless
 * inside of HTML. NULL is null. */
void aq_page_text_put(FILE *out, const char *text);

/* One more member of an object that has some. AQ_NONE is null. */
void aq_page_key_put(FILE *out, const char *key);
void aq_page_member_put(FILE *out, const char *key, const char *text);
void aq_page_number_put(FILE *out, const char *key, int64_t value);
/* One that is not finite is null. */
void aq_page_real_put(FILE *out, const char *key, double value);

/* A field of a struct that is a row: a number of 1, 2, 4 or 8 bytes. */
typedef struct aq_page_column {
  const char *name;
  size_t offset, size;
} aq_page_column;

#define AQ_PAGE_COLUMN(type, field)                                            \
  {                                                                            \
#field, offsetof(type, field), sizeof((type){0}.field)                     \
  }

/* {"count": N, "columns": {NAME: BASE64, ...}: the object stays open for more
 * members. `columns` ends with one without a name. */
void aq_page_columns_put(FILE *out, const void *rows, size_t count,
                         size_t stride, const aq_page_column *columns);

#endif
