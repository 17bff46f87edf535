/* SPDX-License-Identifier: MIT */
/* Executes a scenario: its clients are agents that make calls one after the
 * other, on the thread of the loop that asks for jobs. */
#ifndef AQ_STUDY_WORKLOAD_SCENARIO_PLAYER_H
#define AQ_STUDY_WORKLOAD_SCENARIO_PLAYER_H

#include "study/workload/scenario_model.h"

/* The source of a scenario's jobs, which takes over the contents of `scenario`;
 * after a failure they stay the caller's. Only entry `alone` of the clients
 * acts, from 1; 0: all. */
aq_status aq_scenario_play(aq_scenario *scenario, uint32_t alone,
                           aq_workload_source **out, aq_diag *diag);

#endif
