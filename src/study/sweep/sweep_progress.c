/* SPDX-License-Identifier: MIT */
/* The reports of a shard. */
#include "config.h"

#include <inttypes.h>
#include <sys/stat.h>
#include <time.h>

#include "common/record.h"
#include "study/sweep/sweep_folder.h"

void aq_sweep_progress_put(FILE *progress, const char *what, size_t point)
{
  if (!progress)
    return;
  fprintf(progress, "%s %zu %" PRId64 "\n", what, point, (int64_t)time(NULL));
  fflush(progress);
}

void aq_sweep_progress_begin(FILE *progress, const aq_plan *plan,
                             const aq_sweep_tasks *tasks)
{
  aq_sweep_progress_put(progress, "begin", tasks->count);
  for (size_t i = 0; i < tasks->count; i++)
    if (tasks->list[i].run != AQ_NONE)
      aq_sweep_progress_put(progress, "known",
                            (size_t)(tasks->list[i].point - plan->points));
}

void aq_sweep_progress_touch(FILE *progress)
{
  if (progress && futimens(fileno(progress), NULL) != 0)
    return; /* the shard looks stopped then, no more */
}
