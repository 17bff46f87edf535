/* SPDX-License-Identifier: MIT */
/* Shared by the files that write PM4; only they include it. */
#ifndef AQ_CMDBUF_PM4_PRIV_H
#define AQ_CMDBUF_PM4_PRIV_H

#include "cmdbuf/pm4.h"
#include "common/map.h"

enum { AQ_PM4_ASKS_ARGS = 1 << 3 /* of aq_pm4_kernel.asks */ };

typedef struct aq_pm4_kernel {
  uint64_t object;
  uint64_t entry; /* of its code; of a host function the object */
  uint32_t rsrc1, rsrc2, rsrc3;
  uint16_t asks; /* of a descriptor's properties */
  bool wave32;
} aq_pm4_kernel;

struct aq_pm4_code {
  uint32_t references; /* atomic */
  unsigned generation;
  uint32_t lds_granule;
  aq_builtins builtins;
  aq_map by_object; /* to 1 + the index */
  uint32_t count;
  aq_pm4_kernel kernels[];
};

#endif
