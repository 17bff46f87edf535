/* SPDX-License-Identifier: MIT */
/* Texts and lists of values of a plan. */
#include "config.h"

#include "study/workload/plan_priv.h"

#include <stdio.h>
#include <string.h>
#include <yajl/yajl_tree.h>

aq_status aq_plan_text(aq_plan_store *p, const aq_json_node *node,
                       const char **out)
{
  const char *text;
  aq_status status = aq_json_text(node, &text);
  if (status != AQ_OK)
    return status;
  *out = aq_arena_text(&p->arena, text, strlen(text));
  return *out ? AQ_OK : aq_json_no_memory(node);
}

aq_status aq_plan_seen(aq_plan_store *p, const aq_json_node *node,
                       const char *text, bool all, const char **out)
{
  const char *base = node->doc->file, *slash = strrchr(base, '/');
  const int folder = slash ? (int)(slash - base) + 1 : 0;
  char seen[AQ_PLAN_TEXT_MAX];
  size_t used = 0;
  bool first = true;
  do {
    const size_t part = strcspn(text, ",");
    const bool path =
        (first || all) && text[0] != '/' && memchr(text, '/', part);
    const size_t plain = strcspn(base, all ? ",*" : ",");
    if (path && plain < (size_t)folder)
      return aq_json_error(node,
                           "%.*s: '%c' in the name of the plan's folder, %.*s, "
                           "would end this path; rename the folder",
                           (int)part, text, base[plain], folder, base);
    used += (size_t)snprintf(seen + used, sizeof seen - used, "%s%.*s%.*s",
                             first ? "" : ",", path ? folder : 0, base,
                             (int)part, text);
    text += part + (text[part] == ',');
    first = false;
  } while (*text && used < sizeof seen);
  if (used >= sizeof seen)
    return aq_json_error(node, "too long");
  *out = aq_arena_text(&p->arena, seen, used);
  return *out ? AQ_OK : aq_json_no_memory(node);
}

aq_status aq_plan_pair(aq_plan_store *p, const aq_json_node *node,
                       const char *name, const char **out)
{
  const yajl_val v = node->value;
  char text[AQ_PLAN_TEXT_MAX];
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
  return *out ? AQ_OK : aq_json_no_memory(node);
}

aq_status aq_plan_values(aq_plan_store *p, const aq_json_node *node,
                         const char *name, aq_plan_texts *out)
{
  size_t count = 1;
  const bool list = aq_json_is_array(node);
  aq_status status = AQ_OK;
  if (list)
    status = aq_json_array(node, 1, AQ_PLAN_LIST_MAX, &count);
  if (status != AQ_OK)
    return status;
  out->at = aq_arena_alloc(&p->arena, (count + 1) * sizeof *out->at);
  if (!out->at)
    return aq_json_no_memory(node);
  out->count = count;
  for (size_t i = 0; i < count && status == AQ_OK; i++) {
    const aq_json_node element = list ? aq_json_element(node, i) : *node;
    status = aq_plan_pair(p, &element, name, &out->at[i]);
  }
  return status;
}

bool aq_plan_turn(const aq_plan_texts *axes, size_t count, size_t *at)
{
  for (size_t axis = count; axis > 0; axis--) {
    if (++at[axis - 1] < axes[axis - 1].count)
      return true;
    at[axis - 1] = 0;
  }
  return false;
}
