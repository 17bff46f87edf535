/* SPDX-License-Identifier: MIT */
/* The observer of a checker. Within check only. */
#ifndef AQ_GPU_CHECK_OBSERVE_H
#define AQ_GPU_CHECK_OBSERVE_H

struct aq_check;

/* Fills check->observer. */
void aq_check_observer_make(struct aq_check *check);

#endif
