/* SPDX-License-Identifier: MIT */
/*
 * The gaps that a device model has behind kernels of a name and a grid, for
 * replays (doc/formats/device.md). One thread.
 */
#ifndef AQ_STUDY_SESSION_KERNEL_GAPS_H
#define AQ_STUDY_SESSION_KERNEL_GAPS_H

#include "common/notes.h"
#include "common/record.h"
#include "transport/registry/device_models.h"

typedef struct aq_kernel_gaps {
  aq_device_model *model;       /* owned; NULL: none has gaps */
  const aq_device_gap **sorted; /* owned, by grid and name */
} aq_kernel_gaps;

/* Of a list of devices, as --device takes it; NULL: none. Edits change no gap.
 * Of different models in one list the gaps are left out, and a note reports it.
 */
aq_status aq_kernel_gaps_load(const char *devices, const aq_notes *notes,
                              aq_kernel_gaps *out, aq_diag *diag);
void aq_kernel_gaps_fini(aq_kernel_gaps *gaps);

/* Behind the kernel of a row; 0: the model has none of its own. */
aq_time aq_kernel_gaps_find(const aq_kernel_gaps *gaps, const aq_record *row,
                            const char *name);

#endif
