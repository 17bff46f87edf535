/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/group_by.h"
#include "cli/commands/table_output.h"
#include "common/text.h"

static void figure_put(aq_cli_rows *rows, const aq_versions_figure *f)
{
  char interval[64];
  snprintf(interval, sizeof interval, "%+.1f to %+.1f%s", 100 * f->low,
           100 * f->high, aq_versions_differ(f) ? " *" : "");
  aq_cli_cell_real(rows, "%.3f", f->before / 1000);
  aq_cli_cell_real(rows, "%.3f", f->after / 1000);
  aq_cli_cell_real(rows, "%+.1f", 100 * f->change);
  aq_cli_cell_text(rows, isnan(f->low) ? NULL : interval);
  aq_cli_cell_real(rows, "", 100 * f->low);
  aq_cli_cell_real(rows, "", 100 * f->high);
}

#define FIGURE                                                                 \
  {">before us", "before_us"}, {">after us", "after_us"},                      \
      {">change %", "change_percent"}, {">95 % interval", NULL},               \
      {NULL, "low_percent"}, {NULL, "high_percent"},                           \
  {                                                                            \
    NULL, NULL                                                                 \
  }

static aq_status whole_put(aq_cli *cli, aq_json_out *json, const aq_versions *v)
{
  static const aq_cli_column columns[] = {{"of a run", "figure"}, FIGURE};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "whole", columns);
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, "makespan");
  figure_put(rows, &v->makespan);
  aq_cli_row_end(rows);
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, "kernels");
  figure_put(rows, &v->kernel);
  aq_cli_row_end(rows);
  return aq_cli_rows_end(cli, rows);
}

static aq_status groups_put(aq_cli *cli, aq_json_out *json,
                            const aq_versions *v)
{
  const aq_cli_column columns[] = {{aq_cli_group_title(v->by), "name"},
                                   {NULL, "key"},
                                   {"+>calls before", "before_calls"},
                                   {"+>calls after", "after_calls"},
                                   FIGURE};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "groups", columns);
  for (size_t i = 0; i < v->count; i++) {
    const aq_versions_group *g = &v->groups[i];
    char key[32];
    snprintf(key, sizeof key, "%" PRId64, g->key);
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, g->name || json     ? g->name
                           : g->key == AQ_NONE ? "unknown"
                                               : key);
    aq_cli_cell_int(rows, g->key);
    aq_cli_cell_real(rows, "%.4g", g->before_calls);
    aq_cli_cell_real(rows, "%.4g", g->after_calls);
    figure_put(rows, &g->kernel);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

/* The caveats of a version's runs, each once. */
static void caveats_put(aq_cli *cli, aq_json_out *json, const char *version,
                        const aq_run_info *const *runs, size_t count)
{
  char lines[AQ_RUN_CAVEATS][AQ_RUN_CAVEAT_SIZE], key[32];
  snprintf(key, sizeof key, "%s_caveats", version);
  if (json)
    aq_json_out_array(json, key);
  for (size_t i = 0; i < count; i++) {
    const size_t own = aq_versions_caveats(runs, i, lines);
    for (size_t k = 0; k < own; k++)
      if (json)
        aq_json_out_text(json, NULL, lines[k]);
      else
        fprintf(cli->out, "%s: %s\n", version, lines[k]);
  }
  if (json)
    aq_json_out_close_array(json);
}

aq_status aq_cli_versions_print(aq_cli *cli, const aq_cli_parts *parts,
                                const aq_versions *v,
                                const aq_run_info *const *runs)
{
  aq_json_out *json;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "before_runs", (int64_t)v->before_runs);
    aq_json_out_int(json, "after_runs", (int64_t)v->after_runs);
    aq_cli_parts_json(json, parts);
  } else {
    fprintf(cli->out, "%zu run%s against %zu before\n", v->after_runs,
            aq_text_plural(v->after_runs), v->before_runs);
    aq_cli_parts_put(cli->out, parts);
  }
  caveats_put(cli, json, "after", runs, v->after_runs);
  caveats_put(cli, json, "before", runs + v->after_runs, v->before_runs);
  if (json && v->by == AQ_STATS_BY_STEP)
    aq_json_out_int(json, "steps_by_order", (int64_t)v->steps_by_order);
  if (!json && v->steps_by_order > 0)
    fprintf(cli->out,
            "steps of %zu run%s by order: no ProfilerStep number in common "
            "with the first run before\n",
            v->steps_by_order, aq_text_plural(v->steps_by_order));
  if (!json)
    fputc('\n', cli->out);
  status = whole_put(cli, json, v);
  if (!json)
    fputc('\n', cli->out);
  if (status == AQ_OK)
    status = groups_put(cli, json, v);
  if (json)
    aq_json_out_close_map(json);
  else
    fputs("* the interval excludes 0 (significant)\n", cli->out);
  return aq_cli_json_finish(cli, json, status);
}

aq_status aq_cli_versions_find(aq_cli *cli, aq_store *store,
                               aq_run_info ***runs, size_t *after,
                               size_t *count)
{
  /* The arguments before --against, its value, the arguments behind it. */
  const size_t first = (size_t)aq_cli_args_before(cli, AQ_CLI_OPT_AGAINST);
  const size_t all = (size_t)cli->arg_count + 1;
  aq_run_info **found = calloc(all, sizeof *found);
  aq_status status = found ? AQ_OK : aq_diag_no_memory(&cli->diag);
  for (size_t i = 0; i < all && status == AQ_OK; i++) {
    const char *name = i < first    ? cli->args[i]
                       : i == first ? cli->values[AQ_CLI_OPT_AGAINST]
                                    : cli->args[i - 1];
    status = aq_store_find(store, name, &found[i], &cli->diag);
  }
  if (status != AQ_OK) {
    aq_cli_versions_free(found, all);
    return status;
  }
  *runs = found;
  *after = first;
  *count = all;
  return AQ_OK;
}

void aq_cli_versions_free(aq_run_info **runs, size_t count)
{
  for (size_t i = 0; runs && i < count; i++)
    if (runs[i])
      aq_run_info_free(runs[i]);
  free(runs);
}
