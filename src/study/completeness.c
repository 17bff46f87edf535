/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/completeness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_in.h"
#include "common/map.h"

typedef struct known {
  size_t have;
  int64_t points; /* of the newest run that says it */
} known;

typedef struct counter {
  aq_names plans, keys;
  known *known; /* by plan */
  size_t capacity;
} counter;

static aq_status point_read(const char *text, char *plan, size_t size,
                            int64_t *points, aq_diag *diag)
{
  aq_json_doc doc;
  aq_json_node member;
  const char *name = "";
  aq_status status = aq_json_parse(&doc, text, strlen(text), "a run", diag);
  if (status != AQ_OK)
    return status;
  const aq_json_node root = aq_json_root(&doc);
  *points = 0;
  if (aq_json_member(&root, "plan", &member))
    status = aq_json_text(&member, &name);
  if (status == AQ_OK && aq_json_member(&root, "points", &member))
    status = aq_json_integer(&member, 0, INT64_MAX, points);
  snprintf(plan, size, "%s", name);
  aq_json_free(&doc);
  return status;
}

/* A point counts once, whatever the number of its runs. */
static aq_status run_count(counter *c, const aq_run_info *run, aq_diag *diag)
{
  char plan[1024];
  int64_t points;
  if (!run->point || !run->content_key || (!run->complete && !run->failed))
    return AQ_OK;
  aq_status status = point_read(run->point, plan, sizeof plan, &points, diag);
  if (status != AQ_OK)
    return status;
  const int64_t id = aq_names_id(&c->plans, plan, strlen(plan));
  const size_t before = c->keys.count;
  if (id < 0 ||
      aq_names_id(&c->keys, run->content_key, strlen(run->content_key)) < 0 ||
      !AQ_ARRAY_RESERVE_ZEROED(c->known, c->capacity, (size_t)id + 1))
    return aq_diag_no_memory(diag);
  c->known[id].have += c->keys.count > before;
  if (points > 0)
    c->known[id].points = points;
  return AQ_OK;
}

aq_status aq_plans_incomplete(aq_store *store, const char *plan,
                              void (*tell)(const char *plan, size_t have,
                                           size_t points, void *user),
                              void *user, aq_diag *diag)
{
  counter c = {.plans = AQ_NAMES_INIT, .keys = AQ_NAMES_INIT};
  aq_run_list list;
  aq_status status = aq_store_list(store, &list, diag);
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++)
    status = run_count(&c, list.runs[i], diag);
  for (size_t i = 0; i < c.plans.count && status == AQ_OK; i++) {
    const char *name = aq_names_text(&c.plans, (int64_t)i);
    if ((!plan || strcmp(plan, name) == 0) &&
        c.known[i].have < (size_t)c.known[i].points)
      tell(name, c.known[i].have, (size_t)c.known[i].points, user);
  }
  aq_run_list_fini(&list);
  aq_names_fini(&c.plans);
  aq_names_fini(&c.keys);
  free(c.known);
  return status;
}
