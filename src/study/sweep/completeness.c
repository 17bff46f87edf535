/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/sweep/completeness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/map.h"
#include "common/text.h"
#include "study/sweep/candidates.h"

typedef struct known {
  size_t ended, failed;
  int64_t points; /* of the newest run that says it */
} known;

typedef struct counter {
  aq_names plans;
  aq_names points; /* a plan, and a key: each counts once */
  known *known;    /* by plan */
  size_t capacity;
} counter;

static aq_status point_count(counter *c, const aq_candidate *of, aq_diag *diag)
{
  const char *plan = of->place.plan;
  char *point;
  if (asprintf(&point, "%s\n%s", of->info->content_key, plan) < 0)
    return aq_diag_no_memory(diag);
  const size_t before = c->points.count;
  const int64_t id = aq_names_id(&c->plans, plan, strlen(plan));
  const bool good =
      id >= 0 && aq_names_id(&c->points, point, strlen(point)) >= 0 &&
      AQ_ARRAY_RESERVE_ZEROED(c->known, c->capacity, (size_t)id + 1);
  free(point);
  if (!good)
    return aq_diag_no_memory(diag);
  known *all = &c->known[id];
  if (of->place.points > 0)
    all->points = of->place.points;
  if (c->points.count > before) {
    all->ended += !of->info->failed;
    all->failed += of->info->failed != NULL;
  }
  return AQ_OK;
}

static size_t plan_note(const known *of, const char *name,
                        const aq_notes *notes)
{
  const bool lacks = of->ended + of->failed < (size_t)of->points;
  if (lacks)
    aq_note(notes,
            "%zu of %" PRId64 " points of plan %s in the store; the same sweep "
            "runs the others",
            of->ended + of->failed, of->points, name);
  if (of->failed)
    aq_note(notes,
            "%zu point%s of plan %s failed, in no figure; a sweep that retries "
            "runs failed points again",
            of->failed, aq_text_plural(of->failed), name);
  return lacks + (of->failed > 0);
}

aq_status aq_plans_incomplete(aq_store *store, const char *plan,
                              const aq_notes *notes, size_t *count,
                              aq_diag *diag)
{
  counter c = {.plans = AQ_NAMES_INIT, .points = AQ_NAMES_INIT};
  aq_candidates candidates;
  aq_status status =
      aq_candidates_read(store, NULL, 0, plan, true, &candidates, diag);
  *count = 0;
  if (status != AQ_OK)
    return status;
  /* A point that failed and was run later, or before, has ended. */
  for (int failed = 0; failed < 2; failed++)
    for (size_t i = 0; i < candidates.count && status == AQ_OK; i++) {
      const aq_candidate *of = &candidates.of[i];
      if (!of->outdated && of->info->content_key && of->place.plan[0] &&
          (of->info->failed != NULL) == failed)
        status = point_count(&c, of, diag);
    }
  for (size_t i = 0; i < c.plans.count && status == AQ_OK; i++)
    *count +=
        plan_note(&c.known[i], aq_names_text(&c.plans, (int64_t)i), notes);
  aq_candidates_fini(&candidates);
  aq_names_fini(&c.plans);
  aq_names_fini(&c.points);
  free(c.known);
  return status;
}
