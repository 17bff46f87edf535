/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/plot_labels.h"

#include <stdio.h>
#include <string.h>

const char *aq_row_part(const aq_study_row *row, int part)
{
  const char *const parts[AQ_ROW_PARTS] = {
      row->workload,   row->device, row->policy,
      row->parameters, row->client, row->durations ? "predicted durations" : "",
      row->transport};
  return parts[part];
}

/* Parts that all rows of the plot have alike are said once. */
static bool is_common(const aq_study *study, int part)
{
  const aq_study_row *first = NULL;
  for (size_t i = 0; i < study->count; i++) {
    const aq_study_row *row = &study->rows[i];
    if (row->alone)
      continue;
    if (first && strcmp(aq_row_part(first, part), aq_row_part(row, part)) != 0)
      return false;
    first = first ? first : row;
  }
  return first != NULL;
}

/* Whether all rows have a word of their parameters. */
static bool word_is_common(const aq_study *study, const char *word,
                           size_t length)
{
  for (size_t i = 0; i < study->count; i++) {
    const char *at = study->rows[i].parameters;
    bool found = study->rows[i].alone;
    while (!found && *at) {
      const size_t size = strcspn(at, " ");
      found = size == length && strncmp(at, word, length) == 0;
      at += size + strspn(at + size, " ");
    }
    if (!found)
      return false;
  }
  return true;
}

/* The common words of its parameters, or the other ones; whether there are. */
static bool parameters_put(FILE *out, const aq_study *study,
                           const aq_study_row *row, bool common,
                           const char *between)
{
  bool more = false;
  for (const char *at = row->parameters; *at;) {
    const size_t size = strcspn(at, " ");
    if (word_is_common(study, at, size) == common) {
      fprintf(out, "%s%.*s", more ? " " : between, (int)size, at);
      more = true;
    }
    at += size + strspn(at + size, " ");
  }
  return more;
}

char *aq_plot_labels(const aq_study *study, const aq_study_row *row,
                     bool common, int but)
{
  char *text = NULL;
  size_t size;
  bool more = false;
  FILE *stream = open_memstream(&text, &size);
  if (!stream)
    return NULL;
  for (int i = 0; i < AQ_ROW_PARTS; i++) {
    const char *between = more ? " · " : "";
    if (i == AQ_ROW_TRANSPORT && common)
      continue;
    if (i == AQ_ROW_PARAMETERS) {
      more |= parameters_put(stream, study, row, common, between);
    } else if (i != but && aq_row_part(row, i)[0] &&
               is_common(study, i) == common) {
      fprintf(stream, "%s%s", between, aq_row_part(row, i));
      more = true;
    }
  }
  return fclose(stream) == 0 ? text : NULL;
}
