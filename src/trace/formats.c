/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/text.h"
#include "trace/export/timeline.h"
#include "trace/import/importers.h"
#include "trace/import/module.h"
#include "trace/text/csv_reader.h"

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

static bool is_ireeperf(const char *text, size_t length)
{
  return is_json(text, length) && has(text, length, "\"ireeperf-jsonl\"") &&
         has(text, length, "\"record_type\"");
}

/* Asked last: every row has a kind. */
static bool is_jsonl(const char *text, size_t length)
{
  const char *end = memchr(text, '\n', length);
  size_t line = end ? (size_t)(end - text) : length;
  return is_json(text, line) && has(text, line, "\"kind\"");
}

/* rocprof v1, or the columns of v2, which rocprofiler-compute keeps. */
static bool is_rocprof_v1(const char *text, size_t length)
{
  if (aq_csv_header_has(text, length, "Dispatch_ID"))
    return aq_csv_header_has(text, length, "GPU_ID");
  return aq_csv_header_has(text, length, "KernelName") &&
         (aq_csv_header_has(text, length, "gpu-id") ||
          aq_csv_header_has(text, length, "BeginNs"));
}

static bool is_rocprofv3_csv(const char *text, size_t length)
{
  return aq_rocprofv3_csv_detect(text, length) && !is_rocprof_v1(text, length);
}

/* A protobuf whose first field is a plane of a profile. */
static bool is_xplane(const char *text, size_t length)
{
  return length > 2 && text[0] == '\n' &&
         (has(text, length, "/device:GPU") || has(text, length, "/host:CPU") ||
          has(text, length, "/host:metadata"));
}

enum {
  FORMAT_KINETO,
  FORMAT_ROCPROFV3_JSON,
  FORMAT_ROCPROFV3_CSV,
  FORMAT_ROCPROF_V1,
  FORMAT_IREEPERF,
  FORMAT_JSONL,
  FORMAT_XPLANE,
  FORMAT_CSV,
  FORMAT_PERFETTO,
  FORMAT_CHROME,
  FORMAT_ATT,
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
    [FORMAT_IREEPERF] = {"ireeperf",
                         "iree-profile export "
                         "--format=ireeperf-jsonl",
                         .imports = true},
    [FORMAT_JSONL] = {"jsonl", "JSON Lines, one record a line", .imports = true,
                      .exports = true},
    [FORMAT_XPLANE] = {"xplane", "profile of JAX and XLA (.xplane.pb)",
                       .imports = true},
    [FORMAT_CSV] = {"csv", "CSV, one record a row", .exports = true},
    [FORMAT_PERFETTO] = {"perfetto",
                         "Perfetto trace (protobuf), ui.perfetto.dev",
                         .fields = AQ_TIMELINE_FIELDS, .imports = true,
                         .exports = true},
    [FORMAT_CHROME] = {"chrome", "Chrome trace JSON, chrome://tracing",
                       .fields = AQ_TIMELINE_FIELDS, .exports = true},
    [FORMAT_ATT] = {"att", "JSON of the steps of traced waves",
                    .exports = true},
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
    [FORMAT_ROCPROFV3_CSV] = {is_rocprofv3_csv, aq_rocprofv3_csv_import,
                              aq_rocprofv3_csv_export},
    [FORMAT_ROCPROF_V1] = {is_rocprof_v1, aq_rocprof_v1_import, NULL},
    [FORMAT_IREEPERF] = {is_ireeperf, aq_ireeperf_import, NULL},
    [FORMAT_JSONL] = {is_jsonl, aq_jsonl_import, aq_jsonl_export},
    [FORMAT_XPLANE] = {is_xplane, aq_xplane_import, NULL},
    [FORMAT_CSV] = {NULL, NULL, aq_csv_export},
    [FORMAT_PERFETTO] = {aq_perfetto_detect, aq_perfetto_import,
                         aq_perfetto_export},
    [FORMAT_CHROME] = {NULL, NULL, aq_chrome_export},
    [FORMAT_ATT] = {NULL, NULL, aq_att_export},
};

const aq_trace_format *aq_trace_formats(void)
{
  return formats;
}

static const struct {
  const char *verb, *noun, *what, *then;
  bool damage;
} repairs[] = {
#define R(id, ...) [AQ_REPAIR_##id] = {__VA_ARGS__},
    AQ_TRACE_REPAIRS(R)
#undef R
};

static size_t repair_print(aq_trace_repair repair, uint64_t count, char *text,
                           size_t size)
{
  return (size_t)snprintf(text, size, "%s%" PRIu64 " %s%s%s",
                          repairs[repair].verb, count, repairs[repair].noun,
                          aq_text_plural(count), repairs[repair].what);
}

void aq_trace_repair_text(aq_trace_repair repair, uint64_t count,
                          char text[AQ_TRACE_REPAIR_SIZE])
{
  const char *then = repairs[repair].then;
  const size_t used = repair_print(repair, count, text, AQ_TRACE_REPAIR_SIZE);
  if (then[0] && used < AQ_TRACE_REPAIR_SIZE)
    snprintf(text + used, AQ_TRACE_REPAIR_SIZE - used, ": %s", then);
}

bool aq_trace_damage(const aq_trace_result *result, char *text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < AQ_REPAIR_COUNT && used < size; i++) {
    if (!repairs[i].damage || result->repairs[i] == 0)
      continue;
    if (used > 0)
      used += (size_t)snprintf(text + used, size - used, "; ");
    if (used < size)
      used += repair_print((aq_trace_repair)i, result->repairs[i], text + used,
                           size - used);
    if (i == AQ_REPAIR_UNCALLED && used < size)
      used +=
          (size_t)snprintf(text + used, size - used, " (%.1f %% of all)",
                           100.0 * (double)result->repairs[i] /
                               (double)(result->dispatches + result->copies));
  }
  return used > 0;
}

/* ---- finding the format ---- */

static void list_name(char *text, size_t size, size_t *used,
                      const aq_trace_format *format, bool exports)
{
  if (*used < size && (exports ? format->exports : format->imports))
    *used += (size_t)snprintf(text + *used, size - *used, "%s%s",
                              *used ? ", " : "", format->name);
}

/* The names of the formats that can be read or written: "kineto, …". */
static void list_names(char *text, size_t size, bool exports,
                       const aq_trace_module *modules)
{
  size_t used = 0;
  text[0] = '\0';
  for (int i = 0; i < FORMAT_COUNT; i++)
    list_name(text, size, &used, &formats[i], exports);
  for (; modules && modules->format.name; modules++)
    list_name(text, size, &used, &modules->format, exports);
}

static aq_status unknown_name(const char *name, bool exports,
                              const aq_trace_module *modules, aq_diag *diag)
{
  char names[256];
  list_names(names, sizeof names, exports, modules);
  return aq_diag_set(diag, AQ_ERR_INPUT, "no format \"%s\" to %s (known: %s)",
                     name, exports ? "export" : "import", names);
}

static bool find_format(const char *name, bool exports, int *out)
{
  for (int i = 0; i < FORMAT_COUNT; i++)
    if (strcmp(formats[i].name, name) == 0 &&
        (exports ? formats[i].exports : formats[i].imports)) {
      *out = i;
      return true;
    }
  return false;
}

const aq_trace_module *aq_trace_module_find(const aq_trace_module *modules,
                                            const char *name)
{
  for (; modules && modules->format.name; modules++)
    if (strcmp(modules->format.name, name) == 0)
      return modules;
  return NULL;
}

/* What reads a file: one of ours or a module's; neither: it is not known. */
typedef struct choice {
  int format; /* or FORMAT_COUNT */
  const aq_trace_module *module;
} choice;

static choice choose(const char *text, size_t length,
                     const aq_trace_module *modules)
{
  int i = 0;
  while (i < FORMAT_COUNT &&
         !(workings[i].detect && workings[i].detect(text, length)))
    i++;
  for (; i == FORMAT_COUNT && modules && modules->format.name; modules++)
    if (modules->import && modules->detect(text, length))
      return (choice){i, modules};
  return (choice){i, NULL};
}

static bool is_rocprof_v1_json(const char *text, size_t length)
{
  return is_json(text, length) && has(text, length, "\"traceEvents\"") &&
         has(text, length, "\"BeginNs\"");
}

/* Of each counter the mean over several runs of the program, and such times. */
static bool is_pmc_perf(const char *text, size_t length)
{
  return is_rocprof_v1(text, length) &&
         aq_csv_header_has(text, length, "Start_Timestamp") &&
         !aq_csv_header_has(text, length, "Queue_ID");
}

static bool is_own_timeline(const char *text, size_t length)
{
  return has(text, length < 256 ? length : 256, AQ_TIMELINE_MARK);
}

/* Known, but not read: what to record instead. */
static const struct {
  detector *detect;
  const char *what;
} refusals[] = {
    {is_rocprof_v1_json,
     "results.json of rocprof v1, which has no queues and no dispatch times: "
     "expected the results.db beside it, or the results.csv of the same run "
     "(rocprof --timestamp on)"},
    {is_pmc_perf,
     "pmc_perf.csv of rocprofiler-compute, whose times are means over several "
     "runs of the program: expected a CSV of one run, with queues"},
    {is_own_timeline,
     "a timeline that aqueduct drew (perfetto, chrome), without the rows that "
     "it shows: export the run as jsonl instead, or merge its store"},
};

static const char *refusal_of(const char *text, size_t length)
{
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (refusals[i].detect(text, length))
      return refusals[i].what;
  return NULL;
}

static aq_status detect_file(const aq_trace_file *file,
                             const aq_trace_module *modules, choice *out,
                             aq_diag *diag)
{
  aq_stream_reader *reader;
  aq_status status = aq_trace_file_open(file, &reader, diag);
  if (status != AQ_OK)
    return status;
  const char *text;
  size_t length;
  status = aq_stream_reader_peek(reader, &text, &length, diag);
  if (status == AQ_OK && length == 0)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: empty file", file->path);
  const char *refusal = status == AQ_OK ? refusal_of(text, length) : NULL;
  if (refusal)
    status = aq_diag_set(diag, AQ_ERR_INPUT, "%s: %s", file->path, refusal);
  if (status == AQ_OK)
    *out = choose(text, length, modules);
  aq_stream_reader_close(reader);
  return status;
}

static aq_status detect_one(const aq_trace_file *file,
                            const aq_trace_module *modules, choice *out,
                            aq_diag *diag)
{
  aq_status status = detect_file(file, modules, out, diag);
  if (status != AQ_OK || out->format < FORMAT_COUNT || out->module)
    return status;
  char names[256];
  list_names(names, sizeof names, false, modules);
  return aq_diag_set(diag, AQ_ERR_INPUT, "%s: unknown format (known: %s)",
                     file->path, names);
}

/* The one that was named. */
static aq_status name_one(const char *name, const aq_trace_module *modules,
                          choice *out, aq_diag *diag)
{
  out->format = FORMAT_COUNT;
  out->module = NULL;
  if (find_format(name, false, &out->format))
    return AQ_OK;
  out->module = aq_trace_module_find(modules, name);
  return out->module && out->module->import
             ? AQ_OK
             : unknown_name(name, false, modules, diag);
}

/* ---- importing ---- */

static aq_status check_result(const aq_trace_files *files,
                              const aq_trace_result *result, aq_diag *diag)
{
  const uint64_t skipped =
      result->repairs[AQ_REPAIR_SKIPPED_ROW] + result->repairs[AQ_REPAIR_STRAY];
  if (result->dispatches + result->copies > 0)
    return AQ_OK;
  if (skipped > 0 && result->example_count > 0)
    return aq_diag_set(diag, AQ_ERR_INPUT,
                       "%s: no readable kernel, copy or fill in this %s trace: "
                       "skipped %" PRIu64 " row%s, the first at %s",
                       files->root, result->format, skipped,
                       aq_text_plural(skipped), result->examples[0].text);
  return aq_diag_set(diag, AQ_ERR_INPUT,
                     "%s: no kernel, copy or fill in this %s trace",
                     files->root, result->format);
}

/* One pass over the files. With a base, times are counted from there. */
static aq_status import_pass(const aq_trace_files *files, choice by,
                             const aq_trace_options *options,
                             const int64_t *base_ns, aq_record_sink *sink,
                             aq_trace_result *result, int64_t *rebase_ns,
                             bool *rebase, aq_diag *diag)
{
  aq_import import;
  aq_correlation join;
  aq_trace_result found;
  aq_import_init(&import, sink, options, &found, diag);
  if (base_ns) {
    import.has_base = import.flushed = true;
    found.base_ns = *base_ns;
  }
  aq_status status = aq_correlation_init(&join, &import);
  if (status == AQ_OK) {
    found.format = by.module ? by.module->format.name : formats[by.format].name;
    status = (by.module ? by.module->import
                        : workings[by.format].import)(&import, &join, files);
  }
  if (status == AQ_OK)
    status = aq_correlation_finish(&join);
  if (status == AQ_OK)
    status = aq_import_finish(&import);
  aq_correlation_fini(&join);
  aq_import_fini(&import);
  *rebase = import.rebase;
  *rebase_ns = import.far_ns;
  if (status == AQ_OK)
    status = check_result(files, &found, diag);
  if (found.with_host > 0)
    found.advice = NULL;
  *result = found;
  return status;
}

static aq_status import_files(const aq_trace_files *files, choice by,
                              const aq_trace_options *options,
                              aq_record_sink *sink, aq_trace_result *result,
                              aq_diag *diag)
{
  int64_t base_ns, ignored;
  bool rebase;
  aq_status status = import_pass(files, by, options, NULL, sink, result,
                                 &base_ns, &rebase, diag);
  if (!rebase)
    return status;
  *diag = (aq_diag)AQ_DIAG_INIT;
  return import_pass(files, by, options, &base_ns, sink, result, &ignored,
                     &rebase, diag);
}

static aq_status import_one(aq_trace_file file, const aq_trace_options *options,
                            aq_record_sink *sink, aq_trace_result *result,
                            aq_diag *diag)
{
  choice by;
  const aq_trace_module *modules = options ? options->modules : NULL;
  aq_status status = options && options->format
                         ? name_one(options->format, modules, &by, diag)
                         : detect_one(&file, modules, &by, diag);
  if (status != AQ_OK)
    return status;
  aq_trace_files files = {.root = file.path,
                          .files = &file,
                          .count = 1,
                          .processes = 1,
                          .arena = AQ_ARENA_INIT};
  return import_files(&files, by, options, sink, result, diag);
}

/* ---- directories ---- */

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
    /* Whether several files can be one run of this format. */
    set += (i == FORMAT_ROCPROFV3_CSV || i == FORMAT_ROCPROFV3_JSON) ? counts[i]
                                                                     : 0;
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
    /* "16 kineto, 1 rocprof-v1": the contents of a directory. */
    size_t used = 0;
    held[0] = '\0';
    for (int i = 0; i < FORMAT_COUNT && used < sizeof held; i++)
      if (counts[i] > 0)
        used += (size_t)snprintf(held + used, sizeof held - used, "%s%zu %s",
                                 used ? ", " : "", counts[i], formats[i].name);
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
  aq_status status = AQ_OK;
  if (name && !find_format(name, false, &wanted))
    status = unknown_name(name, false, NULL, diag);
  for (size_t i = 0; i < files->count && status == AQ_OK; i++) {
    choice by = {FORMAT_COUNT, NULL};
    status = detect_file(&files->files[i], NULL, &by, diag);
    format_of[i] = by.format;
  }
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
    status = aq_diag_no_memory(diag);
  else
    status = detect_files(&files, format_of, options ? options->format : NULL,
                          &format, diag);
  if (status == AQ_OK) {
    /* Keeps the files of one format. */
    size_t kept = 0;
    for (size_t i = 0; i < files.count; i++)
      if (format_of[i] == format)
        files.files[kept++] = files.files[i];
    files.count = kept;
    status = import_files(&files, (choice){format, NULL}, options, sink, result,
                          diag);
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

const aq_trace_format *aq_trace_exportable(const char *name,
                                           const aq_trace_module *modules,
                                           aq_diag *diag)
{
  int found;
  if (find_format(name, true, &found))
    return &formats[found];
  const aq_trace_module *module = aq_trace_module_find(modules, name);
  if (module && module->export_file)
    return &module->format;
  unknown_name(name, true, modules, diag);
  return NULL;
}

aq_status aq_trace_export(const char *format, aq_trace_source *source,
                          FILE *out, aq_diag *diag)
{
  int found;
  if (!find_format(format, true, &found))
    return unknown_name(format, true, NULL, diag);
  return workings[found].export(source, out, diag);
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
