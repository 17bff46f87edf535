/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/runs.h"

#include <string.h>

#include "study/session/replay.h"
#include "study/session/scenario_run.h"

/* Takes over a caller's struct, which may be older or newer than `out`; both
 * begin with their size. */
static aq_status struct_read(const void *from, void *out, uint32_t size,
                             const char *type, aq_diag *diag)
{
  uint32_t given;
  memcpy(&given, from, sizeof given);
  if (given < sizeof given)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%s: its size is %u; sizeof(%s) expected", type, given,
                       type);
  memcpy(out, from, given < size ? given : size);
  return AQ_OK;
}

static aq_status performance_find(const aq_performance_options *options,
                                  aq_session *out, aq_diag *diag)
{
  aq_performance_options known = {0};
  aq_status status = options ? struct_read(options, &known, sizeof known,
                                           "aq_performance_options", diag)
                             : AQ_OK;
  return status == AQ_OK ? aq_session_init(out, &known, NULL, diag) : status;
}

aq_status aq_scenario_run(aq_store *store, const char *path,
                          const aq_scenario_options *scenario,
                          const aq_performance_options *options,
                          const char *name, int64_t *run, aq_diag *diag)
{
  const aq_scenario_options as_written = {.seed = -1};
  aq_session session;
  aq_performed performed;
  aq_run_info info;
  aq_status status = performance_find(options, &session, diag);
  if (status != AQ_OK)
    return status;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  info.name = name;
  status = aq_scenario_perform(&session, store, path,
                               scenario ? scenario : &as_written, &info,
                               &performed, diag);
  if (status == AQ_OK) {
    *run = performed.run;
    aq_performed_fini(&performed);
  }
  aq_session_fini(&session);
  return status;
}

aq_status aq_replay_run(aq_store *store, const aq_replay_ask *ask,
                        const aq_performance_options *options, const char *name,
                        int64_t *run, aq_diag *diag)
{
  aq_session session;
  aq_performed performed;
  aq_run_info info;
  aq_replay_ask known = {.confidence = AQ_REPLAY_EDGES_DEFAULT};
  aq_status status =
      struct_read(ask, &known, sizeof known, "aq_replay_ask", diag);
  if (status == AQ_OK)
    status = performance_find(options, &session, diag);
  if (status != AQ_OK)
    return status;
  aq_run_info_init(&info, AQ_RUN_SIMULATED);
  info.name = name;
  info.seed = (int64_t)session.options.seed;
  status = aq_replay_perform(&session, store, &known, NULL, &info, &performed,
                             NULL, diag);
  if (status == AQ_OK) {
    *run = performed.run;
    aq_performed_fini(&performed);
  }
  aq_session_fini(&session);
  return status;
}
