/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/sweep_folder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/fnv.h"
#include "study/sweep/sweep_inputs.h"
#include "study/sweep/sweep_scripts.h"

enum { PATH_SIZE = 4096, SHARDS_MAX = 1000000 };

aq_status aq_sweep_engine_find(const char *name, aq_sweep_engine *out,
                               aq_diag *diag)
{
  static const char *const names[] = {
#define E(name, scripts) #name,
      AQ_SWEEP_ENGINES(E)
#undef E
  };
  for (int i = 0; name && i < AQ_SWEEP_ENGINE_COUNT; i++)
    if (strcmp(name, names[i]) == 0) {
      *out = (aq_sweep_engine)i;
      return AQ_OK;
    }
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "scripts %s: slurm, parallel or condor expected",
                     name ? name : "is missing");
}

/* ---- emitting ---- */

static aq_status folder_make(const char *folder, aq_diag *diag)
{
  static const char *const below[] = {"stores", "progress"};
  char path[PATH_SIZE];
  size_t entries = 0;
  if (mkdir(folder, 0777) != 0 && errno != EEXIST)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", folder, strerror(errno));
  DIR *open = opendir(folder);
  if (!open)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", folder, strerror(errno));
  for (const struct dirent *entry; (entry = readdir(open));)
    entries += entry->d_name[0] != '.';
  closedir(open);
  if (entries)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: has files; an empty or a new folder expected",
                       folder);
  for (int i = 0; i < 2; i++) {
    snprintf(path, sizeof path, "%s/%s", folder, below[i]);
    if (mkdir(path, 0777) != 0)
      return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  }
  return AQ_OK;
}

static aq_status file_digest(const char *path, uint64_t *out, aq_diag *diag)
{
  char bytes[65536];
  FILE *file = fopen(path, "rb");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  *out = AQ_FNV_START;
  for (size_t size; (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
    *out = aq_fnv_add(*out, bytes, size);
  fclose(file);
  return AQ_OK;
}

static aq_status files_put(FILE *out, const aq_sweep_inputs *inputs,
                           const char *folder, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (size_t i = 0; i < inputs->files.count && status == AQ_OK; i++) {
    char *place = aq_sweep_input_place(inputs, (int64_t)i), path[PATH_SIZE];
    uint64_t digest = 0;
    if (!place)
      return aq_diag_no_memory(diag);
    snprintf(path, sizeof path, "%s/%s", folder, place);
    status = file_digest(path, &digest, diag);
    fprintf(out, "file %016" PRIx64 " %s\n", digest, place);
    free(place);
  }
  return status;
}

static aq_status manifest_write(const aq_sweep_emission *e,
                                const aq_sweep_inputs *inputs,
                                const char *place, const aq_sweep_tasks *tasks,
                                aq_diag *diag)
{
  char path[PATH_SIZE];
  snprintf(path, sizeof path, "%s/MANIFEST", e->folder);
  FILE *out = fopen(path, "w");
  if (!out)
    return aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
  fprintf(out, "aqueduct-sweep 1\nversion %s\nprogram %s\nplan %s\n",
          PACKAGE_VERSION, e->program, place);
  fprintf(out, "shards %u\npoints %zu\n", e->shards, tasks->count);
  aq_status status = files_put(out, inputs, e->folder, diag);
  for (size_t i = 0; i < tasks->count; i++)
    fprintf(out, "point %s\n", tasks->list[i].key);
  const bool bad = ferror(out) != 0;
  if (((fclose(out) != 0) | bad) && status == AQ_OK)
    status = aq_diag_set(diag, AQ_ERR_IO, "%s: cannot be written", path);
  return status;
}

/* The copy has to give the same points from its own files alone. */
static aq_status copy_check(const aq_sweep_emission *e, const aq_plan *plan,
                            const char *path, const char *data,
                            aq_sweep_tasks *tasks, aq_diag *diag)
{
  aq_sweep_inputs inputs;
  char *folder = realpath(e->folder, NULL);
  aq_status status = aq_sweep_inputs_find(path, plan, data, &inputs, diag);
  if (status == AQ_OK && folder)
    for (size_t i = 0; i < inputs.files.count && status == AQ_OK; i++) {
      const char *file = aq_names_text(&inputs.files, (int64_t)i);
      const size_t length = strlen(folder);
      if (strncmp(file, folder, length) != 0 || file[length] != '/')
        status = aq_diag_set(diag, AQ_ERR_INPUT,
                             "%s: the plan names %s by an absolute path; a "
                             "relative one expected, so that the folder can "
                             "be copied",
                             e->plan, file);
    }
  if (status == AQ_OK) {
    const aq_sweep sweep = {.plan = plan, .data = data};
    status = aq_sweep_tasks_make(&sweep, 0, 1, tasks, diag);
    aq_sweep_inputs_fini(&inputs);
  }
  free(folder);
  return status;
}

static aq_status copy_finish(const aq_sweep_emission *e,
                             const aq_sweep_inputs *inputs, const char *place,
                             aq_diag *diag)
{
  char path[PATH_SIZE], data[PATH_SIZE];
  aq_sweep_tasks tasks = {0};
  struct stat info;
  aq_plan plan;
  snprintf(path, sizeof path, "%s/%s", e->folder, place);
  snprintf(data, sizeof data, "%s/data", e->folder);
  const char *shared = stat(data, &info) == 0 ? data : NULL;
  aq_status status = aq_plan_open(path, shared, &plan, diag);
  if (status != AQ_OK)
    return status;
  status = copy_check(e, &plan, path, shared, &tasks, diag);
  if (status == AQ_OK)
    status = manifest_write(e, inputs, place, &tasks, diag);
  aq_sweep_tasks_fini(&tasks);
  aq_plan_close(&plan);
  return status;
}

aq_status aq_sweep_folder_emit(const aq_sweep_emission *emission,
                               size_t *points, aq_diag *diag)
{
  aq_sweep_inputs inputs;
  aq_plan plan;
  char *place = NULL;
  aq_status status = aq_plan_open(emission->plan, emission->data, &plan, diag);
  if (status != AQ_OK)
    return status;
  *points = plan.count;
  status = aq_sweep_inputs_find(emission->plan, &plan, emission->data, &inputs,
                                diag);
  aq_plan_close(&plan);
  if (status != AQ_OK)
    return status;
  status = folder_make(emission->folder, diag);
  if (status == AQ_OK)
    status = aq_sweep_inputs_copy(&inputs, emission->folder, diag);
  if (status == AQ_OK && !(place = aq_sweep_input_place(&inputs, 0)))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = copy_finish(emission, &inputs, place, diag);
  if (status == AQ_OK)
    status = aq_sweep_scripts_write(emission, place, diag);
  free(place);
  aq_sweep_inputs_fini(&inputs);
  return status;
}

/* ---- the manifest ---- */

void aq_sweep_manifest_fini(aq_sweep_manifest *manifest)
{
  free(manifest->keys);
  *manifest = (aq_sweep_manifest){0};
}

static bool line_take(aq_sweep_manifest *m, const char *line, size_t *points)
{
  char key[AQ_POINT_KEY_SIZE];
  char left;
  if (sscanf(line, "version %63s", m->version) == 1 ||
      strncmp(line, "program ", 8) == 0 || strncmp(line, "plan ", 5) == 0 ||
      strncmp(line, "file ", 5) == 0)
    return true;
  if (sscanf(line, "shards %u %c", &m->shards, &left) == 1)
    return m->shards > 0 && m->shards <= SHARDS_MAX;
  if (sscanf(line, "points %zu %c", &m->count, &left) == 1) {
    m->keys = m->keys ? m->keys : calloc(m->count + 1, sizeof *m->keys);
    return m->keys != NULL;
  }
  if (!m->keys || *points >= m->count ||
      sscanf(line, "point %32s %c", key, &left) != 1)
    return false;
  memcpy(m->keys[(*points)++], key, sizeof key);
  return true;
}

aq_status aq_sweep_manifest_read(const char *folder, aq_sweep_manifest *out,
                                 aq_diag *diag)
{
  char path[PATH_SIZE], *line = NULL;
  size_t capacity = 0, points = 0, number = 0;
  aq_sweep_manifest read = {0};
  snprintf(path, sizeof path, "%s/MANIFEST", folder);
  FILE *file = fopen(path, "r");
  if (!file)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: %s; a folder of an emitted sweep expected", path,
                       strerror(errno));
  bool good = true;
  while (good && getline(&line, &capacity, file) > 0) {
    good = number == 0 ? strcmp(line, "aqueduct-sweep 1\n") == 0
                       : line_take(&read, line, &points);
    number += good;
  }
  free(line);
  fclose(file);
  if (good && read.keys && points == read.count && read.shards) {
    *out = read;
    return AQ_OK;
  }
  aq_sweep_manifest_fini(&read);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s:%zu: not a manifest of an emitted sweep", path,
                     number + 1);
}

static aq_status manifest_check(const aq_sweep_manifest *manifest,
                                const char *folder, const aq_sweep_tasks *tasks,
                                uint32_t shard, uint32_t shards, aq_diag *diag)
{
  if (strcmp(manifest->version, PACKAGE_VERSION) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s/MANIFEST: made by version %s, this is %s", folder,
                       manifest->version, PACKAGE_VERSION);
  if (manifest->shards != shards)
    return aq_diag_set(
        diag, AQ_ERR_INPUT,
        "%s/MANIFEST: of %u shards, but shards of %u are asked for", folder,
        manifest->shards, shards);
  for (size_t i = 0; i < tasks->count; i++) {
    const size_t point = i * shards + shard;
    if (point < manifest->count &&
        strcmp(manifest->keys[point], tasks->list[i].key) == 0)
      continue;
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s/MANIFEST: point %zu is another one now: the plan or "
                       "a file that it names was changed after that",
                       folder, point);
  }
  return AQ_OK;
}

aq_status aq_sweep_folder_join(const char *folder, const aq_sweep_tasks *tasks,
                               uint32_t shard, uint32_t shards, FILE **progress,
                               aq_diag *diag)
{
  aq_sweep_manifest manifest;
  char path[PATH_SIZE];
  aq_status status = aq_sweep_manifest_read(folder, &manifest, diag);
  if (status != AQ_OK)
    return status;
  status = manifest_check(&manifest, folder, tasks, shard, shards, diag);
  aq_sweep_manifest_fini(&manifest);
  if (status != AQ_OK)
    return status;
  snprintf(path, sizeof path, "%s/progress/%u.log", folder, shard + 1);
  *progress = fopen(path, "a");
  return *progress
             ? AQ_OK
             : aq_diag_set(diag, AQ_ERR_IO, "%s: %s", path, strerror(errno));
}
