/* SPDX-License-Identifier: MIT */
/*
 * The life of kernels in an open simulator, where packets in flight refer to
 * them. Whoever drives time calls it.
 */
#ifndef AQSIM_MODULES_H
#define AQSIM_MODULES_H

#include "backend_sim/core.h"

/* Retires the kernel of an object, if there is one, and frees the retired
 * kernels that no packet in flight refers to. */
void aqsim_kernel_forget(aqsim *sim, uint64_t object);

/* Frees the retired kernels that no packet in flight refers to. */
void aqsim_kernels_collect(aqsim *sim);

#endif
