/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exec/findings_priv.h"
#include "common/array.h"
#include "common/demangle.h"

typedef struct line {
  char *kind, *pattern;
} line;

struct aq_suppressions {
  line *lines;
  size_t count, capacity;
};

void aq_suppressions_free(aq_suppressions *list)
{
  if (!list)
    return;
  for (size_t i = 0; i < list->count; i++) {
    free(list->lines[i].kind);
    free(list->lines[i].pattern);
  }
  free(list->lines);
  free(list);
}

/* Without blanks at either end. */
static char *trim(char *text)
{
  size_t length;
  text += strspn(text, " \t\r\n");
  for (length = strlen(text); length > 0 && strchr(" \t\r\n", text[length - 1]);
       length--)
    text[length - 1] = 0;
  return text;
}

static aq_status line_add(aq_suppressions *list, const char *file,
                          unsigned number, char *text, aq_diag *diag)
{
  char *colon;
  if (*text == 0 || *text == '#')
    return AQ_OK;
  colon = strchr(text, ':');
  if (!colon || colon == text || !*trim(colon + 1))
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s:%u: %.80s; expected KIND:PATTERN, such as \"race in "
                       "LDS:*my_kernel*\"",
                       file, number, text);
  *colon = 0;
  const line made = {.kind = strdup(trim(text)),
                     .pattern = strdup(trim(colon + 1))};
  if (made.kind && made.pattern &&
      AQ_ARRAY_PUSH(list->lines, list->count, list->capacity, made))
    return AQ_OK;
  free(made.kind);
  free(made.pattern);
  return aq_diag_no_memory(diag);
}

aq_status aq_suppressions_parse(FILE *in, const char *file,
                                aq_suppressions **out, aq_diag *diag)
{
  char *text = NULL;
  size_t room = 0;
  ssize_t length;
  unsigned number = 0;
  aq_status status = AQ_OK;
  aq_suppressions *list = calloc(1, sizeof *list);
  if (!list)
    return aq_diag_no_memory(diag);
  while (status == AQ_OK && (length = getline(&text, &room, in)) >= 0) {
    number++;
    status =
        strlen(text) == (size_t)length
            ? line_add(list, file, number, trim(text), diag)
            : aq_diag_set(diag, AQ_ERR_INPUT,
                          "%s:%u: a NUL byte; expected text", file, number);
  }
  if (status == AQ_OK && ferror(in))
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: it cannot be read", file);
  free(text);
  if (status == AQ_OK)
    *out = list;
  else
    aq_suppressions_free(list);
  return status;
}

aq_status aq_suppressions_read(const char *file, aq_suppressions **out,
                               aq_diag *diag)
{
  FILE *in = fopen(file, "re");
  if (!in)
    return aq_diag_set(diag, AQ_ERR_IO, "--suppress %s: %s", file,
                       strerror(errno));
  const aq_status status = aq_suppressions_parse(in, file, out, diag);
  fclose(in);
  return status;
}

static bool name_matches(const char *pattern, const char *name)
{
  if (!name)
    return false;
  if (fnmatch(pattern, name, 0) == 0)
    return true;
  char *plain = aq_demangle(name);
  const bool matches = plain && fnmatch(pattern, plain, 0) == 0;
  free(plain);
  return matches;
}

/* A line of the calls that made, freed or published: its function, its file and
 * line, or all of it. */
static bool frames_match(const char *pattern, const char *lines)
{
  bool matches = false;
  while (lines && *lines && !matches) {
    const size_t length = strcspn(lines, "\n");
    char *frame = strndup(lines, length);
    char *shown = aq_finding_frame(lines, length);
    char *end = frame ? strstr(frame, " at ") : NULL;
    matches = (frame && fnmatch(pattern, frame, 0) == 0) ||
              (shown && fnmatch(pattern, shown, 0) == 0);
    free(shown);
    if (!matches && end)
      matches = fnmatch(pattern, end + strlen(" at "), 0) == 0;
    if (!matches && frame) {
      end = end ? end : strstr(frame, " (");
      if (end)
        *end = 0;
      matches = name_matches(pattern, frame);
    }
    free(frame);
    lines += length + (lines[length] == '\n');
  }
  return matches;
}

bool aq_suppressions_match(aq_suppressions *list,
                           const aq_finding_texts *finding)
{
  for (size_t i = 0; list && i < list->count; i++) {
    const line *l = &list->lines[i];
    const bool of_kind = strcmp(l->kind, "*") == 0 ||
                         strcmp(l->kind, finding->kind) == 0 ||
                         strcmp(l->kind, finding->category) == 0 ||
                         (strcmp(l->kind, "possible") == 0 &&
                          finding->row.possible == AQ_FINDING_POSSIBLE);
    if (of_kind && (strcmp(l->pattern, "*") == 0 ||
                    name_matches(l->pattern, finding->kernel) ||
                    name_matches(l->pattern, finding->file) ||
                    name_matches(l->pattern, finding->other_kernel) ||
                    name_matches(l->pattern, finding->other_file) ||
                    frames_match(l->pattern, finding->made) ||
                    frames_match(l->pattern, finding->freed) ||
                    frames_match(l->pattern, finding->called)))
      return true;
  }
  return false;
}
