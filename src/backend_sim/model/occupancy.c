/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "backend_sim/model/occupancy.h"

/* Fine enough to split a SIMD into equal parts for any number of waves. */
enum { REGISTER_UNITS = 256 };

static const char *const texts[AQSIM_RESOURCES] = {
#define R(name, text) [AQSIM_##name] = text,
#include "backend_sim/model/resources.def"
#undef R
};

const char *aqsim_resource_text(aqsim_resource resource)
{
  return texts[resource];
}

static int32_t register_pool(const aqsim_model *model, int64_t of_simd)
{
  return (int32_t)(model->simds_per_cu * of_simd * REGISTER_UNITS);
}

aqsim_resources aqsim_cu_resources(const aqsim_model *model)
{
  return (aqsim_resources){{
      [AQSIM_WAVES] = (int32_t)(model->simds_per_cu * model->waves_per_simd),
      [AQSIM_VGPRS] = register_pool(model, model->vgprs_per_simd),
      [AQSIM_AGPRS] = register_pool(model, model->agprs_per_simd),
      [AQSIM_SGPRS] = register_pool(model, model->sgprs_per_simd),
      [AQSIM_LDS] = (int32_t)model->lds_per_cu,
      [AQSIM_BARRIERS] = (int32_t)model->barriers_per_cu,
  }};
}

static uint64_t round_up(uint64_t number, uint64_t granule)
{
  return (number + granule - 1) / granule * granule;
}

/* A wave's part of the registers of its SIMD. */
static uint64_t register_share(uint64_t of_simd, uint64_t registers,
                               uint64_t granule)
{
  if (registers == 0 || of_simd == 0)
    return 0;
  uint64_t fit = of_simd / round_up(registers, granule);
  return of_simd * REGISTER_UNITS / (fit ? fit : 1);
}

static int32_t at_most(uint64_t wanted, int32_t has)
{
  return wanted < (uint64_t)has ? (int32_t)wanted : has;
}

aqsim_resources aqsim_workgroup_resources(const aqsim_model *model,
                                          const aqsim_workgroup_shape *shape)
{
  const aqsim_resources cu = aqsim_cu_resources(model);
  const uint64_t wave =
      shape->wave_size ? shape->wave_size : (uint64_t)model->wave_size;
  const uint64_t waves = (shape->items + wave - 1) / wave;
  const bool own_file = model->agprs_per_simd > 0;
  /* In one file the accumulation registers begin at a multiple of 4. */
  const uint64_t vgprs = own_file || shape->agprs == 0
                             ? shape->vgprs
                             : round_up(shape->vgprs, 4) + shape->agprs;
  uint64_t vector =
      waves * register_share((uint64_t)model->vgprs_per_simd, vgprs,
                             (uint64_t)model->vgpr_granule);
  if (shape->most) {
    const uint64_t seen = (uint64_t)cu.of[AQSIM_VGPRS] / shape->most;
    vector = vector < seen ? seen : vector;
  }
  const uint64_t accumulation =
      waves * register_share((uint64_t)model->agprs_per_simd, shape->agprs,
                             (uint64_t)model->vgpr_granule);
  const uint64_t scalar =
      waves * register_share((uint64_t)model->sgprs_per_simd, shape->sgprs,
                             (uint64_t)model->sgpr_granule);
  const uint64_t lds = round_up(shape->lds, (uint64_t)model->lds_granule);
  return (aqsim_resources){{
      [AQSIM_WAVES] = at_most(waves, cu.of[AQSIM_WAVES]),
      [AQSIM_VGPRS] = at_most(vector, cu.of[AQSIM_VGPRS]),
      [AQSIM_AGPRS] = at_most(accumulation, cu.of[AQSIM_AGPRS]),
      [AQSIM_SGPRS] = at_most(scalar, cu.of[AQSIM_SGPRS]),
      [AQSIM_LDS] = at_most(lds, cu.of[AQSIM_LDS]),
      [AQSIM_BARRIERS] = waves > 1 && cu.of[AQSIM_BARRIERS] > 0,
  }};
}

uint32_t aqsim_occupancy(const aqsim_resources *room,
                         const aqsim_resources *workgroup,
                         aqsim_resource *limit)
{
  int32_t fewest = INT32_MAX;
  for (int i = 0; i < AQSIM_RESOURCES; i++) {
    if (workgroup->of[i] == 0 || room->of[i] / workgroup->of[i] >= fewest)
      continue;
    fewest = room->of[i] / workgroup->of[i];
    if (limit)
      *limit = (aqsim_resource)i;
  }
  return (uint32_t)fewest;
}
