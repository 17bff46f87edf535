/* SPDX-License-Identifier: MIT */
/*
 * The scan before the JSON parser: fixes text of profilers that JSON does
 * not allow, and leaves out the unused elements of one array.
 *
 * Fixed: a comma before a closing bracket is dropped, NaN and Infinity become
 * null. Left out: of the objects in the array `filter.array` (or in a root
 * array), objects whose `filter.key` is not wanted: only their strings and
 * brackets are looked at, a block of bytes at a time, which makes the import of
 * a trace fast that is nine tenths Python calls. Set aside: objects whose key
 * `filter.aside` names are handed whole to `aside`, a text, and never come to
 * the parser.
 *
 * The text grows in `out`; marks say which byte of the source each run of it
 * came from. Memory: `out` is drained by the caller after each piece.
 * Thread rule: one thread at a time per scan.
 */
#ifndef AQ_TRACE_TEXT_JSON_SCAN_H
#define AQ_TRACE_TEXT_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct aq_json_filter {
  const char *array, *key;
  bool (*wanted)(const char *value, size_t length);
  /* May be NULL: none. An object is handed over when it has ended, or its first
   * 1 MiB as not `whole`; false ends the scan with `refused`. */
  bool (*sets_aside)(const char *value, size_t length);
  bool (*aside)(void *client, const char *text, size_t length, bool whole);
} aq_json_filter;

typedef struct aq_json_mark {
  size_t out;      /* from this byte of `out` on … */
  uint64_t source; /* … it is the source from here */
} aq_json_mark;

typedef enum aq_json_fate {
  AQ_JSON_KEEP,    /* copied */
  AQ_JSON_UNKNOWN, /* copied, and taken back if it turns out unwanted */
  AQ_JSON_ASIDE,   /* copied, handed over and taken back */
  AQ_JSON_DROP,    /* unwanted: skipped to its closing bracket */
} aq_json_fate;

typedef struct aq_json_scan {
  const aq_json_filter *filter; /* NULL: keep everything */
  void *client;                 /* of filter->aside */
  uint64_t trailing_commas, control_bytes;
  uint64_t source;   /* bytes seen before the current piece */
  const char *fault; /* why the scan ended, and at which byte */
  uint64_t fault_at;
  char *out;
  size_t out_size, out_capacity;
  aq_json_mark *marks;
  size_t mark_count, mark_capacity;
  bool no_memory;
  bool refused; /* by filter->aside */
  bool handing; /* filter->aside has an object */

  int depth;
  bool began, in_string, escaped, in_word, comma;
  bool watched;        /* the string is looked at when it ends */
  bool in_array;       /* inside filter->array, elements at array_depth + 1 */
  bool array_is_next;  /* its key was read, the bracket follows */
  bool key_is_next;    /* filter->key was read, its value follows */
  bool element_before; /* the array has an element already */
  int array_depth;
  aq_json_fate fate;
  size_t element_at, string_at; /* in out */
  char word[16];
  size_t word_size;
} aq_json_scan;

void aq_json_scan_init(aq_json_scan *scan, const aq_json_filter *filter,
                       void *client);
void aq_json_scan_fini(aq_json_scan *scan);

/* Scans one piece, appending to `out`. False when out of memory or the text
 * cannot be a document (fault). */
bool aq_json_scan_feed(aq_json_scan *scan, const char *bytes, size_t size);

/* How much of `out` may be parsed now; the rest can still be changed. */
size_t aq_json_scan_ready(const aq_json_scan *scan);

/* Removes the first `size` bytes of `out`. */
void aq_json_scan_drain(aq_json_scan *scan, size_t size);

/* The byte of the source that became byte `at` of `out`. */
uint64_t aq_json_scan_source(const aq_json_scan *scan, size_t at);

/* The byte of the source where the object that filter->aside has begins. */
uint64_t aq_json_scan_aside(const aq_json_scan *scan);

#endif
