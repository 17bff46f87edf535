/* SPDX-License-Identifier: MIT */
/*
 * Gaps of kernels in device models: how long behind the end of a kernel the
 * next one of its queue starts, where the name and grid of the ended kernel
 * decide that. A line each (doc/formats/device.md):
 *
 *   after WORK-ITEMS "NAME" = TIME +- SPREAD ; SOURCE
 */
#ifndef AQSIM_DEVICE_GAPS_H
#define AQSIM_DEVICE_GAPS_H

#include "backend_sim/model/device_model.h"

/* Whether a line of a model file is of this kind. */
bool aqsim_gap_is_line(const char *line, size_t length);

/* Adds the gap of such a line to the model; `from` names the file: a line
 * replaces one of another pointer, an inherited one, and no other.
 * Returns NULL, or the problem as static text; on one, nothing is added. */
const char *aqsim_gap_read(aqsim_model *model, const char *line, size_t length,
                           const char *from);

/* The lines as text that a digest takes, one at a time: what moves the
 * timeline. */
void aqsim_gap_print(const aqsim_gap *gap, char *text, size_t size);

#endif
