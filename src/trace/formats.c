/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "trace/csv.h"
#include "trace/importers.h"
#include "trace/timeline.h"

/* Whether the first bytes of a file, as text, are of the format. */
typedef bool detector(const char *text, size_t length);

static bool has(const char *text, size_t length, const char *word)
{
  return memmem(text, length, word, strlen(word)) != NULL;
}

static bool is_json(const char *text, size_t length)
{
  size_t i = 0;
  while (i < length && strchr(" \t\r\n", text[i]))
    i++;
  return i < length && (text[i] == '{' || text[i] == '[');
}

static bool is_kineto(const char *text, size_t length)
{
  return is_json(text, length) && (has(text, length, "\"traceEvents\"") ||
                                   has(text, length, "\"deviceProperties\"") ||
                                   has(text, length, "\"ph\""));
}

static bool is_rocprofv3_json(const char *text, size_t length)
{
  return is_json(text, length) && has(text, length, "\"rocprofiler-sdk-tool\"");
}

/* Asked last: every row has a kind. */
static bool is_jsonl(const char *text, size_t length)
{
  const char *end = memchr(text, '\n', length);
  size_t line = end ? (size_t)(end - text) : length;
  return is_json(text, line) && has(text, line, "\"kind\"");
}

static bool is_rocprof_v1(const char *text, size_t length)
{
  return aq_csv_header_has(text, length, "KernelName") &&
         (aq_csv_header_has(text, length, "gpu-id") ||
          aq_csv_header_has(text, length, "BeginNs"));
}

enum {
  FORMAT_KINETO,
  FORMAT_ROCPROFV3_JSON,
  FORMAT_ROCPROFV3_CSV,
  FORMAT_ROCPROF_V1,
  FORMAT_JSONL,
  FORMAT_CSV,
  FORMAT_PERFETTO,
  FORMAT_CHROME,
  FORMAT_COUNT
};

static const aq_trace_format formats[FORMAT_COUNT + 1] = {
    [FORMAT_KINETO] = {"kineto", "PyTorch profiler (Kineto), Chrome trace JSON",
                       .imports = true},
    [FORMAT_ROCPROFV3_JSON] = {"rocprofv3-json",
                               "rocprofv3 --output-format json",
                               .imports = true},
    [FORMAT_ROCPROFV3_CSV] = {"rocprofv3-csv",
                              "rocprofv3 --output-format csv: a directory, or "
                              "its kernel_trace.csv",
                              .imports = true, .exports = true},
    [FORMAT_ROCPROF_V1] = {"rocprof-v1", "rocprof (v1) results.csv",
                           .imports = true},
    [FORMAT_JSONL] = {"jsonl", "JSON Lines, one record a line", .imports = true,
                      .exports = true},
    [FORMAT_CSV] = {"csv", "CSV, one record a row", .exports = true},
    [FORMAT_PERFETTO] = {"perfetto",
                         "Perfetto trace (protobuf), ui.perfetto.dev",
                         .fields = AQ_TIMELINE_FIELDS, .exports = true},
    [FORMAT_CHROME] = {"chrome", "Chrome trace JSON, chrome://tracing",
                       .fields = AQ_TIMELINE_FIELDS, .exports = true},
};

/* What each does, beside the table that the world sees. Detectors are asked in
 * this order. */
static const struct {
  detector *detect;
  aq_trace_importer *import;
  aq_trace_exporter *export;
} workings[FORMAT_COUNT] = {
    [FORMAT_KINETO] = {is_kineto, aq_kineto_import, NULL},
    [FORMAT_ROCPROFV3_JSON] = {is_rocprofv3_json, aq_rocprofv3_json_import,
                               NULL},
    [FORMAT_ROCPROFV3_CSV] = {aq_rocprofv3_csv_detect, aq_rocprofv3_csv_import,
                              aq_rocprofv3_csv_export},
    [FORMAT_ROCPROF_V1] = {is_rocprof_v1, aq_rocprof_v1_import, NULL},
    [FORMAT_JSONL] = {is_jsonl, aq_jsonl_import, aq_jsonl_export},
    [FORMAT_CSV] = {NULL, NULL, aq_csv_export},
    [FORMAT_PERFETTO] = {NULL, NULL, aq_perfetto_export},
    [FORMAT_CHROME] = {NULL, NULL, aq_chrome_export},
};

const aq_trace_format *aq_trace_formats(void)
{
  return formats;
}

const char *aq_trace_repair_text(aq_trace_repair repair)
{
  static const char *const texts[] = {
#define R(id, text) text,
      AQ_TRACE_REPAIRS(R)
#undef R
  };
  return texts[repair];
}

/* ---- finding the format ---- */

/* The names of the formats that can be imported: "kineto, …". */
static void list_names(char *text, size_t size, bool exports)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < FORMAT_COUNT && used < size; i++)
    if (exports ? formats[i].exports : formats[i].imports)
      used += (size_t)snprintf(text + used, size - used, "%s%s",
                               used ? ", " : "", formats[i].name);
}

static aq_status find_format(const char *name, bool exports, int *out,
                             aq_diag *diag)
{
  for (int i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(formats[i].name, name) == 0 &&
        (exports ? formats[i].exports : formats[i].imports)) {
      *out = i;
      return AQ_OK;
    }
  char names[256];
  list_names(names, sizeof names, exports);
  return aq_diag_set(diag, AQ_ERR_INPUT, "no format \"%s\" to %s (known: %s)",
                     name, exports ? "export" : "import", names);
}

/* The format of a file, FORMAT_COUNT where it is none that is known. */
static aq_status detect_file(const aq_trace_file *file, int *out, aq_diag *diag)
{
  aq_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, diag);
  if (status != AQ_OK)
    return status;
  const char *text;
  size_t length;
  status = aq_reader_peek(reader, &text, &length, diag);
  if (status == AQ_OK && length == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: empty file", file->path);
  if (status == AQ_OK) {
    int i = 0;
    while (i < FORMAT_COUNT &&
           !(workings[i].detect && workings[i].detect(text, length)))
      i++;
    *out = i;
  }
  aq_reader_close(reader);
  return status;
}

static aq_status detect_one(const aq_trace_file *file, int *out, aq_diag *diag)
{
  aq_status status = detect_file(file, out, diag);
  if (status != AQ_OK || *out < FORMAT_COUNT)
    return status;
  char names[256];
  list_names(names, sizeof names, false);
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: unknown format (known: %s)",
                     file->path, names);
}

/* ---- importing ---- */

static aq_status check_result(const aq_trace_files *files,
                              const aq_trace_result *result, aq_diag *diag)
{
  if (result->dispatches + result->copies == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: no kernel, copy or fill in this %s trace",
                       files->root, result->format);
  return AQ_OK;
}

static aq_status import_files(const aq_trace_files *files, int format,
                              const aq_trace_options *options,
                              aq_record_sink *sink, aq_trace_result *result,
                              aq_diag *diag)
{
  aq_import import;
  aq_join join;
  aq_trace_result found;
  aq_import_init(&import, sink, options, &found, diag);
  aq_status status = aq_join_init(&join, &import);
  if (status == AQ_OK) {
    found.format = formats[format].name;
    status = workings[format].import(&import, &join, files);
  }
  if (status == AQ_OK)
    status = aq_join_finish(&join);
  if (status == AQ_OK)
    status = aq_import_finish(&import);
  aq_join_fini(&join);
  aq_import_fini(&import);
  if (status == AQ_OK)
    status = check_result(files, &found, diag);
  if (status != AQ_OK)
    return status;
  if (found.with_host > 0)
    found.advice = NULL;
  *result = found;
  return AQ_OK;
}

static aq_status import_one(aq_trace_file file, const aq_trace_options *options,
                            aq_record_sink *sink, aq_trace_result *result,
                            aq_diag *diag)
{
  int format;
  aq_status status = options && options->format
                         ? find_format(options->format, false, &format, diag)
                         : detect_one(&file, &format, diag);
  if (status != AQ_OK)
    return status;
  aq_trace_files files = {.root = file.path,
                          .files = &file,
                          .count = 1,
                          .processes = 1,
                          .arena = AQ_ARENA_INIT};
  return import_files(&files, format, options, sink, result, diag);
}

/* ---- directories ---- */

/* Keeps the files of one format. */
static void keep_format(aq_trace_files *files, const int *format_of, int format)
{
  size_t kept = 0;
  for (size_t i = 0; i < files->count; i++)
    if (format_of[i] == format)
      files->files[kept++] = files->files[i];
  files->count = kept;
}

/* Whether several files can be one run of this format. */
static bool is_set(int format)
{
  return format == FORMAT_ROCPROFV3_CSV || format == FORMAT_ROCPROFV3_JSON;
}

/* "16 kineto, 1 rocprof-v1": what a directory holds. */
static void list_counts(char *text, size_t size, const size_t *counts)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < FORMAT_COUNT && used < size; i++)
    if (counts[i] > 0)
      used += (size_t)snprintf(text + used, size - used, "%s%zu %s",
                               used ? ", " : "", counts[i], formats[i].name);
}

/* Which format a directory is of, of those wanted (-1: any): a rocprofv3 set,
 * CSV before JSON where both were written, or else the one trace that is in it.
 * More than that is several runs, and none may be left out silently. */
static aq_status choose_format(const aq_trace_files *files,
                               const int *format_of, int wanted, int *out,
                               aq_diag *diag)
{
  size_t counts[FORMAT_COUNT + 1] = {0};
  size_t set = 0, total = 0;
  int last = FORMAT_COUNT;
  for (size_t i = 0; i < files->count; i++)
    counts[format_of[i]] += wanted < 0 || format_of[i] == wanted;
  for (int i = 0; i < FORMAT_COUNT; i++) {
    total += counts[i];
    set += is_set(i) ? counts[i] : 0;
    last = counts[i] > 0 ? i : last;
  }
  if (total == 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: no %s%strace in this directory (%zu JSON and CSV "
                       "files looked at)",
                       files->root, wanted < 0 ? "" : formats[wanted].name,
                       wanted < 0 ? "" : " ", files->count);
  if (total > 1 && set < total) {
    char held[256];
    list_counts(held, sizeof held, counts);
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: several traces in this directory (%s): name one of "
                       "them",
                       files->root, held);
  }
  *out = counts[FORMAT_ROCPROFV3_CSV] > 0 ? FORMAT_ROCPROFV3_CSV : last;
  return AQ_OK;
}

/* Finds the format of each file and of the whole. */
static aq_status detect_files(aq_trace_files *files, int *format_of,
                              const char *name, int *out, aq_diag *diag)
{
  int wanted = -1;
  aq_status status = name ? find_format(name, false, &wanted, diag) : AQ_OK;
  for (size_t i = 0; i < files->count && status == AQ_OK; i++)
    status = detect_file(&files->files[i], &format_of[i], diag);
  if (status == AQ_OK)
    status = choose_format(files, format_of, wanted, out, diag);
  return status;
}

static aq_status import_directory(const char *path,
                                  const aq_trace_options *options,
                                  aq_record_sink *sink, aq_trace_result *result,
                                  aq_diag *diag)
{
  aq_trace_files files;
  aq_status status = aq_trace_files_list(&files, path, diag);
  if (status != AQ_OK)
    return status;
  int *format_of = calloc(files.count + 1, sizeof *format_of);
  int format = FORMAT_COUNT;
  if (!format_of)
    status = aq_diag_set(diag, AQ_ERR_NO_MEMORY, "%s: out of memory", path);
  else
    status = detect_files(&files, format_of, options ? options->format : NULL,
                          &format, diag);
  if (status == AQ_OK) {
    keep_format(&files, format_of, format);
    status = import_files(&files, format, options, sink, result, diag);
  }
  free(format_of);
  aq_trace_files_fini(&files);
  return status;
}

aq_status aq_trace_import(const char *path, const aq_trace_options *options,
                          aq_record_sink *sink, aq_trace_result *result,
                          aq_diag *diag)
{
  struct stat info;
  if (stat(path, &info) != 0)
    return aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode))
    return import_directory(path, options, sink, result, diag);
  aq_trace_file file = {.path = path, .pid = AQ_NONE};
  return import_one(file, options, sink, result, diag);
}

aq_status aq_trace_import_bytes(const char *name, const void *bytes,
                                size_t size, const aq_trace_options *options,
                                aq_record_sink *sink, aq_trace_result *result,
                                aq_diag *diag)
{
  aq_trace_file file = {
      .path = name, .bytes = bytes, .size = size, .pid = AQ_NONE};
  return import_one(file, options, sink, result, diag);
}

/* ---- exporting ---- */

const aq_trace_format *aq_trace_exportable(const char *name, aq_diag *diag)
{
  int found;
  return find_format(name, true, &found, diag) == AQ_OK ? &formats[found]
                                                        : NULL;
}

aq_status aq_trace_export(const char *format, aq_trace_source *source,
                          FILE *out, aq_diag *diag)
{
  int found;
  aq_status status = find_format(format, true, &found, diag);
  return status == AQ_OK ? workings[found].export(source, out, diag) : status;
}

aq_status aq_trace_source_samples(aq_trace_source *source,
                                  const aq_sample **samples, size_t *count,
                                  aq_diag *diag)
{
  if (source->samples)
    return source->samples(source, samples, count, diag);
  *samples = NULL;
  *count = 0;
  return AQ_OK;
}
