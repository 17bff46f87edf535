/* SPDX-License-Identifier: MIT */
/* The devices of a simulator: made of their models, which options name. On the
 * thread that opens and closes it. */
#ifndef AQSIM_DEVICES_H
#define AQSIM_DEVICES_H

#include "backend_sim/core.h"

/* Loads the models, makes devices and links of them and attaches the policy.
 * close is right after a failure too. */
aq_status aqsim_devices_open(aqsim *sim, const aq_transport_options *options,
                             aq_diag *diag);
void aqsim_devices_close(aqsim *sim);

/* The number of a device's UUID: the same for the same place in a list of
 * devices. */
uint64_t aqsim_device_unique(const aqsim_model *model, uint32_t ordinal);

#endif
