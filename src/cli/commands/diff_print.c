/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/compare_print.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/group_by.h"
#include "cli/commands/runs.h"
#include "cli/commands/table_output.h"
#include "common/text.h"
#include "report/compare/diff_window.h"
#include "report/explain/explain.h"

/* ---- text ---- */

static void put_label(aq_cli *cli, const aq_run_info *run)
{
  char label[AQ_CLI_LABEL_SIZE];
  aq_cli_run_label(run, label);
  char *clean = aq_text_line(label, strlen(label));
  fputs(clean ? clean : "", cli->out);
  free(clean);
}

/* Where a dispatch could find its partner; nothing where there is one device.
 */
static void put_devices(aq_cli *cli, const aq_diff *d)
{
  if (d->by == AQ_MATCH_REPLAY || (d->a_devices <= 1 && d->b_devices <= 1))
    return;
  if (d->by_device)
    fprintf(cli->out, " within each of %" PRId64 " devices", d->a_devices);
  else
    fprintf(cli->out,
            " across devices, %" PRId64 " in the first, %" PRId64
            " in the second",
            d->a_devices, d->b_devices);
}

static void put_head(aq_cli *cli, const aq_run_info *a, const aq_run_info *b,
                     const aq_diff *d)
{
  put_label(cli, b);
  fputs(" against ", cli->out);
  put_label(cli, a);
  if (d->operations)
    fprintf(cli->out, ": %" PRId64 " operation%s of host queues", d->pairs,
            aq_text_plural((uint64_t)d->pairs));
  else
    fprintf(cli->out, ": %" PRId64 " dispatch%s", d->pairs,
            aq_text_plural_es((uint64_t)d->pairs));
  fprintf(cli->out, " matched by %s", aq_match_names[d->by]);
  put_devices(cli, d);
  fprintf(cli->out,
          "\n%" PRId64 " only in the first, %" PRId64 " only in the second\n",
          d->a_calls - d->pairs, d->b_calls - d->pairs);
  if (d->apart)
    fputs("no kernel in common\n", cli->out);
  fprintf(cli->out,
          "first start to last end: %.3f us, was %.3f us (%+.2f %%)\n\n",
          (double)d->b_makespan / (double)AQ_US,
          (double)d->a_makespan / (double)AQ_US,
          d->a_makespan > 0 ? 100.0 * (double)(d->b_makespan - d->a_makespan) /
                                  (double)d->a_makespan
                            : 0);
}

/* The columns of a figure, which end a table. */
#define FIGURE                                                                 \
  {">baseline us", NULL}, {">current us", NULL}, {">delta", NULL},             \
      {">+-", NULL}, {">change %", NULL}, {">total delta us", NULL},           \
  {                                                                            \
    NULL, NULL                                                                 \
  }

static void put_figure(aq_cli_rows *rows, const aq_diff_figure *f, bool sums)
{
  char percent[32];
  const char *mark = f->significant ? " *" : "";
  const bool paired = f->pairs > 0;
  const double change = paired ? aq_diff_percent(f) : NAN;
  if (!isnan(change))
    snprintf(percent, sizeof percent, "%+.1f%s", change, mark);
  else
    snprintf(percent, sizeof percent, "-%s", mark);
  aq_cli_cell_real(rows, "%.3f", paired || f->removed ? f->a / 1000 : NAN);
  aq_cli_cell_real(rows, "%.3f", paired || f->added ? f->b / 1000 : NAN);
  aq_cli_cell_real(rows, "%+.3f", paired ? f->delta / 1000 : NAN);
  aq_cli_cell_real(rows, "%.3f", paired ? f->error / 1000 : NAN);
  aq_cli_cell_text(rows, percent);
  aq_cli_cell_real(rows, "%+.3f", sums ? f->total / 1000 : NAN);
}

static aq_status put_parts(aq_cli *cli, const aq_diff *d)
{
  static const aq_cli_column columns[] = {
      {"time", NULL}, {">pairs", NULL}, FIGURE};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, NULL, NULL, columns);
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++) {
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_diff_part_names[p]);
    aq_cli_cell_int(rows, d->parts[p].pairs);
    put_figure(rows, &d->parts[p], aq_diff_part_sums((aq_diff_part)p));
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static void put_cause(aq_cli_rows *rows, const char *name, aq_time was,
                      aq_time is)
{
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, name);
  aq_cli_cell_time(rows, was);
  aq_cli_cell_time(rows, is);
  aq_cli_cell_time(rows, is - was);
  aq_cli_row_end(rows);
}

/* Where the time of both runs went, and the difference, which the last line
 * sums. */
static aq_status put_causes(aq_cli *cli, aq_json_out *json, const aq_diff *d)
{
  static const aq_cli_column columns[] = {{"where the time went", "cause"},
                                          {">baseline us", "was_ns"},
                                          {">current us", "is_ns"},
                                          {">delta", "delta_ns"},
                                          {NULL, NULL}};
  const aq_explain *a = d->a_explain, *b = d->b_explain;
  if (!a || !b)
    return AQ_OK;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "causes", columns);
  for (int i = 0; i < AQ_CAUSE_COUNT; i++)
    if (json || a->shares[i].time != 0 || b->shares[i].time != 0)
      put_cause(rows, aq_explain_causes[i].name, a->shares[i].time,
                b->shares[i].time);
  if (!json)
    put_cause(rows,
              a->devices > 1 || b->devices > 1 ? "all, of all devices" : "all",
              a->time, b->time);
  aq_status status = aq_cli_rows_end(cli, rows);
  if (!json)
    fputc('\n', cli->out);
  return status;
}

/* ---- the verdict ---- */

enum { ITEMS_SHOWN = 4 };

static aq_time delta_of(const aq_verdict_item *item)
{
  return item->times[1] - item->times[0];
}

/* "b is 32.000 ms slower than a: attention +9.400 (other kernels), …": the
 * numbers sum to the first. */
static void put_sentence(aq_cli *cli, const aq_run_info *a,
                         const aq_run_info *b, const aq_diff_verdict *v)
{
  const aq_time delta = v->times[1] - v->times[0];
  const bool long_enough = llabs(delta) >= AQ_MS;
  const double unit = (double)(long_enough ? AQ_MS : AQ_US);
  aq_time shown = 0;
  size_t i = 0;
  if (v->count == 0)
    return;
  put_label(cli, b);
  if (delta == 0)
    fputs(" takes as long as ", cli->out);
  else
    fprintf(cli->out, " is %.3f %s %s than ", (double)llabs(delta) / unit,
            long_enough ? "ms" : "us", delta > 0 ? "slower" : "faster");
  put_label(cli, a);
  if (v->devices[0] > 1 || v->devices[1] > 1)
    fputs(", all devices together", cli->out);
  for (; i < v->count && i < ITEMS_SHOWN && delta_of(&v->items[i]) != 0; i++) {
    const aq_verdict_item *item = &v->items[i];
    const char *why = aq_verdict_reason_text(item->reason);
    fprintf(cli->out, "%s %s %+.3f", i ? "," : ":", item->name,
            (double)delta_of(item) / unit);
    if (why)
      fprintf(cli->out, " (%s)", why);
    shown += delta_of(item);
  }
  if (shown != delta)
    fprintf(cli->out, ", others %+.3f", (double)(delta - shown) / unit);
  fputs("\n\n", cli->out);
}

/* They sum to the causes kernels and tail. */
static aq_status put_families(aq_cli *cli, const aq_diff_verdict *v)
{
  static const aq_cli_column columns[] = {
      {"kernels of", NULL},    {">baseline us", NULL},
      {">current us", NULL},   {">delta", NULL},
      {">calls before", NULL}, {">calls", NULL},
      {"<reason", NULL},       {NULL, NULL}};
  size_t families = 0;
  for (size_t i = 0; i < v->count; i++)
    families += v->items[i].family;
  if (families == 0)
    return AQ_OK;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, NULL, NULL, columns);
  for (size_t i = 0; i < v->count; i++) {
    const aq_verdict_item *item = &v->items[i];
    if (!item->family)
      continue;
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, item->name);
    aq_cli_cell_time(rows, item->times[0]);
    aq_cli_cell_time(rows, item->times[1]);
    aq_cli_cell_time(rows, delta_of(item));
    aq_cli_cell_int(rows, item->calls[0]);
    aq_cli_cell_int(rows, item->calls[1]);
    aq_cli_cell_text(rows, aq_verdict_reason_text(item->reason));
    aq_cli_row_end(rows);
  }
  const aq_status status = aq_cli_rows_end(cli, rows);
  fputc('\n', cli->out);
  return status;
}

static aq_status put_renamed(aq_cli *cli, aq_json_out *json,
                             const aq_diff_verdict *v, const aq_diff *d)
{
  static const aq_cli_column columns[] = {
      {"~renamed kernel", "was"},     {"~new name", "is"},
      {"+family", "family"},          {"+shape", "shape"},
      {">calls before", "was_calls"}, {">calls", "calls"},
      {">baseline us", "was_ns"},     {">current us", "is_ns"},
      {">delta", "delta_ns"},         {NULL, NULL}};
  if (v->renamed.count == 0 && !json)
    return AQ_OK;
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "renamed", columns);
  for (size_t i = 0; i < v->renamed.count; i++) {
    const aq_renamed *r = &v->renamed.list[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_diff_name(d, r->names[0]));
    aq_cli_cell_text(rows, aq_diff_name(d, r->names[1]));
    aq_cli_cell_text(rows, r->family);
    aq_cli_cell_text(rows, r->shape);
    aq_cli_cell_int(rows, r->calls[0]);
    aq_cli_cell_int(rows, r->calls[1]);
    aq_cli_cell_time(rows, r->times[0]);
    aq_cli_cell_time(rows, r->times[1]);
    aq_cli_cell_time(rows, r->times[1] - r->times[0]);
    aq_cli_row_end(rows);
  }
  const aq_status status = aq_cli_rows_end(cli, rows);
  if (!json)
    fputc('\n', cli->out);
  return status;
}

static void json_verdict(aq_json_out *json, const aq_diff_verdict *v)
{
  if (v->count == 0)
    return;
  aq_json_out_map(json, "verdict");
  aq_json_out_ns(json, "was_ns", v->times[0]);
  aq_json_out_ns(json, "is_ns", v->times[1]);
  aq_json_out_ns(json, "delta_ns", v->times[1] - v->times[0]);
  aq_json_out_array(json, "items");
  for (size_t i = 0; i < v->count; i++) {
    const aq_verdict_item *item = &v->items[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, item->family ? "family" : "cause", item->name);
    aq_json_out_ns(json, "was_ns", item->times[0]);
    aq_json_out_ns(json, "is_ns", item->times[1]);
    aq_json_out_ns(json, "delta_ns", delta_of(item));
    if (item->family) {
      aq_json_out_int(json, "was_calls", item->calls[0]);
      aq_json_out_int(json, "calls", item->calls[1]);
      aq_json_out_text(json, "reason", aq_verdict_reason_text(item->reason));
    }
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

/* Whether some calls of the groups have no partner in their group. */
static bool has_alone(const aq_diff *d)
{
  for (size_t i = 0; i < d->count; i++)
    if (d->groups[i].pairs != d->groups[i].a_calls ||
        d->groups[i].pairs != d->groups[i].b_calls)
      return true;
  return false;
}

static void steps_text(aq_cli *cli, const aq_diff_steps *steps)
{
  if (steps->period > 0)
    fprintf(cli->out, "a repeated sequence of %" PRId64 " kernel%s",
            steps->period, aq_text_plural((uint64_t)steps->period));
  else
    fputs(steps->by ? steps->by : "none", cli->out);
}

/* Which steps are which, where that is more than equal ProfilerSteps. */
static void put_steps(aq_cli *cli, const aq_diff *d)
{
  const bool marked = d->a_steps.by && d->b_steps.by &&
                      d->a_steps.period == 0 && d->b_steps.period == 0;
  if (d->group != AQ_STATS_BY_STEP || d->by == AQ_MATCH_REPLAY ||
      (marked && !d->steps_by_order))
    return;
  fputs("steps: ", cli->out);
  if (marked) {
    fputs("no common ProfilerStep number, so the nth of one with the nth of "
          "the other\n",
          cli->out);
    return;
  }
  steps_text(cli, &d->a_steps);
  fputs(" in the first, ", cli->out);
  steps_text(cli, &d->b_steps);
  fputs(" in the second\n", cli->out);
}

static aq_status put_groups(aq_cli *cli, const aq_diff *d)
{
  const aq_cli_column columns[] = {{aq_cli_group_title(d->group), NULL},
                                   {">calls", NULL},
                                   {"?>pairs", NULL},
                                   FIGURE};
  const bool alone = has_alone(d);
  aq_cli_rows *rows = aq_cli_rows_begin(cli, NULL, NULL, columns);
  for (size_t i = 0; i < d->count; i++) {
    const aq_diff_group *g = &d->groups[i];
    char key[64], calls[64];
    if (g->new_key == AQ_NONE)
      snprintf(key, sizeof key, "%" PRId64, g->key);
    else
      snprintf(key, sizeof key, "%" PRId64 " > %" PRId64, g->key, g->new_key);
    if (g->a_calls == g->b_calls)
      snprintf(calls, sizeof calls, "%" PRId64, g->a_calls);
    else
      snprintf(calls, sizeof calls, "%" PRId64 " > %" PRId64, g->a_calls,
               g->b_calls);
    aq_cli_row_begin(rows);
    if (g->new_name)
      aq_cli_cell_names(rows, g->name, g->new_name);
    else
      aq_cli_cell_text(rows, g->name             ? g->name
                             : g->key == AQ_NONE ? "unknown"
                                                 : key);
    aq_cli_cell_text(rows, calls);
    aq_cli_cell_int(rows, alone ? g->pairs : AQ_NONE);
    put_figure(rows, &g->parts[AQ_DIFF_KERNEL], true);
    aq_cli_row_end(rows);
  }
  const aq_status status = aq_cli_rows_end(cli, rows);
  if (alone)
    fputs("total delta: of all calls of the group; the figures before it: of "
          "its pairs, if it has any\n",
          cli->out);
  return status;
}

aq_status aq_cli_diff_text(aq_cli *cli, const aq_run_info *a,
                           const aq_run_info *b, const aq_cli_parts *parts,
                           const aq_diff_verdict *verdict, const aq_diff *diff)
{
  const aq_diff_figure *k = &diff->parts[AQ_DIFF_KERNEL];
  const char *what = diff->operations ? "device" : "kernel";
  aq_cli_parts_put(cli->out, parts);
  put_head(cli, a, b, diff);
  aq_cli_run_caveats(cli, "  ", b);
  aq_cli_run_caveats(cli, "  reference: ", a);
  put_sentence(cli, a, b, verdict);
  aq_status status = put_causes(cli, NULL, diff);
  if (status == AQ_OK)
    status = put_families(cli, verdict);
  if (status == AQ_OK)
    status = put_renamed(cli, NULL, verdict, diff);
  if (status == AQ_OK)
    status = put_parts(cli, diff);
  fprintf(cli->out,
          "\n%s time: %+.3f us, of pairs %+.3f, added %+.3f, removed %+.3f; by "
          "group\n",
          what, k->total / 1000, k->changed / 1000, k->added / 1000,
          -k->removed / 1000);
  put_steps(cli, diff);
  if (status == AQ_OK)
    status = put_groups(cli, diff);
  fputs("* significant: the 99 % interval of the paired differences (+-) "
        "excludes 0\n\n",
        cli->out);
  return status;
}

/* ---- JSON ---- */

/* To the picosecond, so that sums add up. */
static void json_sum(aq_json_out *json, const char *key, double ns)
{
  aq_json_out_ns(json, key, (aq_time)llround(ns * (double)AQ_NS));
}

static void json_figure(aq_json_out *json, const char *key,
                        const aq_diff_figure *f, bool sums)
{
  aq_json_out_map(json, key);
  aq_json_out_int(json, "pairs", f->pairs);
  if (sums) {
    json_sum(json, "changed_ns", f->changed);
    json_sum(json, "added_ns", f->added);
    json_sum(json, "removed_ns", f->removed);
    json_sum(json, "lost_ns", f->total);
  }
  if (f->pairs) {
    aq_json_out_real(json, "was_ns", f->a);
    aq_json_out_real(json, "is_ns", f->b);
    aq_json_out_real(json, "delta_ns", f->delta);
    aq_json_out_real(json, "error_ns", f->error);
    aq_json_out_bool(json, "significant", f->significant);
  }
  aq_json_out_close_map(json);
}

static void json_steps(aq_json_out *json, const aq_diff *d)
{
  if (d->group != AQ_STATS_BY_STEP)
    return;
  const aq_diff_steps *a = &d->a_steps, *b = &d->b_steps;
  aq_json_out_map(json, "steps");
  aq_json_out_text(json, "was_by", a->by);
  aq_json_out_text(json, "by", b->by);
  aq_json_out_int(json, "was_kernels", a->period ? a->period : AQ_NONE);
  aq_json_out_int(json, "kernels", b->period ? b->period : AQ_NONE);
  aq_json_out_text(json, "paired_by",
                   d->by == AQ_MATCH_REPLAY ? "replay"
                   : d->steps_by_order      ? "order"
                                            : "number");
  aq_json_out_close_map(json);
}

static void json_parts(aq_json_out *json,
                       const aq_diff_figure parts[AQ_DIFF_PART_COUNT])
{
  for (int p = 0; p < AQ_DIFF_PART_COUNT; p++)
    json_figure(json, aq_diff_part_names[p], &parts[p],
                aq_diff_part_sums((aq_diff_part)p));
}

aq_status aq_cli_diff_json(aq_cli *cli, aq_json_out *json, const aq_run_info *a,
                           const aq_run_info *b, const aq_cli_parts *parts,
                           const aq_diff_verdict *verdict, const aq_diff *diff)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "run", b->id);
  aq_json_out_int(json, "reference", a->id);
  aq_cli_run_caveats_json(json, "caveats", b);
  aq_cli_run_caveats_json(json, "reference_caveats", a);
  aq_cli_parts_json(json, parts);
  aq_json_out_text(json, "matched_by", aq_match_names[diff->by]);
  aq_json_out_text(json, "matched_within", diff->by_device ? "device" : "run");
  aq_json_out_bool(json, "kernels_in_common", !diff->apart);
  aq_json_out_int(json, "was_devices", diff->a_devices);
  aq_json_out_int(json, "devices", diff->b_devices);
  aq_json_out_text(json, "rows",
                   diff->operations ? "operations" : "dispatches");
  aq_json_out_int(json, "pairs", diff->pairs);
  aq_json_out_int(json, "only_reference", diff->a_calls - diff->pairs);
  aq_json_out_int(json, "only_run", diff->b_calls - diff->pairs);
  aq_json_out_ns(json, "was_makespan_ns", diff->a_makespan);
  aq_json_out_ns(json, "makespan_ns", diff->b_makespan);
  aq_status status = put_causes(cli, json, diff);
  json_verdict(json, verdict);
  if (status == AQ_OK)
    status = put_renamed(cli, json, verdict, diff);
  json_parts(json, diff->parts);
  json_steps(json, diff);
  aq_json_out_array(json, "groups");
  for (size_t i = 0; i < diff->count; i++) {
    const aq_diff_group *g = &diff->groups[i];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "key", g->name ? AQ_NONE : g->key);
    aq_json_out_text(json, "name", g->name);
    if (g->new_name)
      aq_json_out_text(json, "new_name", g->new_name);
    if (g->new_key != AQ_NONE)
      aq_json_out_int(json, "new_key", g->new_key);
    aq_json_out_int(json, "was_calls", g->a_calls);
    aq_json_out_int(json, "calls", g->b_calls);
    aq_json_out_int(json, "matched", g->pairs);
    json_parts(json, g->parts);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
  return status;
}
