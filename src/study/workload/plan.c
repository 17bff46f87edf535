/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/plan_priv.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT_VERSION = 1 };

static aq_status head_read(aq_plan_store *p, const aq_json_node *root,
                           aq_plan *out)
{
  static const char *const keys[] = {
      "version",  "name",     "notes", "workloads", "parameters",
      "devices",  "policies", "seeds", "queues",    "rows",
      "requests", "alone",    NULL};
  aq_json_node member;
  int64_t value = 0;
  const char *text;
  aq_status status = aq_json_need(root, "version", &member);
  if (status == AQ_OK)
    status = aq_json_integer(&member, 0, INT64_MAX, &value);
  if (status == AQ_OK && value != FORMAT_VERSION)
    status = aq_json_error(&member, "%lld: this program reads version %d",
                           (long long)value, FORMAT_VERSION);
  if (status == AQ_OK)
    status = aq_json_object(root, keys);
  if (status == AQ_OK)
    status = aq_json_need(root, "name", &member);
  if (status == AQ_OK)
    status = aq_plan_text(p, &member, &out->name);
  if (status == AQ_OK && aq_json_member(root, "notes", &member))
    status = aq_json_text(&member, &text);
  value = 0;
  if (status == AQ_OK && aq_json_member(root, "queues", &member))
    status = aq_json_integer(&member, 1, UINT32_MAX, &value);
  out->queues = (uint32_t)value;
  if (status == AQ_OK && aq_json_member(root, "rows", &member))
    status = aq_json_bool(&member, &out->rows);
  bool requests = true;
  if (status == AQ_OK && aq_json_member(root, "requests", &member))
    status = aq_json_bool(&member, &requests);
  if (status == AQ_OK && out->rows && !requests)
    status = aq_json_error(&member, "\"rows\" keep more than requests");
  out->figures = !requests;
  if (status == AQ_OK && aq_json_member(root, "alone", &member))
    status = aq_json_bool(&member, &p->alone);
  return status;
}

static aq_status plan_fill(aq_plan_store *p, const aq_json_node *root,
                           const char *data, aq_plan *out)
{
  aq_status status = head_read(p, root, out);
  if (status == AQ_OK)
    status = aq_plan_workloads(p, root);
  if (status == AQ_OK)
    status = aq_plan_devices(p, root);
  if (status == AQ_OK)
    status = aq_plan_policies(p, root);
  if (status == AQ_OK)
    status = aq_plan_seeds(p, root);
  for (size_t i = 0; i < p->workload_count && status == AQ_OK; i++) {
    status = aq_plan_points_add(p, root, &p->workloads[i], data);
    if (status == AQ_ERR_INPUT)
      aq_diag_prefix(root->doc->diag, "%s: workloads[%zu]", root->doc->file, i);
  }
  return status;
}

aq_status aq_plan_open(const char *path, const char *data, aq_plan *out,
                       aq_diag *diag)
{
  aq_plan read = {0};
  aq_plan_store *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_no_memory(diag);
  p->arena = (aq_arena)AQ_ARENA_INIT;
  read.own = p;
  aq_json_doc doc;
  char *text = NULL;
  size_t size = 0;
  aq_status status = aq_json_load(path, &text, &size, diag);
  if (status == AQ_OK)
    status = aq_json_parse(&doc, text, size, path, diag);
  if (status == AQ_OK) {
    const aq_json_node root = aq_json_root(&doc);
    status = plan_fill(p, &root, data, &read);
    aq_json_free(&doc);
  }
  free(text);
  read.points = p->points;
  read.count = p->count;
  if (status == AQ_OK)
    *out = read;
  else
    aq_plan_close(&read);
  return status;
}

void aq_plan_close(aq_plan *plan)
{
  if (!plan->own)
    return;
  free(plan->own->points);
  aq_arena_fini(&plan->own->arena);
  free(plan->own);
  *plan = (aq_plan){0};
}
