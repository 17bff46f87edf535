/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/commands.h"
#include "cli/commands/table_output.h"
#include "common/text.h"
#include "report/compare/plot.h"
#include "study/chain/chain.h"
#include "transport/registry/device_models.h"

enum { LENGTH = 512, DEVICES_MAX = 64, HOST_REPEATS = 9 };

typedef struct chains {
  aq_cli *cli;
  aq_chain chain;
  char *names; /* of the devices that --device names, cut apart; or NULL */
  const char *devices[DEVICES_MAX];
  size_t device_count;
  bool wanted[AQ_CHAIN_STRATEGIES];
  aq_chain_result (*results)[AQ_CHAIN_STRATEGIES]; /* by device */
} chains;

/* ---- options ---- */

static aq_status device_add(chains *c, const char *name)
{
  if (c->device_count == DEVICES_MAX)
    return aq_diag_set(&c->cli->diag, AQ_ERR_INPUT,
                       "--device: expected at most %d devices", DEVICES_MAX);
  c->devices[c->device_count++] = name;
  return AQ_OK;
}

static aq_status devices_read(chains *c)
{
  const char *given = c->cli->values[AQ_CLI_OPT_DEVICE], *name;
  aq_status status = AQ_OK;
  if (!given) {
    for (size_t i = 0; (name = aq_device_model_name(i)) && status == AQ_OK; i++)
      status = device_add(c, name);
    return status;
  }
  c->names = strdup(given);
  if (!c->names)
    return aq_diag_no_memory(&c->cli->diag);
  char *rest = c->names;
  while ((name = strsep(&rest, ",")) && status == AQ_OK)
    status = device_add(c, name);
  return status;
}

static aq_status strategy_unknown(chains *c, const char *given,
                                  const char *const *names)
{
  char list[120] = "";
  for (int s = 0; names[s]; s++)
    snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
             s == 0         ? ""
             : names[s + 1] ? ", "
                            : " or ",
             names[s]);
  return aq_diag_set(&c->cli->diag, AQ_ERR_INPUT, "--strategy %s: expected %s",
                     given, list);
}

static aq_status strategies_read(chains *c)
{
  const char *const *given = aq_cli_repeats(c->cli, AQ_CLI_OPT_STRATEGY);
  const char *names[AQ_CHAIN_STRATEGIES + 1] = {NULL};
  for (int s = 0; s < AQ_CHAIN_STRATEGIES; s++) {
    names[s] = aq_chain_strategy_name(s);
    c->wanted[s] = !given[0];
  }
  for (size_t i = 0; given[i]; i++) {
    int s = 0;
    while (s < AQ_CHAIN_STRATEGIES && strcmp(given[i], names[s]) != 0)
      s++;
    if (s == AQ_CHAIN_STRATEGIES)
      return strategy_unknown(c, given[i], names);
    c->wanted[s] = true;
  }
  return AQ_OK;
}

static aq_status options_read(chains *c)
{
  aq_cli *cli = c->cli;
  const char *format = cli->values[AQ_CLI_OPT_FORMAT];
  const char *transport = cli->values[AQ_CLI_OPT_TRANSPORT];
  int64_t length;
  aq_status status = aq_cli_number(cli, AQ_CLI_OPT_LENGTH, 1, LENGTH, &length);
  if (status == AQ_OK && length > AQ_CHAIN_LENGTH_MAX)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT,
                         "--length %" PRId64 ": expected at most %d", length,
                         AQ_CHAIN_LENGTH_MAX);
  c->chain =
      (aq_chain){.edits = aq_cli_repeats(cli, AQ_CLI_OPT_SET),
                 .kernel = AQ_US,
                 .host_repeats =
                     aq_cli_flag(cli, AQ_CLI_OPT_HOST_TIME) ? HOST_REPEATS : 0};
  if (status == AQ_OK) {
    c->chain.length = (uint32_t)length;
    status = aq_cli_time(cli, AQ_CLI_OPT_KERNEL_TIME, &c->chain.kernel);
  }
  if (status == AQ_OK && format && strcmp(format, "svg") != 0)
    status = aq_diag_set(&cli->diag, AQ_ERR_INPUT, "--format %s: expected svg",
                         format);
  if (status == AQ_OK && format && aq_cli_flag(cli, AQ_CLI_OPT_JSON))
    status =
        aq_diag_set(&cli->diag, AQ_ERR_INVALID, "--json: not with --format");
  if (status == AQ_OK && transport && strcmp(transport, "sim") != 0)
    status = aq_diag_set(&cli->diag, AQ_ERR_UNSUPPORTED,
                         "--transport %s: chain times device models, on the "
                         "transport sim alone",
                         transport);
  if (status == AQ_OK)
    status = strategies_read(c);
  return status == AQ_OK ? devices_read(c) : status;
}

/* ---- results ---- */

static double each_us(const chains *c, const aq_chain_result *r)
{
  return (double)r->time / AQ_US / c->chain.length;
}

static void row_put(const chains *c, aq_cli_rows *rows, const char *device,
                    aq_chain_strategy strategy, const aq_chain_result *r)
{
  const double length = c->chain.length;
  const bool refused = r->refused[0];
  const bool modelled = !refused && r->host_model != AQ_TIME_NONE;
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, device);
  aq_cli_cell_text(rows, r->gfx);
  aq_cli_cell_text(rows, r->verdict);
  aq_cli_cell_text(rows, aq_chain_strategy_name(strategy));
  aq_cli_cell_int(rows, c->chain.length);
  aq_cli_cell_time(rows, c->chain.kernel);
  aq_cli_cell_time(rows, refused ? AQ_NONE : r->time);
  aq_cli_cell_real(rows, "%.3f", refused ? NAN : each_us(c, r));
  aq_cli_cell_real(rows, "%.3f",
                   refused ? NAN
                           : each_us(c, r) - (double)c->chain.kernel / AQ_US);
  aq_cli_cell_int(rows, refused ? AQ_NONE : (int64_t)r->packets);
  aq_cli_cell_int(rows, refused ? AQ_NONE : (int64_t)r->host_packets);
  aq_cli_cell_real(rows, "%.1f",
                   modelled ? (double)r->host_model / AQ_NS / length : NAN);
  if (c->chain.host_repeats)
    aq_cli_cell_real(rows, "%.1f", refused ? NAN : r->host_ns / length);
  aq_cli_cell_text(rows, refused ? r->refused : NULL);
  aq_cli_row_end(rows);
}

static aq_status table_print(const chains *c)
{
  aq_cli_column columns[] = {{"device", "device"},
                             {"+gfx", "gfx"},
                             {"+constants", "constants"},
                             {"strategy", "strategy"},
                             {NULL, "length"},
                             {NULL, "kernel_ns"},
                             {">device us", "device_ns"},
                             {">us a kernel", "us_a_kernel"},
                             {">overhead us", "overhead_us"},
                             {">packets", "packets"},
                             {">by host", "host_packets"},
                             {">host ns", "host_ns_a_kernel"},
                             {">this host ns", "this_host_ns_a_kernel"},
                             {"?<refused", "refused"},
                             {NULL, NULL}};
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(c->cli, &json);
  if (status != AQ_OK)
    return status;
  if (!c->chain.host_repeats)
    memmove(&columns[12], &columns[13], 2 * sizeof *columns);
  if (json)
    aq_json_out_map(json, NULL);
  aq_cli_rows *rows = aq_cli_rows_begin(c->cli, json, "chains", columns);
  for (size_t i = 0; i < c->device_count; i++)
    for (int s = 0; s < AQ_CHAIN_STRATEGIES; s++)
      if (c->wanted[s])
        row_put(c, rows, c->devices[i], s, &c->results[i][s]);
  status = aq_cli_rows_end(c->cli, rows);
  if (json)
    aq_json_out_close_map(json);
  return aq_cli_json_finish(c->cli, json, status);
}

/* A refused way has no point; a remark says why. */
static aq_status plot_print(const chains *c)
{
  aq_plot_series series[AQ_CHAIN_STRATEGIES];
  char title[96], labels[AQ_CHAIN_STRATEGIES][96];
  double *values =
      calloc(2 * AQ_CHAIN_STRATEGIES * DEVICES_MAX, sizeof *values);
  aq_plot plot = {.title = title,
                  .x_label = "time a kernel",
                  .y_label = "",
                  .x_time = true,
                  .series = series};
  if (!values)
    return aq_diag_no_memory(&c->cli->diag);
  for (int s = 0; s < AQ_CHAIN_STRATEGIES; s++) {
    double *x = values + (size_t)s * 2 * DEVICES_MAX, *y = x + DEVICES_MAX;
    aq_plot_series *one = &series[plot.count];
    if (!c->wanted[s])
      continue;
    snprintf(labels[s], sizeof labels[s], "%s: %s", aq_chain_strategy_name(s),
             aq_chain_strategy_meaning(s));
    *one = (aq_plot_series){
        .label = labels[s], .x = x, .y = y, .look = (size_t)s + 1};
    plot.count++;
    for (size_t i = 0; i < c->device_count; i++) {
      const aq_chain_result *r = &c->results[i][s];
      if (r->refused[0]) {
        aq_cli_note(c->cli, "%s, %s: %s", c->devices[i],
                    aq_chain_strategy_name(s), r->refused);
        continue;
      }
      x[one->count] = each_us(c, r);
      y[one->count++] = (double)i;
    }
  }
  snprintf(title, sizeof title,
           "chain of %" PRIu32 " kernel%s of %.6g us: device time per kernel",
           c->chain.length, aq_text_plural(c->chain.length),
           (double)c->chain.kernel / AQ_US);
  const bool good =
      aq_lanes_print(&plot, c->devices, c->device_count, c->cli->out);
  free(values);
  return good ? AQ_OK
              : aq_diag_set(&c->cli->diag, AQ_ERR_IO,
                            "the plot cannot be written");
}

static aq_status chains_run(chains *c)
{
  aq_status status = AQ_OK;
  c->results = calloc(c->device_count, sizeof *c->results);
  if (!c->results)
    return aq_diag_no_memory(&c->cli->diag);
  for (size_t i = 0; i < c->device_count; i++) {
    c->chain.device = c->devices[i];
    for (int s = 0; s < AQ_CHAIN_STRATEGIES && status == AQ_OK; s++)
      if (c->wanted[s])
        status = aq_chain_run(&c->chain, s, &c->results[i][s], &c->cli->diag);
  }
  if (status == AQ_OK)
    status =
        aq_cli_flag(c->cli, AQ_CLI_OPT_FORMAT) ? plot_print(c) : table_print(c);
  free(c->results);
  return status;
}

aq_status aq_cli_chain(aq_cli *cli)
{
  chains c = {.cli = cli};
  aq_status status = options_read(&c);
  if (status == AQ_OK)
    status = chains_run(&c);
  free(c.names);
  return status;
}
