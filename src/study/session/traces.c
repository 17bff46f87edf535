/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/session/traces.h"

#include <stdlib.h>

#include "study/session/cost.h"
#include "transport/registry/device_models.h"

struct aq_session_traces {
  int64_t *clocks; /* by device, Hz */
  uint32_t count;
};

static int64_t clock_of(uint32_t device, void *user)
{
  const aq_session_traces *traces = user;
  return device < traces->count ? traces->clocks[device] : 0;
}

aq_status aq_session_traces_create(const char *wave, aq_transport_stack *stack,
                                   aq_session_traces **out, aq_diag *diag)
{
  *out = NULL;
  if (!wave)
    return AQ_OK;
  aq_session_traces *traces = calloc(1, sizeof *traces);
  if (!traces)
    return aq_diag_no_memory(diag);
  aq_status status =
      aq_transport_stack_steps(stack, wave, clock_of, traces, diag);
  if (status == AQ_OK)
    *out = traces;
  else
    free(traces);
  return status;
}

void aq_session_traces_destroy(aq_session_traces *traces)
{
  if (!traces)
    return;
  free(traces->clocks);
  free(traces);
}

aq_status aq_session_traces_open(aq_session_traces *traces, aq_transport *t,
                                 const char *devices, const char *const *edits,
                                 aq_diag *diag)
{
  aq_transport_info info;
  aq_status status = AQ_OK;
  if (!traces)
    return AQ_OK;
  t->ops->info(t, &info);
  if (info.device_count == 0 || !info.devices[0].model)
    return aq_diag_set(diag, AQ_ERR_UNSUPPORTED,
                       "profile executable-traces: transport %s has no "
                       "device model; expected a simulator, which executes the "
                       "code of kernels",
                       t->ops->name);
  free(traces->clocks);
  traces->count = 0;
  traces->clocks = calloc(info.device_count, sizeof *traces->clocks);
  if (!traces->clocks)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < info.device_count && status == AQ_OK; i++) {
    aq_device_model *model;
    status = aq_session_model_load(&info, i, devices, edits, &model, diag);
    if (status != AQ_OK)
      break;
    traces->clocks[traces->count++] = aq_device_model_number(model, "clock");
    aq_device_model_free(model);
  }
  return status;
}
