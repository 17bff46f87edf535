/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "common/resources.h"

/* Fine enough to split a SIMD into equal parts for any number of waves. */
enum { REGISTER_UNITS = 256 };

static int32_t register_pool(const aq_device_resources *device,
                             uint32_t of_simd)
{
  return (int32_t)(device->simds_per_cu * of_simd * REGISTER_UNITS);
}

aq_resources aq_cu_resources(const aq_device_resources *device)
{
  return (aq_resources){{
      [AQ_RESOURCE_WAVES] =
          (int32_t)(device->simds_per_cu * device->waves_per_simd),
      [AQ_RESOURCE_VGPRS] = register_pool(device, device->vgprs_per_simd),
      [AQ_RESOURCE_AGPRS] = register_pool(device, device->agprs_per_simd),
      [AQ_RESOURCE_SGPRS] = register_pool(device, device->sgprs_per_simd),
      [AQ_RESOURCE_LDS] = (int32_t)device->lds_per_cu,
      [AQ_RESOURCE_BARRIERS] = (int32_t)device->barriers_per_cu,
  }};
}

static uint64_t round_up(uint64_t number, uint64_t granule)
{
  return (number + granule - 1) / granule * granule;
}

static uint64_t wave_size_of(const aq_device_resources *device,
                             const aq_workgroup_shape *shape)
{
  return shape->wave_size ? shape->wave_size : device->wave_size;
}

uint32_t aq_shape_waves(const aq_device_resources *device,
                        const aq_workgroup_shape *shape)
{
  const uint64_t size = wave_size_of(device, shape);
  return (uint32_t)((shape->items + size - 1) / size);
}

/* What one wave takes of the registers of its SIMD. */
typedef struct registers {
  uint64_t of_simd, wanted, granule;
} registers;

/* How many such waves a SIMD has room for. */
static uint64_t waves_with(const registers *r)
{
  return r->of_simd / round_up(r->wanted, r->granule);
}

/* The registers of lanes count for waves of the device's own size; a wave of 64
 * takes as many as two waves of 32. */
static registers lane_registers(const aq_device_resources *device,
                                const aq_workgroup_shape *shape,
                                uint64_t of_simd, uint64_t wanted)
{
  const uint64_t own = device->wave_size, size = wave_size_of(device, shape);
  const uint64_t granule = device->vgpr_granule * own / size;
  return (registers){of_simd * own / size, wanted, granule ? granule : 1};
}

static registers vector_registers(const aq_device_resources *device,
                                  const aq_workgroup_shape *shape)
{
  /* In one file the accumulation registers begin at a multiple of 4. */
  const uint64_t wanted = device->agprs_per_simd > 0 || shape->agprs == 0
                              ? shape->vgprs
                              : round_up(shape->vgprs, 4) + shape->agprs;
  return lane_registers(device, shape, device->vgprs_per_simd, wanted);
}

static registers accumulation_registers(const aq_device_resources *device,
                                        const aq_workgroup_shape *shape)
{
  return lane_registers(device, shape, device->agprs_per_simd, shape->agprs);
}

static registers scalar_registers(const aq_device_resources *device,
                                  const aq_workgroup_shape *shape)
{
  return (registers){device->sgprs_per_simd, shape->sgprs,
                     device->sgpr_granule};
}

/* A wave's part of a SIMD that has `pool` of them. */
static uint64_t register_share(uint64_t pool, registers r)
{
  if (r.wanted == 0 || r.of_simd == 0)
    return 0;
  const uint64_t fit = waves_with(&r);
  return pool * REGISTER_UNITS / (fit ? fit : 1);
}

static int32_t at_most(uint64_t wanted, int32_t has)
{
  return wanted < (uint64_t)has ? (int32_t)wanted : has;
}

aq_resources aq_workgroup_resources(const aq_device_resources *device,
                                    const aq_workgroup_shape *shape)
{
  const aq_resources cu = aq_cu_resources(device);
  const uint64_t waves = aq_shape_waves(device, shape);
  uint64_t vector = waves * register_share(device->vgprs_per_simd,
                                           vector_registers(device, shape));
  if (shape->most) {
    const uint64_t seen = (uint64_t)cu.of[AQ_RESOURCE_VGPRS] / shape->most;
    vector = vector < seen ? seen : vector;
  }
  const uint64_t accumulation =
      waves * register_share(device->agprs_per_simd,
                             accumulation_registers(device, shape));
  const uint64_t scalar =
      waves *
      register_share(device->sgprs_per_simd, scalar_registers(device, shape));
  const uint64_t lds = round_up(shape->lds, device->lds_granule);
  return (aq_resources){{
      [AQ_RESOURCE_WAVES] = at_most(waves, cu.of[AQ_RESOURCE_WAVES]),
      [AQ_RESOURCE_VGPRS] = at_most(vector, cu.of[AQ_RESOURCE_VGPRS]),
      [AQ_RESOURCE_AGPRS] = at_most(accumulation, cu.of[AQ_RESOURCE_AGPRS]),
      [AQ_RESOURCE_SGPRS] = at_most(scalar, cu.of[AQ_RESOURCE_SGPRS]),
      [AQ_RESOURCE_LDS] = at_most(lds, cu.of[AQ_RESOURCE_LDS]),
      [AQ_RESOURCE_BARRIERS] = waves > 1 && cu.of[AQ_RESOURCE_BARRIERS] > 0,
  }};
}

bool aq_workgroup_fits(const aq_device_resources *device,
                       const aq_workgroup_shape *shape, aq_resource *limit)
{
  const registers of[] = {
      [AQ_RESOURCE_VGPRS] = vector_registers(device, shape),
      [AQ_RESOURCE_AGPRS] = accumulation_registers(device, shape),
      [AQ_RESOURCE_SGPRS] = scalar_registers(device, shape)};
  const uint64_t waves = aq_shape_waves(device, shape);
  *limit = AQ_RESOURCE_WAVES;
  bool fits = waves <= device->simds_per_cu * device->waves_per_simd;
  for (int i = AQ_RESOURCE_VGPRS; i <= AQ_RESOURCE_SGPRS && fits; i++) {
    if (of[i].wanted == 0 || of[i].of_simd == 0)
      continue;
    fits = waves <= device->simds_per_cu * waves_with(&of[i]);
    *limit = (aq_resource)i;
  }
  if (fits)
    *limit = AQ_RESOURCE_LDS;
  return fits && shape->lds <= device->lds_per_cu;
}

uint32_t aq_resources_count(const aq_resources *room,
                            const aq_resources *workgroup, aq_resource *limit)
{
  int32_t fewest = INT32_MAX;
  for (int i = 0; i < AQ_RESOURCE_COUNT; i++) {
    if (workgroup->of[i] == 0 || room->of[i] / workgroup->of[i] >= fewest)
      continue;
    fewest = room->of[i] / workgroup->of[i];
    if (limit)
      *limit = (aq_resource)i;
  }
  return (uint32_t)fewest;
}
