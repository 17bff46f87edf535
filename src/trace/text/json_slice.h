/* SPDX-License-Identifier: MIT */
/*
 * The members of an object whose text is at hand: for the many events of a
 * trace of which little is read, without a parser's calls.
 *
 * Strings and brackets are followed, what stands between them is not judged:
 * the text has passed json_scan. Texts are borrowed. Pure functions.
 */
#ifndef AQ_TRACE_TEXT_JSON_SLICE_H
#define AQ_TRACE_TEXT_JSON_SLICE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct aq_json_slice {
  const char *text; /* a value: a string with its quotes, or as it stands */
  size_t length;
} aq_json_slice;

typedef struct aq_json_members {
  const char *at, *end;
  bool failed;       /* the text is no object */
  aq_json_slice key; /* without its quotes, escapes as they stand */
  aq_json_slice value;
} aq_json_members;

/* Begins with the text of an object, from bracket to bracket. */
void aq_json_members_begin(aq_json_members *m, aq_json_slice object);

/* The next member goes to m->key and m->value; false behind the last, or where
 * the text fails. */
bool aq_json_members_next(aq_json_members *m);

static inline bool aq_json_slice_is(aq_json_slice slice, const char *text,
                                    size_t length)
{
  return slice.length == length &&
         __builtin_memcmp(slice.text, text, length) == 0;
}

/* Whether a value is a string; then what stands between its quotes. */
bool aq_json_slice_string(aq_json_slice value, aq_json_slice *out);

/* Writes a value without the spaces between its parts; `out` has room for its
 * length. Returns how many bytes were written. */
size_t aq_json_slice_pack(aq_json_slice value, char *out);

/* Writes the text of a string's inside with its escapes resolved, as UTF-8;
 * `out` has room for `length` bytes. Returns how many were written; a lone
 * surrogate becomes U+FFFD. */
size_t aq_json_slice_resolve(aq_json_slice inside, char *out);

#endif
