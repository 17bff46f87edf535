/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files that read a plan: its contents before they become points,
 * and its small pieces. The store of a plan owns its arena and points; all else
 * lies in the arena. Errors are AQ_ERR_INPUT and name file and place.
 */
#ifndef AQ_STUDY_WORKLOAD_PLAN_PRIV_H
#define AQ_STUDY_WORKLOAD_PLAN_PRIV_H

#include "common/arena.h"
#include "common/json_in.h"
#include "study/workload/plan.h"

enum {
  AQ_PLAN_LIST_MAX = 4096,
  AQ_PLAN_AXES_MAX = 16, /* parameters that vary */
  AQ_PLAN_TEXT_MAX = 4096,
};

/* A list of texts, ended by NULL. */
typedef struct aq_plan_texts {
  const char **at;
  size_t count;
} aq_plan_texts;

typedef struct aq_plan_device {
  const char *name; /* NULL: the scenario's */
  aq_plan_texts edits;
} aq_plan_device;

typedef struct aq_plan_workload {
  const char *name, *file;
  /* What varies: "NAME=VALUE" for each value. */
  aq_plan_texts axes[AQ_PLAN_AXES_MAX];
  size_t axis_count;
} aq_plan_workload;

typedef struct aq_plan_store {
  aq_arena arena;
  aq_plan_workload *workloads;
  size_t workload_count;
  aq_plan_device *devices;
  size_t device_count;
  aq_plan_texts policies; /* NULL among them: none */
  int64_t *seeds;
  size_t seed_count;
  bool alone;
  aq_plan_point *points;
  size_t count, capacity;
} aq_plan_store;

/* ---- pieces (plan_values.c) ---- */

aq_status aq_plan_text(aq_plan_store *p, const aq_json_node *node,
                       const char **out);

/* "NAME=VALUE" of a text, a number, true or false. */
/* A text whose paths (of parts between commas; of a policy the first) are seen
 * from the folder of the plan: relative ones that have a slash. */
aq_status aq_plan_seen(aq_plan_store *p, const aq_json_node *node,
                       const char *text, bool all, const char **out);

aq_status aq_plan_pair(aq_plan_store *p, const aq_json_node *node,
                       const char *name, const char **out);

/* One value or a list of them, as pairs. */
aq_status aq_plan_values(aq_plan_store *p, const aq_json_node *node,
                         const char *name, aq_plan_texts *out);

/* One combination of values to the next, the last axis the fastest; false
 * behind the last, with `at` all zero again. */
bool aq_plan_turn(const aq_plan_texts *axes, size_t count, size_t *at);

/* ---- members of the document ---- */

aq_status aq_plan_workloads(aq_plan_store *p, const aq_json_node *root);
aq_status aq_plan_devices(aq_plan_store *p, const aq_json_node *root);
aq_status aq_plan_policies(aq_plan_store *p, const aq_json_node *root);
aq_status aq_plan_seeds(aq_plan_store *p, const aq_json_node *root);

/* The points of one workload, behind those there are. */
aq_status aq_plan_points_add(aq_plan_store *p, const aq_json_node *root,
                             const aq_plan_workload *workload,
                             const char *data);

#endif
