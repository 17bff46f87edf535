/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/page/page_work.h"

#include <stdlib.h>

#include "common/map.h"
#include "report/page/page_json.h"
#include "report/stats/device_peaks.h"
#include "report/stats/work_summary.h"

enum { GROUPS_MAX = 200 };

/* A kernel of each group whose work is known; NULL: none has. */
static bool rows_find(const aq_dispatches *d, const aq_stats *stats,
                      const aq_dispatch_row **rows)
{
  aq_map groups = AQ_MAP_INIT;
  bool done = true;
  uint64_t at;
  for (size_t i = 0; i < stats->count && done; i++)
    done = aq_map_put(&groups, (uint64_t)stats->groups[i].key, i);
  for (size_t i = 0; i < d->count && done; i++)
    if (d->rows[i].work != AQ_NONE && d->works[d->rows[i].work].known &&
        aq_map_get(&groups,
                   (uint64_t)aq_stats_key(&d->rows[i], AQ_STATS_BY_SHAPE), &at))
      rows[at] = &d->rows[i];
  aq_map_fini(&groups);
  return done;
}

static void group_put(FILE *out, const aq_stats_group *group,
                      const aq_op_work *work, const aq_run_device *device)
{
  const bool matrix = aq_op_family_has_matrix(work->family);
  char peak[32];
  snprintf(peak, sizeof peak, "%s %s", aq_op_type_names[work->type],
           matrix ? "matrix" : "vector");
  fputs("{\"name\":", out);
  aq_page_text_put(out, group->name);
  aq_page_member_put(out, "family", aq_op_family_names[work->family]);
  aq_page_member_put(out, "peak_name", peak);
  aq_page_real_put(out, "time", (double)group->work.time / AQ_NS);
  aq_page_real_put(out, "flops", group->work.flops);
  aq_page_real_put(out, "bytes", group->work.bytes);
  aq_page_real_put(out, "peak_flops",
                   aq_device_peak_flops(device, work->type, matrix));
  aq_page_real_put(out, "peak_bytes", aq_device_peak_bytes(device));
  putc('}', out);
}

static bool groups_put(FILE *out, const aq_dispatches *d, aq_run_reader *reader,
                       const aq_stats *stats)
{
  const aq_dispatch_row **rows = calloc(stats->count + 1, sizeof *rows);
  size_t put = 0, more = 0, pointless = 0;
  int64_t unknown = 0, calls = 0;
  aq_time all = 0, drawn = 0;
  const bool done = rows && rows_find(d, stats, rows);
  fputs("{\"groups\":[", out);
  for (size_t i = 0; i < stats->count && done; i++) {
    const aq_stats_group *group = &stats->groups[i];
    unknown += group->work.unknown;
    calls += group->calls;
    all += group->kernel.total;
    if (!rows[i])
      continue;
    if (group->work.time <= 0 || group->work.flops <= 0 ||
        group->work.bytes <= 0) {
      pointless++;
      continue;
    }
    if (put >= GROUPS_MAX) {
      more++;
      continue;
    }
    drawn += group->work.time;
    fputs(put++ ? "," : "", out);
    group_put(out, group, &d->works[rows[i]->work],
              rows[i]->device < 0
                  ? NULL
                  : aq_run_reader_device(reader, rows[i]->device));
  }
  putc(']', out);
  aq_page_number_put(out, "groups_left_out", (int64_t)more);
  aq_page_number_put(out, "groups_without_point", (int64_t)pointless);
  aq_page_real_put(out, "all_time", (double)all / AQ_NS);
  aq_page_real_put(out, "drawn_time", (double)drawn / AQ_NS);
  aq_page_number_put(out, "unknown_calls", unknown);
  aq_page_number_put(out, "calls", calls);
  putc('}', out);
  free(rows);
  return done;
}

aq_status aq_page_work_put(const aq_dispatches *dispatches,
                           aq_run_reader *reader, FILE *out, aq_diag *diag)
{
  const bool has = dispatches->count > 0 && dispatches->context.ops > 0;
  aq_stats stats = {0};
  aq_status status = AQ_OK;
  if (has)
    status = aq_stats_make(dispatches, reader, AQ_STATS_BY_SHAPE, &stats, diag);
  if (status == AQ_OK && has &&
      !aq_work_summary_add(dispatches, reader, AQ_STATS_BY_SHAPE, &stats))
    status = aq_diag_no_memory(diag);
  aq_page_key_put(out, "work");
  if (status != AQ_OK || !has)
    fputs("null", out);
  else if (!groups_put(out, dispatches, reader, &stats))
    status = aq_diag_no_memory(diag);
  aq_stats_fini(&stats);
  return status;
}
