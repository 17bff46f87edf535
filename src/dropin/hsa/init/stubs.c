/* SPDX-License-Identifier: MIT */
/* The functions that are not supported: each gives its documented status. */
#include "config.h"

#include "dropin/hsa/base/fidelity.h"
#include "dropin/hsa/base/hsa.h"
#include "dropin/hsa/base/runtime.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

static hsa_status_t refuse(const char *name, bool *told, hsa_status_t status)
{
  AQDROP_LOOK(runtime);
  aqdrop_fidelity_function(runtime, name, told);
  return status;
}

static hsa_status_t device_refuse(const char *name, bool *told,
                                  hsa_agent_t agent, hsa_status_t status)
{
  AQDROP_LOOK(runtime);
  aqdrop_fidelity_function(runtime, name, told);
  const aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  return a && a->info ? status : HSA_STATUS_ERROR_INVALID_AGENT;
}

#define R(name, returns, group, parameters, text)
#define S(name, returns, group, parameters, text)
#define U(name, group, status, parameters, text)                               \
  hsa_status_t name parameters                                                 \
  {                                                                            \
    static bool told;                                                          \
    return refuse(#name, &told, status);                                       \
  }
#define D(name, group, status, agent, parameters, text)                        \
  hsa_status_t name parameters                                                 \
  {                                                                            \
    static bool told;                                                          \
    return device_refuse(#name, &told, agent, status);                         \
  }
#include "dropin/hsa/base/functions.def"
