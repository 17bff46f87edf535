/* SPDX-License-Identifier: MIT */
/* What shards report, and how far a sweep is. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/record.h"
#include "common/wall.h"
#include "study/sweep_folder.h"

enum { PATH_SIZE = 4096, SILENT = 120 /* seconds */ };

/* ---- a shard ---- */

void aq_sweep_progress_put(FILE *progress, const char *what, size_t point)
{
  if (!progress)
    return;
  fprintf(progress, "%s %zu %" PRId64 "\n", what, point,
          aq_wall_ns() / 1000000000);
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

/* ---- the folder ---- */

typedef struct reader {
  aq_sweep_status *status;
  unsigned char *points; /* 1: done, 2: failed */
  size_t count;
} reader;

static void log_line(const reader *r, aq_shard *shard, const char *line,
                     int64_t *begun, int64_t *last, size_t *since)
{
  char what[16];
  size_t point;
  int64_t time;
  if (sscanf(line, "%15s %zu %" SCNd64, what, &point, &time) != 3)
    return;
  *last = time;
  if (strcmp(what, "begin") == 0) {
    shard->state = AQ_SHARD_RUNNING;
    *begun = time;
    *since = 0;
  } else if (strcmp(what, "end") == 0) {
    shard->state = AQ_SHARD_ENDED;
  } else if (strcmp(what, "stopped") == 0) {
    shard->state = AQ_SHARD_STOPPED;
  } else if (point < r->count && strcmp(what, "failed") == 0) {
    r->points[point] = 2;
  } else if (point < r->count &&
             (strcmp(what, "done") == 0 || strcmp(what, "known") == 0)) {
    r->points[point] = 1;
    *since += what[0] == 'd';
  }
}

static void log_read(const reader *r, const char *folder, uint32_t number,
                     int64_t now)
{
  char path[PATH_SIZE], line[256];
  aq_shard *shard = &r->status->shards[number];
  int64_t begun = 0, last = 0;
  size_t since = 0;
  struct stat info;
  snprintf(path, sizeof path, "%s/progress/%u.log", folder, number + 1);
  FILE *file = fopen(path, "r");
  if (!file)
    return;
  while (fgets(line, sizeof line, file))
    log_line(r, shard, line, &begun, &last, &since);
  if (shard->state == AQ_SHARD_RUNNING && fstat(fileno(file), &info) == 0 &&
      now - info.st_mtime > SILENT)
    shard->state = AQ_SHARD_STOPPED;
  fclose(file);
  if (last > begun)
    shard->rate = 3600.0 * (double)since / (double)(last - begun);
}

aq_status aq_sweep_folder_status(const char *folder, int64_t now,
                                 aq_sweep_status *out, aq_diag *diag)
{
  aq_sweep_manifest manifest;
  aq_status status = aq_sweep_manifest_read(folder, &manifest, diag);
  if (status != AQ_OK)
    return status;
  *out =
      (aq_sweep_status){.shards = calloc(manifest.shards, sizeof *out->shards),
                        .count = manifest.shards,
                        .points = manifest.count};
  const reader r = {out, calloc(manifest.count + 1, 1), manifest.count};
  if (!out->shards || !r.points)
    status = aq_diag_no_memory(diag);
  for (uint32_t i = 0; status == AQ_OK && i < out->count; i++)
    log_read(&r, folder, i, now);
  for (size_t i = 0; status == AQ_OK && i < r.count; i++) {
    aq_shard *shard = &out->shards[i % out->count];
    shard->points++;
    shard->done += r.points[i] == 1;
    shard->failed += r.points[i] == 2;
  }
  for (uint32_t i = 0; status == AQ_OK && i < out->count; i++) {
    aq_shard *shard = &out->shards[i];
    shard->missing = shard->points - shard->done - shard->failed;
    out->missing += shard->missing;
    out->done += out->shards[i].done;
    out->failed += out->shards[i].failed;
    if (out->shards[i].state == AQ_SHARD_RUNNING)
      out->rate += out->shards[i].rate;
  }
  free(r.points);
  aq_sweep_manifest_fini(&manifest);
  if (status != AQ_OK)
    aq_sweep_status_fini(out);
  return status;
}

/* "3,7": the shards with missing points. */
static void shards_put(FILE *out, const aq_sweep_status *status)
{
  bool any = false;
  for (uint32_t i = 0; i < status->count; i++)
    if (status->shards[i].missing > 0) {
      fprintf(out, "%s%u", any ? "," : "", i + 1);
      any = true;
    }
}

char *aq_sweep_status_text(const aq_sweep_status *s)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  fprintf(out, "%zu of %zu points are done, %zu failed, %zu missing", s->done,
          s->points, s->failed, s->missing);
  if (s->missing > 0 && s->rate > 0)
    fprintf(out, "; %.0f an hour, %.1f hours left", s->rate,
            (double)s->missing / s->rate);
  if (s->missing > 0) {
    fputs("; these shards make the missing ones: sbatch --array=", out);
    shards_put(out, s);
    fputs(" array.sbatch, or ./task.sh with each number", out);
  }
  return fclose(out) == 0 ? text : NULL;
}

void aq_sweep_status_fini(aq_sweep_status *status)
{
  free(status->shards);
  *status = (aq_sweep_status){0};
}
