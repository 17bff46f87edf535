/* SPDX-License-Identifier: MIT */
/* The functions that are not supported: each gives its documented status. */
#include "config.h"

#include "dropin/hsa/base/fidelity.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static hsa_status_t refuse(const char *name, bool *reported,
                           hsa_status_t status)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  aqdrop_fidelity_function(runtime, name, reported);
  return status;
}

static hsa_status_t device_refuse(const char *name, bool *reported,
                                  hsa_agent_t agent, hsa_status_t status)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  aqdrop_fidelity_function(runtime, name, reported);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  return a && a->info ? status : HSA_STATUS_ERROR_INVALID_AGENT;
}

#define R(name, returns, group, parameters, text)
#define S(name, returns, group, parameters, text)
#define U(name, group, status, parameters, text)                               \
  hsa_status_t name parameters                                                 \
  {                                                                            \
    static bool reported;                                                      \
    return refuse(#name, &reported, status);                                   \
  }
#define D(name, group, status, agent, parameters, text)                        \
  hsa_status_t name parameters                                                 \
  {                                                                            \
    static bool reported;                                                      \
    return device_refuse(#name, &reported, agent, status);                     \
  }
#include "dropin/hsa/base/functions.def"
