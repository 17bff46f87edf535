/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/commands.h"
#include "cli/commands/runs.h"
#include "trace/db/run_source.h"
#include "trace/db/tracedb.h"
#include "trace/import/trace.h"

static aq_status export_run(aq_cli *cli, aq_store *store,
                            const aq_trace_format *format)
{
  aq_run_info *info;
  aq_run_reader *reader = NULL;
  aq_tracedb_stored from;
  aq_status status = aq_store_find(store, cli->args[0], &info, &cli->diag);
  if (status != AQ_OK)
    return status;
  status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, &cli->diag);
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
  if (!format)
    return AQ_ERR_INPUT;
  if (aq_trace_module_find(aq_tracedb_modules, format->name) && !cli->out_temp)
    return aq_diag_set(&cli->diag, AQ_ERR_INVALID,
                       "%s is a database: name a file for it with -o FILE",
                       format->name);
  aq_status status = aq_cli_store_open(cli, AQ_STORE_READ, &store);
  if (status != AQ_OK)
    return status;
  status = export_run(cli, store, format);
  aq_store_close(store);
  return status;
}
