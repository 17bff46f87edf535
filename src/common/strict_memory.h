/* SPDX-License-Identifier: MIT */
/* How the drop-in protects memory of devices from the host. Any thread. */
#ifndef AQ_COMMON_STRICT_MEMORY_H
#define AQ_COMMON_STRICT_MEMORY_H

#include "diag.h"

typedef enum aq_strict_memory {
  AQ_STRICT_OFF, /* the host reaches all of it */
  AQ_STRICT_NEVER,
  /* A large BAR: the host reaches what hsa_amd_agents_allow_access gave it. */
  AQ_STRICT_ALLOWED,
} aq_strict_memory;

/* "off", "never" or "allowed". */
aq_status aq_strict_memory_read(const char *text, aq_strict_memory *out,
                                aq_diag *diag);

#endif
