/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/stats_context.h"

#include <inttypes.h>
#include <math.h>

#include "cli/commands/runs.h"
#include "common/json_out.h"
#include "common/text.h"
#include "report/stats/memory_summary.h"

/* MiB in tables, bytes in documents: two cells. */
#define SIZE(title, key)                                                       \
  {title, NULL},                                                               \
  {                                                                            \
    NULL, key                                                                  \
  }

static void cell_size(aq_cli_rows *rows, int64_t bytes)
{
  const double size = (double)bytes / (1 << 20);
  if (bytes > 0 && size < 0.05)
    aq_cli_cell_text(rows, "<0.1"); /* 0.0 would be none */
  else
    aq_cli_cell_real(rows, "%.1f", bytes == AQ_NONE ? NAN : size);
  aq_cli_cell_int(rows, bytes);
}

static void cell_device(aq_cli_rows *rows, int64_t device)
{
  char text[32] = "host";
  if (device != AQ_NONE)
    snprintf(text, sizeof text, "%" PRId64, device);
  aq_cli_cell_text(rows, text);
  aq_cli_cell_int(rows, device);
}

static aq_status put_uses(aq_cli *cli, aq_json_out *json, aq_run_reader *reader,
                          const aq_memory_summary *s)
{
  static const aq_cli_column columns[] = {{">device", NULL},
                                          {NULL, "device"},
                                          SIZE(">peak MiB", "peak_bytes"),
                                          {">at us", "peak_ns"},
                                          {"=by op", "peak_op"},
                                          {"?>step", "peak_step"},
                                          SIZE("?>reserved", "reserved_bytes"),
                                          SIZE(">before trace", "before_bytes"),
                                          {">allocations", "allocations"},
                                          SIZE(">MiB", "bytes"),
                                          {">not freed", "not_freed"},
                                          SIZE(">MiB", "not_freed_bytes"),
                                          {"?>of unknown size", NULL},
                                          {NULL, "unsized"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "devices", columns);
  for (size_t i = 0; i < s->use_count; i++) {
    const aq_memory_use *use = &s->uses[i];
    aq_cli_row_begin(rows);
    cell_device(rows, use->device);
    cell_size(rows, use->peak);
    aq_cli_cell_time(rows, use->peak_at);
    aq_cli_cell_text(rows, aq_run_reader_name(reader, use->op_name));
    aq_cli_cell_int(rows, use->step);
    cell_size(rows, use->reserved);
    cell_size(rows, use->before);
    aq_cli_cell_int(rows, use->blocks);
    cell_size(rows, use->bytes);
    aq_cli_cell_int(rows, use->left);
    cell_size(rows, use->left_bytes);
    aq_cli_cell_int(rows, use->unsized ? use->unsized : AQ_NONE);
    aq_cli_cell_int(rows, use->unsized);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static aq_status put_ops(aq_cli *cli, aq_json_out *json, aq_run_reader *reader,
                         const aq_memory_summary *s, int64_t top)
{
  static const aq_cli_column columns[] = {{"=op", "op"},
                                          {">device", NULL},
                                          {NULL, "device"},
                                          SIZE(">at peak MiB", "peak_bytes"),
                                          {">allocations", "allocations"},
                                          SIZE(">MiB", "bytes"),
                                          {">not freed", "not_freed"},
                                          SIZE(">MiB", "not_freed_bytes"),
                                          {NULL, NULL}};
  const size_t count = (uint64_t)top < s->op_count ? (size_t)top : s->op_count;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "ops", columns);
  for (size_t i = 0; i < count; i++) {
    const aq_memory_op *op = &s->ops[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_run_reader_name(reader, op->op_name));
    cell_device(rows, op->device);
    cell_size(rows, op->at_peak);
    aq_cli_cell_int(rows, op->blocks);
    cell_size(rows, op->bytes);
    aq_cli_cell_int(rows, op->left);
    cell_size(rows, op->left_bytes);
    aq_cli_row_end(rows);
  }
  const aq_status status = aq_cli_rows_end(cli, rows);
  if (json)
    aq_json_out_int(json, "ops_left_out", (int64_t)(s->op_count - count));
  else if (status == AQ_OK && count < s->op_count)
    fprintf(cli->out, "%zu more op%s\n", s->op_count - count,
            aq_text_plural(s->op_count - count));
  return status;
}

static aq_status put_memory(aq_cli *cli, const aq_run_info *run,
                            aq_run_reader *reader, const aq_memory_summary *s,
                            int64_t top)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "run", run->id);
    aq_cli_run_caveats_json(json, "caveats", run);
  }
  status = put_uses(cli, json, reader, s);
  if (status == AQ_OK)
    status = put_ops(cli, json, reader, s, top);
  if (json)
    aq_json_out_close_map(json);
  else
    aq_cli_run_caveats(cli, "", run);
  return aq_cli_json_finish(cli, json, status);
}

aq_status aq_cli_stats_memory(aq_cli *cli, aq_store *store,
                              const aq_run_info *run, int64_t top)
{
  aq_run_reader *reader;
  aq_dispatches dispatches = {0};
  aq_memory_summary summary = {0};
  aq_status status =
      aq_run_reader_open(store, run->id, AQ_ORDER_STORED, &reader, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_dispatches_read(reader, AQ_WANT_EITHER, &dispatches, &cli->diag);
  if (status == AQ_OK)
    status = aq_memory_summary_make(store, run->id, reader, &dispatches,
                                    &summary, &cli->diag);
  if (status == AQ_OK && summary.use_count == 0)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "run %" PRId64 " has no allocations: expected a "
                         "profile of PyTorch with profile_memory=True, or of "
                         "rocprofv3 --memory-allocation-trace as CSV, JSON or "
                         "rocpd",
                         run->id);
  if (status == AQ_OK)
    status = put_memory(cli, run, reader, &summary, top);
  aq_memory_summary_fini(&summary);
  aq_dispatches_fini(&dispatches);
  aq_run_reader_close(reader);
  return status;
}
