/* SPDX-License-Identifier: MIT */
/*
 * What atomics and waits for values may ask for, by builders, programs of files
 * and queues alike. Pure functions.
 */
#ifndef AQ_CMDBUF_VALUE_CHECK_H
#define AQ_CMDBUF_VALUE_CHECK_H

#include "common/diag.h"
#include "gpu/devlib/device_args.h"

/* Makes a wait of 32 bits one of its low bits, and a mask of 0 that of all. */
void aq_wait_args_normalise(aq_wait_args *wait);

/* AQ_ERR_INVALID: a size that is neither 4 nor 8, a place that is not aligned
 * to it, an unknown condition, or a value that the masked bits cannot have or
 * that is not the same number with a sign and without. Places in buffers are
 * given as their offsets. */
aq_status aq_wait_args_check(const aq_wait_args *wait, aq_diag *diag);

/* The same; an unknown operation, or a store with a result. */
aq_status aq_atomic_args_check(const aq_atomic_args *atomic, bool returns,
                               aq_diag *diag);

#endif
