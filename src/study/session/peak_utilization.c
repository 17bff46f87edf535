/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/peak_utilization.h"

#include "gpu/duration/roofline.h"
#include "study/session/run_model.h"

static int64_t model_number(const void *model, const char *key)
{
  return aq_device_model_number(model, key);
}

/* The counted rows of one kernel, and the time of their work at the peaks. */
static void group_share(aq_stats_group *group, const aq_counted_list *list,
                        const aq_rates *rates)
{
  aq_peak_times sum = {0, 0, 0, 0};
  int64_t dispatches = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (list->rows[i].kernel != group->key)
      continue;
    const aq_peak_times one = aq_executed_peaks(&list->rows[i], rates);
    const double times = (double)list->rows[i].dispatches;
    dispatches += list->rows[i].dispatches;
    sum.vector += times * one.vector;
    sum.matrix += times * one.matrix;
    sum.far += times * one.far;
    sum.memory += times * one.memory;
  }
  if (dispatches != group->calls || group->kernel.total <= 0)
    return;
  const double total = (double)group->kernel.total;
  group->peaks[AQ_STATS_PEAK_VECTOR] = 100 * sum.vector / total;
  group->peaks[AQ_STATS_PEAK_MATRIX] = 100 * sum.matrix / total;
  group->peaks[AQ_STATS_PEAK_FAR] = 100 * sum.far / total;
  group->peaks[AQ_STATS_PEAK_MEMORY] = 100 * sum.memory / total;
}

aq_status aq_peaks_share(aq_store *store, const aq_run_info *info,
                         aq_stats *stats, aq_diag *diag)
{
  aq_counted_list list;
  aq_rates rates;
  aq_status status = aq_store_counted(store, info->id, &list, diag);
  if (status != AQ_OK)
    return status;
  aq_device_model *model = list.count ? aq_run_model_load(info) : NULL;
  if (model) {
    aq_rates_read(&rates, aq_device_model_text(model, "gfx"), model_number,
                  model);
    for (size_t i = 0; i < stats->count; i++)
      if (stats->groups[i].key != AQ_NONE)
        group_share(&stats->groups[i], &list, &rates);
  }
  aq_device_model_free(model);
  aq_counted_list_fini(&list);
  return AQ_OK;
}
