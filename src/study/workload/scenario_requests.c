/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "study/workload/scenario_model.h"

enum {
  REQUESTS_MAX = 4096,
  LAUNCHES_MAX = 65536,
  COMMANDS_MAX = 65536, /* of one graph */
  REPEAT_MAX = 1000000,
};

/* ---- steps ---- */

/* An unknown name is added, which shows that it is one too many. */
static aq_status kernel_find(aq_scenario *scenario, const aq_json_node *node,
                             uint32_t *out)
{
  const char *name;
  aq_status status = aq_json_text(node, &name);
  if (status != AQ_OK)
    return status;
  const int64_t id = aq_names_id(&scenario->kernel_names, name, strlen(name));
  if (id < 0)
    return aq_json_no_memory(node);
  if (id >= scenario->named_count)
    return aq_json_error(node, "no kernel is named \"%.64s\"", name);
  *out = (uint32_t)id;
  return AQ_OK;
}

static aq_status repeat_read(const aq_json_node *node, int64_t max,
                             uint32_t *out)
{
  aq_json_node member;
  int64_t value = 1;
  aq_status status = AQ_OK;
  if (aq_json_member(node, "repeat", &member))
    status = aq_json_integer(&member, 1, max, &value);
  if (status == AQ_OK)
    *out = (uint32_t)value;
  return status;
}

/* A kernel of a graph: its name, or {"kernel": name, "repeat": n}. */
static aq_status launch_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_launch *out)
{
  static const char *const keys[] = {"kernel", "repeat", NULL};
  out->repeat = 1;
  if (!aq_json_is_object(node))
    return kernel_find(scenario, node, &out->kernel);
  aq_json_node kernel;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "kernel", &kernel);
  if (status == AQ_OK)
    status = kernel_find(scenario, &kernel, &out->kernel);
  return status == AQ_OK ? repeat_read(node, COMMANDS_MAX, &out->repeat)
                         : status;
}

static aq_status graph_read(aq_scenario *scenario, const aq_json_node *node,
                            aq_sc_step *step)
{
  size_t count;
  aq_status status = aq_json_array(node, 1, LAUNCHES_MAX, &count);
  if (status != AQ_OK)
    return status;
  aq_sc_launch *launches =
      aq_arena_alloc(&scenario->arena, count * sizeof *launches);
  if (!launches)
    return aq_json_no_memory(node);
  uint64_t commands = 0;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(node, i);
    status = launch_read(scenario, &element, &launches[i]);
    commands += launches[i].repeat;
  }
  if (status == AQ_OK && commands > COMMANDS_MAX)
    status = aq_json_error(node, "%llu kernels, at most %d expected",
                           (unsigned long long)commands, COMMANDS_MAX);
  step->graph = true;
  step->launches = launches;
  step->launch_count = (uint32_t)count;
  step->command_count = (uint32_t)commands;
  return status;
}

static aq_status single_read(aq_scenario *scenario, const aq_json_node *node,
                             aq_sc_step *step)
{
  aq_sc_launch *launch = aq_arena_alloc(&scenario->arena, sizeof *launch);
  if (!launch)
    return aq_json_no_memory(node);
  launch->repeat = 1;
  step->launches = launch;
  step->launch_count = step->command_count = 1;
  return kernel_find(scenario, node, &launch->kernel);
}

static aq_status fence_read(const aq_json_node *node, const char *key,
                            uint8_t *out)
{
  static const char *const scopes[] = {
      [AQ_SCOPE_NONE] = "none",
      [AQ_SCOPE_AGENT] = "agent",
      [AQ_SCOPE_SYSTEM] = "system",
  };
  aq_json_node member;
  const char *text;
  if (!aq_json_member(node, key, &member))
    return AQ_OK;
  aq_status status = aq_json_text(&member, &text);
  if (status != AQ_OK)
    return status;
  for (int i = AQ_SCOPE_NONE; i <= AQ_SCOPE_SYSTEM; i++)
    if (strcmp(text, scopes[i]) == 0) {
      *out = aq_command_fence((aq_fence_scope)i);
      return AQ_OK;
    }
  return aq_json_error(&member, "\"%.40s\": none, agent or system expected",
                       text);
}

static aq_status step_read_work(aq_scenario *scenario, const aq_json_node *node,
                                aq_sc_step *step)
{
  aq_json_node kernel, graph, marker;
  const bool single = aq_json_member(node, "kernel", &kernel);
  const bool several = aq_json_member(node, "graph", &graph);
  const bool none = aq_json_member(node, "marker", &marker);
  if (single + several + none != 1)
    return aq_json_error(node,
                         "either \"kernel\", \"graph\" or \"marker\" expected");
  if (none) {
    bool yes;
    aq_status status = aq_json_bool(&marker, &yes);
    if (status == AQ_OK && !yes)
      return aq_json_error(&marker, "true expected");
    step->marker = true;
    return status;
  }
  return single ? single_read(scenario, &kernel, step)
                : graph_read(scenario, &graph, step);
}

static aq_status text_keep(aq_scenario *scenario, const aq_json_node *node,
                           const char **out)
{
  const char *text;
  aq_status status = aq_json_text(node, &text);
  if (status != AQ_OK)
    return status;
  *out = aq_arena_text(&scenario->arena, text, strlen(text));
  return *out ? AQ_OK : aq_json_no_memory(node);
}

/* All but `after`, which needs the ids of all steps. */
static aq_status step_read(aq_scenario *scenario, const aq_json_node *node,
                           aq_sc_step *step)
{
  static const char *const keys[] = {"id",      "kernel", "graph", "marker",
                                     "stream",  "repeat", "after", "acquire",
                                     "release", NULL};
  aq_json_node member;
  const char *stream = "";
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = step_read_work(scenario, node, step);
  if (status == AQ_OK)
    status = repeat_read(node, REPEAT_MAX, &step->repeat);
  if (status == AQ_OK)
    status = fence_read(node, "acquire", &step->acquire);
  if (status == AQ_OK)
    status = fence_read(node, "release", &step->release);
  if (status == AQ_OK && aq_json_member(node, "id", &member))
    status = text_keep(scenario, &member, &step->id);
  if (status == AQ_OK && aq_json_member(node, "stream", &member))
    status = aq_json_text(&member, &stream);
  if (status != AQ_OK)
    return status;
  const int64_t id =
      aq_names_id(&scenario->stream_names, stream, strlen(stream));
  if (id < 0)
    return aq_json_no_memory(node);
  step->stream = (uint32_t)id;
  return AQ_OK;
}

static aq_status after_read_one(const aq_json_node *node,
                                const aq_sc_request *request, uint32_t *out)
{
  const char *id;
  aq_status status = aq_json_text(node, &id);
  if (status != AQ_OK)
    return status;
  for (uint32_t i = 0; i < request->step_count; i++)
    if (request->steps[i].id && strcmp(request->steps[i].id, id) == 0) {
      *out = i;
      return AQ_OK;
    }
  return aq_json_error(node, "no step of this request has the id \"%.64s\"",
                       id);
}

static aq_status after_read(const aq_json_node *node,
                            const aq_sc_request *request, aq_sc_step *step)
{
  aq_json_node after;
  size_t count;
  if (!aq_json_member(node, "after", &after))
    return AQ_OK;
  aq_status status = aq_json_array(&after, 0, AQ_JOB_DEPENDENCIES, &count);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = aq_json_element(&after, i);
    status =
        after_read_one(&element, request, &step->after[step->after_count++]);
  }
  return status;
}

static int id_compare(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static aq_status ids_check(const aq_json_node *node,
                           const aq_sc_request *request)
{
  uint32_t count = 0;
  assert(request->step_count > 0);
  const char **ids = malloc(request->step_count * sizeof *ids);
  if (!ids)
    return aq_json_no_memory(node);
  for (uint32_t i = 0; i < request->step_count; i++)
    if (request->steps[i].id)
      ids[count++] = request->steps[i].id;
  qsort(ids, count, sizeof *ids, id_compare);
  aq_status status = AQ_OK;
  for (uint32_t i = 1; i < count && status == AQ_OK; i++)
    if (strcmp(ids[i - 1], ids[i]) == 0)
      status = aq_json_error(node, "two steps have the id \"%.64s\"", ids[i]);
  free(ids);
  return status;
}

/* ---- requests ---- */

static aq_status request_read(aq_scenario *scenario, const aq_json_node *node,
                              aq_sc_request *request)
{
  static const char *const keys[] = {"steps", NULL};
  aq_json_node steps;
  size_t count;
  if (aq_json_is_object(node) && aq_json_member(node, "model", &steps))
    return aq_scenario_dnn(scenario, node, request);
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "steps", &steps);
  if (status == AQ_OK)
    status = aq_json_array(&steps, 1, AQ_SC_STEPS_MAX, &count);
  if (status != AQ_OK)
    return status;
  request->step_count = (uint32_t)count;
  request->steps =
      aq_arena_alloc(&scenario->arena, count * sizeof *request->steps);
  if (!request->steps)
    return aq_json_no_memory(node);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node step = aq_json_element(&steps, i);
    status = step_read(scenario, &step, &request->steps[i]);
  }
  if (status == AQ_OK)
    status = ids_check(&steps, request);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node step = aq_json_element(&steps, i);
    status = after_read(&step, request, &request->steps[i]);
  }
  return status == AQ_OK ? aq_scenario_sort(request, &steps) : status;
}

aq_status aq_scenario_requests(aq_scenario *scenario, const aq_json_node *node)
{
  size_t count;
  aq_status status = aq_json_members(node, &count);
  if (status != AQ_OK)
    return status;
  if (count == 0 || count > REQUESTS_MAX)
    return aq_json_error(node, "%zu requests, from 1 to %d expected", count,
                         REQUESTS_MAX);
  scenario->requests =
      aq_arena_alloc(&scenario->arena, count * sizeof *scenario->requests);
  if (!scenario->requests)
    return aq_json_no_memory(node);
  scenario->request_count = (uint32_t)count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(node, i);
    const int64_t id =
        aq_names_id(&scenario->request_names, member.key, strlen(member.key));
    if (id < 0)
      return aq_json_no_memory(node);
    status = request_read(scenario, &member, &scenario->requests[id]);
  }
  return status;
}
