/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/text.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/utf8.h"

/* Controls of ASCII and Latin-1, and of the writing direction. */
static bool is_unprintable(uint32_t c)
{
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
         (c >= 0x200e && c <= 0x200f) || (c >= 0x202a && c <= 0x202e) ||
         (c >= 0x2066 && c <= 0x2069);
}

typedef enum text_use { FOR_JSON, FOR_NAME, FOR_LINE } text_use;

static char *text_clean(const char *text, size_t length, text_use use)
{
  char *copy = malloc(3 * length + 1), *to = copy;
  if (!copy)
    return NULL;
  const char *from = text, *end = text + length;
  while (from < end) {
    uint32_t code;
    size_t n = aq_utf8_length(from, (size_t)(end - from), &code);
    if (n == 0 || (use == FOR_NAME && code == 0)) {
      memcpy(to, "\xef\xbf\xbd", 3);
      to += 3;
      from++;
    } else if (use == FOR_LINE && is_unprintable(code)) {
      *to++ = '?';
      from += n;
    } else {
      memcpy(to, from, n);
      to += n;
      from += n;
    }
  }
  *to = 0;
  return copy;
}

char *aq_text_utf8(const char *text, size_t length)
{
  return text_clean(text, length, FOR_JSON);
}

char *aq_text_name(const char *text, size_t length)
{
  return text_clean(text, length, FOR_NAME);
}

bool aq_text_is_utf8(const char *text, size_t length)
{
  while (length > 0) {
    const size_t n = aq_utf8_length(text, length, NULL);
    if (n == 0)
      return false;
    text += n;
    length -= n;
  }
  return true;
}

char *aq_text_line(const char *text, size_t length)
{
  return text_clean(text, length, FOR_LINE);
}

enum { NEAREST_LENGTH_MAX = 48 };

static size_t least3(size_t a, size_t b, size_t c)
{
  size_t least = a < b ? a : b;
  return least < c ? least : c;
}

/* Edits (insert, delete, change, swap neighbours) between two short words. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t rows[3][NEAREST_LENGTH_MAX + 1];
  size_t n = strlen(a), m = strlen(b);
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= m; j++)
    before[j] = above[j] = j;
  for (size_t i = 1; i <= n; i++) {
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      row[j] = least3(above[j] + 1, row[j - 1] + 1,
                      above[j - 1] + (a[i - 1] != b[j - 1]));
      bool swap =
          i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swap && before[j - 2] + 1 < row[j])
        row[j] = before[j - 2] + 1;
    }
    size_t *oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[m];
}

const char *aq_text_nearest(const char *typed, const char *const *names)
{
  const char *nearest = NULL;
  size_t best = SIZE_MAX, length = strlen(typed);
  if (length > NEAREST_LENGTH_MAX)
    return NULL;
  for (size_t i = 0; names[i]; i++) {
    if (strlen(names[i]) > NEAREST_LENGTH_MAX)
      continue;
    bool starts = length >= 2 && strncmp(names[i], typed, length) == 0;
    size_t distance = starts ? 1 : edit_distance(typed, names[i]);
    if (distance < best) {
      best = distance;
      nearest = names[i];
    }
  }
  return best <= 1 + length / 3 ? nearest : NULL;
}
