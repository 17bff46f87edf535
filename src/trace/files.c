/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/array.h"
#include "trace/importers.h"

enum { DEPTH_MAX = 4, FILES_MAX = 100000 };

aq_status aq_trace_file_open(const aq_trace_file *file, aq_reader **out,
                             aq_diag *diag)
{
  if (file->bytes)
    return aq_reader_open_bytes(file->path, file->bytes, file->size, out, diag);
  return aq_reader_open(file->path, out, diag);
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
      !aq_number_int(text, length, &number))
    return AQ_NONE;
  return number;
}

/* Reads "HOST/PID/…", "HOST/PID_…" and similar names below the root: numbers
 * are process ids, the first other folder is the machine. */
static void read_path(const char *below, size_t length, int64_t *pid,
                      const char **host, size_t *host_length)
{
  *pid = AQ_NONE;
  *host = "";
  *host_length = 0;
  const char *end = below + length;
  for (const char *at = below; at < end;) {
    const char *slash = memchr(at, '/', (size_t)(end - at));
    size_t size = (size_t)((slash ? slash : end) - at);
    int64_t number = component_number(at, size);
    if (number != AQ_NONE)
      *pid = number;
    else if (slash && *host_length == 0) {
      *host = at;
      *host_length = size;
    }
    at += size + (slash != NULL);
  }
}

/* Numbers processes and machines in the order of the sorted paths. */
static aq_status number_files(aq_trace_files *files, aq_diag *diag)
{
  aq_names processes = AQ_NAMES_INIT, hosts = AQ_NAMES_INIT;
  bool failed = false;
  size_t skip = strlen(files->root);
  for (size_t i = 0; i < files->count; i++) {
    aq_trace_file *file = &files->files[i];
    size_t prefix = prefix_length(file->path);
    if (prefix < skip)
      prefix = skip;
    const char *host;
    size_t host_length;
    read_path(file->path + skip, prefix - skip, &file->pid, &host,
              &host_length);
    int64_t process = aq_names_id(&processes, file->path, prefix);
    int64_t machine = aq_names_id(&hosts, host, host_length);
    failed |= process < 0 || machine < 0;
    file->process = (unsigned)process;
    file->host = (unsigned)machine;
  }
  files->processes = (unsigned)processes.count;
  aq_names_fini(&processes);
  aq_names_fini(&hosts);
  return failed ? aq_diag_no_memory(diag) : AQ_OK;
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
