/* SPDX-License-Identifier: MIT */
/* How far the sweep of a folder is. Points are done when the stores have them;
 * the reports of shards have the state of each, and the points that a running
 * shard holds on the disk of its node. */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/text.h"
#include "study/sweep/sweep_folder.h"

enum { PATH_SIZE = 4096, SILENT = 120 /* seconds */ };

typedef enum point_state {
  POINT_MISSING,
  POINT_DONE,
  POINT_FAILED,
  POINT_HELD,     /* done; the store of a running shard has it */
  POINT_STUMBLED, /* failed there */
} point_state;

typedef struct keyed {
  const char *key; /* of the manifest */
  size_t point;
} keyed;

typedef struct reader {
  aq_sweep_status *status;
  unsigned char *points; /* a point_state each */
  keyed *keys;           /* sorted; equal points share a key */
  size_t count;
} reader;

/* ---- stores ---- */

static int keyed_compare(const void *a, const void *b)
{
  return strcmp(((const keyed *)a)->key, ((const keyed *)b)->key);
}

static void key_take(const char *key, int64_t run, const char *failed,
                     void *user)
{
  const reader *r = user;
  const keyed wanted = {key, 0};
  (void)run;
  const keyed *at =
      bsearch(&wanted, r->keys, r->count, sizeof *at, keyed_compare);
  if (!at)
    return;
  while (at > r->keys && strcmp(at[-1].key, key) == 0)
    at--;
  for (; at < r->keys + r->count && strcmp(at->key, key) == 0; at++)
    if (!failed || r->points[at->point] != POINT_DONE)
      r->points[at->point] = failed ? POINT_FAILED : POINT_DONE;
}

static aq_status store_read(reader *r, const char *folder, uint32_t shard,
                            aq_diag *diag)
{
  char path[PATH_SIZE];
  aq_store *store;
  snprintf(path, sizeof path, "%s/stores/%u.db", folder, shard + 1);
  if (access(path, F_OK) != 0)
    return AQ_OK;
  aq_status status = aq_store_open(path, AQ_STORE_READ, &store, diag);
  if (status != AQ_OK)
    return status;
  status = aq_store_keys(store, key_take, r, diag);
  aq_store_close(store);
  return status;
}

/* ---- reports ---- */

/* A shard, since it began last. */
typedef struct report {
  aq_shard_state state, end; /* `end` from when its store is in the folder */
  int64_t begun, last;
  size_t since; /* points done */
} report;

static void line_take(const reader *r, report *said, uint32_t shard,
                      const char *line)
{
  char what[16];
  size_t point;
  if (sscanf(line, "%15s %zu %" SCNd64, what, &point, &said->last) != 3)
    return;
  const bool is_done = strcmp(what, "done") == 0;
  if (strcmp(what, "begin") == 0) {
    /* An earlier try's points are in its store, or lost with the node's. */
    for (size_t i = shard; i < r->count; i += r->status->count)
      if (r->points[i] >= POINT_HELD)
        r->points[i] = POINT_MISSING;
    said->state = AQ_SHARD_RUNNING;
    said->end = AQ_SHARD_STOPPED;
    said->begun = said->last;
    said->since = 0;
  } else if (strcmp(what, "end") == 0)
    said->end = AQ_SHARD_ENDED;
  else if (strcmp(what, "kept") == 0)
    said->state = said->end;
  else if (strcmp(what, "lost") == 0)
    said->state = AQ_SHARD_STOPPED;
  said->since += is_done;
  if (point >= r->count || r->points[point] == POINT_DONE)
    return;
  if (is_done || strcmp(what, "known") == 0)
    r->points[point] = POINT_HELD;
  else if (strcmp(what, "failed") == 0)
    r->points[point] = POINT_STUMBLED;
}

static void report_read(const reader *r, const char *folder, uint32_t shard,
                        int64_t now)
{
  char path[PATH_SIZE], line[256];
  report said = {.state = AQ_SHARD_WAITING};
  struct stat info;
  snprintf(path, sizeof path, "%s/progress/%u.log", folder, shard + 1);
  FILE *file = fopen(path, "r");
  if (!file)
    return;
  while (fgets(line, sizeof line, file))
    line_take(r, &said, shard, line);
  if (said.state == AQ_SHARD_RUNNING && fstat(fileno(file), &info) == 0 &&
      now - info.st_mtime > SILENT)
    said.state = AQ_SHARD_STOPPED;
  fclose(file);
  r->status->shards[shard].state = said.state;
  if (said.last > said.begun)
    r->status->shards[shard].rate =
        3600.0 * (double)said.since / (double)(said.last - said.begun);
}

/* ---- sums ---- */

static void point_count(const reader *r, size_t point)
{
  aq_shard *shard = &r->status->shards[point % r->status->count];
  const bool runs = shard->state == AQ_SHARD_RUNNING;
  const point_state state = r->points[point];
  shard->points++;
  if (state == POINT_DONE)
    shard->done++;
  else if (state == POINT_FAILED || (state == POINT_STUMBLED && runs))
    shard->failed++;
  else if (state == POINT_HELD && runs)
    shard->held++;
  else
    shard->missing++;
}

static bool reader_init(reader *r, const aq_sweep_manifest *manifest)
{
  r->points = calloc(manifest->count + 1, 1);
  r->keys = calloc(manifest->count + 1, sizeof *r->keys);
  r->count = manifest->count;
  if (!r->points || !r->keys || !r->status->shards)
    return false;
  for (size_t i = 0; i < r->count; i++)
    r->keys[i] = (keyed){manifest->keys[i], i};
  qsort(r->keys, r->count, sizeof *r->keys, keyed_compare);
  return true;
}

aq_status aq_sweep_folder_status(const char *folder, int64_t now,
                                 aq_sweep_status *out, aq_diag *diag)
{
  aq_sweep_manifest manifest;
  reader r = {.status = out};
  aq_status status = aq_sweep_manifest_read(folder, &manifest, diag);
  if (status != AQ_OK)
    return status;
  *out =
      (aq_sweep_status){.shards = calloc(manifest.shards, sizeof *out->shards),
                        .count = manifest.shards,
                        .points = manifest.count};
  if (!reader_init(&r, &manifest))
    status = aq_diag_no_memory(diag);
  for (uint32_t i = 0; status == AQ_OK && i < out->count; i++)
    status = store_read(&r, folder, i, diag);
  for (uint32_t i = 0; status == AQ_OK && i < out->count; i++)
    report_read(&r, folder, i, now);
  for (size_t i = 0; status == AQ_OK && i < r.count; i++)
    point_count(&r, i);
  if (status == AQ_OK) {
    for (uint32_t i = 0; i < out->count; i++) {
      const aq_shard *shard = &out->shards[i];
      out->missing += shard->missing;
      out->held += shard->held;
      out->done += shard->done;
      out->failed += shard->failed;
      if (shard->state == AQ_SHARD_RUNNING)
        out->rate += shard->rate;
    }
  }
  free(r.points);
  free(r.keys);
  aq_sweep_manifest_fini(&manifest);
  if (status != AQ_OK)
    aq_sweep_status_fini(out);
  return status;
}

/* ---- its text ---- */

/* "3,7" */
static char *shards_text(const aq_sweep_status *status)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  bool any = false;
  if (!out)
    return NULL;
  /* Not shards that run: two tasks of one would overwrite each other's store.
   */
  for (uint32_t i = 0; i < status->count; i++)
    if (status->shards[i].missing > 0 &&
        status->shards[i].state != AQ_SHARD_RUNNING) {
      fprintf(out, "%s%u", any ? "," : "", i + 1);
      any = true;
    }
  return fclose(out) == 0 ? text : NULL;
}

char *aq_sweep_status_text(const aq_sweep_status *s)
{
  char *text = NULL, *shards = shards_text(s);
  size_t size;
  FILE *out = shards ? open_memstream(&text, &size) : NULL;
  if (!out) {
    free(shards);
    return NULL;
  }
  fprintf(out, "%zu of %zu point%s done, %zu failed, %zu missing", s->done,
          s->points, aq_text_plural(s->points), s->failed, s->missing);
  if (s->held > 0)
    fprintf(out, "; %zu more on running shards", s->held);
  if (s->missing > 0 && s->rate > 0)
    fprintf(out, "; %.0f an hour, %.1f hours left", s->rate,
            (double)s->missing / s->rate);
  if (shards[0])
    fprintf(out,
            "; these shards make the missing ones: sbatch --array=%s "
            "array.sbatch, or ./task.sh with each number",
            shards);
  free(shards);
  return fclose(out) == 0 ? text : NULL;
}

void aq_sweep_status_fini(aq_sweep_status *status)
{
  free(status->shards);
  *status = (aq_sweep_status){0};
}
