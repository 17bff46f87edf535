/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libhsa-runtime64: one CPU and two GPUs, or, with
 * FAKE_HSA_STATUS set, a runtime that fails to initialise.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct fake_agent {
  uint64_t handle;
} fake_agent;

EXPORT uint32_t hsa_init(void);
EXPORT uint32_t hsa_shut_down(void);
EXPORT uint32_t hsa_status_string(uint32_t status, const char **text);
EXPORT uint32_t hsa_iterate_agents(uint32_t (*visit)(fake_agent, void *),
                                   void *user);
EXPORT uint32_t hsa_agent_get_info(fake_agent agent, uint32_t what, void *out);

uint32_t hsa_init(void)
{
  const char *status = getenv("FAKE_HSA_STATUS");
  return status ? (uint32_t)strtoul(status, NULL, 0) : 0;
}

uint32_t hsa_shut_down(void)
{
  return 0;
}

uint32_t hsa_status_string(uint32_t status, const char **text)
{
  if (status != 0x1008)
    return 1;
  *text = "HSA_STATUS_ERROR_OUT_OF_RESOURCES";
  return 0;
}

uint32_t hsa_iterate_agents(uint32_t (*visit)(fake_agent, void *), void *user)
{
  for (uint64_t i = 0; i < 3; i++)
    if (visit((fake_agent){i}, user) != 0)
      return 1;
  return 0;
}

uint32_t hsa_agent_get_info(fake_agent agent, uint32_t what, void *out)
{
  uint32_t device = agent.handle > 0;
  if (what == 17)
    memcpy(out, &device, sizeof device);
  else if (what == 0)
    strcpy(out, agent.handle == 1 ? "gfx942" : "gfx90a");
  else
    return 1;
  return 0;
}
