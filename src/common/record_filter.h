/* SPDX-License-Identifier: MIT */
/*
 * The bound of a recording: which rows of a run are kept, and how many bytes
 * of them. Rows that are left out are counted by the reason.
 *
 * A choice is the caller's storage; one thread at a time, except for
 * aq_record_filter_skip(). It depends on the rows alone, so that the same run
 * keeps the same rows.
 */
#ifndef AQ_COMMON_RECORD_FILTER_H
#define AQ_COMMON_RECORD_FILTER_H

#include <stdbool.h>

#include "record.h"

typedef enum aq_record_filter_kind {
  AQ_ROWS_ALL,
  AQ_ROWS_KERNELS, /* rows of kernels only */
  AQ_ROWS_NONE,
  AQ_ROWS_SAMPLE, /* one row in `every`, spread pseudo-randomly */
  AQ_ROWS_EVENTS, /* rows of some profiling modes */
} aq_record_filter_kind;

typedef struct aq_record_filter {
  aq_record_filter_kind kind;
  uint64_t every;    /* AQ_ROWS_SAMPLE: 2 or more; AQ_ROWS_EVENTS: the modes */
  uint64_t limit;    /* bytes; 0: none */
  uint64_t bytes;    /* kept so far */
  uint64_t seen;     /* rows; of the sample */
  uint64_t unchosen; /* rows left out because of the kind; atomic */
  uint64_t beyond;   /* rows and samples left out because of the limit */
  uint64_t lost;     /* entries for which the disk had no room */
} aq_record_filter;

enum {
  AQ_ROW_CHOICE_ROW = 8 + sizeof(aq_record), /* bytes that a row counts as */
  AQ_ROW_CHOICE_TEXT = 208,                  /* bytes of a text */
};

/* The default limit, bytes. */
#define AQ_ROW_CHOICE_LIMIT ((uint64_t)4 << 30)

/* Reads "all", "kernels", "none", "sample=N" or modes of events
 * (record_modes.def) with commas between them (NULL: all), and "none" or a
 * number of bytes with K, M, G or T (NULL: AQ_ROW_CHOICE_LIMIT). AQ_ERR_INPUT
 * names the option that is malformed. */
aq_status aq_record_filter_read(const char *record, const char *limit,
                                aq_record_filter *out, aq_diag *diag);

/* Reads a size in bytes, with K, M, G or T, above 0; "none" is 0. */
bool aq_size_read(const char *text, uint64_t *out);

/* Whether a row of the kind is kept; counts it either way. */
bool aq_record_filter_take(aq_record_filter *choice, int64_t kind);

/* Whether `size` more bytes of something that is no row are kept. */
bool aq_record_filter_take_bytes(aq_record_filter *choice, uint64_t size);

/* Whether no row of the kind is ever kept; if so counts it. From any thread. */
bool aq_record_filter_skip(aq_record_filter *choice, int64_t kind);

/* Rows that were left out, for any reason. */
uint64_t aq_record_filter_left_out(const aq_record_filter *choice);

/* For aq_run_info.recorded, "kernels only; left out: 12 other rows"; NULL:
 * every row was kept. Into AQ_ROW_CHOICE_TEXT bytes. */
const char *aq_record_filter_text(const aq_record_filter *choice, char *out);

#endif
