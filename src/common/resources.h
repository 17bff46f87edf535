/* SPDX-License-Identifier: MIT */
/*
 * The calculation below occupancy.h: the resources of a compute unit, the share
 * of a workgroup, and how many fit. The simulator places
 * workgroups by it. Pure functions.
 */
#ifndef AQ_COMMON_RESOURCES_H
#define AQ_COMMON_RESOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "occupancy.h"

/* Units: wave slots, 1/256 registers a SIMD, bytes, workgroups. */
typedef struct aq_resources {
  int32_t of[AQ_RESOURCE_COUNT];
} aq_resources;

/* The request of a workgroup; registers 0: not known, no limit. */
typedef struct aq_workgroup_shape {
  uint64_t items;               /* work-items; at least 1 */
  uint32_t wave_size;           /* 0: the device's */
  uint32_t vgprs, agprs, sgprs; /* a wave */
  uint64_t lds;                 /* bytes */
  uint32_t most; /* workgroups that a compute unit was seen to hold, whatever
                    limits them; 0: not known */
} aq_workgroup_shape;

/* The capacity of an empty compute unit. */
aq_resources aq_cu_resources(const aq_device_resources *device);

uint32_t aq_shape_waves(const aq_device_resources *device,
                        const aq_workgroup_shape *shape);

/* The share of a workgroup, never more than the capacity. */
aq_resources aq_workgroup_resources(const aq_device_resources *device,
                                    const aq_workgroup_shape *shape);

/* Whether an empty compute unit holds the workgroup; else *limit is the first
 * resource of which it has too little. */
bool aq_workgroup_fits(const aq_device_resources *device,
                       const aq_workgroup_shape *shape, aq_resource *limit);

/* How many workgroups fit into `room`; *limit, unless NULL, is the resource
 * that is exhausted first. */
uint32_t aq_resources_count(const aq_resources *room,
                            const aq_resources *workgroup, aq_resource *limit);

static inline bool aq_resources_fit(const aq_resources *room,
                                    const aq_resources *workgroup)
{
  bool fit = true;
  for (int i = 0; i < AQ_RESOURCE_COUNT; i++)
    fit &= workgroup->of[i] <= room->of[i];
  return fit;
}

static inline void aq_resources_acquire(aq_resources *room,
                                        const aq_resources *workgroup)
{
  for (int i = 0; i < AQ_RESOURCE_COUNT; i++)
    room->of[i] -= workgroup->of[i];
}

static inline void aq_resources_release(aq_resources *room,
                                        const aq_resources *workgroup)
{
  for (int i = 0; i < AQ_RESOURCE_COUNT; i++)
    room->of[i] += workgroup->of[i];
}

#endif
