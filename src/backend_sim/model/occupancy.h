/* SPDX-License-Identifier: MIT */
/* The resources of a device model, as the calculation of common/resources.h
 * takes them. Pure functions. */
#ifndef AQSIM_OCCUPANCY_H
#define AQSIM_OCCUPANCY_H

#include "backend_sim/model/device_model.h"
#include "common/resources.h"

aq_device_resources aqsim_device_resources(const aqsim_model *model);

/* The capacity of an empty compute unit. */
aq_resources aqsim_cu_resources(const aqsim_model *model);

/* The share of a workgroup, never more than the capacity. */
aq_resources aqsim_workgroup_resources(const aqsim_model *model,
                                       const aq_workgroup_shape *shape);

#endif
