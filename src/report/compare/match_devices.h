/* SPDX-License-Identifier: MIT */
/*
 * Which device each dispatch of a run is of, by a number that two runs can
 * share: from 1 in the order of the devices' ranks, then of the source's ids
 * (ordinals are in the order of the first dispatches). A device on which
 * several ranks have dispatches is one for each of them. 0: not known. Pure;
 * one thread.
 */
#ifndef AQ_REPORT_COMPARE_MATCH_DEVICES_H
#define AQ_REPORT_COMPARE_MATCH_DEVICES_H

#include "report/stats/dispatches.h"

typedef struct aq_match_devices {
  uint32_t *numbers; /* of each dispatch */
  int64_t *ordinals; /* in the run, of the device of a number */
  size_t count;      /* devices */
} aq_match_devices;

/* `ids` has the source's ids by ordinal. Ranks are known of dispatches that
 * were read with their context (launch_context.h). False: no memory. */
bool aq_match_devices_number(const aq_dispatches *dispatches,
                             const int64_t *ids, size_t id_count,
                             aq_match_devices *out);
void aq_match_devices_fini(aq_match_devices *devices);

#endif
