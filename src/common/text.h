/* SPDX-License-Identifier: MIT */
/*
 * Text from outside (kernel names, paths, notes) made harmless: bytes that are
 * not valid UTF-8 become U+FFFD, and for a terminal, control characters and
 * characters that reorder a line become `?`.
 * Pure functions; results are the caller's to free, NULL when out of memory.
 */
#ifndef AQ_COMMON_TEXT_H
#define AQ_COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A copy that is valid UTF-8, for JSON (its writer escapes controls). */
char *aq_text_utf8(const char *text, size_t length);

/* The same with U+FFFD for each NUL as well: nothing of it ends the copy. */
char *aq_text_name(const char *text, size_t length);

/* Whether it is valid UTF-8 as it is. */
bool aq_text_is_utf8(const char *text, size_t length);

/* A copy that is one printable line. */
char *aq_text_line(const char *text, size_t length);

/* The end of a noun behind its count: "%zu row%s". */
static inline const char *aq_text_plural(uint64_t count)
{
  return count == 1 ? "" : "s";
}

/* The same of "dispatch%s", "launch%s". */
static inline const char *aq_text_plural_es(uint64_t count)
{
  return count == 1 ? "" : "es";
}

/* The name among `names` (ended by NULL) that is nearest to the typed one, or
 * NULL when none is near. */
const char *aq_text_nearest(const char *typed, const char *const *names);

#endif
