/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/short_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"

/* ---- the short form ---- */

static bool is_word(char c)
{
  return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* "at::native::f<c10::Half>" to "f<Half>": of plain names the last one stays.
 * A qualifier with template arguments stays, it distinguishes. */
static void qualifiers_remove(char *text)
{
  char *to = text;
  for (const char *from = text; *from;) {
    const char *end = from;
    while (is_word(*end))
      end++;
    if (end > from && strncmp(end, "::", 2) == 0 && is_word(end[2])) {
      from = end + 2;
      continue;
    }
    const size_t length = end > from ? (size_t)(end - from) : 1;
    memmove(to, from, length);
    to += length;
    from += length;
  }
  *to = 0;
}

/* The parenthesis that opens the parameter list at the end, or NULL. */
static char *parameters_begin(char *text)
{
  size_t length = strlen(text);
  int depth = 0;
  if (length == 0 || text[length - 1] != ')')
    return NULL;
  while (length-- > 0) {
    depth += (text[length] == ')') - (text[length] == '(');
    if (depth == 0)
      return length > 0 ? text + length : NULL;
  }
  return NULL;
}

/* The name of the generator and the indices say which operands are
 * transposed: Ailk is A as it is, Alik its transpose; Bljk, Bjlk alike. */
static bool tensile_shorten(char *text)
{
  static const char prefix[] = "Cijk_A___B____";
  if (strncmp(text, "Cijk_A", 6) != 0 || strlen(text) < sizeof prefix ||
      text[9] != '_' || text[10] != 'B' || text[14] != '_')
    return false;
  const char operands[] = {text[6] == 'i' ? 'N' : 'T',
                           text[11] == 'l' ? 'N' : 'T'};
  memcpy(text, "gemm ", 5);
  memcpy(text + 5, operands, sizeof operands);
  text[7] = ' ';
  memmove(text + 8, text + 15, strlen(text + 15) + 1);
  return true;
}

char *aq_name_short(const char *name)
{
  char *text = aq_demangle(name);
  if (!text)
    text = strdup(name);
  if (!text || tensile_shorten(text) || !strpbrk(text, "(<:"))
    return text;
  const size_t length = strlen("(anonymous namespace)::");
  for (char *at = text; (at = strstr(at, "(anonymous namespace)::"));)
    memmove(at, at + length, strlen(at + length) + 1);
  if (strncmp(text, "void ", 5) == 0)
    memmove(text, text + 5, strlen(text + 5) + 1);
  /* A parameter list stands behind a word or the arguments of a template; other
   * parentheses, as in "Memcpy DtoD (Device -> Device)", stay. */
  char *clone = strstr(text, " [clone ");
  if (clone)
    *clone = 0;
  char *begin = parameters_begin(text);
  if (begin && (is_word(begin[-1]) || begin[-1] == '>'))
    *begin = 0;
  qualifiers_remove(text);
  return text;
}

/* ---- widths ---- */

static bool is_continuation(char c)
{
  return ((unsigned char)c & 0xc0) == 0x80;
}

size_t aq_name_width(const char *name)
{
  size_t width = 0;
  for (; *name; name++)
    width += !is_continuation(*name);
  return width;
}

/* The byte at which code point number `point` begins. */
static size_t byte_of(const char *text, size_t point)
{
  size_t at = 0;
  for (; text[at]; at++)
    if (!is_continuation(text[at]) && point-- == 0)
      break;
  return at;
}

static size_t points_shared(const char *a, const char *b)
{
  size_t points = 0;
  for (; *a && *a == *b; a++, b++)
    points += !is_continuation(*a);
  return points;
}

/* ---- cutting ---- */

enum { MARK = 2, BEFORE_DIFFERENCE = 4 };

typedef struct cut_name {
  char **name;
  size_t shared; /* code points that begin its nearest neighbour as well */
} cut_name;

static int by_text(const void *a, const void *b)
{
  return strcmp(*((const cut_name *)a)->name, *((const cut_name *)b)->name);
}

/* A name's first `head` code points, the mark, and `tail` from `from` on. */
static char *name_cut(const char *name, size_t head, size_t from, size_t tail,
                      bool ends)
{
  const size_t head_end = byte_of(name, head), begin = byte_of(name, from);
  const size_t length = byte_of(name + begin, tail);
  char *text = malloc(head_end + length + 2 * MARK + 1);
  if (!text)
    return NULL;
  memcpy(text, name, head_end);
  memcpy(text + head_end, "..", MARK);
  memcpy(text + head_end + MARK, name + begin, length);
  strcpy(text + head_end + MARK + length, ends ? "" : "..");
  return text;
}

/* The end of a name distinguishes as well as its beginning, unless the
 * difference to a neighbour lies between: then the cut ends before it. */
static char *name_fit(const char *name, size_t shared, size_t width)
{
  const size_t whole = aq_name_width(name);
  size_t head = (width - MARK) / 2, tail = width - MARK - head;
  size_t from = whole - tail;
  if (shared < head || shared >= from)
    return name_cut(name, head, from, tail, true);
  tail -= MARK;
  from = shared > head + BEFORE_DIFFERENCE ? shared - BEFORE_DIFFERENCE : head;
  return name_cut(name, head, from, tail, from + tail >= whole);
}

int aq_names_fit(char **names, size_t count, size_t width)
{
  cut_name *sorted = malloc((count ? count : 1) * sizeof *sorted);
  int result = sorted ? 0 : -1;
  if (!sorted)
    return result;
  for (size_t i = 0; i < count; i++)
    sorted[i] = (cut_name){&names[i], 0};
  qsort(sorted, count, sizeof *sorted, by_text);
  /* Counts the code points that each name shares with the nearest different
   * name before or behind it; equal names get equal counts. */
  size_t before = 0;
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1; end < count && by_text(sorted + i, sorted + end) == 0;)
      end++;
    const size_t behind =
        end < count ? points_shared(*sorted[i].name, *sorted[end].name) : 0;
    for (size_t j = i; j < end; j++)
      sorted[j].shared = before > behind ? before : behind;
    before = behind;
  }
  for (size_t i = 0; i < count; i++) {
    char **name = sorted[i].name;
    if (aq_name_width(*name) <= width)
      continue;
    char *cut = name_fit(*name, sorted[i].shared, width);
    if (cut) {
      free(*name);
      *name = cut;
    }
    result = cut ? result : -1;
  }
  free(sorted);
  return result;
}
