/* SPDX-License-Identifier: MIT */
/*
 * The log that the client asked for: copies given to engines. The
 * kernels of AMD's runtime, its other subject, are not here.
 *
 * Thread rule: any thread; a line is written as a whole.
 */
#ifndef AQDROP_LOG_H
#define AQDROP_LOG_H

#include "dropin/hsa/base/runtime.h"

/* Writes a line, if copies are logged. */
void aqdrop_log_copy(const aqdrop *runtime, const aq_copy_desc *copy);

#endif
