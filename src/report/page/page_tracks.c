/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_tracks.h"

#include <stdlib.h>

#include "report/page/page_json.h"

static double ns(aq_time time)
{
  return (double)time / AQ_NS;
}

/* ---- dependencies ---- */

typedef struct edge {
  int32_t from, to; /* rows */
  uint8_t kind, confidence;
} edge;

static aq_status edges_put(aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  static const aq_page_column columns[] = {
      AQ_PAGE_COLUMN(edge, from),
      AQ_PAGE_COLUMN(edge, to),
      AQ_PAGE_COLUMN(edge, kind),
      AQ_PAGE_COLUMN(edge, confidence),
      {NULL, 0, 0},
  };
  const aq_edge *edges;
  size_t count, kept = 0;
  aq_status status = aq_run_reader_edges(reader, &edges, &count, diag);
  if (status != AQ_OK)
    return status;
  edge *rows = calloc(count + 1, sizeof *rows);
  if (!rows)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++)
    if (edges[i].from <= INT32_MAX && edges[i].to <= INT32_MAX)
      rows[kept++] =
          (edge){(int32_t)edges[i].from, (int32_t)edges[i].to,
                 (uint8_t)edges[i].kind, (uint8_t)edges[i].confidence};
  aq_page_key_put(out, "edges");
  aq_page_columns_put(out, rows, kept, sizeof *rows, columns);
  putc('}', out);
  free(rows);
  return AQ_OK;
}

/* ---- counters ---- */

typedef struct point {
  double time, value;
} point;

static const aq_page_column point_columns[] = {
    AQ_PAGE_COLUMN(point, time),
    AQ_PAGE_COLUMN(point, value),
    {NULL, 0, 0},
};

static void counter_put(FILE *out, const aq_sample *first, const point *points,
                        size_t count)
{
  const aq_counter *counter = &aq_counters[first->counter];
  aq_page_columns_put(out, points, count, sizeof *points, point_columns);
  aq_page_member_put(out, "name", counter->name);
  aq_page_member_put(out, "unit", counter->unit);
  aq_page_member_put(out, "meaning", counter->meaning);
  aq_page_member_put(
      out, "scope", counter->scope == AQ_COUNTER_OF_QUEUE ? "queue" : "device");
  aq_page_number_put(out, "ordinal", first->ordinal);
  putc('}', out);
}

/* Samples come by counter, ordinal and time. */
static aq_status counters_put(aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  const aq_sample *samples;
  size_t count;
  const char *comma = "";
  aq_status status = aq_run_reader_samples(reader, &samples, &count, diag);
  if (status != AQ_OK)
    return status;
  point *points = calloc(count + 1, sizeof *points);
  if (!points)
    return aq_diag_no_memory(diag);
  aq_page_key_put(out, "counters");
  putc('[', out);
  for (size_t at = 0, end; at < count; at = end) {
    const aq_sample *first = &samples[at];
    for (end = at; end < count && samples[end].counter == first->counter &&
                   samples[end].ordinal == first->ordinal;
         end++)
      points[end - at] =
          (point){ns(samples[end].time), (double)samples[end].value};
    if (first->counter < 0 || first->counter >= AQ_COUNTER_COUNT)
      continue; /* a newer store's */
    fputs(comma, out);
    counter_put(out, first, points, end - at);
    comma = ",";
  }
  putc(']', out);
  free(points);
  return AQ_OK;
}

/* ---- requests and preemptions ---- */

typedef struct region {
  double begin, end; /* ns */
  int32_t owner;     /* client, or queue */
  uint8_t bad;       /* late or rejected; given up */
} region;

static const aq_page_column region_columns[] = {
    AQ_PAGE_COLUMN(region, begin),
    AQ_PAGE_COLUMN(region, end),
    AQ_PAGE_COLUMN(region, owner),
    AQ_PAGE_COLUMN(region, bad),
    {NULL, 0, 0},
};

/* The region of an item and its times; false where it has no end. */
typedef bool (*region_make)(const void *item, region *out, aq_time times[2]);

/* "open" counts the items that were begun and have no end. */
static aq_status regions_put(FILE *out, const char *key, const void *items,
                             size_t count, size_t size, region_make make,
                             const aq_selection *part, aq_diag *diag)
{
  size_t kept = 0, open = 0;
  region *regions = calloc(count + 1, sizeof *regions);
  if (!regions)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++) {
    aq_time times[2];
    region *one = &regions[kept];
    if (!make((const char *)items + i * size, one, times)) {
      open++;
    } else if (!part || aq_selection_meets(part, times[0], times[1])) {
      one->begin = ns(times[0]);
      one->end = ns(times[1]);
      kept++;
    }
  }
  aq_page_key_put(out, key);
  aq_page_columns_put(out, regions, kept, sizeof *regions, region_columns);
  aq_page_number_put(out, "open", (int64_t)open);
  putc('}', out);
  free(regions);
  return AQ_OK;
}

static bool request_region(const void *item, region *out, aq_time times[2])
{
  const aq_request *q = item;
  const bool late = q->deadline != AQ_TIME_NONE && q->complete > q->deadline;
  if (q->complete == AQ_TIME_NONE || q->arrival == AQ_TIME_NONE)
    return false;
  times[0] = q->arrival;
  times[1] = q->complete;
  *out = (region){.owner = (int32_t)q->client, .bad = late || q->rejected == 1};
  return true;
}

static bool preemption_region(const void *item, region *out, aq_time times[2])
{
  const aq_preempted *p = item;
  if (p->asked == AQ_TIME_NONE || p->freed == AQ_TIME_NONE)
    return false;
  times[0] = p->asked;
  times[1] = p->freed;
  *out = (region){.owner = (int32_t)p->queue};
  return true;
}

static aq_status preemptions_put(aq_store *store, int64_t run,
                                 const aq_selection *part, FILE *out,
                                 aq_diag *diag)
{
  aq_preempted_list list;
  aq_status status = aq_store_preemptions(store, run, &list, diag);
  if (status != AQ_OK)
    return status;
  status = regions_put(out, "preemptions", list.preemptions, list.count,
                       sizeof *list.preemptions, preemption_region, part, diag);
  aq_preempted_list_fini(&list);
  return status;
}

aq_status aq_page_tracks_put(aq_store *store, int64_t run,
                             aq_run_reader *reader, const aq_selection *part,
                             FILE *out, aq_diag *diag)
{
  aq_status status = edges_put(reader, out, diag);
  if (status == AQ_OK)
    status = counters_put(reader, out, diag);
  if (status == AQ_OK) {
    aq_request_list list;
    status = aq_store_requests(store, run, &list, diag);
    if (status == AQ_OK) {
      status = regions_put(out, "requests", list.requests, list.count,
                           sizeof *list.requests, request_region, part, diag);
      aq_request_list_fini(&list);
    }
  }
  return status == AQ_OK ? preemptions_put(store, run, part, out, diag)
                         : status;
}
