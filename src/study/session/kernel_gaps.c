/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/kernel_gaps.h"

#include <stdlib.h>
#include <string.h>

static int gap_compare(int64_t grid, const char *name, const aq_device_gap *gap)
{
  if (grid != gap->grid)
    return grid < gap->grid ? -1 : 1;
  return strcmp(name, gap->name);
}

static int gaps_compare(const void *a, const void *b)
{
  const aq_device_gap *gap = *(const aq_device_gap *const *)a;
  return gap_compare(gap->grid, gap->name, *(const aq_device_gap *const *)b);
}

/* The name in front of "*N" in the entry that begins at `at`. */
static size_t name_length(const char *at)
{
  return strcspn(at, ",*");
}

static bool models_differ(const char *devices)
{
  const size_t length = name_length(devices);
  for (const char *at = strchr(devices, ','); at; at = strchr(at, ',')) {
    at++;
    if (name_length(at) != length || strncmp(at, devices, length) != 0)
      return true;
  }
  return false;
}

static aq_status gaps_sort(aq_kernel_gaps *gaps, aq_diag *diag)
{
  const size_t count = gaps->model->gap_count;
  gaps->sorted = calloc(count + 1, sizeof(const aq_device_gap *));
  if (!gaps->sorted)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < count; i++)
    gaps->sorted[i] = &gaps->model->gaps[i];
  qsort(gaps->sorted, count, sizeof(const aq_device_gap *), gaps_compare);
  return AQ_OK;
}

aq_status aq_kernel_gaps_load(const char *devices, const aq_notes *notes,
                              aq_kernel_gaps *out, aq_diag *diag)
{
  *out = (aq_kernel_gaps){NULL, NULL};
  if (!devices)
    return AQ_OK;
  if (models_differ(devices)) {
    aq_note(notes, "no gaps by kernel name: the devices have several models");
    return AQ_OK;
  }
  char *name = strndup(devices, name_length(devices));
  if (!name)
    return aq_diag_no_memory(diag);
  aq_status status = aq_device_model_load(name, NULL, &out->model, diag);
  free(name);
  if (status == AQ_OK)
    status = gaps_sort(out, diag);
  if (status != AQ_OK || out->model->gap_count == 0)
    aq_kernel_gaps_fini(out);
  return status;
}

void aq_kernel_gaps_fini(aq_kernel_gaps *gaps)
{
  aq_device_model_free(gaps->model);
  free(gaps->sorted);
  *gaps = (aq_kernel_gaps){NULL, NULL};
}

aq_time aq_kernel_gaps_find(const aq_kernel_gaps *gaps, const aq_record *row,
                            const char *name)
{
  const int64_t grid = aq_record_work_items(row);
  size_t low = 0, high = gaps->model ? gaps->model->gap_count : 0;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = gap_compare(grid, name, gaps->sorted[middle]);
    if (order == 0)
      return gaps->sorted[middle]->time;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return 0;
}
