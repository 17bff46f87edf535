/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/stats/compare.h"
#include "report/stats/launch_context.h"
#include "report/stats/quantile.h"

const char *const aq_stats_by_names[AQ_STATS_BY_COUNT + 1] = {
#define B(id, name, meaning) name,
    AQ_STATS_GROUPINGS(B)
#undef B
        NULL,
};

/* A row under the key of its group. */
typedef struct keyed {
  int64_t key;
  size_t row;
} keyed;

/* ---- keys ---- */

/* Against the end before it on its queue, as compare classifies. */
static int64_t class_of(const aq_dispatch_row *row)
{
  if (row->flags & AQ_FLAG_EDGE)
    return AQ_CLASS_EDGE;
  if (row->via == AQ_VIA_GRAPH)
    return row->flags & AQ_FLAG_GRAPH_FIRST ? AQ_CLASS_GRAPH_FIRST
                                            : AQ_CLASS_GRAPH;
  const aq_time handed =
      row->host_end == AQ_TIME_NONE ? row->submit : row->host_end;
  if (handed == AQ_TIME_NONE)
    return AQ_NONE;
  if (row->gap == AQ_NONE)
    return AQ_CLASS_IDLE;
  const aq_time ahead = row->start - row->gap - handed;
  if (ahead < 0)
    return AQ_CLASS_IDLE;
  return ahead >= AQ_COMPARE_NEAR_US * AQ_US ? AQ_CLASS_QUEUED : AQ_CLASS_NEAR;
}

int64_t aq_stats_key(const aq_dispatch_row *row, aq_stats_by by)
{
  switch (by) {
  case AQ_STATS_BY_KERNEL:
  case AQ_STATS_BY_OPERATION:
    return row->name;
  case AQ_STATS_BY_QUEUE:
    return row->queue;
  case AQ_STATS_BY_STREAM:
    return row->stream;
  case AQ_STATS_BY_DEVICE:
    return row->device;
  case AQ_STATS_BY_CLASS:
    return class_of(row);
  case AQ_STATS_BY_KIND:
    return row->kind;
  case AQ_STATS_BY_VIA:
    return row->via;
  case AQ_STATS_BY_RANGE:
    return row->range;
  case AQ_STATS_BY_PATH:
    return row->path;
  case AQ_STATS_BY_OP:
    return row->op_name;
  case AQ_STATS_BY_MODULE:
    return row->module;
  case AQ_STATS_BY_LINE:
    return row->line;
  case AQ_STATS_BY_STACK:
    return row->stack;
  case AQ_STATS_BY_STEP:
    return row->step;
  case AQ_STATS_BY_RANK:
    return row->rank;
  case AQ_STATS_BY_SHAPE:
    return row->shape;
  case AQ_STATS_BY_FAMILY:
    return row->family;
  case AQ_STATS_BY_COLLECTIVE:
    return row->collective;
  default:
    return 0;
  }
}

const char *aq_stats_key_text(int64_t key, aq_stats_by by)
{
  static const char *const none[AQ_STATS_BY_COUNT] = {
      [AQ_STATS_BY_RANGE] = "no range",
      [AQ_STATS_BY_PATH] = "no range",
      [AQ_STATS_BY_OP] = "no op",
      [AQ_STATS_BY_MODULE] = "no module",
      [AQ_STATS_BY_LINE] = "no line",
      [AQ_STATS_BY_STACK] = "no stack",
      [AQ_STATS_BY_STEP] = "no step",
      [AQ_STATS_BY_RANK] = "no rank",
      [AQ_STATS_BY_SHAPE] = "no op",
      [AQ_STATS_BY_FAMILY] = "no kernel",
      [AQ_STATS_BY_COLLECTIVE] = "no collective",
  };
  if (key == AQ_NONE)
    return none[by];
  switch (by) {
  case AQ_STATS_BY_CLASS:
    return aq_compare_classes[key].name;
  case AQ_STATS_BY_KIND:
    return aq_record_kind_name(key);
  case AQ_STATS_BY_VIA:
    return aq_record_via_name(key);
  case AQ_STATS_BY_ALL:
    return "all";
  default:
    return NULL;
  }
}

static const char *word_of(const aq_dispatches *d, aq_run_reader *reader,
                           int64_t key, aq_stats_by by)
{
  return aq_stats_by_is_name(by) && key != AQ_NONE
             ? aq_launch_context_name(d, reader, key, by)
             : aq_stats_key_text(key, by);
}

static int key_order(const void *a, const void *b)
{
  const keyed *x = a, *y = b;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->row < y->row ? -1 : x->row > y->row;
}

/* ---- spreads ---- */

/* A, Q, K and the gap of a row; AQ_NONE where it is not known. */
enum { MEASURES = 4 };

static void measure(const aq_dispatch_row *row, int64_t out[MEASURES])
{
  const bool called =
      row->host_begin != AQ_TIME_NONE && row->host_end != AQ_TIME_NONE;
  out[0] = called ? row->host_end - row->host_begin : AQ_NONE;
  out[1] =
      row->submission == AQ_TIME_NONE ? AQ_NONE : row->start - row->submission;
  out[2] = row->end - row->start;
  out[3] = row->gap;
}

static int value_order(const void *a, const void *b)
{
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return x < y ? -1 : x > y;
}

static aq_stats_spread spread_of(int64_t *values, size_t count)
{
  aq_stats_spread s = {.count = (int64_t)count};
  if (count == 0)
    return s;
  qsort(values, count, sizeof *values, value_order);
  s.least = values[0];
  s.p50 = values[aq_quantile_index(count, 50)];
  s.p90 = values[aq_quantile_index(count, 90)];
  s.p99 = values[aq_quantile_index(count, 99)];
  s.most = values[count - 1];
  for (size_t i = 0; i < count; i++)
    s.total += values[i];
  return s;
}

static aq_stats_group group_of(const aq_dispatches *d, const keyed *rows,
                               size_t count, int64_t *scratch)
{
  aq_stats_group group = {.key = rows[0].key, .calls = (int64_t)count};
  for (size_t p = 0; p < AQ_STATS_PEAK_COUNT; p++)
    group.peaks[p] = NAN;
  aq_stats_spread *spreads[MEASURES] = {&group.api, &group.queue, &group.kernel,
                                        &group.gap};
  for (size_t m = 0; m < MEASURES; m++) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
      int64_t values[MEASURES];
      measure(&d->rows[rows[i].row], values);
      if (values[m] != AQ_NONE)
        scratch[known++] = values[m];
    }
    *spreads[m] = spread_of(scratch, known);
  }
  for (size_t i = 0; i < count; i++) {
    const aq_dispatch_row *row = &d->rows[rows[i].row];
    group.predicted += (row->flags & AQ_FLAG_PREDICTED) != 0;
    if (row->bytes > 0 && row->kind != AQ_KIND_KERNEL)
      group.bytes += row->bytes;
  }
  return group;
}

/* ---- all of it ---- */

static int group_order(const void *a, const void *b)
{
  const aq_stats_group *x = a, *y = b;
  if (x->kernel.total != y->kernel.total)
    return x->kernel.total > y->kernel.total ? -1 : 1;
  return x->key < y->key ? -1 : x->key > y->key;
}

static size_t count_keys(const keyed *rows, size_t count)
{
  size_t keys = count > 0;
  for (size_t i = 1; i < count; i++)
    keys += rows[i].key != rows[i - 1].key;
  return keys;
}

static bool make_groups(const aq_dispatches *d, keyed *rows,
                        aq_run_reader *reader, aq_stats_by by, aq_stats *out)
{
  int64_t *scratch = malloc(d->count * sizeof *scratch);
  out->groups = calloc(count_keys(rows, d->count), sizeof *out->groups);
  if (!scratch || !out->groups) {
    free(scratch);
    return false;
  }
  for (size_t i = 0, end; i < d->count; i = end) {
    for (end = i + 1; end < d->count && rows[end].key == rows[i].key;)
      end++;
    aq_stats_group *group = &out->groups[out->count++];
    *group = group_of(d, &rows[i], end - i, scratch);
    group->name = word_of(d, reader, group->key, by);
  }
  free(scratch);
  qsort(out->groups, out->count, sizeof *out->groups, group_order);
  return true;
}

aq_status aq_stats_make(const aq_dispatches *dispatches, aq_run_reader *reader,
                        aq_stats_by by, aq_stats *out, aq_diag *diag)
{
  const aq_dispatches *d = dispatches;
  aq_stats stats = {0};
  if (d->count == 0)
    return aq_diag_set(
        diag, AQ_ERR_INPUT, "no %s with a start and an end in this run",
        d->operations ? "operation of a host queue" : "kernel, copy or fill");
  keyed *rows = malloc(d->count * sizeof *rows);
  if (!rows)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < d->count; i++)
    rows[i] = (keyed){aq_stats_key(&d->rows[i], by), i};
  qsort(rows, d->count, sizeof *rows, key_order);
  const bool made = make_groups(d, rows, reader, by, &stats);
  free(rows);
  if (!made) {
    aq_stats_fini(&stats);
    return aq_diag_no_memory(diag);
  }
  stats.operations = d->operations;
  stats.makespan = aq_dispatches_makespan(d);
  *out = stats;
  return AQ_OK;
}

void aq_stats_fini(aq_stats *stats)
{
  free(stats->groups);
  *stats = (aq_stats){0};
}

static void spread_json(aq_json_out *json, const char *key,
                        const aq_stats_spread *spread)
{
  aq_json_out_map(json, key);
  aq_json_out_int(json, "count", spread->count);
  if (spread->count) {
    aq_json_out_ns(json, "min_ns", spread->least);
    aq_json_out_ns(json, "p50_ns", spread->p50);
    aq_json_out_ns(json, "p90_ns", spread->p90);
    aq_json_out_ns(json, "p99_ns", spread->p99);
    aq_json_out_ns(json, "max_ns", spread->most);
    aq_json_out_ns(json, "total_ns", spread->total);
  }
  aq_json_out_close_map(json);
}

void aq_stats_spreads_json(aq_json_out *json, const aq_stats_group *group)
{
  spread_json(json, "api", &group->api);
  spread_json(json, "queue", &group->queue);
  spread_json(json, "kernel", &group->kernel);
  spread_json(json, "gap", &group->gap);
}
