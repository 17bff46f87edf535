/* SPDX-License-Identifier: MIT */
/*
 * Which device model stands for the GPU of a measured run.
 */
#ifndef AQ_STUDY_SESSION_DEVICE_CHOICE_H
#define AQ_STUDY_SESSION_DEVICE_CHOICE_H

#include "common/diag.h"
#include "store/store.h"

enum { AQ_DEVICE_REASON = 400 };

typedef struct aq_device_choice {
  char *models; /* a list as --device takes it, "mi300x*8"; the caller frees */
  char reason[AQ_DEVICE_REASON]; /* text without a period */
} aq_device_choice;

/* `option` names what chooses a model, for errors: "--device". The models for
 * the devices that the run's queues belong to, in their order, and for the
 * version of HIP that the run's notes name and the profiler of its format:
 * where none was measured so, the nearest, and the reason warns of another
 * profiler or major version. Where the run says nothing of a GPU it is guessed
 * from the step of the timestamps: 160 ns on gfx90a, 40 ns on gfx942; never
 * where its waves have 32 work-items, which no gfx9 runs. No model for one of
 * them is AQ_ERR_INPUT with the models there are. `reader` is not moved.
 */
aq_status aq_device_choose(aq_store *store, const aq_run_info *run,
                           aq_run_reader *reader, const char *option,
                           aq_device_choice *out, aq_diag *diag);

#endif
