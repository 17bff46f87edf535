/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_program.h"

#include <math.h>
#include <stdlib.h>

#include "report/page/page_json.h"
#include "report/page/page_work.h"
#include "report/stats/lateness.h"
#include "report/stats/memory_summary.h"
#include "report/stats/step_summary.h"
#include "report/stats/steps.h"
#include "report/stats/work_summary.h"

/* Longer lists are cut, and counted. */
enum { STEPS_MAX = 1000, GROUPS_MAX = 200, OPS_MAX = 50 };

/* The rows of a run, and where their data goes. */
typedef struct program {
  aq_run_reader *reader;
  aq_dispatches dispatches;
  aq_lateness lateness;
  aq_step_summaries steps, devices;
  FILE *out;
} program;

/* In ns, whole also where the run is long. */
static void time_put(FILE *out, const char *key, aq_time time)
{
  aq_page_key_put(out, key);
  if (time == AQ_TIME_NONE)
    fputs("null", out);
  else
    fprintf(out, "%.15g", (double)time / AQ_NS);
}

/* One more entry of an array: its "name" begins it. */
static void entry_begin(FILE *out, size_t place, const char *name)
{
  fputs(place ? ",\n{\"name\":" : "{\"name\":", out);
  aq_page_text_put(out, name);
}

/* ---- steps ---- */

static void step_put(FILE *out, const aq_step_summary *s)
{
  fputs("{\"first\":", out);
  fputs(s->first ? "true" : "false", out);
  aq_page_number_put(out, "step", s->step);
  aq_page_number_put(out, "device", s->device);
  aq_page_number_put(out, "rank", s->rank);
  aq_page_number_put(out, "dispatches", s->dispatches);
  time_put(out, "begin", s->begin);
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++)
    time_put(out, aq_step_time_names[i], s->times[i]);
  putc('}', out);
}

static void figure_put(FILE *out, const char *name, const aq_step_figure *f)
{
  aq_page_key_put(out, name);
  fputs("{\"unit\":\"ns\"", out);
  aq_page_real_put(out, "mean", f->estimate.mean / AQ_NS);
  aq_page_real_put(out, "half", f->estimate.half / AQ_NS);
  time_put(out, "median", f->median);
  putc('}', out);
}

static void steps_put(const program *p)
{
  const aq_context_counts *c = &p->dispatches.context;
  const aq_step_summaries *steps = &p->steps;
  FILE *out = p->out;
  const size_t count = steps->count < STEPS_MAX ? steps->count : STEPS_MAX;
  aq_page_key_put(out, "steps");
  fputs("{\"list\":[", out);
  for (size_t i = 0; i < count; i++) {
    fputs(i ? ",\n" : "", out);
    step_put(out, &steps->list[i]);
  }
  putc(']', out);
  aq_page_number_put(out, "left_out", (int64_t)(steps->count - count));
  aq_page_member_put(out, "by", aq_steps_kind_names[c->steps]);
  aq_page_number_put(out, "period", c->period ? (int64_t)c->period : AQ_NONE);
  aq_page_member_put(out, "within",
                     c->period && c->within_range != AQ_NONE
                         ? aq_names_text(&p->dispatches.texts, c->within_range)
                         : NULL);
  aq_page_number_put(out, "in_steps", (int64_t)c->in_steps);
  aq_page_number_put(out, "counted",
                     (int64_t)steps->figures[AQ_STEP_SPAN].estimate.count);
  for (int i = 0; i < AQ_STEP_TIME_COUNT; i++)
    figure_put(out, aq_step_time_names[i], &steps->figures[i]);
  putc('}', out);
}

/* ---- groups ---- */

static aq_status grouping_put(const program *p, aq_stats_by by, bool *some,
                              aq_diag *diag)
{
  FILE *out = p->out;
  aq_stats stats = {0};
  aq_time left = 0;
  const aq_status status =
      aq_stats_make(&p->dispatches, p->reader, by, &stats, diag);
  if (status != AQ_OK)
    return status;
  if (stats.count > 1 || (stats.count == 1 && stats.groups[0].key != AQ_NONE)) {
    const size_t count = stats.count < GROUPS_MAX ? stats.count : GROUPS_MAX;
    fputs(*some ? ",\n{\"by\":" : "{\"by\":", out);
    aq_page_text_put(out, aq_stats_by_names[by]);
    aq_page_key_put(out, "list");
    putc('[', out);
    for (size_t i = 0; i < count; i++) {
      const aq_stats_group *g = &stats.groups[i];
      entry_begin(out, i, g->name);
      aq_page_number_put(out, "calls", g->calls);
      time_put(out, "time", g->kernel.total);
      time_put(out, "p50", g->kernel.p50);
      time_put(out, "queue", g->queue.count ? g->queue.p50 : AQ_TIME_NONE);
      putc('}', out);
    }
    putc(']', out);
    for (size_t i = count; i < stats.count; i++)
      left += stats.groups[i].kernel.total;
    aq_page_number_put(out, "left_out", (int64_t)(stats.count - count));
    time_put(out, "time_left_out", left);
    putc('}', out);
    *some = true;
  }
  aq_stats_fini(&stats);
  return AQ_OK;
}

static aq_status groups_put(const program *p, aq_diag *diag)
{
  static const aq_stats_by groupings[] = {AQ_STATS_BY_FAMILY, AQ_STATS_BY_OP,
                                          AQ_STATS_BY_MODULE, AQ_STATS_BY_LINE};
  bool some = false;
  aq_status status = AQ_OK;
  aq_page_key_put(p->out, "groups");
  putc('[', p->out);
  for (size_t i = 0;
       i < sizeof groupings / sizeof *groupings && status == AQ_OK; i++)
    status = grouping_put(p, groupings[i], &some, diag);
  putc(']', p->out);
  return status;
}

/* ---- collectives ---- */

static void collective_put(FILE *out, size_t place, const aq_stats_group *g)
{
  const double seconds = (double)g->work.time / 1e12;
  const bool known = g->work.ops > 0 && seconds > 0;
  entry_begin(out, place, g->name);
  aq_page_number_put(out, "calls", g->calls);
  time_put(out, "time", g->kernel.total);
  time_put(out, "p50", g->kernel.p50);
  time_put(out, "most", g->kernel.most);
  aq_page_real_put(out, "bytes", known ? g->work.bytes : NAN);
  aq_page_real_put(out, "bus", known ? g->work.bus_bytes / seconds : NAN);
  putc('}', out);
}

static void rank_put(FILE *out, const aq_rank_lateness *r)
{
  fprintf(out, "{\"unit\":\"ns\"");
  aq_page_number_put(out, "rank", r->rank);
  aq_page_number_put(out, "collectives", r->collectives);
  aq_page_number_put(out, "last", r->last);
  time_put(out, "late", r->late);
  time_put(out, "busy", r->busy);
  time_put(out, "longest", r->longest);
  time_put(out, "waited", r->waited);
  putc('}', out);
}

/* The communication of each device, in steps and between them. */
static void devices_put(const program *p)
{
  static const aq_step_time shown[] = {AQ_STEP_COMMUNICATION, AQ_STEP_EXPOSED,
                                       AQ_STEP_HIDDEN};
  FILE *out = p->out;
  aq_page_key_put(out, "devices");
  putc('[', out);
  for (size_t i = 0; i < p->devices.count; i++) {
    const aq_step_summary *s = &p->devices.list[i];
    fputs(i ? ",{\"unit\":\"ns\"" : "{\"unit\":\"ns\"", out);
    aq_page_number_put(out, "device", s->device);
    aq_page_number_put(out, "rank", s->rank);
    for (size_t t = 0; t < sizeof shown / sizeof *shown; t++)
      time_put(out, aq_step_time_names[shown[t]], s->times[shown[t]]);
    putc('}', out);
  }
  putc(']', out);
}

static aq_status collectives_put(const program *p, aq_diag *diag)
{
  const aq_lateness *l = &p->lateness;
  FILE *out = p->out;
  aq_stats stats = {0};
  size_t put = 0, left = 0;
  bool some = false;
  for (size_t i = 0; i < p->dispatches.count && !some; i++)
    some = p->dispatches.rows[i].communicates;
  aq_page_key_put(out, "collectives");
  if (!some) {
    fputs("null", out);
    return AQ_OK;
  }
  aq_status status = aq_stats_make(&p->dispatches, p->reader,
                                   AQ_STATS_BY_COLLECTIVE, &stats, diag);
  if (status == AQ_OK && !aq_work_summary_add(&p->dispatches, p->reader,
                                              AQ_STATS_BY_COLLECTIVE, &stats))
    status = aq_diag_no_memory(diag);
  fputs("{\"list\":[", out);
  for (size_t i = 0; i < stats.count; i++) {
    if (stats.groups[i].key == AQ_NONE)
      continue;
    if (put < GROUPS_MAX)
      collective_put(out, put++, &stats.groups[i]);
    else
      left++;
  }
  putc(']', out);
  aq_page_number_put(out, "left_out", (int64_t)left);
  devices_put(p);
  aq_page_key_put(out, "ranks");
  putc('[', out);
  for (size_t i = 0; i < l->rank_count; i++) {
    fputs(i ? "," : "", out);
    rank_put(out, &l->ranks[i]);
  }
  putc(']', out);
  aq_page_number_put(out, "matched", (int64_t)l->count);
  aq_page_number_put(out, "outside", (int64_t)l->outside.count);
  aq_page_number_put(out, "unmatched", (int64_t)l->unmatched.count);
  aq_page_number_put(out, "unnamed", (int64_t)l->unnamed.count);
  putc('}', out);
  aq_stats_fini(&stats);
  return status;
}

/* ---- memory ---- */

static void memory_use_put(const program *p, size_t place,
                           const aq_memory_use *u)
{
  FILE *out = p->out;
  entry_begin(out, place, aq_run_reader_name(p->reader, u->op_name));
  aq_page_number_put(out, "device", u->device);
  aq_page_number_put(out, "peak", u->peak);
  time_put(out, "at", u->peak_at);
  aq_page_number_put(out, "before", u->before);
  aq_page_number_put(out, "reserved", u->reserved);
  aq_page_number_put(out, "step", u->step);
  aq_page_number_put(out, "blocks", u->blocks);
  aq_page_number_put(out, "bytes", u->bytes);
  aq_page_number_put(out, "left", u->left);
  aq_page_number_put(out, "left_bytes", u->left_bytes);
  aq_page_number_put(out, "unsized", u->unsized);
  putc('}', out);
}

/* Of the whole run alone: blocks live longer than its parts. */
static aq_status memory_put(aq_store *store, const aq_page_run *run,
                            const program *p, aq_diag *diag)
{
  aq_memory_summary s = {0};
  FILE *out = p->out;
  aq_status status = AQ_OK;
  if (!run->window)
    status = aq_memory_summary_make(store, run->info->id, p->reader,
                                    &p->dispatches, &s, diag);
  aq_page_key_put(out, "memory");
  if (status != AQ_OK || s.use_count == 0) {
    fputs("null", out);
  } else {
    const size_t count = s.op_count < OPS_MAX ? s.op_count : OPS_MAX;
    fputs("{\"devices\":[", out);
    for (size_t i = 0; i < s.use_count; i++)
      memory_use_put(p, i, &s.uses[i]);
    fputs("],\n\"ops\":[", out);
    for (size_t i = 0; i < count; i++) {
      const aq_memory_op *op = &s.ops[i];
      entry_begin(out, i, aq_run_reader_name(p->reader, op->op_name));
      aq_page_number_put(out, "device", op->device);
      aq_page_number_put(out, "peak", op->at_peak);
      aq_page_number_put(out, "blocks", op->blocks);
      aq_page_number_put(out, "bytes", op->bytes);
      aq_page_number_put(out, "left", op->left);
      aq_page_number_put(out, "left_bytes", op->left_bytes);
      putc('}', out);
    }
    putc(']', out);
    aq_page_number_put(out, "left_out", (int64_t)(s.op_count - count));
    putc('}', out);
  }
  aq_memory_summary_fini(&s);
  return status;
}

/* ---- all of it ---- */

static aq_status rows_put(aq_store *store, const aq_page_run *run, program *p,
                          aq_diag *diag)
{
  aq_status status = AQ_OK;
  if (p->dispatches.count == 0) {
    fputs(",\n\"steps\":null,\n\"groups\":[],\n\"collectives\":null,\n"
          "\"work\":null",
          p->out);
  } else {
    steps_put(p);
    status = groups_put(p, diag);
    if (status == AQ_OK)
      status = collectives_put(p, diag);
    if (status == AQ_OK)
      status = aq_page_work_put(&p->dispatches, p->reader, p->out, diag);
  }
  return status == AQ_OK ? memory_put(store, run, p, diag) : status;
}

aq_status aq_page_program_put(aq_store *store, const aq_page_run *run,
                              FILE *out, aq_diag *diag)
{
  program p = {.out = out};
  aq_window_counts counts;
  aq_status status = aq_run_reader_open(store, run->info->id, AQ_ORDER_STORED,
                                        &p.reader, diag);
  if (status != AQ_OK)
    return status;
  status = aq_part_read(store, run->info->id, p.reader, AQ_WANT_DISPATCHES,
                        AQ_STATS_BY_SHAPE, run->window, &p.dispatches, &counts,
                        diag);
  if (status == AQ_OK && !aq_lateness_match(&p.dispatches, &p.lateness))
    status = aq_diag_no_memory(diag);
  if (status == AQ_OK &&
      !(aq_step_summaries_make(&p.dispatches, true, &p.steps) &&
        aq_step_summaries_make(&p.dispatches, false, &p.devices)))
    status = aq_diag_no_memory(diag);
  aq_dispatches_limit(&p.dispatches);
  if (status == AQ_OK)
    status = rows_put(store, run, &p, diag);
  aq_lateness_fini(&p.lateness);
  free(p.steps.list);
  free(p.devices.list);
  aq_dispatches_fini(&p.dispatches);
  aq_run_reader_close(p.reader);
  return status;
}
