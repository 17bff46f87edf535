/* SPDX-License-Identifier: MIT */
#include "run/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_tree.h>

#include "common/arena.h"
#include "common/json_in.h"
#include "run/scenario.h"
#include "scheduler/registry.h"

enum {
  FORMAT_VERSION = 1,
  LIST_MAX = 4096,
  AXES_MAX = 16, /* parameters that vary */
  POINTS_MAX = 10000000,
  TEXT_MAX = 4096,
};

/* A list of texts, ended by NULL. */
typedef struct texts {
  const char **at;
  size_t count;
} texts;

typedef struct plan_device {
  const char *name; /* NULL: the scenario's */
  texts edits;
} plan_device;

typedef struct plan_workload {
  const char *name, *file;
  texts axes[AXES_MAX]; /* what varies: "NAME=VALUE" for each value */
  size_t axis_count;
} plan_workload;

struct aq_plan_store {
  aq_arena arena;
  plan_workload *workloads;
  size_t workload_count;
  plan_device *devices;
  size_t device_count;
  texts policies; /* NULL among them: none */
  int64_t *seeds;
  size_t seed_count;
  bool alone;
  aq_plan_point *points;
  size_t count, capacity;
};

typedef struct aq_plan_store parts;

static aq_status no_memory(const aq_json_node *node)
{
  return aq_diag_set(node->doc->diag, AQ_ERR_NO_MEMORY, "no memory to read %s",
                     node->doc->file);
}

static aq_status text_keep(parts *p, const aq_json_node *node, const char **out)
{
  const char *text;
  aq_status status = aq_json_text(node, &text);
  if (status != AQ_OK)
    return status;
  *out = aq_arena_text(&p->arena, text, strlen(text));
  return *out ? AQ_OK : no_memory(node);
}

/* "NAME=VALUE" of a text, a number, true or false. */
static aq_status pair_keep(parts *p, const aq_json_node *node, const char *name,
                           const char **out)
{
  const yajl_val v = node->value;
  char text[TEXT_MAX];
  const char *value = YAJL_IS_STRING(v)   ? YAJL_GET_STRING(v)
                      : YAJL_IS_NUMBER(v) ? YAJL_GET_NUMBER(v)
                      : YAJL_IS_TRUE(v)   ? "true"
                      : YAJL_IS_FALSE(v)  ? "false"
                                          : NULL;
  if (!value)
    return aq_json_error(node, "a text, a number, true or false expected");
  const int length = snprintf(text, sizeof text, "%s=%s", name, value);
  if (length >= (int)sizeof text)
    return aq_json_error(node, "too long");
  *out = aq_arena_text(&p->arena, text, (size_t)length);
  return *out ? AQ_OK : no_memory(node);
}

/* One value or a list of them, as pairs. */
static aq_status values_read(parts *p, const aq_json_node *node,
                             const char *name, texts *out)
{
  size_t count = 1;
  const bool list = aq_json_is_array(node);
  aq_status status = AQ_OK;
  if (list)
    status = aq_json_array(node, 1, LIST_MAX, &count);
  if (status != AQ_OK)
    return status;
  out->at = aq_arena_alloc(&p->arena, (count + 1) * sizeof *out->at);
  if (!out->at)
    return no_memory(node);
  out->count = count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = list ? aq_json_element(node, i) : *node;
    status = pair_keep(p, &element, name, &out->at[i]);
  }
  return status;
}

/* ---- workloads ---- */

static aq_status axes_read(parts *p, const aq_json_node *node,
                           plan_workload *workload)
{
  aq_json_node parameters;
  size_t count;
  if (!aq_json_member(node, "parameters", &parameters))
    return AQ_OK;
  aq_status status = aq_json_members(&parameters, &count);
  if (status == AQ_OK && workload->axis_count + count > AXES_MAX)
    return aq_json_error(&parameters, "more than %d parameters", AXES_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&parameters, i);
    status = values_read(p, &member, member.key,
                         &workload->axes[workload->axis_count++]);
  }
  return status;
}

/* Seen from the folder of the plan. */
static aq_status file_find(parts *p, const aq_json_node *node,
                           plan_workload *out)
{
  const char *base = node->doc->file, *slash = strrchr(base, '/');
  const char *name;
  char path[TEXT_MAX];
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
  return out->file && out->name ? AQ_OK : no_memory(node);
}

static aq_status workload_read(parts *p, const aq_json_node *node,
                               plan_workload *out)
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
    status = text_keep(p, &name, &out->name);
  return status == AQ_OK ? axes_read(p, node, out) : status;
}

static aq_status workloads_read(parts *p, const aq_json_node *root)
{
  aq_json_node list;
  aq_status status = aq_json_need(root, "workloads", &list);
  if (status == AQ_OK)
    status = aq_json_array(&list, 1, LIST_MAX, &p->workload_count);
  if (status != AQ_OK)
    return status;
  p->workloads =
      aq_arena_alloc(&p->arena, p->workload_count * sizeof *p->workloads);
  if (!p->workloads)
    return no_memory(root);
  for (size_t i = 0; i < p->workload_count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = workload_read(p, &element, &p->workloads[i]);
    if (status == AQ_OK)
      status = axes_read(p, root, &p->workloads[i]);
  }
  return status;
}

/* ---- devices ---- */

static aq_status edits_read(parts *p, const aq_json_node *node, texts *out)
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
    return no_memory(node);
  out->count = count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&set, i);
    status = pair_keep(p, &member, member.key, &out->at[i]);
  }
  return status;
}

static aq_status device_read(parts *p, const aq_json_node *node,
                             plan_device *out)
{
  static const char *const keys[] = {"device", "set", NULL};
  aq_json_node device;
  if (!aq_json_is_object(node))
    return text_keep(p, node, &out->name);
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK && aq_json_member(node, "device", &device))
    status = text_keep(p, &device, &out->name);
  return status == AQ_OK ? edits_read(p, node, &out->edits) : status;
}

static aq_status devices_read(parts *p, const aq_json_node *root)
{
  aq_json_node list;
  aq_status status = AQ_OK;
  const bool given = aq_json_member(root, "devices", &list);
  p->device_count = 1;
  if (given)
    status = aq_json_array(&list, 1, LIST_MAX, &p->device_count);
  if (status != AQ_OK)
    return status;
  p->devices = aq_arena_alloc(&p->arena, p->device_count * sizeof *p->devices);
  if (!p->devices)
    return no_memory(root);
  for (size_t i = 0; given && i < p->device_count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    status = device_read(p, &element, &p->devices[i]);
  }
  for (size_t i = 0; i < p->device_count; i++)
    if (!p->devices[i].edits.at) {
      p->devices[i].edits.at =
          aq_arena_alloc(&p->arena, sizeof *p->devices[i].edits.at);
      if (!p->devices[i].edits.at)
        return no_memory(root);
    }
  return status;
}

/* ---- policies ---- */

/* Whether there is such a policy with such settings. */
static aq_status policy_check(const aq_json_node *node, const char *text)
{
  aq_diag why = AQ_DIAG_INIT;
  aq_policy_choice *choice;
  const aq_status status = aq_policy_choice_create(text, &choice, &why);
  if (status == AQ_OK)
    aq_policy_choice_destroy(choice);
  return status == AQ_OK ? AQ_OK : aq_json_error(node, "%s", why.text);
}

static aq_status policy_add(parts *p, const aq_json_node *node,
                            const char *text)
{
  if (p->policies.count == LIST_MAX)
    return aq_json_error(node, "more than %d policies", LIST_MAX);
  const char *kept = NULL;
  const aq_status status = text ? policy_check(node, text) : AQ_OK;
  if (status != AQ_OK)
    return status;
  if (text && !(kept = aq_arena_text(&p->arena, text, strlen(text))))
    return no_memory(node);
  p->policies.at[p->policies.count++] = kept;
  return AQ_OK;
}

/* {"policy": "edf", "settings": {"slots": [1, 2]}}: each combination. */
static aq_status settings_read(parts *p, const aq_json_node *node)
{
  static const char *const keys[] = {"policy", "settings", NULL};
  aq_json_node policy, settings;
  texts values[AXES_MAX];
  size_t count = 0, at[AXES_MAX] = {0};
  const char *name;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "policy", &policy);
  if (status == AQ_OK)
    status = aq_json_text(&policy, &name);
  if (status == AQ_OK && aq_json_member(node, "settings", &settings))
    status = aq_json_members(&settings, &count);
  if (status == AQ_OK && count > AXES_MAX)
    status = aq_json_error(node, "more than %d settings", AXES_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&settings, i);
    status = values_read(p, &member, member.key, &values[i]);
  }
  if (status != AQ_OK)
    return status;
  size_t axis;
  do {
    char text[TEXT_MAX];
    size_t length = (size_t)snprintf(text, sizeof text, "%s", name);
    for (size_t i = 0; i < count && length < sizeof text; i++)
      length += (size_t)snprintf(text + length, sizeof text - length, ",%s",
                                 values[i].at[at[i]]);
    if (length >= sizeof text)
      return aq_json_error(node, "too long");
    status = policy_add(p, node, text);
    /* The last setting turns fastest. */
    for (axis = count; axis > 0; axis--) {
      if (++at[axis - 1] < values[axis - 1].count)
        break;
      at[axis - 1] = 0;
    }
  } while (status == AQ_OK && axis > 0);
  return status;
}

static aq_status policies_read(parts *p, const aq_json_node *root)
{
  aq_json_node list;
  size_t count = 0;
  aq_status status = AQ_OK;
  p->policies.at = aq_arena_alloc(&p->arena, LIST_MAX * sizeof *p->policies.at);
  if (!p->policies.at)
    return no_memory(root);
  if (!aq_json_member(root, "policies", &list))
    return policy_add(p, root, NULL);
  status = aq_json_array(&list, 1, LIST_MAX, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&list, i);
    const char *text;
    if (aq_json_is_object(&element)) {
      status = settings_read(p, &element);
      continue;
    }
    status = aq_json_text(&element, &text);
    if (status == AQ_OK)
      status = policy_add(p, &element, strcmp(text, "none") == 0 ? NULL : text);
  }
  return status;
}

/* ---- seeds ---- */

static aq_status seeds_make(parts *p, const aq_json_node *node, size_t count)
{
  p->seed_count = count;
  p->seeds = aq_arena_alloc(&p->arena, count * sizeof *p->seeds);
  return p->seeds ? AQ_OK : no_memory(node);
}

static aq_status range_read(parts *p, const aq_json_node *node)
{
  static const char *const keys[] = {"first", "count", NULL};
  aq_json_node member;
  int64_t first = 1, count = 0;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK && aq_json_member(node, "first", &member))
    status = aq_json_integer(&member, 0, INT64_MAX / 2, &first);
  if (status == AQ_OK)
    status = aq_json_need(node, "count", &member);
  if (status == AQ_OK)
    status = aq_json_integer(&member, 1, 1000000, &count);
  if (status == AQ_OK)
    status = seeds_make(p, node, (size_t)count);
  for (int64_t i = 0; i < count && status == AQ_OK; i++)
    p->seeds[i] = first + i;
  return status;
}

static aq_status seeds_read(parts *p, const aq_json_node *root)
{
  aq_json_node node;
  size_t count;
  aq_status status;
  if (!aq_json_member(root, "seeds", &node)) {
    status = seeds_make(p, root, 1);
    if (status == AQ_OK)
      p->seeds[0] = -1;
    return status;
  }
  if (aq_json_is_object(&node))
    return range_read(p, &node);
  status = aq_json_array(&node, 1, 1000000, &count);
  if (status == AQ_OK)
    status = seeds_make(p, &node, count);
  for (size_t i = 0; status == AQ_OK && i < count; i++) {
    const aq_json_node element = aq_json_element(&node, i);
    status = aq_json_integer(&element, 0, INT64_MAX, &p->seeds[i]);
  }
  return status;
}

/* ---- points ---- */

static aq_status point_add(parts *p, const aq_json_node *root,
                           const aq_plan_point *point)
{
  if (p->count == POINTS_MAX)
    return aq_json_error(root, "more than %d points", POINTS_MAX);
  if (p->count == p->capacity) {
    const size_t capacity = p->capacity ? 2 * p->capacity : 256;
    aq_plan_point *grown = realloc(p->points, capacity * sizeof *grown);
    if (!grown)
      return no_memory(root);
    p->points = grown;
    p->capacity = capacity;
  }
  p->points[p->count++] = *point;
  return AQ_OK;
}

/* Points of one workload with one set of parameters. */
static aq_status points_add(parts *p, const aq_json_node *root,
                            aq_plan_point point, uint32_t clients)
{
  aq_status status = AQ_OK;
  for (size_t d = 0; d < p->device_count; d++) {
    point.device = p->devices[d].name;
    point.edits = p->devices[d].edits.at;
    for (size_t i = 0; i < p->policies.count + (p->alone ? clients : 0); i++) {
      const bool alone = i >= p->policies.count;
      point.policy = alone ? NULL : p->policies.at[i];
      point.alone = alone ? (uint32_t)(i - p->policies.count) + 1 : 0;
      for (size_t s = 0; s < p->seed_count && status == AQ_OK; s++) {
        point.seed = p->seeds[s];
        status = point_add(p, root, &point);
      }
    }
  }
  return status;
}

/* The scenario has to be good with every set of parameters. */
static aq_status set_add(parts *p, const aq_json_node *root,
                         const plan_workload *workload, const size_t *at,
                         const char *data)
{
  aq_workload_source *source;
  aq_scenario_facts facts;
  const char **parameters = aq_arena_alloc(
      &p->arena, (workload->axis_count + 1) * sizeof *parameters);
  if (!parameters)
    return no_memory(root);
  for (size_t i = 0; i < workload->axis_count; i++)
    parameters[i] = workload->axes[i].at[at[i]];
  aq_status status =
      aq_scenario_load(workload->file,
                       &(aq_scenario_options){
                           .seed = -1, .parameters = parameters, .data = data},
                       &source, &facts, root->doc->diag);
  if (status != AQ_OK)
    return status;
  status = points_add(p, root,
                      (aq_plan_point){.workload = workload->name,
                                      .file = workload->file,
                                      .parameters = parameters},
                      facts.client_count);
  source->close(source);
  return status;
}

static aq_status workload_add(parts *p, const aq_json_node *root,
                              const plan_workload *workload, const char *data)
{
  size_t at[AXES_MAX] = {0}, axis;
  aq_status status;
  do {
    status = set_add(p, root, workload, at, data);
    /* The last parameter turns fastest. */
    for (axis = workload->axis_count; axis > 0; axis--) {
      if (++at[axis - 1] < workload->axes[axis - 1].count)
        break;
      at[axis - 1] = 0;
    }
  } while (status == AQ_OK && axis > 0);
  return status;
}

/* ---- the document ---- */

static aq_status head_read(parts *p, const aq_json_node *root, aq_plan *out)
{
  static const char *const keys[] = {
      "version",  "name",  "notes",  "workloads", "parameters", "devices",
      "policies", "seeds", "queues", "rows",      "alone",      NULL};
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
    status = text_keep(p, &member, &out->name);
  if (status == AQ_OK && aq_json_member(root, "notes", &member))
    status = aq_json_text(&member, &text);
  value = 0;
  if (status == AQ_OK && aq_json_member(root, "queues", &member))
    status = aq_json_integer(&member, 1, UINT32_MAX, &value);
  out->queues = (uint32_t)value;
  if (status == AQ_OK && aq_json_member(root, "rows", &member))
    status = aq_json_bool(&member, &out->rows);
  if (status == AQ_OK && aq_json_member(root, "alone", &member))
    status = aq_json_bool(&member, &p->alone);
  return status;
}

static aq_status plan_fill(parts *p, const aq_json_node *root, const char *data,
                           aq_plan *out)
{
  aq_status status = head_read(p, root, out);
  if (status == AQ_OK)
    status = workloads_read(p, root);
  if (status == AQ_OK)
    status = devices_read(p, root);
  if (status == AQ_OK)
    status = policies_read(p, root);
  if (status == AQ_OK)
    status = seeds_read(p, root);
  for (size_t i = 0; i < p->workload_count && status == AQ_OK; i++) {
    status = workload_add(p, root, &p->workloads[i], data);
    if (status == AQ_ERR_INPUT)
      aq_diag_prefix(root->doc->diag, "%s: workloads[%zu]", root->doc->file, i);
  }
  return status;
}

static aq_status plan_parse(parts *p, const char *path, const char *data,
                            aq_plan *out, aq_diag *diag)
{
  aq_json_doc doc;
  char *text = NULL;
  size_t size = 0;
  aq_status status = aq_json_load(path, &text, &size, diag);
  if (status == AQ_OK)
    status = aq_json_parse(&doc, text, size, path, diag);
  if (status == AQ_OK) {
    const aq_json_node root = aq_json_root(&doc);
    status = plan_fill(p, &root, data, out);
    aq_json_free(&doc);
  }
  free(text);
  return status;
}

aq_status aq_plan_open(const char *path, const char *data, aq_plan *out,
                       aq_diag *diag)
{
  aq_plan read = {0};
  parts *p = calloc(1, sizeof *p);
  if (!p)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory to read %s", path);
  p->arena = (aq_arena)AQ_ARENA_INIT;
  read.own = p;
  aq_status status = plan_parse(p, path, data, &read, diag);
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
