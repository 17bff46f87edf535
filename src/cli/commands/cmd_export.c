/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "cli/commands/window.h"
#include "common/text.h"
#include "trace/db/run_source.h"
#include "trace/db/tracedb.h"
#include "trace/import/trace.h"

/* Leaves a part of the run, which says that rows are left out. */
static aq_status part_take(aq_cli *cli, aq_store *store,
                           const aq_run_window *window, aq_run_info *info,
                           aq_run_reader *reader)
{
  aq_selection part;
  const int64_t all = aq_run_reader_row_count(reader);
  aq_status status =
      aq_selection_make(store, info->id, window, &part, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_select(reader,
                                &(aq_row_selection){part.rows, part.spans,
                                                    part.span_count,
                                                    .renumber = true},
                                &cli->diag);
  if (status == AQ_OK) {
    const int64_t left = all - aq_run_reader_row_count(reader);
    info->left_out = left + (info->left_out > 0 ? info->left_out : 0);
    status = aq_cli_selection_note(cli, window, &part);
  }
  aq_selection_fini(&part);
  return status;
}

/* No format has the tables beside the rows, but for operators in timelines and
 * waves in `att`. */
static aq_status beside_note(aq_cli *cli, aq_store *store, int64_t run,
                             const aq_trace_format *format, int64_t ops_drawn)
{
  const bool waves = strcmp(format->name, "att") == 0;
  aq_beside beside[AQ_BESIDE_COUNT];
  char text[64 * AQ_BESIDE_COUNT] = "";
  size_t size = 0;
  aq_status status = aq_store_beside(store, run, beside, &cli->diag);
  for (int i = 0; status == AQ_OK && i < AQ_BESIDE_COUNT; i++) {
    const char *what = beside[i].what;
    const int64_t had = strcmp(what, "op") == 0 ? ops_drawn : 0;
    const int64_t left = beside[i].count - had;
    if (left > 0 && !(waves && strcmp(what, "traced wave") == 0))
      size += (size_t)snprintf(text + size, sizeof text - size,
                               "%s%" PRId64 " %s%s", size ? ", " : "", left,
                               what, aq_text_plural((uint64_t)left));
  }
  if (size)
    aq_cli_note(
        cli, "left out of %s, of the whole run: %s (store merge copies them)",
        format->name, text);
  return status;
}

static aq_status export_run(aq_cli *cli, aq_store *store,
                            const aq_trace_format *format,
                            const aq_run_window *window)
{
  aq_run_info *info;
  aq_run_reader *reader = NULL;
  aq_tracedb_stored from;
  aq_status status = aq_store_find(store, cli->args[0], &info, &cli->diag);
  if (status != AQ_OK)
    return status;
  status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, &cli->diag);
  if (status == AQ_OK && window)
    status = part_take(cli, store, window, info, reader);
  if (status == AQ_OK && format->fields)
    status = aq_run_reader_want(reader, format->fields, &cli->diag);
  if (status == AQ_OK) {
    aq_tracedb_stored_init(&from, info, reader);
    /* A database is written to its file by whoever knows databases. */
    const aq_trace_module *module =
        aq_trace_module_find(aq_tracedb_modules, format->name);
    if (!module)
      status =
          aq_trace_export(format->name, &from.source, cli->out, &cli->diag);
    else
      status = module->export_file(&from.source, cli->out_temp, &cli->diag);
  }
  if (status == AQ_OK && from.source.moved_ns)
    aq_cli_note(cli,
                "times are %" PRId64 " ns later than in the run, whose first "
                "would be negative: viewers drop such events",
                from.source.moved_ns);
  if (status == AQ_OK)
    status = beside_note(cli, store, info->id, format, from.source.ops_drawn);
  if (status == AQ_OK && aq_run_is_predicted(info))
    aq_cli_note(cli, "durations: %s", info->durations);
  aq_run_reader_close(reader);
  aq_run_info_free(info);
  return status;
}

aq_status aq_cli_export(aq_cli *cli)
{
  const char *name = cli->values[AQ_CLI_OPT_FORMAT];
  const aq_trace_format *format = aq_trace_exportable(
      name ? name : "jsonl", aq_tracedb_modules, &cli->diag);
  aq_store *store;
  aq_run_window window;
  bool part;
  if (!format)
    return AQ_ERR_INPUT;
  if (aq_trace_module_find(aq_tracedb_modules, format->name) && !cli->out_temp)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "%s is a database: name a file for it with -o FILE",
                       format->name);
  aq_status status = aq_cli_window(cli, &window, &part);
  if (status == AQ_OK && part && strcmp(format->name, "att") == 0)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "att has the traced waves of the whole run: export it "
                       "without --between, --step and --time");
  if (status == AQ_OK)
    status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = export_run(cli, store, format, part ? &window : NULL);
  aq_store_close(store);
  return status;
}
