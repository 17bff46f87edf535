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

/* ---- different names ---- */

/* A name in a list, in the shortest form that no other one has. */
typedef struct form {
  const char *name; /* whole */
  char *text;
  enum { SHORT, DEMANGLED, WHOLE } kind;
} form;

static int by_text(const void *a, const void *b)
{
  const form *x = *(form *const *)a, *y = *(form *const *)b;
  const int order = strcmp(x->text, y->text);
  return order ? order : strcmp(x->name, y->name);
}

/* A longer form; false: no memory. */
static bool form_lengthen(form *f)
{
  char *text = f->kind == SHORT ? aq_demangle(f->name) : NULL;
  f->kind = text ? DEMANGLED : WHOLE;
  text = text ? text : strdup(f->name);
  if (!text)
    return false;
  free(f->text);
  f->text = text;
  return true;
}

/* Lengthens forms that different names share; *found: there were some. */
static bool forms_part(form **sorted, size_t count, bool *found)
{
  *found = false;
  qsort(sorted, count, sizeof *sorted, by_text);
  for (size_t i = 0, end; i < count; i = end) {
    for (end = i + 1;
         end < count && strcmp(sorted[i]->text, sorted[end]->text) == 0;)
      end++;
    if (strcmp(sorted[i]->name, sorted[end - 1]->name) == 0)
      continue;
    for (size_t j = i; j < end; j++) {
      if (sorted[j]->kind == WHOLE)
        continue;
      *found = true;
      if (!form_lengthen(sorted[j]))
        return false;
    }
  }
  return true;
}

int aq_names_short(char **names, size_t count)
{
  form *forms = calloc(count ? count : 1, sizeof *forms);
  form **sorted = malloc((count ? count : 1) * sizeof *sorted);
  bool good = forms && sorted, again = count > 1;
  for (size_t i = 0; good && i < count; i++) {
    forms[i] = (form){.name = names[i], .text = aq_name_short(names[i])};
    sorted[i] = &forms[i];
    good = forms[i].text != NULL;
  }
  while (good && again)
    good = forms_part(sorted, count, &again);
  for (size_t i = 0; forms && i < count; i++) {
    if (good) {
      free(names[i]);
      names[i] = forms[i].text;
    } else {
      free(forms[i].text);
    }
  }
  free(sorted);
  free(forms);
  return good ? 0 : -1;
}
