/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/transport.h"

/* By bit. */
static const char *const cap_names[] = {"virtual time",
                                        "live",
                                        "records",
                                        "timing",
                                        "host kernels",
                                        "code objects",
                                        "copies",
                                        "CU masks",
                                        "priority",
                                        "barrier value",
                                        "PM4",
                                        "device policy",
                                        "handlers",
                                        "profiling",
                                        "cooperative queues",
                                        "agent queues",
                                        "inspection",
                                        "device hooks",
                                        "memory fault events",
                                        "counters",
                                        "execution of code"};

const char *aq_transport_cap_name(uint32_t cap)
{
  for (uint32_t i = 0; i < sizeof cap_names / sizeof *cap_names; i++)
    if (cap == UINT32_C(1) << i)
      return cap_names[i];
  return NULL;
}
