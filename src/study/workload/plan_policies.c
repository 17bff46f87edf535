/* SPDX-License-Identifier: MIT */
/* What decides in a plan: policies with their settings, seeds. */
#include "config.h"

#include "study/workload/plan_priv.h"

#include <stdio.h>
#include <string.h>

#include "scheduler/registry.h"

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

static aq_status policy_add(aq_plan_store *p, const aq_json_node *node,
                            const char *text)
{
  if (p->policies.count == AQ_PLAN_LIST_MAX)
    return aq_json_error(node, "more than %d policies", AQ_PLAN_LIST_MAX);
  const char *kept = NULL;
  aq_status status = text ? aq_plan_seen(p, node, text, false, &kept) : AQ_OK;
  if (status == AQ_OK && kept)
    status = policy_check(node, kept);
  if (status != AQ_OK)
    return status;
  p->policies.at[p->policies.count++] = kept;
  return AQ_OK;
}

/* {"policy": "edf", "settings": {"slots": [1, 2]}}: each combination. */
static aq_status settings_read(aq_plan_store *p, const aq_json_node *node)
{
  static const char *const keys[] = {"policy", "settings", NULL};
  aq_json_node policy, settings;
  aq_plan_texts values[AQ_PLAN_AXES_MAX];
  size_t count = 0, at[AQ_PLAN_AXES_MAX] = {0};
  const char *name;
  aq_status status = aq_json_object(node, keys);
  if (status == AQ_OK)
    status = aq_json_need(node, "policy", &policy);
  if (status == AQ_OK)
    status = aq_json_text(&policy, &name);
  if (status == AQ_OK && aq_json_member(node, "settings", &settings))
    status = aq_json_members(&settings, &count);
  if (status == AQ_OK && count > AQ_PLAN_AXES_MAX)
    status = aq_json_error(node, "more than %d settings", AQ_PLAN_AXES_MAX);
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node member = aq_json_member_at(&settings, i);
    status = aq_plan_values(p, &member, member.key, &values[i]);
  }
  if (status != AQ_OK)
    return status;
  do {
    char text[AQ_PLAN_TEXT_MAX];
    size_t length = (size_t)snprintf(text, sizeof text, "%s", name);
    for (size_t i = 0; i < count && length < sizeof text; i++)
      length += (size_t)snprintf(text + length, sizeof text - length, ",%s",
                                 values[i].at[at[i]]);
    if (length >= sizeof text)
      return aq_json_error(node, "too long");
    status = policy_add(p, node, text);
  } while (status == AQ_OK && aq_plan_turn(values, count, at));
  return status;
}

aq_status aq_plan_policies(aq_plan_store *p, const aq_json_node *root)
{
  aq_json_node list;
  size_t count = 0;
  aq_status status = AQ_OK;
  p->policies.at =
      aq_arena_alloc(&p->arena, AQ_PLAN_LIST_MAX * sizeof *p->policies.at);
  if (!p->policies.at)
    return aq_json_no_memory(root);
  if (!aq_json_member(root, "policies", &list))
    return policy_add(p, root, NULL);
  status = aq_json_array(&list, 1, AQ_PLAN_LIST_MAX, &count);
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

static aq_status seeds_make(aq_plan_store *p, const aq_json_node *node,
                            size_t count)
{
  p->seed_count = count;
  p->seeds = aq_arena_alloc(&p->arena, count * sizeof *p->seeds);
  return p->seeds ? AQ_OK : aq_json_no_memory(node);
}

static aq_status range_read(aq_plan_store *p, const aq_json_node *node)
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

aq_status aq_plan_seeds(aq_plan_store *p, const aq_json_node *root)
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
