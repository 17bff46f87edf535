/* SPDX-License-Identifier: MIT */
/*
 * The devices of one transport, as users name them: "mi300x", "mi300x*4",
 * "mi300x*2,mi210,./own.device". Device 0 is the first of the list.
 *
 * Edits are "KEY=VALUE" for all devices or "N:KEY=VALUE" for device N. A set
 * owns its models. One thread at a time.
 */
#ifndef AQSIM_DEVICE_SET_H
#define AQSIM_DEVICE_SET_H

#include "backend_sim/model/device_model.h"

enum { AQSIM_DEVICES_MAX = 64 };

typedef struct aqsim_device_set {
  aqsim_model *models[AQSIM_DEVICES_MAX];
  uint32_t count; /* at least 1 */
} aqsim_device_set;

/* How many devices a list names; no model is looked at. */
aq_status aqsim_device_set_count(const char *list, uint32_t *count,
                                 aq_diag *diag);

/* Loads the model of each, with its edits (NULL ends them; NULL: none). */
aq_status aqsim_device_set_load(const char *list, const char *const *edits,
                                aqsim_device_set *out, aq_diag *diag);

void aqsim_device_set_fini(aqsim_device_set *set);

#endif
