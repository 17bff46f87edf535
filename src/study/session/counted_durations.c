/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/counted_durations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/registry/device_models.h"

static int64_t model_number(const void *model, const char *key)
{
  return aq_device_model_number(model, key);
}

static aq_status rows_predict(const aq_counted_list *list,
                              aq_run_reader *reader, const aq_rates *rates,
                              aq_counted_predictions *out, aq_diag *diag)
{
  out->rows = calloc(list->count, sizeof *out->rows);
  if (!out->rows)
    return aq_diag_no_memory(diag);
  for (size_t i = 0; i < list->count; i++) {
    aq_counted_prediction *row = &out->rows[i];
    const char *name = aq_run_reader_name(reader, list->rows[i].kernel);
    row->work = list->rows[i];
    row->found = aq_executed_predict(&row->work, rates);
    row->kernel = strdup(name ? name : "?");
    if (!row->kernel)
      return aq_diag_no_memory(diag);
    out->count++;
  }
  return AQ_OK;
}

static aq_status list_predict(aq_store *store, const aq_run_info *info,
                              const aq_device_model *model,
                              aq_counted_predictions *out, aq_diag *diag)
{
  aq_counted_list list;
  aq_run_reader *reader;
  aq_rates rates;
  aq_rates_read(&rates, aq_device_model_text(model, "gfx"), model_number,
                model);
  aq_status status = aq_store_counted(store, info->id, &list, diag);
  if (status != AQ_OK)
    return status;
  if (list.count == 0)
    status = aq_diag_set(diag, AQ_ERR_NOT_FOUND,
                         "run %lld has no counted work; execute its kernels "
                         "at cost executed",
                         (long long)info->id);
  if (status == AQ_OK)
    status =
        aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, diag);
  if (status == AQ_OK) {
    status = rows_predict(&list, reader, &rates, out, diag);
    aq_run_reader_close(reader);
  }
  aq_counted_list_fini(&list);
  return status;
}

static aq_status run_predict(aq_store *store, const aq_run_info *info,
                             const char *device, const char *const *edits,
                             aq_counted_predictions *out, aq_diag *diag)
{
  aq_device_model *model;
  if (!device)
    device = info->device_model;
  if (!device)
    return aq_diag_set(diag, AQ_ERR_INVALID, "expected a device model");
  aq_status status = aq_device_model_load(device, edits, &model, diag);
  if (status != AQ_OK)
    return status;
  snprintf(out->device, sizeof out->device, "%s", model->name);
  status = list_predict(store, info, model, out, diag);
  aq_device_model_free(model);
  return status;
}

aq_status aq_counted_predict(aq_store *store, const char *run,
                             const char *device, const char *const *edits,
                             aq_counted_predictions *out, aq_diag *diag)
{
  aq_run_info *info;
  aq_counted_predictions made = {.count = 0};
  aq_status status = aq_store_find(store, run, &info, diag);
  if (status != AQ_OK)
    return status;
  status = run_predict(store, info, device, edits, &made, diag);
  aq_run_info_free(info);
  if (status == AQ_OK)
    *out = made;
  else
    aq_counted_predictions_fini(&made);
  return status;
}

void aq_counted_predictions_fini(aq_counted_predictions *list)
{
  for (size_t i = 0; i < list->count; i++)
    free(list->rows[i].kernel);
  free(list->rows);
  *list = (aq_counted_predictions){.count = 0};
}
