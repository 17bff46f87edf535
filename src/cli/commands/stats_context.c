/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/stats_context.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/json_out.h"
#include "common/text.h"
#include "report/stats/lateness.h"
#include "report/stats/steps.h"

/* The shape of the first op with unreadable arguments; NULL: none. */
static const char *first_unreadable(const aq_dispatches *d)
{
  return d->context.unreadable
             ? aq_names_text(&d->texts, d->context.unreadable_shape)
             : NULL;
}

/* The range around all repetitions; NULL: none. */
static const char *range_around(const aq_dispatches *d)
{
  return d->context.period && d->context.within_range != AQ_NONE
             ? aq_names_text(&d->texts, d->context.within_range)
             : NULL;
}

/* How much of the run is known by op, frame or step. */
void aq_cli_context_json(aq_json_out *json, const aq_dispatches *d, size_t of)
{
  const aq_context_counts *c = &d->context;
  aq_json_out_map(json, "context");
  aq_json_out_int(json, "dispatches", (int64_t)of);
  aq_json_out_int(json, "in_ops", (int64_t)c->in_ops);
  aq_json_out_int(json, "with_stack", (int64_t)c->in_frames);
  aq_json_out_int(json, "by_forward_op", (int64_t)c->backward);
  aq_json_out_int(json, "in_steps", (int64_t)c->in_steps);
  aq_json_out_int(json, "ops", (int64_t)c->ops);
  aq_json_out_int(json, "frames", (int64_t)c->frames);
  aq_json_out_int(json, "unreadable_ops", (int64_t)c->unreadable);
  aq_json_out_text(json, "first_unreadable", first_unreadable(d));
  aq_json_out_text(json, "steps_by", aq_steps_kind_names[c->steps]);
  aq_json_out_int(json, "kernels_of_step",
                  c->period ? (int64_t)c->period : AQ_NONE);
  aq_json_out_int(json, "queue_of_step", c->step_queue);
  aq_json_out_int(json, "repetitions",
                  c->period ? (int64_t)c->repetitions : AQ_NONE);
  aq_json_out_text(json, "within_range", range_around(d));
  aq_json_out_close_map(json);
}

/* A grouping that no dispatch has: one sentence names the missing record. */
static void nothing_put(aq_cli *cli, const aq_dispatches *d, aq_stats_by by,
                        size_t of)
{
  size_t communicate = 0, some = 0;
  for (size_t i = 0; i < d->count; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    if (row->outside)
      continue;
    communicate += row->communicates;
    some += by == AQ_STATS_BY_RANGE  ? row->range != AQ_NONE
            : by == AQ_STATS_BY_PATH ? row->path != AQ_NONE
            : by == AQ_STATS_BY_RANK ? row->rank != AQ_NONE
                                     : row->collective != AQ_NONE;
  }
  if (some > 0)
    return;
  if (by == AQ_STATS_BY_RANGE || by == AQ_STATS_BY_PATH)
    fprintf(cli->out,
            "0 of %zu dispatch%s launched in a range: none recorded (roctx, "
            "NVTX and record_function mark ranges)\n",
            of, aq_text_plural_es(of));
  if (by == AQ_STATS_BY_RANK)
    fprintf(cli->out,
            "0 of %zu dispatch%s with a rank: the trace names none (import "
            "--ranks reads one file per rank)\n",
            of, aq_text_plural_es(of));
  if (by == AQ_STATS_BY_COLLECTIVE && communicate == 0)
    fprintf(cli->out, "0 collective kernels in %zu dispatch%s\n", of,
            aq_text_plural_es(of));
  if (by == AQ_STATS_BY_COLLECTIVE && communicate > 0)
    fprintf(cli->out,
            "0 of %zu collective kernel%s with a recorded operation "
            "(record_param_comms)\n",
            communicate, aq_text_plural(communicate));
}

static void repeated_put(aq_cli *cli, const aq_dispatches *d)
{
  const aq_context_counts *c = &d->context;
  const char *range = range_around(d);
  fprintf(cli->out,
          "no ProfilerStep: a step is a repeated sequence of %zu kernel%s",
          c->period, aq_text_plural(c->period));
  if (c->step_queue != AQ_NONE)
    fprintf(cli->out, " of queue %" PRId64, c->step_queue);
  fputc('\n', cli->out);
  if (range)
    fprintf(cli->out,
            "all %zu repetitions lie within one range %s: parts of it (layers, "
            "iterations), steps only if it spans the program\n",
            c->repetitions, range);
}

void aq_cli_context_put(aq_cli *cli, const aq_dispatches *d, aq_stats_by by,
                        size_t of)
{
  const aq_context_counts *c = &d->context;
  const bool by_frame = by == AQ_STATS_BY_MODULE || by == AQ_STATS_BY_LINE ||
                        by == AQ_STATS_BY_STACK;
  nothing_put(cli, d, by, of);
  if (by == AQ_STATS_BY_OP || (by == AQ_STATS_BY_SHAPE && c->ops == 0))
    fprintf(cli->out, "%zu of %zu dispatch%s in an op%s\n", c->in_ops, of,
            aq_text_plural_es(of),
            c->ops           ? ""
            : d->range_count ? ": the run has no ops, but ranges: --by range"
                             : ": the run has no ops");
  if (by_frame)
    fprintf(cli->out, "%zu of %zu dispatch%s with a call stack%s\n",
            c->in_frames, of, aq_text_plural_es(of),
            c->frames ? "" : ": none recorded (with_stack=True records them)");
  if (by_frame && c->backward)
    fprintf(cli->out, "%zu with the call stack of the forward op\n",
            c->backward);
  if (aq_stats_by_has_work(by) && c->unreadable)
    fprintf(cli->out,
            "%zu of %zu op%s with inputs of an unreadable type or shape: work "
            "unknown (first: %s)\n",
            c->unreadable, c->ops, aq_text_plural(c->ops), first_unreadable(d));
  if (by == AQ_STATS_BY_STEP && c->steps == AQ_STEPS_REPEATED)
    repeated_put(cli, d);
  if (by == AQ_STATS_BY_STEP)
    fprintf(cli->out, "%zu of %zu dispatch%s in steps\n", c->in_steps, of,
            aq_text_plural_es(of));
}

/* ---- work ---- */

/* An amount over the time of known work, in `unit` a second; 0: unknown. */
static double rate(const aq_stats_work *work, double amount, double unit)
{
  return amount > 0 && work->time > 0
             ? amount / ((double)work->time / 1e12) / unit
             : NAN;
}

/* An amount, exact where it fits an integer; unknown: none. */
static void amount_cell(aq_cli_rows *rows, double amount)
{
  if (amount < 9e18)
    aq_cli_cell_int(rows, amount > 0 ? (int64_t)llround(amount) : AQ_NONE);
  else
    aq_cli_cell_real(rows, "%.0f", amount);
}

void aq_cli_work_cells(aq_cli_rows *rows, const aq_stats_work *work)
{
  const bool some = work->ops + work->unknown > 0;
  aq_cli_cell_int(rows, some ? work->ops : AQ_NONE);
  aq_cli_cell_int(rows, some ? work->unknown : AQ_NONE);
  aq_cli_cell_time(rows, some ? work->time : AQ_TIME_NONE);
  amount_cell(rows, work->flops);
  amount_cell(rows, work->bytes);
  aq_cli_cell_real(
      rows, "%.2f",
      work->flops > 0 && work->bytes > 0 ? work->flops / work->bytes : NAN);
  aq_cli_cell_real(rows, "%.2f", rate(work, work->flops, 1e12));
  aq_cli_cell_real(rows, "%.1f", rate(work, work->bytes, 1e9));
  aq_cli_cell_real(rows, "%.2f", rate(work, work->bus_bytes, 1e9));
  aq_cli_cell_real(rows, "%.1f", some ? work->compute : NAN);
  aq_cli_cell_real(rows, "%.1f", some ? work->memory : NAN);
}

/* ---- steps ---- */

static bool is_anywhere(const aq_step_summaries *steps, int time)
{
  for (size_t i = 0; i < steps->count; i++)
    if (steps->list[i].times[time] > 0)
      return true;
  return false;
}

/* Tables leave out times that no step has. */
static void put_step(aq_cli_rows *rows, bool document,
                     const aq_step_summaries *steps, const aq_step_summary *s)
{
  const aq_time *t = s->times;
  const bool communicates = t[AQ_STEP_COMMUNICATION] > 0;
  aq_cli_row_begin(rows);
  aq_cli_cell_int(rows, s->step);
  aq_cli_cell_int(rows, s->device);
  aq_cli_cell_int(rows, s->rank);
  aq_cli_cell_bool(rows, s->first, "first", "");
  aq_cli_cell_int(rows, s->dispatches);
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++)
    aq_cli_cell_time(rows,
                     document || is_anywhere(steps, i) ? t[i] : AQ_TIME_NONE);
  aq_cli_cell_real(rows, "%.1f",
                   communicates ? 100.0 * (double)t[AQ_STEP_HIDDEN] /
                                      (double)t[AQ_STEP_COMMUNICATION]
                                : NAN);
  aq_cli_row_end(rows);
}

static aq_status put_steps(aq_cli *cli, aq_json_out *json,
                           const aq_step_summaries *steps)
{
  static const aq_cli_column columns[] = {{"?>step", "step"},
                                          {">device", "device"},
                                          {"?>rank", "rank"},
                                          {"<warm-up", "first"},
                                          {">dispatches", "dispatches"},
                                          {">span us", "span_ns"},
                                          {">busy us", "busy_ns"},
                                          {">compute us", "compute_ns"},
                                          {"?>comm. us", "communication_ns"},
                                          {"?>exposed us", "exposed_ns"},
                                          {"+?>hidden us", "hidden_ns"},
                                          {"?>copy us", "copy_ns"},
                                          {"+?>exposed", "copy_exposed_ns"},
                                          {"?>hidden %", "hidden_percent"},
                                          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "steps", columns);
  for (size_t i = 0; i < steps->count; i++)
    put_step(rows, json != NULL, steps, &steps->list[i]);
  return aq_cli_rows_end(cli, rows);
}

/* Rounded: means need not be whole picoseconds. */
static aq_time ps_of(double value)
{
  return isnan(value) ? AQ_TIME_NONE : (aq_time)llround(value);
}

static void put_figures_json(aq_json_out *json, const aq_step_summaries *steps)
{
  aq_json_out_map(json, "all_but_first");
  aq_json_out_int(json, "count",
                  (int64_t)steps->figures[AQ_STEP_SPAN].estimate.count);
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++) {
    const aq_step_figure *f = &steps->figures[i];
    aq_json_out_map(json, aq_step_time_names[i]);
    aq_json_out_ns(json, "mean_ns", ps_of(f->estimate.mean));
    aq_json_out_ns(json, "median_ns", f->median);
    aq_json_out_ns(json, "half_ns", ps_of(f->estimate.half));
    aq_json_out_close_map(json);
  }
  aq_json_out_close_map(json);
}

static void put_figure(aq_cli *cli, const char *name, const aq_step_figure *f)
{
  fprintf(cli->out, "  %s: mean %.3f us, median %.3f us", name,
          f->estimate.mean / AQ_US, (double)f->median / AQ_US);
  if (isnan(f->estimate.half))
    fprintf(cli->out, "; one step: no interval\n");
  else
    fprintf(cli->out, ", 95 %% within %.3f us of the mean\n",
            f->estimate.half / AQ_US);
}

static void put_figures(aq_cli *cli, const aq_step_summaries *steps)
{
  const size_t count = steps->figures[AQ_STEP_SPAN].estimate.count;
  if (count == 0) {
    fprintf(cli->out, "1 step per device: no statistics of steps\n");
    return;
  }
  fprintf(cli->out, "%zu step%s, without the first of each device%s:\n", count,
          aq_text_plural(count),
          steps->devices ? ", each on its slowest device" : "");
  put_figure(cli, "span", &steps->figures[AQ_STEP_SPAN]);
  put_figure(cli, "busy", &steps->figures[AQ_STEP_BUSY]);
  if (!steps->communicates)
    return;
  put_figure(cli, "communication", &steps->figures[AQ_STEP_COMMUNICATION]);
  put_figure(cli, "exposed", &steps->figures[AQ_STEP_EXPOSED]);
}

aq_status aq_cli_steps_put(aq_cli *cli, aq_json_out *json,
                           const aq_dispatches *dispatches,
                           const aq_step_summaries *steps)
{
  const aq_status status = put_steps(cli, json, steps);
  const bool has_steps = dispatches->context.steps != AQ_STEPS_NONE;
  if (json)
    put_figures_json(json, steps);
  else if (status == AQ_OK && has_steps)
    put_figures(cli, steps);
  else if (status == AQ_OK)
    fprintf(cli->out, "no steps: no ProfilerStep, and no sequence of kernels "
                      "that repeats; the row is the whole run\n");
  return status;
}

/* ---- collectives ---- */

/* "nothing ran" or a kernel's name. */
static const char *meanwhile_text(const aq_meanwhile *m, aq_run_reader *reader)
{
  if (m->time == 0)
    return NULL;
  return m->name == AQ_NONE ? "nothing ran"
                            : aq_run_reader_name(reader, m->name);
}

static aq_status put_lateness(aq_cli *cli, aq_json_out *json,
                              aq_run_reader *reader, const aq_lateness *c)
{
  static const aq_cli_column columns[] = {
      {">rank", "rank"},           {">collectives", "collectives"},
      {">came last", "last"},      {">late us", "late_ns"},
      {">busy us", "busy_ns"},     {">longest us", "longest_ns"},
      {">waited us", "waited_ns"}, {"most of late", "most"},
      {">us", "most_ns"},          {NULL, NULL}};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "ranks", columns);
  for (size_t i = 0; i < c->rank_count; i++) {
    const aq_rank_lateness *r = &c->ranks[i];
    aq_cli_row_begin(rows);
    aq_cli_cell_int(rows, r->rank);
    aq_cli_cell_int(rows, r->collectives);
    aq_cli_cell_int(rows, r->last);
    aq_cli_cell_time(rows, r->late);
    aq_cli_cell_time(rows, r->busy);
    aq_cli_cell_time(rows, r->longest);
    aq_cli_cell_time(rows, r->waited);
    aq_cli_cell_text(rows, meanwhile_text(&r->most, reader));
    aq_cli_cell_time(rows, r->most.time ? r->most.time : AQ_TIME_NONE);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static void collectives_json(aq_json_out *json, const aq_dispatches *d,
                             aq_run_reader *reader, const aq_lateness *c)
{
  aq_json_out_array(json, "collectives");
  for (size_t i = 0; i < c->count; i++) {
    const aq_late_collective *one = &c->list[i];
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "name", aq_names_text(&d->texts, one->name));
    aq_json_out_int(json, "ranks", one->ranks);
    aq_json_out_ns(json, "first_ns", one->first);
    aq_json_out_ns(json, "last_ns", one->last);
    aq_json_out_int(json, "last_rank", one->late ? one->last_rank : AQ_NONE);
    aq_json_out_ns(json, "late_ns", one->late);
    aq_json_out_ns(json, "busy_ns", one->busy);
    aq_json_out_text(json, "most", meanwhile_text(&one->most, reader));
    aq_json_out_ns(json, "most_ns", one->most.time);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

/* Losses of the comparison, each with the first one's name. */
static void put_loss(aq_cli *cli, aq_json_out *json, const char *key,
                     const aq_lateness_loss *loss, const char *name,
                     const char *noun, const char *text)
{
  char first[48];
  if (json) {
    aq_json_out_int(json, key, (int64_t)loss->count);
    snprintf(first, sizeof first, "first_%s", key);
    aq_json_out_text(json, first, name);
  } else if (loss->count > 0) {
    fprintf(cli->out, "%zu %s%s %s (first: %s)\n", loss->count, noun,
            aq_text_plural(loss->count), text,
            name ? name : "a kernel without a name");
  }
}

static void put_losses(aq_cli *cli, aq_json_out *json, const aq_dispatches *d,
                       aq_run_reader *reader, const aq_lateness *c)
{
  const char *outside =
      c->outside.count ? aq_names_text(&d->texts, c->outside.first) : NULL;
  const char *unmatched =
      c->unmatched.count ? aq_names_text(&d->texts, c->unmatched.first) : NULL;
  const char *unnamed =
      c->unnamed.count ? aq_run_reader_name(reader, c->unnamed.first) : NULL;
  put_loss(cli, json, "outside", &c->outside, outside, "collective",
           "with calls outside of the part");
  put_loss(cli, json, "unmatched_calls", &c->unmatched, unmatched, "call",
           "unmatched: another rank of the group has fewer");
  put_loss(cli, json, "unnamed_calls", &c->unnamed, unnamed, "kernel",
           "of RCCL or NCCL without a recorded operation or rank");
}

aq_status aq_cli_lateness_put(aq_cli *cli, aq_json_out *json,
                              const aq_dispatches *dispatches,
                              aq_run_reader *reader,
                              const aq_lateness *lateness)
{
  const aq_dispatches *d = dispatches;
  const aq_lateness *c = lateness;
  if (json)
    aq_json_out_map(json, "imbalance");
  const aq_status status =
      json || c->count > 0 ? put_lateness(cli, json, reader, c) : AQ_OK;
  if (json)
    collectives_json(json, d, reader, c);
  else if (c->count > 0)
    fprintf(cli->out, "%zu collective%s with all ranks of the group\n",
            c->count, aq_text_plural(c->count));
  put_losses(cli, json, d, reader, c);
  if (json)
    aq_json_out_close_map(json);
  return status;
}
