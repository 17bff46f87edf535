/* SPDX-License-Identifier: MIT */
/* Plays a scenario: its clients as agents that make calls one after the other,
 * on the thread of the loop that asks for jobs. */
#ifndef AQ_WORKLOAD_SCENARIO_PLAYER_H
#define AQ_WORKLOAD_SCENARIO_PLAYER_H

#include "workload/scenario_model.h"

/* The source of a scenario's jobs, which owns what was in `scenario`; after a
 * failure the caller does. Only entry `alone` of the clients acts, from 1; 0:
 * all. */
aq_status aq_scenario_play(aq_scenario *scenario, uint32_t alone,
                           aq_workload_source **out, aq_diag *diag);

#endif
