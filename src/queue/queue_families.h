/* SPDX-License-Identifier: MIT */
/*
 * Queue families: the kinds of queues that a device offers, and how many of
 * each. Pure functions; any thread.
 */
#ifndef AQ_QUEUE_QUEUE_FAMILIES_H
#define AQ_QUEUE_QUEUE_FAMILIES_H

#include "common/export.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

typedef enum aq_queue_family_kind {
  AQ_QUEUE_FAMILY_COMPUTE, /* AQL queues, which aq_queue_create opens */
  AQ_QUEUE_FAMILY_COPY, /* copy engines (SDMA); copies of a queue choose one */
  AQ_QUEUE_FAMILY_HOST, /* the host's part: files, functions; one after another
                         */
  AQ_QUEUE_FAMILY_COUNT
} aq_queue_family_kind;

/* "compute", "copy", "host"; NULL outside of the enumeration. Static text. */
AQ_API const char *aq_queue_family_name(aq_queue_family_kind kind);

typedef struct aq_queue_family {
  aq_queue_family_kind kind;
  uint32_t count; /* that may exist or work at once; 0: not known */
  uint32_t peer;  /* of copy engines: of them for other devices alone */
  /* aq_transport_cap bits of its queues: priorities, CU masks, cooperative ones
   * (one of them), PM4, barrier values and timestamps. */
  uint32_t caps;
} aq_queue_family;

/* Writes the families of a device into `out`, and returns how many: every
 * device has compute and host, and copy where its transport has copies. 0:
 * there is no such device. */
AQ_API uint32_t aq_queue_families(const aq_transport_info *info,
                                  uint32_t device,
                                  aq_queue_family out[AQ_QUEUE_FAMILY_COUNT]);

AQ_END_DECLS

#endif
