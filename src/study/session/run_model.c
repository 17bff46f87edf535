/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/run_model.h"

#include <stdlib.h>
#include <string.h>

#include "common/json_in.h"

/* The edits in a run's notes, as an array ended by NULL that points into
 * the document. */
static const char **edits_of(const aq_json_doc *doc)
{
  const aq_json_node root = aq_json_root(doc);
  aq_json_node list, item;
  size_t count = 0;
  if (aq_json_is_object(&root) && aq_json_member(&root, "edits", &list) &&
      aq_json_array(&list, 0, SIZE_MAX, &count) != AQ_OK)
    count = 0;
  const char **edits = calloc(count + 1, sizeof *edits);
  for (size_t i = 0, kept = 0; edits && i < count; i++) {
    item = aq_json_element(&list, i);
    kept += aq_json_text(&item, &edits[kept]) == AQ_OK;
  }
  return edits;
}

aq_device_model *aq_run_model_load(const aq_run_info *info)
{
  aq_diag ignored = AQ_DIAG_INIT;
  aq_json_doc doc = {0};
  aq_device_model *model = NULL;
  const char *notes = info->notes ? info->notes : "{}";
  if (!info->device_model || !info->model_hash ||
      aq_json_parse(&doc, notes, strlen(notes), "notes", &ignored) != AQ_OK)
    return NULL;
  const char **edits = edits_of(&doc);
  /* Of several devices ("mi300x*4", "mi300x,mi210") the first, whose digest
   * the run has. */
  char *name = strndup(info->device_model, strcspn(info->device_model, "*,"));
  if (edits && name)
    aq_device_model_load(name, edits, &model, &ignored);
  free(name);
  free(edits);
  aq_json_free(&doc);
  if (model && strcmp(model->hash, info->model_hash) != 0) {
    aq_device_model_free(model);
    model = NULL;
  }
  return model;
}

aq_status aq_run_rows_count(aq_store *store, int64_t run, size_t most,
                            size_t *out, aq_diag *diag)
{
  enum { BATCH = 1024 };
  int64_t numbers[BATCH];
  aq_run_reader *reader;
  size_t now = 1, rows = 0;
  aq_status status =
      aq_run_reader_open(store, run, AQ_ORDER_STORED, &reader, diag);
  if (status != AQ_OK)
    return status;
  for (; now > 0 && rows <= most && status == AQ_OK; rows += now)
    status = aq_run_reader_next(reader, NULL, numbers, BATCH, &now, diag);
  aq_run_reader_close(reader);
  if (status == AQ_OK)
    *out = rows;
  return status;
}
