/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/maintenance.h"
#include "study/sweep/summary.h"

/* All digits: a study of kept figures is that of their requests. */
static void value_put(FILE *out, const char *name, double value)
{
  if (isfinite(value))
    fprintf(out, ",\"%s\":%.17g", name, value);
}

static bool entry_put(FILE *out, const aq_study_run *run, int entry,
                      const aq_study_options *options)
{
  aq_study_replica replica = {0};
  if (!aq_study_run_figures(run, entry, options, &replica))
    return false;
  fprintf(out, "%s{\"batches\":%zu", entry < 0 ? "" : ",",
          replica.response.count);
  value_put(out, "half", replica.response.half);
  for (size_t i = 0; i < AQ_FIGURE_COUNT; i++)
    value_put(out, aq_figure_name(i), replica.figures[i]);
  fputc('}', out);
  return true;
}

/* The summary with a member more; NULL: out of memory. */
static char *summary_make(const char *summary, const aq_study_run *run,
                          const aq_study_options *options)
{
  char *text = NULL;
  size_t size, length = strlen(summary);
  FILE *out = open_memstream(&text, &size);
  bool good = out != NULL;
  while (length > 0 && summary[length - 1] != '}')
    length--;
  if (good) {
    fprintf(out, "%.*s,\"figures\":[", (int)length - 1, summary);
    for (int i = -1; good && i < (int)run->client_count; i++)
      good = entry_put(out, run, i, options);
    fputs("]}", out);
    good = fclose(out) == 0 && good;
  }
  if (good)
    return text;
  free(text);
  return NULL;
}

aq_status aq_kept_make(aq_store *store, int64_t run, aq_diag *diag)
{
  const aq_study_options options = {.warmup = AQ_WARMUP_MSER5};
  aq_run_info *info;
  aq_study_run opened;
  aq_study_place place = {0}; /* a summary does not depend on it */
  bool wanted;
  aq_status status = aq_store_run(store, run, &info, diag);
  if (status != AQ_OK)
    return status;
  wanted = aq_study_run_counts(info);
  if (wanted)
    status = aq_study_run_open(store, info, &place, &options, &opened, &wanted,
                               diag);
  if (status == AQ_OK && wanted) {
    char *summary = summary_make(info->summary, &opened, &options);
    status = summary ? aq_store_requests_drop(store, run, summary, diag)
                     : aq_diag_no_memory(diag);
    free(summary);
    aq_study_run_close(&opened);
  }
  aq_run_info_free(info);
  return status;
}
