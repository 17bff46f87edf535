/* SPDX-License-Identifier: MIT */
/*
 * Occupancy: how many workgroups a compute unit holds at once, and what limits
 * their number. Pure functions.
 *
 * A compute unit is one pool of each resource. Registers belong to SIMDs, which
 * hold whole waves: a wave is charged an equal part of its SIMD, one of as many
 * as fit, so that a kernel alone gets exactly what its registers allow.
 */
#ifndef AQSIM_OCCUPANCY_H
#define AQSIM_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

#include "backend_sim/model/device_model.h"

typedef enum aqsim_resource {
#define R(name, text) AQSIM_##name,
#include "backend_sim/model/resources.def"
#undef R
  AQSIM_RESOURCES
} aqsim_resource;

/* Units: wave slots, 1/256 registers a SIMD, bytes, workgroups. */
typedef struct aqsim_resources {
  int32_t of[AQSIM_RESOURCES];
} aqsim_resources;

/* The request of a workgroup; registers 0: not known, no limit. */
typedef struct aqsim_workgroup_shape {
  uint64_t items;               /* work-items; at least 1 */
  uint32_t wave_size;           /* 0: the device's */
  uint32_t vgprs, agprs, sgprs; /* a wave */
  uint64_t lds;                 /* bytes */
  uint32_t most; /* workgroups that a compute unit was seen to hold, whatever
                    limits them; 0: not known */
} aqsim_workgroup_shape;

/* The capacity of an empty compute unit. */
aqsim_resources aqsim_cu_resources(const aqsim_model *model);

/* The share of a workgroup, never more than the capacity. */
aqsim_resources aqsim_workgroup_resources(const aqsim_model *model,
                                          const aqsim_workgroup_shape *shape);

/* How many workgroups fit into `room`; *limit, unless NULL, is the resource
 * that is exhausted first. */
uint32_t aqsim_occupancy(const aqsim_resources *room,
                         const aqsim_resources *workgroup,
                         aqsim_resource *limit);

static inline bool aqsim_resources_fit(const aqsim_resources *room,
                                       const aqsim_resources *workgroup)
{
  bool fit = true;
  for (int i = 0; i < AQSIM_RESOURCES; i++)
    fit &= workgroup->of[i] <= room->of[i];
  return fit;
}

static inline void aqsim_resources_acquire(aqsim_resources *room,
                                           const aqsim_resources *workgroup)
{
  for (int i = 0; i < AQSIM_RESOURCES; i++)
    room->of[i] -= workgroup->of[i];
}

static inline void aqsim_resources_release(aqsim_resources *room,
                                           const aqsim_resources *workgroup)
{
  for (int i = 0; i < AQSIM_RESOURCES; i++)
    room->of[i] += workgroup->of[i];
}

/* "wave slots". Static text. */
const char *aqsim_resource_text(aqsim_resource resource);

#endif
