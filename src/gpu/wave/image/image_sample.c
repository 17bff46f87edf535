/* SPDX-License-Identifier: MIT */
/*
 * Samples of images: coordinates are floats. Images have one level of detail,
 * so levels, biases and derivatives change nothing.
 *
 * Coordinates have 8 bits behind the point, which RADV reports as the precision
 * of AMD's texture units; sums of a linear filter round once. AMD documents
 * neither (exactness.c).
 */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/image/image_view.h"

enum { UNIT = 256, CORNERS = 8 };

/* How an instruction samples. */
typedef struct sampling {
  uint8_t lead_per_axis, lead; /* registers before the coordinates */
  bool gathers;
} sampling;

/* Along an axis: two neighbours, and the second one's part in 1/UNIT. The
 * nearest element is the first, and has no part of the second. */
typedef struct neighbours {
  int64_t at[2];
  uint32_t part;
} neighbours;

/* In 1/UNIT of an element; of images that repeat within two of them, which is
 * exact, else within what 64 bits hold. Not a number is 0. */
static int64_t units_from(const aq_wave_view *v, unsigned axis,
                          float coordinate, int64_t size)
{
  const double most = 0x1p40; /* outside of every image */
  const aq_wave_clamp clamp = v->sampler.clamp[axis];
  double scaled =
      (double)coordinate * (v->sampler.unnormalized ? 1 : (double)size) * UNIT;
  if (clamp == AQ_WAVE_CLAMP_WRAP || clamp == AQ_WAVE_CLAMP_MIRROR)
    scaled = fmod(scaled, 2.0 * (double)size * UNIT);
  if (scaled != scaled)
    return 0;
  const double whole = v->sampler.truncates ? floor(scaled) : roundeven(scaled);
  return (int64_t)fmin(fmax(whole, -most), most);
}

static int64_t modulo(int64_t x, int64_t size)
{
  const int64_t rest = x % size;
  return rest < 0 ? rest + size : rest;
}

/* An element of an axis; -1: the border. */
static int64_t clamped(aq_wave_clamp clamp, int64_t x, int64_t size)
{
  switch (clamp) {
  case AQ_WAVE_CLAMP_WRAP:
    return modulo(x, size);
  case AQ_WAVE_CLAMP_MIRROR: {
    const int64_t place = modulo(x, 2 * size);
    return place < size ? place : 2 * size - 1 - place;
  }
  case AQ_WAVE_CLAMP_EDGE:
    return x < 0 ? 0 : x >= size ? size - 1 : x;
  default:
    return x < 0 || x >= size ? -1 : x;
  }
}

static neighbours neighbours_find(const aq_wave_view *v, unsigned axis,
                                  float coordinate, int64_t size, bool linear)
{
  const int64_t units =
      units_from(v, axis, coordinate, size) - (linear ? UNIT / 2 : 0);
  const int64_t part = modulo(units, UNIT), first = (units - part) / UNIT;
  const aq_wave_clamp clamp = v->sampler.clamp[axis];
  return (neighbours){
      {clamped(clamp, first, size), clamped(clamp, first + 1, size)},
      linear ? (uint32_t)part : 0};
}

/* The layer nearest to a coordinate. */
static int64_t layer_find(const aq_wave_view *v, float coordinate)
{
  const double last = (double)v->image.depth - 1,
               whole = roundeven((double)coordinate);
  return whole > 0 ? (int64_t)fmin(whole, last) : 0;
}

static void axes_find(const aq_wave *w, const aq_wave_op *o,
                      const aq_wave_view *v, const sampling *s, bool linear,
                      int l, neighbours out[AQ_WAVE_AXES])
{
  const unsigned first = s->lead + s->lead_per_axis * v->axes;
  int64_t sizes[AQ_WAVE_AXES];
  aq_wave_view_sizes(v, sizes);
  for (unsigned i = 0; i < AQ_WAVE_AXES; i++)
    out[i] = i < v->axes
                 ? neighbours_find(
                       v, i, lane_f32(w->v[aq_wave_view_row(o, first + i)][l]),
                       sizes[i], linear)
                 : (neighbours){{0, 0}, 0};
  if (v->layers) {
    const int64_t layer =
        layer_find(v, lane_f32(w->v[aq_wave_view_row(o, first + v->axes)][l]));
    out[2] = (neighbours){{layer, layer}, 0};
  }
}

/* False: `*address` cannot be reached. */
static bool corner_read(aq_wave *w, const aq_wave_view *v,
                        const neighbours axes[AQ_WAVE_AXES], unsigned corner,
                        uint32_t x[AQ_WAVE_COMPONENTS], uint64_t *address)
{
  const int64_t at[AQ_WAVE_AXES] = {axes[0].at[corner & 1],
                                    axes[1].at[corner >> 1 & 1],
                                    axes[2].at[corner >> 2]};
  if (!aq_wave_view_has(v, at)) {
    /* A border has components in the order of memory, as elements have. */
    uint32_t one = aq_wave_format_is_integer(&v->format) ? 1 : lane_bits32(1);
    for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
      const uint8_t select = v->format.select[i];
      const bool set =
          select == AQ_WAVE_SELECT_1 ||
          (select >= AQ_WAVE_SELECT_FIRST &&
           (v->sampler.border == AQ_WAVE_BORDER_WHITE ||
            (v->sampler.border == AQ_WAVE_BORDER_BLACK && i == 3)));
      x[i] = set ? one : 0;
    }
    return true;
  }
  *address = aq_wave_view_address(v, at);
  const void *from =
      aq_wave_translate(w->grid, *address, v->format.bytes, false);
  if (from)
    aq_wave_format_read(&v->format, from, x);
  return from != NULL;
}

/* The part of a corner in 1/UNIT^3. */
static uint32_t corner_part(const neighbours axes[AQ_WAVE_AXES],
                            unsigned corner)
{
  uint32_t part = 1;
  for (unsigned i = 0; i < AQ_WAVE_AXES; i++)
    part *= corner >> i & 1 ? axes[i].part : UNIT - axes[i].part;
  return part;
}

static bool filtered_read(aq_wave *w, const aq_wave_view *v,
                          const neighbours axes[AQ_WAVE_AXES],
                          uint32_t x[AQ_WAVE_COMPONENTS], uint64_t *address)
{
  double sums[AQ_WAVE_COMPONENTS] = {0};
  for (unsigned corner = 0; corner < CORNERS; corner++) {
    const uint32_t part = corner_part(axes, corner);
    uint32_t y[AQ_WAVE_COMPONENTS];
    if (part == 0)
      continue;
    if (!corner_read(w, v, axes, corner, y, address))
      return false;
    for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
      sums[i] += (double)lane_f32(y[i]) * ((double)part / (UNIT * UNIT * UNIT));
  }
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    x[i] = lane_bits32((float)sums[i]);
  return true;
}

/* One component of the four elements that a linear filter would read, against
 * the clock from the lower left on. */
static bool gathered_read(aq_wave *w, const aq_wave_view *v,
                          const neighbours axes[AQ_WAVE_AXES], unsigned mask,
                          uint32_t x[AQ_WAVE_COMPONENTS], uint64_t *address)
{
  static const uint8_t corners[AQ_WAVE_COMPONENTS] = {2, 3, 1, 0};
  const unsigned component = mask ? (unsigned)__builtin_ctz(mask) : 0;
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
    uint32_t y[AQ_WAVE_COMPONENTS];
    if (!corner_read(w, v, axes, corners[i], y, address))
      return false;
    x[i] = y[component];
  }
  return true;
}

static const char *sampling_read(const aq_wave *w, const aq_wave_op *o,
                                 const sampling *s, aq_wave_view *out,
                                 bool *linear)
{
  const char *problem = aq_wave_view_read(w, o, true, out);
  if (problem)
    return problem;
  *linear = s->gathers || out->sampler.linear;
  out->sampler.unnormalized |= (o->decoded->inst.graphics & AQ_ISA_UNORM) != 0;
  if (*linear && !s->gathers && aq_wave_format_is_integer(&out->format))
    return "a linear filter of integers";
  return s->gathers && out->axes != 2
             ? "four elements of an image that is not two-dimensional"
             : NULL;
}

static const aq_wave_op *sample(aq_wave *w, const aq_wave_op *o,
                                const sampling *s)
{
  aq_wave_view v;
  bool linear = false;
  uint64_t address = 0;
  const unsigned mask = o->decoded->inst.imm;
  const char *problem = sampling_read(w, o, s, &v, &linear);
  if (problem)
    return aq_wave_view_refuse(w, o, problem);
  w->at = o;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    neighbours axes[AQ_WAVE_AXES];
    uint32_t x[AQ_WAVE_COMPONENTS];
    axes_find(w, o, &v, s, linear, l, axes);
    if (!(s->gathers ? gathered_read(w, &v, axes, mask, x, &address)
          : linear   ? filtered_read(w, &v, axes, x, &address)
                     : corner_read(w, &v, axes, 0, x, &address))) {
      aq_wave_mode_enter(w);
      return aq_wave_access_fault(w, o, l, address, false);
    }
    aq_wave_view_put(w, o, &v, x, s->gathers ? 15 : mask, l);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* A level of detail behind the coordinates is the only one. */
#define SAMPLING(name, per_axis, before, gather)                               \
  static const sampling name##_sampling = {per_axis, before, gather};          \
  BODY(name)                                                                   \
  {                                                                            \
    return sample(w, o, &name##_sampling);                                     \
  }
SAMPLING(plain, 0, 0, false)
SAMPLING(biased, 0, 1, false)
SAMPLING(derived, 2, 0, false)
SAMPLING(gathered, 0, 0, true)
SAMPLING(gathered_biased, 0, 1, true)

static const struct {
  aq_wave_handler *run;
  const sampling *sampling;
} samplings[] = {{plain_, &plain_sampling},
                 {biased_, &biased_sampling},
                 {derived_, &derived_sampling},
                 {gathered_, &gathered_sampling},
                 {gathered_biased_, &gathered_biased_sampling}};

/* The sampling of an instruction, NULL of one without coordinates as floats. */
static const sampling *sampling_of(const aq_wave_op *o)
{
  for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++)
    if (samplings[i].run == o->run)
      return samplings[i].sampling;
  return NULL;
}

bool aq_wave_sample_place(const aq_wave *w, const aq_wave_op *o, int lane,
                          aq_wave_view *view, int64_t at[AQ_WAVE_AXES])
{
  const sampling *s = sampling_of(o);
  neighbours axes[AQ_WAVE_AXES];
  bool linear = false;
  if (!s || sampling_read(w, o, s, view, &linear))
    return false;
  axes_find(w, o, view, s, linear, lane, axes);
  for (int i = 0; i < AQ_WAVE_AXES; i++)
    at[i] = axes[i].at[0];
  return true;
}

/* ---- list ---- */

const aq_wave_semantics aq_wave_samples[] = {
    AS(image_sample, plain),
    AS(image_sample_cl, plain),
    AS(image_sample_l, plain),
    AS(image_sample_lz, plain),
    AS(image_sample_b, biased),
    AS(image_sample_b_cl, biased),
    AS(image_sample_d, derived),
    AS(image_sample_d_cl, derived),
    AS(image_sample_cd, derived),
    AS(image_sample_cd_cl, derived),
    AS(image_gather4, gathered),
    AS(image_gather4_cl, gathered),
    AS(image_gather4_l, gathered),
    AS(image_gather4_lz, gathered),
    AS(image_gather4_b, gathered_biased),
    AS(image_gather4_b_cl, gathered_biased),
    {NULL, NULL}};
