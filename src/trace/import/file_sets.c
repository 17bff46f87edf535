/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "common/fnv.h"
#include "trace/import/importers.h"

enum { DEPTH_MAX = 4, FILES_MAX = 100000 };

aq_status aq_trace_file_open(const aq_trace_file *file, aq_stream_reader **out,
                             aq_diag *diag)
{
  if (file->bytes)
    return aq_stream_reader_open_bytes(file->path, file->bytes, file->size, out,
                                       diag);
  return aq_stream_reader_open(file->path, out, diag);
}

void aq_trace_files_fini(aq_trace_files *files)
{
  free(files->files);
  aq_arena_fini(&files->arena);
}

static bool cut_end(const char *text, size_t *length, const char *end)
{
  size_t size = strlen(end);
  if (*length < size || strncasecmp(text + *length - size, end, size) != 0)
    return false;
  *length -= size;
  return true;
}

static bool is_candidate(const char *name)
{
  size_t length = strlen(name);
  if (!cut_end(name, &length, ".gz"))
    cut_end(name, &length, ".zst");
  return cut_end(name, &length, ".csv") || cut_end(name, &length, ".json");
}

static aq_status add_file(aq_trace_files *files, const char *path,
                          aq_diag *diag)
{
  if (files->count == FILES_MAX)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: more than %d files",
                       files->root, FILES_MAX);
  char *copy = aq_arena_text(&files->arena, path, strlen(path));
  if (!copy || !AQ_ARRAY_PUSH(files->files, files->count, files->capacity,
                              (aq_trace_file){.path = copy, .pid = AQ_NONE}))
    return aq_diag_no_memory(diag);
  return AQ_OK;
}

static aq_status list_folder(aq_trace_files *files, const char *path, int depth,
                             aq_diag *diag);

static aq_status list_entry(aq_trace_files *files, const char *folder,
                            const char *name, int depth, aq_diag *diag)
{
  char path[4096];
  struct stat info;
  if (name[0] == '.' ||
      snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path ||
      stat(path, &info) != 0)
    return AQ_OK;
  if (S_ISDIR(info.st_mode))
    return depth < DEPTH_MAX ? list_folder(files, path, depth + 1, diag)
                             : AQ_OK;
  return S_ISREG(info.st_mode) && info.st_size > 0 && is_candidate(name)
             ? add_file(files, path, diag)
             : AQ_OK;
}

static aq_status list_folder(aq_trace_files *files, const char *path, int depth,
                             aq_diag *diag)
{
  DIR *folder = opendir(path);
  if (!folder)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  aq_status status = AQ_OK;
  for (struct dirent *entry; status == AQ_OK && (entry = readdir(folder));)
    status = list_entry(files, path, entry->d_name, depth, diag);
  closedir(folder);
  return status;
}

static int path_order(const void *a, const void *b)
{
  return strcmp(((const aq_trace_file *)a)->path,
                ((const aq_trace_file *)b)->path);
}

static int pass_order(const void *a, const void *b)
{
  const aq_trace_file *x = a, *y = b;
  if (x->pass != y->pass)
    return x->pass < y->pass ? -1 : 1;
  return path_order(a, b);
}

/* ---- which process and machine a file is of, by its path ---- */

/* What rocprofv3 appends to the prefix of a process; longest first where one
 * is the end of another. */
static const char *const stems[] = {
    "hip_runtime_api_trace",
    "hip_compiler_api_trace",
    "hip_compiler_trace",
    "hip_runtime_trace",
    "hip_api_trace",
    "hip_trace",
    "hsa_core_api_trace",
    "hsa_amd_ext_api_trace",
    "hsa_api_trace",
    "hsa_core_trace",
    "hsa_trace",
    "memory_copy_trace",
    "counter_collection",
    "kernel_trace",
    "agent_info",
    "results",
};

/* The length of the path without extension and stem: "dir/12345". */
static size_t prefix_length(const char *path)
{
  size_t length = strlen(path);
  if (!cut_end(path, &length, ".gz"))
    cut_end(path, &length, ".zst");
  if (!cut_end(path, &length, ".csv"))
    cut_end(path, &length, ".json");
  for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
    if (cut_end(path, &length, stems[i]))
      break;
  if (length > 0 && path[length - 1] == '_')
    length--;
  return length;
}

/* The number that a path component is, or AQ_NONE. */
static int64_t component_number(const char *text, size_t length)
{
  int64_t number;
  if (length == 0 || !isdigit((unsigned char)*text) ||
      !aq_decimal_int(text, length, &number))
    return AQ_NONE;
  return number;
}

/* The number of a folder "pmc_N", which rocprofv3 writes for each pass over the
 * program; AQ_NONE: another one. */
static int64_t pass_number(const char *text, size_t length)
{
  return length > 4 && strncmp(text, "pmc_", 4) == 0
             ? component_number(text + 4, length - 4)
             : AQ_NONE;
}

/* Reads "HOST/PID/…", "HOST/PID_…" and similar names below the root: numbers
 * are process ids, the first other folder is the machine. */
static void read_path(const char *below, size_t length, int64_t *pid,
                      const char **host, size_t *host_length, int64_t *pass)
{
  *pid = *pass = AQ_NONE;
  *host = "";
  *host_length = 0;
  const char *end = below + length;
  for (const char *at = below; at < end;) {
    const char *slash = memchr(at, '/', (size_t)(end - at));
    size_t size = (size_t)((slash ? slash : end) - at);
    int64_t number = component_number(at, size);
    if (number != AQ_NONE)
      *pid = number;
    else if (slash && pass_number(at, size) != AQ_NONE)
      *pass = pass_number(at, size);
    else if (slash && *host_length == 0) {
      *host = at;
      *host_length = size;
    }
    at += size + (slash != NULL);
  }
}

/* The files of a run,: its processes and machines, by their paths. */
typedef struct numbering {
  aq_names processes, hosts;
  aq_names seen; /* prefixes of files of passes */
  aq_map ranks;  /* of a prefix among its pass → its number in `processes` */
  aq_map counts; /* processes of a pass at one place */
} numbering;

/* The path of a pass's file without the pass and the pid, which the next run of
 * the program has anew, but with the rank of its process in the pass. */
static int64_t pass_process(numbering *n, const aq_trace_file *file,
                            size_t prefix, size_t skip)
{
  char place[4200] = "";
  size_t used = 0;
  uint64_t known, rank = 0;
  const int64_t seen = aq_names_id(&n->seen, file->path, prefix);
  if (seen >= 0 && aq_map_get(&n->ranks, (uint64_t)seen, &known))
    return (int64_t)known;
  for (const char *at = file->path + skip, *end = file->path + prefix;
       at < end;) {
    const char *slash = memchr(at, '/', (size_t)(end - at));
    const size_t size = (size_t)((slash ? slash : end) - at);
    if (pass_number(at, size) == AQ_NONE &&
        component_number(at, size) == AQ_NONE)
      used += (size_t)snprintf(place + used, sizeof place - used, "%.*s/",
                               (int)size, at);
    at += size + (slash != NULL);
  }
  const uint64_t counted = aq_fnv_add(aq_fnv_add(AQ_FNV_START, place, used),
                                      &file->pass, sizeof file->pass);
  aq_map_get(&n->counts, counted, &rank);
  snprintf(place + used, sizeof place - used, "#%llu",
           (unsigned long long)rank);
  const int64_t process = aq_names_id(&n->processes, place, strlen(place));
  return seen >= 0 && process >= 0 &&
                 aq_map_put(&n->ranks, (uint64_t)seen, (uint64_t)process) &&
                 aq_map_put(&n->counts, counted, rank + 1)
             ? process
             : -1;
}

static bool file_number(numbering *n, aq_trace_file *file, size_t skip)
{
  const char *host;
  size_t host_length, prefix = prefix_length(file->path);
  int64_t pass;
  if (prefix < skip)
    prefix = skip;
  read_path(file->path + skip, prefix - skip, &file->pid, &host, &host_length,
            &pass);
  file->pass = pass == AQ_NONE ? 0 : (unsigned)pass + 1;
  const int64_t process = pass == AQ_NONE
                              ? aq_names_id(&n->processes, file->path, prefix)
                              : pass_process(n, file, prefix, skip);
  const int64_t machine = aq_names_id(&n->hosts, host, host_length);
  file->process = (unsigned)process;
  file->host = (unsigned)machine;
  return process >= 0 && machine >= 0;
}

/* Numbers processes and machines in the order of the sorted paths. The first
 * pass of several is 0, and comes first. */
static aq_status number_files(aq_trace_files *files, aq_diag *diag)
{
  numbering n = {AQ_NAMES_INIT, AQ_NAMES_INIT, AQ_NAMES_INIT, AQ_MAP_INIT,
                 AQ_MAP_INIT};
  bool numbered = true;
  unsigned first = UINT_MAX;
  for (size_t i = 0; i < files->count; i++) {
    aq_trace_file *file = &files->files[i];
    numbered &= file_number(&n, file, strlen(files->root));
    if (file->pass > 0 && file->pass < first)
      first = file->pass;
  }
  for (size_t i = 0; i < files->count; i++)
    if (files->files[i].pass > 0)
      files->files[i].pass -= first;
  qsort(files->files, files->count, sizeof *files->files, pass_order);
  files->processes = (unsigned)n.processes.count;
  aq_names_fini(&n.processes);
  aq_names_fini(&n.hosts);
  aq_names_fini(&n.seen);
  aq_map_fini(&n.ranks);
  aq_map_fini(&n.counts);
  return numbered ? AQ_OK : aq_diag_no_memory(diag);
}

aq_status aq_trace_files_list(aq_trace_files *files, const char *root,
                              aq_diag *diag)
{
  *files = (aq_trace_files){.root = root, .arena = AQ_ARENA_INIT};
  aq_status status = list_folder(files, root, 0, diag);
  if (status == AQ_OK && files->count > 0) {
    qsort(files->files, files->count, sizeof *files->files, path_order);
    status = number_files(files, diag);
  }
  if (status != AQ_OK)
    aq_trace_files_fini(files);
  return status;
}
