/* SPDX-License-Identifier: MIT */
/*
 * A record sink that hands on the rows and samples that a choice keeps;
 * devices, queues and names pass. For rows of runs, which have no edges.
 *
 * `to` and `choice` are borrowed. From any thread: in live mode a device puts
 * its packets while host threads retire operations.
 */
#ifndef AQ_STUDY_SESSION_ROW_FILTER_H
#define AQ_STUDY_SESSION_ROW_FILTER_H

#include <pthread.h>

#include "common/record_filter.h"

typedef struct aq_row_filter {
  aq_record_sink sink; /* first: pass &f.sink where a sink is wanted */
  aq_record_sink *to;
  aq_record_filter *choice;
  pthread_mutex_t lock; /* of every call, and so of `to` and `choice` */
} aq_row_filter;

/* Caller's storage, which stays where it is. */
void aq_row_filter_init(aq_row_filter *filter, aq_record_sink *to,
                        aq_record_filter *choice);
void aq_row_filter_fini(aq_row_filter *filter);

#endif
