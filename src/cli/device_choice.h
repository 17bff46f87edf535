/* SPDX-License-Identifier: MIT */
/*
 * Which device model stands for the GPU of a measured run.
 */
#ifndef AQ_CLI_DEVICE_CHOICE_H
#define AQ_CLI_DEVICE_CHOICE_H

#include "common/diag.h"
#include "store/store.h"

/* The models for the devices that the run's queues belong to, in their order,
 * and for the version of HIP that the run's notes name: a list as --device
 * takes it, "mi300x*8"; the caller frees it. No model for one of them is
 * AQ_ERR_INPUT with the models there are. */
aq_status aq_device_choose(aq_run_reader *reader, const char *notes, char **out,
                           aq_diag *diag);

#endif
