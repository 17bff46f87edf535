/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/image/image_view.h"

#include "gpu/wave/core/lanes.h"

/* Whether the coordinates of an instruction suit a type of image. The code by
 * which HIP moves images takes all of two dimensions or more for layers: they
 * have as many coordinates, and a layer of one image does not count. */
static bool takes(const aq_isa_inst *inst, aq_wave_image_type type,
                  bool samples)
{
  static const uint8_t types[] = {[AQ_ISA_1D] = AQ_WAVE_IMAGE_1D,
                                  [AQ_ISA_2D] = AQ_WAVE_IMAGE_2D,
                                  [AQ_ISA_3D] = AQ_WAVE_IMAGE_3D,
                                  [AQ_ISA_1D_ARRAY] = AQ_WAVE_IMAGE_1D_ARRAY,
                                  [AQ_ISA_2D_ARRAY] = AQ_WAVE_IMAGE_2D_ARRAY};
  if (!(inst->target & AQ_ISA_RDNA))
    return !aq_wave_image_is_array(type) || inst->graphics & AQ_ISA_DA;
  if (inst->dim == AQ_ISA_2D_ARRAY && !samples &&
      (type == AQ_WAVE_IMAGE_2D || type == AQ_WAVE_IMAGE_3D))
    return true;
  return inst->dim < sizeof types && types[inst->dim] == type;
}

unsigned aq_wave_view_row(const aq_wave_op *o, unsigned i)
{
  const aq_wave_decoded *more = o->decoded;
  return more->inst.place_count ? more->inst.places[i] : more->address + i;
}

const char *aq_wave_view_read(const aq_wave *w, const aq_wave_op *o,
                              bool samples, aq_wave_view *out)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const char *problem =
      aq_wave_image_read(inst->target, &w->s[o->source[0]], &out->image);
  if (!problem && samples)
    problem = aq_wave_sampler_read(&w->s[o->decoded->scalar], &out->sampler);
  if (problem)
    return problem;
  out->axes = aq_wave_image_dimensions(out->image.type);
  out->layers = aq_wave_image_is_array(out->image.type);
  if (!takes(inst, out->image.type, samples))
    return "an image of other dimensions than the instruction's";
  if (!aq_wave_format_find(out->image.layout, out->image.number, &out->format))
    return "an image format that is not simulated";
  memcpy(out->format.select, out->image.select, sizeof out->format.select);
  if (o->decoded->inst.graphics & AQ_ISA_D16 && out->format.bits[0] == 32)
    return "halves of an image whose components are words";
  return NULL;
}

const aq_wave_op *aq_wave_view_refuse(aq_wave *w, const aq_wave_op *o,
                                      const char *what)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0, what);
}

/* ---- elements ---- */

void aq_wave_view_sizes(const aq_wave_view *v, int64_t out[AQ_WAVE_AXES])
{
  out[0] = v->image.width;
  out[1] = v->axes > 1 ? v->image.height : 1;
  out[2] = v->axes > 2 || v->layers ? v->image.depth : 1;
}

bool aq_wave_view_has(const aq_wave_view *v, const int64_t at[AQ_WAVE_AXES])
{
  int64_t sizes[AQ_WAVE_AXES];
  aq_wave_view_sizes(v, sizes);
  for (int i = 0; i < AQ_WAVE_AXES; i++)
    if (at[i] < 0 || at[i] >= sizes[i])
      return false;
  return true;
}

uint64_t aq_wave_view_address(const aq_wave_view *v,
                              const int64_t at[AQ_WAVE_AXES])
{
  const aq_wave_image *image = &v->image;
  const uint64_t row = (uint64_t)at[2] * image->height + (uint64_t)at[1];
  return image->address +
         (row * image->pitch + (uint64_t)at[0]) * v->format.bytes;
}

void aq_wave_view_put(aq_wave *w, const aq_wave_op *o, const aq_wave_view *v,
                      const uint32_t x[AQ_WAVE_COMPONENTS], unsigned mask,
                      int l)
{
  const bool halves = o->decoded->inst.graphics & AQ_ISA_D16;
  uint16_t row = o->dest;
  unsigned n = 0;
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
    if (!(mask >> i & 1))
      continue;
    if (!halves) {
      w->v[row++][l] = x[i];
      continue;
    }
    const uint32_t half = aq_wave_format_is_integer(&v->format)
                              ? x[i] & 0xffff
                              : lane_bits16(lane_f32(x[i]));
    if (n++ % 2)
      w->v[row++][l] |= half << 16;
    else
      w->v[row][l] = half;
  }
}
