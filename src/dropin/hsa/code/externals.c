/* SPDX-License-Identifier: MIT */
/*
 * Variables that the client has, and code objects only name. They are defined
 * before the code objects are loaded that refer to them.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "dropin/hsa/base/executables.h"

/* The agent is NULL for a variable of the program. */
static hsa_status_t external_define(aqdrop *runtime,
                                    hsa_executable_t executable,
                                    aqdrop_agent *agent, const char *name,
                                    uint32_t segment, void *address)
{
  aqdrop_executable *e = aqdrop_executable_from(runtime, executable);
  if (!e)
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!name || !*name || !address)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  aqdrop_external *made = malloc(sizeof *made);
  char *own = strdup(name);
  hsa_status_t status =
      made && own ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  pthread_mutex_lock(&runtime->lock);
  if (e->state == HSA_EXECUTABLE_STATE_FROZEN)
    status = HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  else if (aqdrop_symbol_find_locked(e, name, agent))
    status = HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
  if (status == HSA_STATUS_SUCCESS) {
    *made = (aqdrop_external){
        .next = e->externals,
        .code = {.name = own,
                 .is_object = true,
                 .is_const = segment == HSA_VARIABLE_SEGMENT_READONLY},
        .symbol = {.next = e->symbols,
                   .agent = agent,
                   .code = &made->code,
                   .address = (uintptr_t)address,
                   .segment = segment}};
    e->externals = made;
    e->symbols = &made->symbol;
  }
  pthread_mutex_unlock(&runtime->lock);
  if (status != HSA_STATUS_SUCCESS) {
    free(made);
    free(own);
  }
  return status;
}

/* A variable of a device. */
static hsa_status_t agent_define(hsa_executable_t executable, hsa_agent_t agent,
                                 const char *name, uint32_t segment,
                                 void *address)
{
  AQDROP_ENTER_UNRECORDED(runtime);
  aqdrop_agent *a = aqdrop_agent_from(runtime, agent);
  if (!aqdrop_executable_from(runtime, executable))
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!a || !a->info)
    return HSA_STATUS_ERROR_INVALID_AGENT;
  return external_define(runtime, executable, a, name, segment, address);
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable,
                                                   const char *variable_name,
                                                   void *address)
{
  AQDROP_ENTER(runtime);
  return external_define(runtime, executable, NULL, variable_name,
                         HSA_VARIABLE_SEGMENT_GLOBAL, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(
    hsa_executable_t executable, hsa_agent_t agent, const char *variable_name,
    void *address)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return agent_define(executable, agent, variable_name,
                      HSA_VARIABLE_SEGMENT_GLOBAL, address);
}

hsa_status_t hsa_executable_readonly_variable_define(
    hsa_executable_t executable, hsa_agent_t agent, const char *variable_name,
    void *address)
{
  AQDROP_RECORD_CALL(AQ_KIND_CALL);
  return agent_define(executable, agent, variable_name,
                      HSA_VARIABLE_SEGMENT_READONLY, address);
}
