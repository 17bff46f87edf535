/* SPDX-License-Identifier: MIT */
/* Running a scenario into a store. Texts are borrowed; one thread. */
#ifndef AQ_STUDY_SESSION_SCENARIO_RUN_H
#define AQ_STUDY_SESSION_SCENARIO_RUN_H

#include "study/session/session.h"

/* Reads the scenario at `path`, runs it and stores it under `info`, whose
 * source, format, seed and kind it sets. A session without a device that is
 * not for hardware gets the device of the scenario. `out` is as of
 * aq_session_run. */
aq_status aq_scenario_perform(const aq_session *session, aq_store *store,
                              const char *path,
                              const aq_scenario_options *options,
                              aq_run_info *info, aq_performed *out,
                              aq_diag *diag);

#endif
