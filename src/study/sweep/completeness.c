/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/completeness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/json_in.h"
#include "common/map.h"

typedef struct known {
  size_t ended, failed;
  int64_t points; /* of the newest run that says it */
} known;

typedef enum fate { POINT_NEW, POINT_FAILED, POINT_ENDED } fate;

typedef struct counter {
  aq_names plans, keys;
  known *known; /* by plan */
  size_t capacity;
  unsigned char *fates; /* by key */
  size_t fate_capacity;
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

/* A point counts once, whatever the number of its runs; one that failed and was
 * run later has ended. */
static void fate_count(known *of, unsigned char *before, bool complete)
{
  const fate now = complete ? POINT_ENDED : POINT_FAILED;
  if (now <= *before)
    return;
  of->failed -= *before == POINT_FAILED;
  of->failed += now == POINT_FAILED;
  of->ended += now == POINT_ENDED;
  *before = now;
}

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
  const int64_t key =
      aq_names_id(&c->keys, run->content_key, strlen(run->content_key));
  if (id < 0 || key < 0 ||
      !AQ_ARRAY_RESERVE_ZEROED(c->known, c->capacity, (size_t)id + 1) ||
      !AQ_ARRAY_RESERVE_ZEROED(c->fates, c->fate_capacity, (size_t)key + 1))
    return aq_diag_no_memory(diag);
  fate_count(&c->known[id], &c->fates[key], run->complete);
  if (points > 0)
    c->known[id].points = points;
  return AQ_OK;
}

static size_t plan_note(const known *of, const char *name,
                        const aq_notes *notes)
{
  const bool lacks = of->ended + of->failed < (size_t)of->points;
  if (lacks)
    aq_note(notes,
            "%zu of %" PRId64 " points of plan %s are in the store; the sweep "
            "that made them makes the others",
            of->ended + of->failed, of->points, name);
  if (of->failed)
    aq_note(notes,
            "%zu points of plan %s failed and are in no figure; a sweep that "
            "retries runs them again",
            of->failed, name);
  return lacks + (of->failed > 0);
}

aq_status aq_plans_incomplete(aq_store *store, const char *plan,
                              const aq_notes *notes, size_t *count,
                              aq_diag *diag)
{
  counter c = {.plans = AQ_NAMES_INIT, .keys = AQ_NAMES_INIT};
  aq_run_list list;
  aq_status status = aq_store_list(store, &list, diag);
  *count = 0;
  if (status != AQ_OK)
    return status;
  for (size_t i = 0; i < list.count && status == AQ_OK; i++)
    status = run_count(&c, list.runs[i], diag);
  for (size_t i = 0; i < c.plans.count && status == AQ_OK; i++) {
    const char *name = aq_names_text(&c.plans, (int64_t)i);
    if (!plan || strcmp(plan, name) == 0)
      *count += plan_note(&c.known[i], name, notes);
  }
  aq_run_list_fini(&list);
  aq_names_fini(&c.plans);
  aq_names_fini(&c.keys);
  free(c.known);
  free(c.fates);
  return status;
}
