/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/workload/scenario_model.h"

enum { LATENCIES_MAX = 256 };

/* The most work of a workgroup: times do not overflow. */
static const int64_t WORK_MAX = INT64_C(1) << 50;

/* A constant is the kernel's own cost; a drawn duration goes to each dispatch.
 */
static aq_status duration_read(const aq_json_node *node, aq_arena *arena,
                               aq_cost_kind constant, aq_cost_kind drawn,
                               aq_sc_kernel *kernel)
{
  aq_status status = aq_distribution_read(node, arena, &kernel->duration);
  const bool varies = kernel->duration.kind != AQ_CONSTANT;
  kernel->command.cost =
      (aq_cost){.kind = varies ? drawn : constant, .base = kernel->duration.a};
  return status;
}

static aq_status sum_read(const aq_json_node *node, const aq_json_node *each,
                          aq_cost *cost)
{
  static const char *const keys[] = {"base", "per_workgroup", NULL};
  aq_json_node base;
  aq_status status = aq_json_object(node, keys);
  cost->kind = AQ_COST_PER_WORKGROUP;
  if (status == AQ_OK)
    status = aq_json_time(each, &cost->per_workgroup);
  if (status == AQ_OK && aq_json_member(node, "base", &base))
    status = aq_json_time(&base, &cost->base);
  return status;
}

static aq_status latencies_read(const aq_json_node *node, aq_arena *arena,
                                aq_cost_detail *detail)
{
  size_t count;
  aq_status status = aq_json_array(node, 1, LATENCIES_MAX, &count);
  if (status != AQ_OK)
    return status;
  aq_time *latency = aq_arena_alloc(arena, count * sizeof *latency);
  if (!latency)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    status = aq_json_time(&element, &latency[i]);
  }
  detail->latency = latency;
  detail->latency_count = (uint32_t)count;
  return status;
}

static aq_status occupancy_read(const aq_json_node *node, aq_arena *arena,
                                aq_cost_detail *detail)
{
  static const char *const keys[] = {"latency", "contained", NULL};
  aq_json_node member;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "latency", &member);
  if (status == AQ_OK)
    status = latencies_read(&member, arena, detail);
  if (status == AQ_OK && aq_json_member(node, "contained", &member))
    status = aq_json_time(&member, &detail->contained);
  return status;
}

static aq_status work_read(const aq_json_node *node, const char *key,
                           uint64_t *out)
{
  aq_json_node member;
  int64_t value = 0;
  aq_status status = AQ_OK;
  if (aq_json_member(node, key, &member))
    status = aq_json_integer(&member, 0, WORK_MAX, &value);
  *out = (uint64_t)value;
  return status;
}

static aq_status roofline_read(const aq_json_node *node, aq_cost_detail *detail)
{
  static const char *const keys[] = {"flops", "bytes", NULL};
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = work_read(node, "flops", &detail->flops);
  if (status == AQ_OK)
    status = work_read(node, "bytes", &detail->bytes);
  return status;
}

/* {"KEY": …} and nothing else. */
static aq_status alone(const aq_json_node *node, const char *key)
{
  const char *const keys[] = {key, NULL};
  return aq_json_object(node, keys);
}

static aq_status detail_make(const aq_json_node *node, aq_arena *arena,
                             aq_cost *cost, aq_cost_detail **out)
{
  *out = aq_arena_alloc(arena, sizeof **out);
  if (!*out)
    return aq_json_no_memory(node);
  **out = (aq_cost_detail){0};
  cost->detail = *out;
  return AQ_OK;
}

aq_status aq_scenario_cost(const aq_json_node *node, aq_arena *arena,
                           aq_sc_kernel *kernel)
{
  aq_cost *cost = &kernel->command.cost;
  aq_cost_detail *detail;
  aq_json_node member;
  aq_status status;
  if (aq_json_member(node, "per_workgroup", &member))
    return sum_read(node, &member, cost);
  if (aq_json_member(node, "workgroup", &member)) {
    status = alone(node, "workgroup");
    return status != AQ_OK ? status
                           : duration_read(&member, arena, AQ_COST_WORKGROUP,
                                           AQ_COST_SPIN_WORKGROUP, kernel);
  }
  const bool occupancy = aq_json_member(node, "occupancy", &member);
  if (!occupancy && !aq_json_member(node, "roofline", &member))
    return duration_read(node, arena, AQ_COST_FIXED, AQ_COST_SPIN, kernel);
  cost->kind = occupancy ? AQ_COST_OCCUPANCY : AQ_COST_ROOFLINE;
  status = alone(node, occupancy ? "occupancy" : "roofline");
  if (status == AQ_OK)
    status = detail_make(node, arena, cost, &detail);
  if (status != AQ_OK)
    return status;
  return occupancy ? occupancy_read(&member, arena, detail)
                   : roofline_read(&member, detail);
}
