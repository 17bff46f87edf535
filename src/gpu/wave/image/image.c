/* SPDX-License-Identifier: MIT */
/* Elements of images by integer coordinates: gfx9, gfx10. */
#include "config.h"

#include "gpu/wave/image/image.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/image/image_view.h"

/* Integer coordinates of a lane: layers come behind the others. */
static void place_read(const aq_wave *w, const aq_wave_op *o,
                       const aq_wave_view *v, int l, int64_t at[AQ_WAVE_AXES])
{
  for (unsigned i = 0; i < AQ_WAVE_AXES; i++)
    at[i] = i < v->axes ? w->v[aq_wave_view_row(o, i)][l] : 0;
  if (v->layers)
    at[2] = w->v[aq_wave_view_row(o, v->axes)][l];
}

BODY(load)
{
  aq_wave_view v;
  const char *problem = aq_wave_view_read(w, o, false, &v);
  if (problem)
    return aq_wave_view_refuse(w, o, problem);
  w->at = o;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    int64_t at[AQ_WAVE_AXES];
    uint32_t x[AQ_WAVE_COMPONENTS] = {0};
    place_read(w, o, &v, l, at);
    if (aq_wave_view_has(&v, at)) {
      const uint64_t address = aq_wave_view_address(&v, at);
      const void *from =
          aq_wave_translate(w->grid, address, v.format.bytes, false);
      if (!from) {
        aq_wave_mode_enter(w);
        return aq_wave_access_fault(w, o, l, address, false);
      }
      aq_wave_format_read(&v.format, from, x);
    }
    aq_wave_view_put(w, o, &v, x, o->decoded->inst.imm, l);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* The data of a store for x, y, z and w; 0 where its mask leaves one out. */
static void components_get(const aq_wave *w, const aq_wave_op *o,
                           const aq_wave_view *v, int l,
                           uint32_t out[AQ_WAVE_COMPONENTS])
{
  const bool halves = o->decoded->inst.graphics & AQ_ISA_D16;
  unsigned n = 0;
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
    out[i] = 0;
    if (!(o->decoded->inst.imm >> i & 1))
      continue;
    const uint32_t word = w->v[o->decoded->data + (halves ? n / 2 : n)][l];
    const uint16_t half = (uint16_t)(n % 2 ? word >> 16 : word);
    n++;
    out[i] = !halves                            ? word
             : v->format.number == AQ_WAVE_SINT ? (uint32_t)(int16_t)half
             : v->format.number == AQ_WAVE_UINT ? half
                                                : lane_bits32(lane_f16(half));
  }
}

/* The order in memory is the one from which the same resource reads them. */
static void components_place(const aq_wave_view *v,
                             const uint32_t x[AQ_WAVE_COMPONENTS],
                             uint32_t out[AQ_WAVE_COMPONENTS])
{
  for (unsigned k = 0; k < AQ_WAVE_COMPONENTS; k++) {
    out[k] = 0;
    for (unsigned i = AQ_WAVE_COMPONENTS; i-- > 0;)
      if (v->format.select[i] == AQ_WAVE_SELECT_FIRST + k)
        out[k] = x[i];
  }
}

BODY(store)
{
  aq_wave_view v;
  const char *problem = aq_wave_view_read(w, o, false, &v);
  if (problem)
    return aq_wave_view_refuse(w, o, problem);
  w->at = o;
  w->grid->quiet = false;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    int64_t at[AQ_WAVE_AXES];
    uint32_t x[AQ_WAVE_COMPONENTS], in[AQ_WAVE_COMPONENTS];
    uint8_t element[AQ_WAVE_ELEMENT_MAX] = {0};
    place_read(w, o, &v, l, at);
    if (!aq_wave_view_has(&v, at))
      continue;
    components_get(w, o, &v, l, x);
    components_place(&v, x, in);
    const uint64_t address = aq_wave_view_address(&v, at);
    const bool fits = aq_wave_format_write(&v.format, in, element);
    void *to = aq_wave_translate(w->grid, address, v.format.bytes, true);
    if (!to || !fits) {
      aq_wave_mode_enter(w);
      return fits ? aq_wave_access_fault(w, o, l, address, true)
                  : aq_wave_view_refuse(
                        w, o, "a value that the image's format cannot hold");
    }
    memcpy(to, element, v.format.bytes);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* Width, height, depth or layers, levels. */
BODY(get_resinfo)
{
  aq_wave_view v;
  int64_t sizes[AQ_WAVE_AXES];
  const char *problem = aq_wave_view_read(w, o, false, &v);
  if (problem)
    return aq_wave_view_refuse(w, o, problem);
  aq_wave_view_sizes(&v, sizes);
  const uint32_t x[AQ_WAVE_COMPONENTS] = {
      (uint32_t)sizes[0], (uint32_t)sizes[1], (uint32_t)sizes[2], 1};
  LANES(l) aq_wave_view_put(w, o, &v, x, o->decoded->inst.imm, l);
  return aq_wave_next(o);
}

/* ---- observers ---- */

bool aq_wave_image_at(const aq_wave *w, const aq_wave_op *o, int lane,
                      uint64_t *address, unsigned *bytes)
{
  const bool samples = o->decoded->scalar != AQ_WAVE_NONE;
  aq_wave_view v;
  int64_t at[AQ_WAVE_AXES];
  if (samples ? !aq_wave_sample_place(w, o, lane, &v, at)
              : aq_wave_view_read(w, o, false, &v) != NULL)
    return false;
  if (!samples)
    place_read(w, o, &v, lane, at);
  if (!aq_wave_view_has(&v, at))
    return false;
  *address = aq_wave_view_address(&v, at);
  *bytes = v.format.bytes;
  return true;
}

const aq_wave_semantics aq_wave_images[] = {AS(image_load, load),
                                            AS(image_store, store),
                                            AS(image_get_resinfo, get_resinfo),
                                            {NULL, NULL}};
