/* SPDX-License-Identifier: MIT */
/*
 * What command processors and copy engines do to a word of memory: both number
 * their comparisons and atomic operations alike. Host threads may change the
 * same word.
 */
#ifndef AQSIM_MEMORY_OPS_H
#define AQSIM_MEMORY_OPS_H

#include "backend_sim/engine/dependency_wait.h"

enum { AQSIM_COMPARES = 8 };

/* By the function of a wait, without signs; NULL: there is none. */
extern aqsim_compare *const aqsim_compares[AQSIM_COMPARES];

/* An atomic operation (AQ_PM4_ATOMIC_…, without AQ_PM4_ATOMIC_64) on an
 * aligned word of 4 or 8 bytes; operands have no bits beyond it. Acquire and
 * release. False: the operation is not served. */
bool aqsim_memory_change(void *at, uint32_t size, uint32_t operation,
                         uint64_t operand, uint64_t expected);

#endif
