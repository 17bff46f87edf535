/* SPDX-License-Identifier: MIT */
/* import --ranks. Each file is imported into a store in memory; once the clocks
 * are aligned, the runs there become one of the store. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands/import_trace.h"
#include "cli/commands/runs.h"
#include "common/text.h"
#include "report/stats/rank_clocks.h"
#include "report/stats/selection.h"
#include "store/join.h"

typedef struct rank_file {
  char *path;
  aq_trace_result result;
  int64_t run;  /* of the store in memory */
  int64_t rank; /* AQ_NONE until it is known */
  bool placed;  /* names no rank: its place among them is its rank */
  aq_dispatches dispatches;
  bool moved; /* its process ids */
  char damage[400];
} rank_file;

typedef struct ranks {
  aq_cli *cli;
  aq_store *memory;
  rank_file *files;
  aq_rank_clock *clocks;
  size_t count;
} ranks;

/* ---- files ---- */

static int is_visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

/* The files of a directory, in the order of the numbers in their names. */
static aq_status directory_list(ranks *r, const char *directory)
{
  struct dirent **entries;
  const int count = scandir(directory, &entries, is_visible, versionsort);
  if (count < 0)
    return aq_diag_set(&r->cli->diag, AQ_ERR_INPUT, "%s: %s", directory,
                       strerror(errno));
  r->files = calloc((size_t)count + 1, sizeof *r->files);
  bool listed = r->files != NULL;
  for (int i = 0; i < count; i++) {
    listed = listed && asprintf(&r->files[r->count].path, "%s/%s", directory,
                                entries[i]->d_name) >= 0;
    r->count += listed;
    free(entries[i]);
  }
  free(entries);
  return listed ? AQ_OK : aq_diag_no_memory(&r->cli->diag);
}

static aq_status arguments_list(ranks *r)
{
  const aq_cli *cli = r->cli;
  r->files = calloc((size_t)cli->arg_count + 1, sizeof *r->files);
  bool listed = r->files != NULL;
  for (int i = 0; i < cli->arg_count && listed; i++) {
    r->files[i].path = strdup(cli->args[i]);
    listed = r->files[i].path != NULL;
    r->count += listed;
  }
  return listed ? AQ_OK : aq_diag_no_memory(&r->cli->diag);
}

/* The files of the one directory, or of the command line. */
static aq_status files_list(ranks *r)
{
  aq_cli *cli = r->cli;
  struct stat info;
  const bool is_directory = cli->arg_count == 1 &&
                            stat(cli->args[0], &info) == 0 &&
                            S_ISDIR(info.st_mode);
  aq_status status =
      is_directory ? directory_list(r, cli->args[0]) : arguments_list(r);
  if (status == AQ_OK && r->count < 2)
    return aq_diag_set(&cli->diag, is_directory ? AQ_ERR_INPUT : AQ_ERR_INVALID,
                       "--ranks: %zu file%s%s%s, expected one for each of "
                       "several ranks",
                       r->count, aq_text_plural(r->count),
                       is_directory ? " in " : "",
                       is_directory ? cli->args[0] : "");
  return status;
}

static void files_free(ranks *r)
{
  for (size_t i = 0; i < r->count; i++) {
    aq_dispatches_fini(&r->files[i].dispatches);
    free(r->files[i].path);
  }
  free(r->files);
  free(r->clocks);
}

/* ---- reading ---- */

static aq_status file_import(ranks *r, rank_file *file)
{
  aq_cli *cli = r->cli;
  aq_run_info info;
  aq_store_writer *writer;
  aq_run_info_init(&info, AQ_RUN_MEASURED);
  info.source = file->path;
  aq_status status =
      aq_cli_import_trace(cli, r->memory, &info, &file->result, &writer);
  if (status != AQ_OK)
    return status;
  file->run = aq_store_writer_run(writer);
  info.base_ns = file->result.base_ns;
  status = aq_store_writer_finish(writer, &info, &cli->diag);
  if (status == AQ_OK && strcmp(file->result.format, "kineto") != 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                       "%s: --ranks reads kineto profiles, which record the "
                       "collectives that align clocks; this is %s",
                       file->path, file->result.format);
  return status;
}

/* The rank that all rows of a file name. */
static aq_status rank_take(ranks *r, rank_file *file)
{
  const aq_dispatches *d = &file->dispatches;
  file->rank = AQ_NONE;
  for (size_t i = 0; i < d->count; i++) {
    const int64_t own = d->rows[i].rank;
    if (own != AQ_NONE && file->rank != AQ_NONE && own != file->rank)
      return aq_diag_set(&r->cli->diag, AQ_ERR_INPUT,
                         "%s: has ranks %" PRId64 " and %" PRId64
                         ": --ranks takes a file for each rank",
                         file->path, file->rank, own);
    file->rank = own != AQ_NONE ? own : file->rank;
  }
  file->placed = file->rank == AQ_NONE;
  for (const rank_file *other = r->files; !file->placed && other < file;
       other++)
    if (other->rank == file->rank)
      return aq_diag_set(&r->cli->diag, AQ_ERR_INPUT,
                         "%s: is rank %" PRId64 ", as is %s", file->path,
                         file->rank, other->path);
  return AQ_OK;
}

/* Files that name no rank get their places, if no other file names those. */
static aq_status places_take(ranks *r)
{
  for (size_t i = 0; i < r->count; i++) {
    if (!r->files[i].placed)
      continue;
    for (size_t k = 0; k < r->count; k++)
      if (r->files[k].rank == (int64_t)i)
        return aq_diag_set(&r->cli->diag, AQ_ERR_INPUT,
                           "%s: names no rank, and its place among the files, "
                           "%zu, is the rank that %s names",
                           r->files[i].path, i, r->files[k].path);
    r->files[i].rank = (int64_t)i;
  }
  return AQ_OK;
}

static aq_status file_read(ranks *r, rank_file *file)
{
  aq_run_reader *reader;
  aq_window_counts counts;
  aq_status status = file_import(r, file);
  if (status == AQ_OK)
    status = aq_run_reader_open(r->memory, file->run, AQ_ORDER_STORED, &reader,
                                &r->cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(r->memory, file->run, reader, AQ_WANT_DISPATCHES,
                        AQ_STATS_BY_COLLECTIVE, NULL, &file->dispatches,
                        &counts, &r->cli->diag);
  aq_run_reader_close(reader);
  return status == AQ_OK ? rank_take(r, file) : status;
}

static aq_status clocks_align(ranks *r)
{
  aq_rank_run *runs = calloc(r->count, sizeof *runs);
  if (!runs)
    return aq_diag_no_memory(&r->cli->diag);
  for (size_t i = 0; i < r->count; i++)
    runs[i] = (aq_rank_run){&r->files[i].dispatches, r->files[i].rank,
                            r->files[i].result.base_ns};
  const aq_status status =
      aq_rank_clocks_align(runs, r->count, r->clocks, &r->cli->diag);
  free(runs);
  return status;
}

/* ---- printing ---- */

static double us(aq_time time)
{
  return (double)time / (double)AQ_US;
}

/* The first collective of a file that no other one has as often. */
static const char *skipped_of(const ranks *r, size_t i)
{
  const aq_dispatches *d = &r->files[i].dispatches;
  const aq_rank_clock *clock = &r->clocks[i];
  return clock->skipped
             ? aq_names_text(&d->texts,
                             d->rows[clock->first_skipped].collective)
             : NULL;
}

static aq_status clock_report(const ranks *r, size_t i)
{
  const rank_file *file = &r->files[i];
  const aq_rank_clock *clock = &r->clocks[i];
  aq_cli_import_report(r->cli, file->path, &file->result);
  if (file->placed)
    aq_cli_note(r->cli,
                "rank %" PRId64 ": %s names no rank: numbered by its place "
                "among the files",
                file->rank, file->path);
  if (clock->with == AQ_NONE)
    aq_cli_note(r->cli, "rank %" PRId64 ": %s: reference clock of the run",
                file->rank, file->path);
  else
    aq_cli_note(r->cli,
                "rank %" PRId64
                ": %s: %+.3f us +- %.3f us clock offset, by %zu collective%s "
                "with rank %" PRId64 ": %s",
                file->rank, file->path, us(clock->found),
                us(clock->uncertainty), clock->collectives,
                aq_text_plural(clock->collectives), clock->with,
                clock->shift ? "corrected" : "not corrected");
  if (clock->contradicted > 0)
    aq_cli_note(r->cli,
                "rank %" PRId64
                ": %zu collective%s ended before the other rank began: clock "
                "drift",
                file->rank, clock->contradicted,
                aq_text_plural(clock->contradicted));
  if (clock->skipped > 0)
    aq_cli_note(r->cli,
                "rank %" PRId64 ": skipped %zu collective call%s: no other "
                "rank with as many (first: %s)",
                file->rank, clock->skipped, aq_text_plural(clock->skipped),
                skipped_of(r, i));
  if (file->moved)
    aq_cli_note(r->cli,
                "rank %" PRId64 ": process ids also used by another rank: "
                "renumbered",
                file->rank);
  return file->result.waits > 0
             ? aq_cli_import_clocks(
                   r->cli, r->memory, file->path, file->run,
                   "a replay of several ranks does not correct it")
             : AQ_OK;
}

static char *notes_make(const ranks *r)
{
  aq_json_out *json = aq_json_out_begin(false);
  if (!json)
    return NULL;
  aq_json_out_map(json, NULL);
  aq_json_out_array(json, "ranks");
  for (size_t i = 0; i < r->count; i++) {
    const aq_rank_clock *clock = &r->clocks[i];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "rank", r->files[i].rank);
    aq_json_out_text(json, "file", r->files[i].path);
    aq_json_out_int(json, "with", clock->with);
    aq_json_out_ns(json, "found_ns", clock->found);
    aq_json_out_ns(json, "shift_ns", clock->shift);
    aq_json_out_ns(json, "uncertainty_ns", clock->uncertainty);
    aq_json_out_int(json, "collectives", (int64_t)clock->collectives);
    aq_json_out_int(json, "contradicted", (int64_t)clock->contradicted);
    aq_json_out_int(json, "skipped", (int64_t)clock->skipped);
    aq_json_out_text(json, "first_skipped", skipped_of(r, i));
    aq_json_out_bool(json, "placed", r->files[i].placed);
    aq_json_out_bool(json, "pids_moved", r->files[i].moved);
    aq_cli_import_json(json, &r->files[i].result);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return aq_json_out_take(json);
}

/* A text of each file that has one, joined, the caller's to free; NULL: none
 * has. */
static aq_status texts_join(const ranks *r,
                            const char *(*text_of)(const rank_file *),
                            char **out)
{
  char *text = NULL;
  size_t size;
  const char *between = "";
  FILE *memory = open_memstream(&text, &size);
  *out = NULL;
  if (!memory)
    return aq_diag_no_memory(&r->cli->diag);
  for (size_t i = 0; i < r->count; i++) {
    const char *one = text_of(&r->files[i]);
    if (*one)
      fprintf(memory, "%srank %" PRId64 ": %s", between, r->files[i].rank, one);
    between = *one ? "; " : between;
  }
  if (fclose(memory) != 0) {
    free(text);
    return aq_diag_no_memory(&r->cli->diag);
  }
  if (size > 0)
    *out = text;
  else
    free(text);
  return AQ_OK;
}

static const char *path_of(const rank_file *file)
{
  return file->path;
}

static const char *damage_of(const rank_file *file)
{
  return file->damage;
}

/* ---- the run ---- */

static aq_status join(ranks *r, aq_run_info *info, aq_store_writer *writer)
{
  aq_run_join joined = {.sink = aq_store_writer_sink(writer),
                        .pids = AQ_MAP_INIT};
  aq_status status = AQ_OK;
  for (size_t i = 0; i < r->count && status == AQ_OK; i++) {
    rank_file *file = &r->files[i];
    status = aq_run_join_add(&joined, r->memory, file->run, file->rank,
                             r->clocks[i].behind + r->clocks[i].shift,
                             &file->moved, &r->cli->diag);
    info->truncated |= file->result.repairs[AQ_REPAIR_TRUNCATED] > 0;
    aq_trace_damage(&file->result, file->damage, sizeof file->damage);
  }
  aq_run_join_fini(&joined);
  return status;
}

static aq_status run_write(ranks *r, aq_store *store)
{
  aq_cli *cli = r->cli;
  aq_run_info info = aq_cli_run_info(cli, AQ_RUN_MEASURED);
  aq_store_writer *writer;
  char durations[160];
  const aq_trace_result *first = &r->files[0].result;
  char *source, *damage = NULL;
  bool more_gpus = false;
  aq_status status = texts_join(r, path_of, &source);
  if (status == AQ_OK)
    status = texts_join(r, damage_of, &damage);
  info.source = source;
  if (status == AQ_OK)
    status = aq_store_writer_open(store, &info, &writer, &cli->diag);
  if (status != AQ_OK) {
    free(source);
    free(damage);
    return status;
  }
  status = join(r, &info, writer);
  char *notes = status == AQ_OK ? notes_make(r) : NULL;
  for (size_t i = 0; i < r->count; i++)
    more_gpus |= r->files[i].result.more_gpus ||
                 strcmp(r->files[i].result.gpu, first->gpu) != 0;
  snprintf(durations, sizeof durations, "measured on %s%s",
           first->gpu[0] ? first->gpu : "GPUs that the traces do not name",
           more_gpus ? " and others" : "");
  info.format = "kineto";
  info.base_ns = first->base_ns;
  info.notes = notes;
  info.damage = damage;
  info.durations = durations;
  if (status == AQ_OK && !notes)
    status = aq_diag_no_memory(&cli->diag);
  const int64_t id = aq_store_writer_run(writer);
  if (status == AQ_OK)
    status = aq_store_writer_finish(writer, &info, &cli->diag);
  else
    aq_store_writer_abort(writer);
  for (size_t i = 0; i < r->count && status == AQ_OK; i++)
    status = clock_report(r, i);
  if (status == AQ_OK) {
    aq_json_out *json;
    status = aq_cli_json_begin_if(cli, &json);
    if (status == AQ_OK) {
      if (json)
        aq_json_out_array(json, NULL);
      aq_cli_run_print(cli, json, &info, id);
      status = aq_cli_json_results_end(cli, json, status);
    }
  }
  free(source);
  free(notes);
  free(damage);
  return status;
}

static aq_status files_import(ranks *r, aq_store *store)
{
  aq_diag *diag = &r->cli->diag;
  r->clocks = calloc(r->count, sizeof *r->clocks);
  if (!r->clocks)
    return aq_diag_no_memory(diag);
  aq_status status =
      aq_store_open(":memory:", AQ_STORE_WRITE, &r->memory, diag);
  for (size_t i = 0; i < r->count && status == AQ_OK; i++)
    status = file_read(r, &r->files[i]);
  if (status == AQ_OK)
    status = places_take(r);
  if (status == AQ_OK)
    status = clocks_align(r);
  if (status == AQ_OK)
    status = run_write(r, store);
  if (r->memory)
    aq_store_close(r->memory);
  return status;
}

aq_status aq_cli_import_ranks(aq_cli *cli)
{
  ranks r = {.cli = cli};
  aq_store *store;
  aq_status status = files_list(&r);
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_WRITE, &store);
  if (status == AQ_OK) {
    status = files_import(&r, store);
    aq_store_close(store);
  }
  files_free(&r);
  return status;
}
