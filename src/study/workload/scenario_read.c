/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <string.h>

#include "study/workload/scenario_model.h"

enum {
  FORMAT_VERSION = 1,
  WORKGROUP_MAX = 1024, /* work-items */
  LDS_MAX = 1 << 20,    /* bytes */
  SCRATCH_MAX = 1 << 20,
  REGISTERS_MAX = 512, /* of a wave */
};

/* ---- kernels ---- */

/* A size: one number, or up to three. The rest is 1. */
static aq_status size_read(const aq_json_node *node, int64_t max, int64_t *out)
{
  out[0] = out[1] = out[2] = 1;
  if (!aq_json_is_array(node))
    return aq_json_integer(node, 1, max, &out[0]);
  size_t count;
  aq_status status = aq_json_array(node, 1, 3, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    status = aq_json_integer(&element, 1, max, &out[i]);
  }
  return status;
}

static aq_status kernel_read_shape(const aq_json_node *node, aq_command *out)
{
  aq_json_node member;
  int64_t size[3];
  aq_status status = AQ_OK;
  if (aq_json_member(node, "grid", &member)) {
    status = size_read(&member, UINT32_MAX, size);
    for (int i = 0; i < 3 && status == AQ_OK; i++)
      out->grid[i] = (uint32_t)size[i];
  }
  if (status == AQ_OK && aq_json_member(node, "workgroup", &member)) {
    status = size_read(&member, WORKGROUP_MAX, size);
    const int64_t items = size[0] * size[1] * size[2];
    if (status == AQ_OK && items > WORKGROUP_MAX)
      status = aq_json_error(&member, "%lld work-items, at most %d expected",
                             (long long)items, WORKGROUP_MAX);
    for (int i = 0; i < 3 && status == AQ_OK; i++)
      out->workgroup[i] = (uint16_t)size[i];
  }
  return status;
}

/* A size that may be left out. */
static aq_status bytes_read(const aq_json_node *node, const char *key,
                            int64_t max, uint32_t *out)
{
  aq_json_node member;
  int64_t value;
  if (!aq_json_member(node, key, &member))
    return AQ_OK;
  aq_status status = aq_json_integer(&member, 0, max, &value);
  if (status == AQ_OK)
    *out = (uint32_t)value;
  return status;
}

static aq_status kernel_read_kind(const aq_json_node *node, aq_command *out)
{
  aq_json_node member;
  const char *text;
  aq_status status = AQ_OK;
  if (aq_json_member(node, "kind", &member)) {
    status = aq_json_text(&member, &text);
    if (status != AQ_OK)
      return status;
    if (strcmp(text, "copy") == 0)
      out->kind = AQ_KIND_COPY;
    else if (strcmp(text, "fill") == 0)
      out->kind = AQ_KIND_FILL;
    else if (strcmp(text, "kernel") != 0)
      return aq_json_error(&member, "\"%.40s\": kernel, copy or fill expected",
                           text);
  }
  if (aq_json_member(node, "bytes", &member)) {
    if (out->kind == AQ_KIND_KERNEL)
      return aq_json_error(&member, "only copies and fills have bytes");
    status = aq_json_integer(&member, 0, INT64_MAX, &out->bytes);
  }
  return status;
}

static aq_status registers_read(const aq_json_node *node, const char *key,
                                uint16_t *out)
{
  uint32_t value = *out;
  aq_status status = bytes_read(node, key, REGISTERS_MAX, &value);
  *out = (uint16_t)value;
  return status;
}

static aq_status kernel_read_resources(const aq_json_node *node,
                                       aq_command *out)
{
  aq_status status = bytes_read(node, "lds", LDS_MAX, &out->lds);
  if (status == AQ_OK)
    status = bytes_read(node, "scratch", SCRATCH_MAX, &out->scratch);
  if (status == AQ_OK)
    status = registers_read(node, "vgprs", &out->vgprs);
  if (status == AQ_OK)
    status = registers_read(node, "agprs", &out->agprs);
  if (status == AQ_OK)
    status = registers_read(node, "sgprs", &out->sgprs);
  return status;
}

static aq_status kernel_read(const aq_json_node *node, aq_arena *arena,
                             aq_sc_kernel *kernel)
{
  static const char *const keys[] = {"grid",  "workgroup", "lds",   "scratch",
                                     "vgprs", "agprs",     "sgprs", "kind",
                                     "bytes", "cost",      NULL};
  aq_json_node cost;
  kernel->command.kind = AQ_KIND_KERNEL;
  kernel->command.bytes = AQ_NONE;
  kernel->command.origin = AQ_NONE;
  for (int i = 0; i < 3; i++)
    kernel->command.grid[i] = kernel->command.workgroup[i] = 1;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = kernel_read_shape(node, &kernel->command);
  if (status == AQ_OK)
    status = kernel_read_resources(node, &kernel->command);
  if (status == AQ_OK)
    status = kernel_read_kind(node, &kernel->command);
  if (status == AQ_OK)
    status = aq_json_need(node, "cost", &cost);
  return status == AQ_OK ? aq_scenario_cost(&cost, arena, kernel) : status;
}

static aq_status kernels_read(aq_scenario *scenario, const aq_json_node *node)
{
  size_t count;
  aq_status status = aq_json_members(node, &count);
  if (status != AQ_OK)
    return status;
  if (count == 0 || count > AQ_SC_KERNELS_MAX)
    return aq_json_error(node, "%zu kernels, from 1 to %d expected", count,
                         AQ_SC_KERNELS_MAX);
  scenario->kernels =
      aq_arena_alloc(&scenario->arena, count * sizeof *scenario->kernels);
  if (!scenario->kernels)
    return aq_json_no_memory(node);
  scenario->kernel_count = scenario->named_count = (uint32_t)count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(node, i);
    const int64_t id =
        aq_names_id(&scenario->kernel_names, member.key, strlen(member.key));
    if (id < 0)
      return aq_json_no_memory(node);
    scenario->kernels[id].command.name = id;
    status = kernel_read(&member, &scenario->arena, &scenario->kernels[id]);
  }
  return status;
}

/* ---- the document ---- */

static aq_status head_read(aq_scenario *scenario, const aq_json_node *root)
{
  static const char *const keys[] = {
      "version",  "name",    "device", "seed",       "kernels",
      "requests", "clients", "notes",  "parameters", NULL};
  aq_json_node member;
  const char *text;
  int64_t version;
  aq_status status = aq_json_need(root, "version", &member);
  if (status == AQ_OK)
    status = aq_json_integer(&member, 0, INT64_MAX, &version);
  if (status == AQ_OK && version != FORMAT_VERSION)
    status = aq_json_error(&member, "%lld: this program reads version %d",
                           (long long)version, FORMAT_VERSION);
  if (status == AQ_OK)
    status = aq_json_object(root, keys);
  if (status == AQ_OK && aq_json_member(root, "name", &member))
    status = aq_json_text(&member, &text);
  if (status == AQ_OK && aq_json_member(root, "notes", &member))
    status = aq_json_text(&member, &text);
  if (status == AQ_OK && aq_json_member(root, "seed", &member))
    status = aq_json_integer(&member, 0, INT64_MAX, &scenario->seed);
  if (status != AQ_OK || !aq_json_member(root, "device", &member))
    return status;
  status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  scenario->device = aq_arena_text(&scenario->arena, text, strlen(text));
  return scenario->device ? AQ_OK : aq_json_no_memory(root);
}

aq_status aq_scenario_fill(aq_scenario *scenario, const char *data,
                           const aq_json_node *root)
{
  static const struct {
    const char *key;
    aq_status (*read)(aq_scenario *scenario, const aq_json_node *node);
  } parts[] = {{"kernels", kernels_read},
               {"requests", aq_scenario_requests},
               {"clients", aq_scenario_clients}};
  *scenario = (aq_scenario){.arena = AQ_ARENA_INIT,
                            .data = data,
                            .kernel_names = AQ_NAMES_INIT,
                            .stream_names = AQ_NAMES_INIT,
                            .request_names = AQ_NAMES_INIT};
  aq_status status = head_read(scenario, root);
  for (size_t i = 0; i < sizeof parts / sizeof *parts && status == AQ_OK; i++) {
    aq_json_node part;
    /* Requests may be of models alone. */
    if (i == 0 && !aq_json_member(root, parts[i].key, &part))
      continue;
    status = aq_json_need(root, parts[i].key, &part);
    if (status == AQ_OK)
      status = parts[i].read(scenario, &part);
  }
  return status;
}

void aq_scenario_fini(aq_scenario *scenario)
{
  aq_names_fini(&scenario->kernel_names);
  aq_names_fini(&scenario->stream_names);
  aq_names_fini(&scenario->request_names);
  aq_arena_fini(&scenario->arena);
}
