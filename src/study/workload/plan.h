/* SPDX-License-Identifier: MIT */
/*
 * Plans: the runs of a study, as a product of workloads, parameters, devices,
 * policies and seeds (doc/formats/plan.md).
 *
 * A plan owns everything that its points name. Points come in one order, which
 * depends on the files alone. One thread.
 */
#ifndef AQ_STUDY_WORKLOAD_PLAN_H
#define AQ_STUDY_WORKLOAD_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/diag.h"

typedef struct aq_plan_point {
  const char *workload;          /* how the plan calls it */
  const char *file;              /* of the scenario */
  const char *const *parameters; /* "NAME=VALUE", ended by NULL */
  const char *device;            /* NULL: the scenario's */
  const char *const *edits;      /* "KEY=VALUE" of the device, ended by NULL */
  const char *policy;            /* NULL: none */
  int64_t seed;                  /* negative: the scenario's */
  uint32_t alone; /* the entry of the client that acts alone, from 1; 0: all */
} aq_plan_point;

typedef struct aq_plan {
  const char *name;
  const aq_plan_point *points;
  size_t count;
  uint32_t queues; /* hardware queues a device; 0: one a stream */
  bool rows;       /* packets are kept, not only requests and sums */
  bool figures;    /* figures are kept instead of requests */
  struct aq_plan_store *own;
} aq_plan;

/* Reads a plan and every scenario it names. `data` as in aq_scenario_options.
 * Errors are AQ_ERR_INPUT and name file and place. */
aq_status aq_plan_open(const char *path, const char *data, aq_plan *out,
                       aq_diag *diag);
void aq_plan_close(aq_plan *plan);

#endif
