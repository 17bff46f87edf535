/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands.h"
#include "cli/runs.h"
#include "trace/trace.h"
#include "tracedb/tracedb.h"

/* A stored run as exporters want it. */
typedef struct store_source {
  aq_trace_source source; /* first */
  aq_run_reader *reader;
} store_source;

static aq_status source_next(aq_trace_source *source, aq_record *rows,
                             int64_t *numbers, size_t capacity, size_t *count,
                             aq_diag *diag)
{
  store_source *from = (store_source *)source;
  return aq_run_reader_next(from->reader, rows, numbers, capacity, count, diag);
}

static const char *source_name(aq_trace_source *source, int64_t id)
{
  return aq_run_reader_name(((store_source *)source)->reader, id);
}

static const aq_run_device *source_device(aq_trace_source *source,
                                          int64_t ordinal)
{
  return aq_run_reader_device(((store_source *)source)->reader, ordinal);
}

static const aq_run_queue *source_queue(aq_trace_source *source,
                                        int64_t ordinal)
{
  return aq_run_reader_queue(((store_source *)source)->reader, ordinal);
}

static aq_status source_edges(aq_trace_source *source, const aq_edge **edges,
                              size_t *count, aq_diag *diag)
{
  return aq_run_reader_edges(((store_source *)source)->reader, edges, count,
                             diag);
}

/* A database is written to its file by whoever knows databases. */
static aq_status write_run(aq_cli *cli, aq_trace_source *source,
                           const aq_trace_format *format)
{
  const aq_trace_module *module =
      aq_trace_module_find(aq_tracedb_modules, format->name);
  if (!module)
    return aq_trace_export(format->name, source, cli->out, &cli->diag);
  return module->export_file(source, cli->out_temp, &cli->diag);
}

static aq_status source_samples(aq_trace_source *source,
                                const aq_sample **samples, size_t *count,
                                aq_diag *diag)
{
  return aq_run_reader_samples(((store_source *)source)->reader, samples, count,
                               diag);
}

static aq_status export_run(aq_cli *cli, aq_store *store,
                            const aq_trace_format *format)
{
  aq_run_info *info;
  store_source from = {.source = {.next = source_next,
                                  .name = source_name,
                                  .device = source_device,
                                  .queue = source_queue,
                                  .edges = source_edges,
                                  .samples = source_samples}};
  aq_status status = aq_store_find(store, cli->args[0], &info, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &from.reader,
                              &cli->diag);
  if (status == AQ_OK && format->fields)
    status = aq_run_reader_want(from.reader, format->fields, &cli->diag);
  if (status == AQ_OK) {
    from.source.info = info;
    from.source.device_count = aq_run_reader_device_count(from.reader);
    from.source.queue_count = aq_run_reader_queue_count(from.reader);
    status = write_run(cli, &from.source, format);
  }
  if (status == AQ_OK && aq_run_is_predicted(info))
    aq_cli_note(cli, "durations: %s", info->durations);
  aq_run_reader_close(from.reader);
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
