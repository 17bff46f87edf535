/* SPDX-License-Identifier: MIT */
/*
 * Occupancy: how many workgroups of a kernel a device holds at once, and the
 * resource that limits their number.
 *
 * A compute unit is one pool of each resource. Registers belong to SIMDs, which
 * hold whole waves: a wave is charged an equal part of its SIMD, one of as many
 * as fit, so that a kernel alone gets exactly what its registers allow. The
 * private segment does not limit: a runtime allocates it for every wave slot.
 * Pure functions; any thread.
 */
#ifndef AQ_COMMON_OCCUPANCY_H
#define AQ_COMMON_OCCUPANCY_H

#include <stdint.h>

#include "diag.h"
#include "export.h"
#include "status.h"

AQ_BEGIN_DECLS

/* A workgroup takes these from its compute unit, from its start to its end:
 * R(name, text of the exhausted resource). */
#define AQ_RESOURCES(R)                                                        \
  R(WAVES, "wave slots")                                                       \
  R(VGPRS, "vector registers")                                                 \
  R(AGPRS, "accumulation registers")                                           \
  R(SGPRS, "scalar registers")                                                 \
  R(LDS, "group segment memory")                                               \
  R(BARRIERS, "barriers")

typedef enum aq_resource {
#define R(name, text) AQ_RESOURCE_##name,
  AQ_RESOURCES(R)
#undef R
      AQ_RESOURCE_COUNT
} aq_resource;

/* "wave slots"; NULL outside of the enumeration. Static text. */
AQ_API const char *aq_resource_name(aq_resource resource);

/* Of a device; simds_per_cu 0: not known. */
typedef struct aq_device_resources {
  uint32_t cus, simds_per_cu, waves_per_simd;
  uint32_t wave_size;      /* work-items of a wave that names no size */
  uint32_t vgprs_per_simd; /* as many for each lane of such a wave; 0: not
                              known */
  uint32_t vgpr_granule;
  uint32_t agprs_per_simd; /* 0: accumulation registers are vector registers */
  uint32_t sgprs_per_simd; /* 0: never too few */
  uint32_t sgpr_granule;
  uint32_t lds_per_cu, lds_granule; /* bytes */
  uint32_t barriers_per_cu; /* workgroups of several waves; 0: no limit */
  uint32_t workgroup_max;   /* work-items */
  uint32_t lds_per_workgroup;
} aq_device_resources;

/* A kernel and the size of its workgroups. The descriptor of the kernel
 * grants the registers. */
typedef struct aq_occupancy_ask {
  uint32_t workgroup;           /* work-items */
  uint32_t wave_size;           /* 0: the device's */
  uint32_t vgprs, agprs, sgprs; /* of a work-item, of a work-item, of a wave */
  uint32_t group_size;          /* bytes a workgroup, dynamic ones included */
} aq_occupancy_ask;

typedef struct aq_occupancy {
  uint32_t waves;             /* of a workgroup */
  uint32_t workgroups_per_cu; /* at once */
  uint32_t waves_per_cu;      /* of these workgroups */
  uint32_t waves_per_simd;    /* the same of the fullest SIMD */
  uint64_t workgroups;        /* of the whole device, at once */
  aq_resource limit;          /* exhausted first */
} aq_occupancy;

/* AQ_ERR_UNSUPPORTED: a resource of the device is not known, or the registers
 * of the kernel. AQ_ERR_INVALID: no compute unit can hold the workgroup. */
AQ_API aq_status aq_occupancy_find(const aq_device_resources *device,
                                   const aq_occupancy_ask *ask,
                                   aq_occupancy *out, aq_diag *diag);

AQ_END_DECLS

#endif
