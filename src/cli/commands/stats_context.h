/* SPDX-License-Identifier: MIT */
/* What `stats` prints of the program around launches, besides groups. */
#ifndef AQ_CLI_COMMANDS_STATS_CONTEXT_H
#define AQ_CLI_COMMANDS_STATS_CONTEXT_H

#include "cli/commands/cli.h"
#include "cli/commands/table_output.h"
#include "report/stats/lateness.h"
#include "report/stats/launch_context.h"
#include "report/stats/stats.h"
#include "report/stats/step_summary.h"

/* How much of the run's `of` dispatches is known by op, frame or step: a member
 * of a document, or lines. */
void aq_cli_context_json(aq_json_out *json, const aq_dispatches *dispatches,
                         size_t of);
void aq_cli_context_put(aq_cli *cli, const aq_dispatches *dispatches,
                        aq_stats_by by, size_t of);

/* The work of a group: columns, and cells for them. */
#define AQ_CLI_WORK_COLUMNS                                                    \
  {"?>ops", "ops"}, {"?>unknown", "unknown_calls"}, {NULL, "known_ns"},        \
      {NULL, "flops"}, {NULL, "work_bytes"}, {"+?>FLOP/B", "flop_per_byte"},   \
      {"?>TFLOP/s", "tflops"}, {"?>GB/s", "gbps"}, {"?>bus GB/s", "bus_gbps"}, \
      {"?>FLOP/s %", "flops_percent"},                                         \
  {                                                                            \
    "?>GB/s %", "gbps_percent"                                                 \
  }

void aq_cli_work_cells(aq_cli_rows *rows, const aq_stats_work *work);

/* Which rank came last into each collective, and by how much. */
aq_status aq_cli_lateness_put(aq_cli *cli, aq_json_out *json,
                              const aq_dispatches *dispatches,
                              aq_run_reader *reader,
                              const aq_lateness *lateness);

/* What each step did, and the figures of all but the first. */
aq_status aq_cli_steps_put(aq_cli *cli, aq_json_out *json,
                           const aq_dispatches *dispatches,
                           const aq_step_summaries *steps);

/* The memory of a run: peaks, and the first `top` ops that allocated.
 */
aq_status aq_cli_stats_memory(aq_cli *cli, aq_store *store,
                              const aq_run_info *run, int64_t top);

#endif
