/* SPDX-License-Identifier: MIT */
/*
 * One point of a plan: what it depends on as a key, and its run.
 */
#ifndef AQ_CLI_POINT_H
#define AQ_CLI_POINT_H

#include "cli/cli.h"
#include "store/store.h"
#include "workload/plan.h"

enum { AQ_CLI_KEY_SIZE = 33 };

/* Keys of points; what neighbours share is read once. */
typedef struct aq_cli_keyring {
  aq_cli *cli;
  const aq_plan *plan;
  const aq_plan_point *last;                  /* NULL: none yet */
  unsigned __int128 workload, device, policy; /* of the last */
} aq_cli_keyring;

/* Everything that the rows of a point depend on: the scenario's text and
 * parameters, constants of the devices, policy and its settings, seed, queues,
 * version. */
aq_status aq_cli_point_key(aq_cli_keyring *ring, const aq_plan_point *point,
                           char out[static AQ_CLI_KEY_SIZE]);

/* Runs it and stores it; says nothing. */
aq_status aq_cli_point_run(aq_cli *cli, aq_store *store, const aq_plan *plan,
                           const aq_plan_point *point, const char *key,
                           int64_t *run);

#endif
