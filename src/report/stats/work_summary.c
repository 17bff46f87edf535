/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "report/stats/work_summary.h"

#include <math.h>
#include <stdlib.h>

#include "common/map.h"
#include "report/stats/device_peaks.h"

/* Seconds of an operator's work at the peaks of its device. */
static void peaks_add(aq_stats_work *sum, const aq_op_work *work,
                      const aq_run_device *device)
{
  const bool matrix = aq_op_family_has_matrix(work->family);
  sum->compute +=
      work->flops / aq_device_peak_flops(device, work->type, matrix);
  sum->memory += work->bytes / aq_device_peak_bytes(device);
}

static void row_add(aq_stats_work *sum, const aq_dispatches *d,
                    const aq_dispatch_row *row, bool first,
                    const aq_run_device *device)
{
  const aq_op_work *work = row->work == AQ_NONE ? NULL : &d->works[row->work];
  if (!work || !work->known) {
    sum->unknown++;
    return;
  }
  sum->time += row->end - row->start;
  if (!first)
    return;
  sum->ops++;
  sum->flops += work->flops;
  sum->bytes += work->bytes;
  sum->bus_bytes += work->bus_bytes;
  peaks_add(sum, work, device);
}

/* From seconds at the peak to percent of it. */
static void share_make(aq_stats_work *sum)
{
  const double seconds = (double)sum->time / 1e12;
  const bool some = sum->ops > 0 && seconds > 0;
  sum->compute = some && sum->flops > 0 ? 100 * sum->compute / seconds : NAN;
  sum->memory = some && sum->bus_bytes == 0 ? 100 * sum->memory / seconds : NAN;
}

bool aq_work_summary_add(const aq_dispatches *dispatches, aq_run_reader *reader,
                         aq_stats_by by, aq_stats *stats)
{
  const aq_dispatches *d = dispatches;
  aq_map groups = AQ_MAP_INIT;
  bool *seen = calloc(d->context.ops + 1, sizeof *seen);
  bool done = seen;
  for (size_t i = 0; i < stats->count && done; i++)
    done = aq_map_put(&groups, (uint64_t)stats->groups[i].key, i);
  for (size_t i = 0; i < d->count && done; i++) {
    const aq_dispatch_row *row = &d->rows[i];
    uint64_t at;
    bool first = false;
    const int64_t key = aq_stats_key(row, by);
    /* A fill beside the kernels of an operator does none of its work. */
    if (row->kind != AQ_KIND_KERNEL ||
        (by == AQ_STATS_BY_COLLECTIVE && key == AQ_NONE) ||
        !aq_map_get(&groups, (uint64_t)key, &at))
      continue;
    if (row->work != AQ_NONE) {
      first = !seen[row->work];
      seen[row->work] = true;
    }
    row_add(&stats->groups[at].work, d, row, first,
            row->device < 0 ? NULL : aq_run_reader_device(reader, row->device));
  }
  for (size_t i = 0; i < stats->count; i++)
    share_make(&stats->groups[i].work);
  aq_map_fini(&groups);
  free(seen);
  return done;
}
