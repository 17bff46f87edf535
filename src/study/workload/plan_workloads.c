/* SPDX-License-Identifier: MIT */
/* The workloads of a plan with their parameters, and its devices. */
#include "config.h"

#include "study/workload/plan_priv.h"

#include <stdio.h>
#include <string.h>

/* ---- workloads ---- */

static aq_status axes_read(aq_plan_store *p, const aq_json_node *node,
                           aq_plan_workload *workload)
{
  aq_json_node parameters;
  size_t count;
  if (!aq_json_member(node, "parameters", &parameters))
    return AQ_OK;
  aq_status status = aq_json_members(&parameters, &count);
  if (status == AQ_OK && workload->axis_count + count > AQ_PLAN_AXES_MAX)
    return aq_json_error(&parameters, "more than %d parameters",
                         AQ_PLAN_AXES_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&parameters, i);
    status = aq_plan_values(p, &member, member.key,
                            &workload->axes[workload->axis_count++]);
  }
  return status;
}

/* Seen from the folder of the plan. */
static aq_status file_find(aq_plan_store *p, const aq_json_node *node,
                           aq_plan_workload *out)
{
  const char *base = node->doc->file, *slash = strrchr(base, '/');
  const char *name;
  char path[AQ_PLAN_TEXT_MAX];
  aq_status status = aq_json_text(node, &name);
  if (status != AQ_OK)
    return status;
  const int folder = slash && name[0] != '/' ? (int)(slash - base) + 1 : 0;
  const int length = snprintf(path, sizeof path, "%.*s%s", folder, base, name);
  if (length >= (int)sizeof path)
    return aq_json_error(node, "path too long");
  const char *last = strrchr(name, '/');
  const char *stem = last ? last + 1 : name;
  const size_t dot = strcspn(stem, ".");
  out->file = aq_arena_text(&p->arena, path, (size_t)length);
  out->name = aq_arena_text(&p->arena, stem, dot);
  return out->file && out->name ? AQ_OK : aq_json_no_memory(node);
}

static aq_status workload_read(aq_plan_store *p, const aq_json_node *node,
                               aq_plan_workload *out)
{
  static const char *const keys[] = {"file", "name", "parameters", NULL};
  aq_json_node file, name;
  if (!aq_json_is_object(node))
    return file_find(p, node, out);
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "file", &file);
  if (status == AQ_OK)
    status = file_find(p, &file, out);
  if (status == AQ_OK && aq_json_member(node, "name", &name))
    status = aq_plan_text(p, &name, &out->name);
  return status == AQ_OK ? axes_read(p, node, out) : status;
}

aq_status aq_plan_workloads(aq_plan_store *p, const aq_json_node *root)
{
  aq_json_node list;
  aq_status status = aq_json_need(root, "workloads", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, AQ_PLAN_LIST_MAX, &p->workload_count);
  if (status != AQ_OK)
    return status;
  p->workloads =
      aq_arena_alloc(&p->arena, p->workload_count * sizeof *p->workloads);
  if (!p->workloads)
    return aq_json_no_memory(root);
  for (size_t i = 0; i < p->workload_count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = workload_read(p, &element, &p->workloads[i]);
    if (status == AQ_OK)
      status = axes_read(p, root, &p->workloads[i]);
  }
  return status;
}

/* ---- devices ---- */

static aq_status edits_read(aq_plan_store *p, const aq_json_node *node,
                            aq_plan_texts *out)
{
  aq_json_node set;
  size_t count;
  if (!aq_json_member(node, "set", &set))
    return AQ_OK;
  aq_status status = aq_json_members(&set, &count);
  if (status != AQ_OK)
    return status;
  out->at = aq_arena_alloc(&p->arena, (count + 1) * sizeof *out->at);
  if (!out->at)
    return aq_json_no_memory(node);
  out->count = count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&set, i);
    status = aq_plan_pair(p, &member, member.key, &out->at[i]);
  }
  return status;
}

static aq_status device_name_read(aq_plan_store *p, const aq_json_node *node,
                                  const char **out)
{
  const char *text;
  const aq_status status = aq_json_text(node, &text);
  return status == AQ_OK ? aq_plan_seen(p, node, text, true, out) : status;
}

static aq_status device_read(aq_plan_store *p, const aq_json_node *node,
                             aq_plan_device *out)
{
  static const char *const keys[] = {"device", "set", NULL};
  aq_json_node device;
  if (!aq_json_is_object(node))
    return device_name_read(p, node, &out->name);
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK && aq_json_member(node, "device", &device))
    status = device_name_read(p, &device, &out->name);
  return status == AQ_OK ? edits_read(p, node, &out->edits) : status;
}

aq_status aq_plan_devices(aq_plan_store *p, const aq_json_node *root)
{
  aq_json_node list;
  aq_status status = AQ_OK;
  const bool given = aq_json_member(root, "devices", &list);
  p->device_count = 1;
  if (given)
    status = aq_json_array(&list, 1, AQ_PLAN_LIST_MAX, &p->device_count);
  if (status != AQ_OK)
    return status;
  p->devices = aq_arena_alloc(&p->arena, p->device_count * sizeof *p->devices);
  if (!p->devices)
    return aq_json_no_memory(root);
  for (size_t i = 0; given && i < p->device_count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = device_read(p, &element, &p->devices[i]);
  }
  for (size_t i = 0; i < p->device_count; i++)
    if (!p->devices[i].edits.at) {
      p->devices[i].edits.at =
          aq_arena_alloc(&p->arena, sizeof *p->devices[i].edits.at);
      if (!p->devices[i].edits.at)
        return aq_json_no_memory(root);
    }
  return status;
}
