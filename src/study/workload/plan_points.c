/* SPDX-License-Identifier: MIT */
/* A plan multiplied out. */
#include "config.h"

#include "study/workload/plan_priv.h"

#include <stdlib.h>

#include "common/array.h"
#include "study/workload/scenario.h"

enum { POINTS_MAX = 10000000 };

static aq_status point_add(aq_plan_store *p, const aq_json_node *root,
                           const aq_plan_point *point)
{
  if (p->count == POINTS_MAX)
    return aq_json_error(root, "more than %d points", POINTS_MAX);
  if (!AQ_ARRAY_PUSH(p->points, p->count, p->capacity, *point))
    return aq_json_no_memory(root);
  return AQ_OK;
}

/* Points of one workload with one set of parameters. */
static aq_status points_add(aq_plan_store *p, const aq_json_node *root,
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
static aq_status set_add(aq_plan_store *p, const aq_json_node *root,
                         const aq_plan_workload *workload, const size_t *at,
                         const char *data)
{
  aq_workload_source *source;
  aq_scenario_facts facts;
  const char **parameters = aq_arena_alloc(
      &p->arena, (workload->axis_count + 1) * sizeof *parameters);
  if (!parameters)
    return aq_json_no_memory(root);
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

aq_status aq_plan_points_add(aq_plan_store *p, const aq_json_node *root,
                             const aq_plan_workload *workload, const char *data)
{
  size_t at[AQ_PLAN_AXES_MAX] = {0};
  aq_status status;
  do {
    status = set_add(p, root, workload, at, data);
  } while (status == AQ_OK &&
           aq_plan_turn(workload->axes, workload->axis_count, at));
  return status;
}
