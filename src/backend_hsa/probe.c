/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_hsa/probe.h"

#include <stdio.h>

#include "backend_hsa/library.h"

enum { NAME_BYTES = 64 };

typedef struct visit {
  const aqhsa_api *api;
  aqhsa_probe_result *out;
} visit;

static hsa_status_t visit_agent(hsa_agent_t agent, void *user)
{
  visit *v = user;
  uint32_t device = HSA_DEVICE_TYPE_CPU;
  char name[NAME_BYTES] = "";
  if (v->api->hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &device) !=
      HSA_STATUS_SUCCESS)
    return HSA_STATUS_SUCCESS; /* the others may report more */
  if (device == HSA_DEVICE_TYPE_CPU)
    v->out->cpus++;
  if (device != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  v->api->hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
  if (v->out->gpus++ == 0)
    snprintf(v->out->gpu, sizeof v->out->gpu, "%.63s", name);
  return HSA_STATUS_SUCCESS;
}

static void runtime_try(const aqhsa_api *api, aqhsa_probe_result *out)
{
  visit v = {api, out};
  hsa_status_t status = api->hsa_init();
  if (status == HSA_STATUS_SUCCESS) {
    api->hsa_iterate_agents(visit_agent, &v);
    api->hsa_shut_down();
    out->state = AQHSA_PROBE_READY;
    return;
  }
  out->state = AQHSA_PROBE_FAILED;
  snprintf(out->problem, sizeof out->problem, "hsa_init: %s (0x%x)",
           aqhsa_status_text(api, status), (unsigned)status);
}

void aqhsa_probe(const char *path, aqhsa_probe_result *out)
{
  aqhsa_library library;
  aq_diag diag = AQ_DIAG_INIT;
  *out = (aqhsa_probe_result){.state = AQHSA_PROBE_ABSENT};
  aq_status status = aqhsa_library_find(path, &library, &diag);
  if (status == AQ_OK) {
    snprintf(out->path, sizeof out->path, "%s", library.path);
    out->state = AQHSA_PROBE_FOREIGN;
    status = aqhsa_library_bind(&library, AQHSA_API_PROBE, &diag);
  }
  if (status == AQ_OK)
    runtime_try(&library.api, out);
  else
    snprintf(out->problem, sizeof out->problem, "%s", diag.text);
  aqhsa_library_close(&library);
}
