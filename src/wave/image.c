/* SPDX-License-Identifier: MIT */
/*
 * Image instructions of gfx9: elements by their integer coordinates, and
 * samples with coordinates as floats, of images with one level of detail
 * (image_words.h). So levels, biases and derivatives change nothing.
 *
 * Coordinates have 8 bits behind the point, which is what RADV reports as the
 * precision of AMD's texture units; sums of a linear filter round once. Neither
 * is documented by AMD (exactness.c).
 */
#include "config.h"

#include "wave/image.h"

#include "wave/each.h"
#include "wave/image_words.h"

enum { UNIT = 256, AXES = 3, CORNERS = 8 };

typedef struct view {
  aq_wave_image image;
  aq_wave_format format;
  aq_wave_sampler sampler;
  unsigned axes; /* beside layers */
  bool layers;
} view;

/* NULL, or why the instruction cannot be executed. */
static const char *view_read(const aq_wave *w, const aq_wave_op *o,
                             bool samples, view *out)
{
  const bool array = o->more->inst.graphics & AQ_ISA_DA;
  const char *problem = aq_wave_image_read(&w->s[o->r[0]], &out->image);
  if (!problem && samples)
    problem = aq_wave_sampler_read(&w->s[o->more->scalar], &out->sampler);
  if (problem)
    return problem;
  out->axes = aq_wave_image_dimensions(out->image.type);
  out->layers = aq_wave_image_is_array(out->image.type);
  if (out->layers && !array)
    return "an array of images that the instruction takes for one image";
  if (!aq_wave_format_find(out->image.layout, out->image.number, &out->format))
    return "an image format that is not simulated";
  memcpy(out->format.select, out->image.select, sizeof out->format.select);
  if (o->more->inst.graphics & AQ_ISA_D16 && out->format.bits[0] == 32)
    return "halves of an image whose components are words";
  return NULL;
}

static const aq_wave_op *refuse(aq_wave *w, const aq_wave_op *o,
                                const char *what)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0, what);
}

/* ---- elements ---- */

static void sizes_of(const view *v, int64_t out[AXES])
{
  out[0] = v->image.width;
  out[1] = v->axes > 1 ? v->image.height : 1;
  out[2] = v->axes > 2 || v->layers ? v->image.depth : 1;
}

static bool is_inside(const view *v, const int64_t at[AXES])
{
  int64_t sizes[AXES];
  sizes_of(v, sizes);
  for (int i = 0; i < AXES; i++)
    if (at[i] < 0 || at[i] >= sizes[i])
      return false;
  return true;
}

static uint64_t address_of(const view *v, const int64_t at[AXES])
{
  const aq_wave_image *image = &v->image;
  const uint64_t row = (uint64_t)at[2] * image->height + (uint64_t)at[1];
  return image->address +
         (row * image->pitch + (uint64_t)at[0]) * v->format.bytes;
}

/* Integer coordinates of a lane: layers come behind the others. */
static void place_read(const aq_wave *w, const aq_wave_op *o, const view *v,
                       int l, int64_t at[AXES])
{
  const uint16_t row = o->more->address;
  for (unsigned i = 0; i < AXES; i++)
    at[i] = i < v->axes ? w->v[row + i][l] : 0;
  if (v->layers)
    at[2] = w->v[row + v->axes][l];
}

/* Components that the mask chooses, in rows one after the other. */
static void components_put(aq_wave *w, const aq_wave_op *o, const view *v,
                           const uint32_t x[AQ_WAVE_COMPONENTS], unsigned mask,
                           int l)
{
  const bool halves = o->more->inst.graphics & AQ_ISA_D16;
  uint16_t row = o->d;
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

BODY(load)
{
  view v;
  const char *problem = view_read(w, o, false, &v);
  if (problem)
    return refuse(w, o, problem);
  w->at = o;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    int64_t at[AXES];
    uint32_t x[AQ_WAVE_COMPONENTS] = {0};
    place_read(w, o, &v, l, at);
    if (is_inside(&v, at)) {
      const uint64_t address = address_of(&v, at);
      const void *from = aq_wave_reach(w->grid, address, v.format.bytes, false);
      if (!from) {
        aq_wave_mode_enter(w);
        return aq_wave_miss(w, o, l, address, false);
      }
      aq_wave_format_read(&v.format, from, x);
    }
    components_put(w, o, &v, x, o->more->inst.imm, l);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* The data of a store for x, y, z and w; 0 where its mask leaves one out. */
static void components_get(const aq_wave *w, const aq_wave_op *o, const view *v,
                           int l, uint32_t out[AQ_WAVE_COMPONENTS])
{
  const bool halves = o->more->inst.graphics & AQ_ISA_D16;
  unsigned n = 0;
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
    out[i] = 0;
    if (!(o->more->inst.imm >> i & 1))
      continue;
    const uint32_t word = w->v[o->more->data + (halves ? n / 2 : n)][l];
    const uint16_t half = (uint16_t)(n % 2 ? word >> 16 : word);
    n++;
    out[i] = !halves                            ? word
             : v->format.number == AQ_WAVE_SINT ? (uint32_t)(int16_t)half
             : v->format.number == AQ_WAVE_UINT ? half
                                                : lane_bits32(lane_f16(half));
  }
}

/* The order in memory is the one from which the same resource reads them. */
static void components_place(const view *v,
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
  view v;
  const char *problem = view_read(w, o, false, &v);
  if (problem)
    return refuse(w, o, problem);
  w->at = o;
  w->grid->quiet = false;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    int64_t at[AXES];
    uint32_t x[AQ_WAVE_COMPONENTS], in[AQ_WAVE_COMPONENTS];
    uint8_t element[AQ_WAVE_ELEMENT_MAX] = {0};
    place_read(w, o, &v, l, at);
    if (!is_inside(&v, at))
      continue;
    components_get(w, o, &v, l, x);
    components_place(&v, x, in);
    const uint64_t address = address_of(&v, at);
    const bool fits = aq_wave_format_write(&v.format, in, element);
    void *to = aq_wave_reach(w->grid, address, v.format.bytes, true);
    if (!to || !fits) {
      aq_wave_mode_enter(w);
      return fits ? aq_wave_miss(w, o, l, address, true)
                  : refuse(w, o, "a value that the image's format cannot hold");
    }
    memcpy(to, element, v.format.bytes);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* Width, height, depth or layers, levels. */
BODY(get_resinfo)
{
  view v;
  int64_t sizes[AXES];
  const char *problem = view_read(w, o, false, &v);
  if (problem)
    return refuse(w, o, problem);
  sizes_of(&v, sizes);
  const uint32_t x[AQ_WAVE_COMPONENTS] = {
      (uint32_t)sizes[0], (uint32_t)sizes[1], (uint32_t)sizes[2], 1};
  LANES(l) components_put(w, o, &v, x, o->more->inst.imm, l);
  return aq_wave_next(o);
}

/* ---- samples ---- */

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

static int64_t units_from(const view *v, float coordinate, int64_t size)
{
  const double scaled =
      (double)coordinate * (v->sampler.unnormalized ? 1 : (double)size) * UNIT;
  if (scaled != scaled)
    return 0;
  const double most = 0x1p40; /* far outside, however it is clamped */
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

static neighbours neighbours_find(const view *v, unsigned axis,
                                  float coordinate, int64_t size, bool linear)
{
  const int64_t units =
      units_from(v, coordinate, size) - (linear ? UNIT / 2 : 0);
  const int64_t part = modulo(units, UNIT), first = (units - part) / UNIT;
  const aq_wave_clamp clamp = v->sampler.clamp[axis];
  return (neighbours){
      {clamped(clamp, first, size), clamped(clamp, first + 1, size)},
      linear ? (uint32_t)part : 0};
}

/* The layer nearest to a coordinate. */
static int64_t layer_find(const view *v, float coordinate)
{
  const double last = (double)v->image.depth - 1,
               whole = roundeven((double)coordinate);
  return whole > 0 ? (int64_t)fmin(whole, last) : 0;
}

static void axes_find(const aq_wave *w, const aq_wave_op *o, const view *v,
                      const sampling *s, bool linear, int l,
                      neighbours out[AXES])
{
  const uint16_t row =
      (uint16_t)(o->more->address + s->lead + s->lead_per_axis * v->axes);
  int64_t sizes[AXES];
  sizes_of(v, sizes);
  for (unsigned i = 0; i < AXES; i++)
    out[i] = i < v->axes ? neighbours_find(v, i, lane_f32(w->v[row + i][l]),
                                           sizes[i], linear)
                         : (neighbours){{0, 0}, 0};
  if (v->layers) {
    const int64_t layer = layer_find(v, lane_f32(w->v[row + v->axes][l]));
    out[2] = (neighbours){{layer, layer}, 0};
  }
}

/* A border has components in the order of memory, as elements have. */
static void border_read(const view *v, uint32_t x[AQ_WAVE_COMPONENTS])
{
  uint32_t one = aq_wave_format_is_integer(&v->format) ? 1 : lane_bits32(1);
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++) {
    const uint8_t select = v->format.select[i];
    const bool set = select == AQ_WAVE_SELECT_1 ||
                     (select >= AQ_WAVE_SELECT_FIRST &&
                      (v->sampler.border == AQ_WAVE_BORDER_WHITE ||
                       (v->sampler.border == AQ_WAVE_BORDER_BLACK && i == 3)));
    x[i] = set ? one : 0;
  }
}

/* False: `*address` cannot be reached. */
static bool corner_read(aq_wave *w, const view *v, const neighbours axes[AXES],
                        unsigned corner, uint32_t x[AQ_WAVE_COMPONENTS],
                        uint64_t *address)
{
  const int64_t at[AXES] = {axes[0].at[corner & 1], axes[1].at[corner >> 1 & 1],
                            axes[2].at[corner >> 2]};
  if (!is_inside(v, at)) {
    border_read(v, x);
    return true;
  }
  *address = address_of(v, at);
  const void *from = aq_wave_reach(w->grid, *address, v->format.bytes, false);
  if (from)
    aq_wave_format_read(&v->format, from, x);
  return from != NULL;
}

/* The part of a corner in 1/UNIT^3. */
static uint32_t corner_part(const neighbours axes[AXES], unsigned corner)
{
  uint32_t part = 1;
  for (unsigned i = 0; i < AXES; i++)
    part *= corner >> i & 1 ? axes[i].part : UNIT - axes[i].part;
  return part;
}

static bool filtered_read(aq_wave *w, const view *v,
                          const neighbours axes[AXES],
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
static bool gathered_read(aq_wave *w, const view *v,
                          const neighbours axes[AXES], unsigned mask,
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
                                 const sampling *s, view *out, bool *linear)
{
  const char *problem = view_read(w, o, true, out);
  if (problem)
    return problem;
  *linear = s->gathers || out->sampler.linear;
  out->sampler.unnormalized |= (o->more->inst.graphics & AQ_ISA_UNORM) != 0;
  if (*linear && !s->gathers && aq_wave_format_is_integer(&out->format))
    return "a linear filter of integers";
  return s->gathers && out->axes != 2
             ? "four elements of an image that is not two-dimensional"
             : NULL;
}

static const aq_wave_op *sample(aq_wave *w, const aq_wave_op *o,
                                const sampling *s)
{
  view v;
  bool linear = false;
  uint64_t address = 0;
  const unsigned mask = o->more->inst.imm;
  const char *problem = sampling_read(w, o, s, &v, &linear);
  if (problem)
    return refuse(w, o, problem);
  w->at = o;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    neighbours axes[AXES];
    uint32_t x[AQ_WAVE_COMPONENTS];
    axes_find(w, o, &v, s, linear, l, axes);
    if (!(s->gathers ? gathered_read(w, &v, axes, mask, x, &address)
          : linear   ? filtered_read(w, &v, axes, x, &address)
                     : corner_read(w, &v, axes, 0, x, &address))) {
      aq_wave_mode_enter(w);
      return aq_wave_miss(w, o, l, address, false);
    }
    components_put(w, o, &v, x, s->gathers ? 15 : mask, l);
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

/* ---- observers ---- */

/* The sampling of an instruction, NULL of one without coordinates as floats. */
static const sampling *sampling_of(const aq_wave_op *o)
{
  for (size_t i = 0; i < sizeof samplings / sizeof *samplings; i++)
    if (samplings[i].run == o->run)
      return samplings[i].sampling;
  return NULL;
}

bool aq_wave_image_at(const aq_wave *w, const aq_wave_op *o, int lane,
                      uint64_t *address, unsigned *bytes)
{
  const sampling *s = sampling_of(o);
  view v;
  bool linear = false;
  int64_t at[AXES];
  if (s ? sampling_read(w, o, s, &v, &linear) : view_read(w, o, false, &v))
    return false;
  if (s) {
    neighbours axes[AXES];
    axes_find(w, o, &v, s, linear, lane, axes);
    for (int i = 0; i < AXES; i++)
      at[i] = axes[i].at[0];
  } else {
    place_read(w, o, &v, lane, at);
  }
  if (!is_inside(&v, at))
    return false;
  *address = address_of(&v, at);
  *bytes = v.format.bytes;
  return true;
}

/* ---- list ---- */

const aq_wave_semantics aq_wave_images[] = {
    AS(image_load, load),
    AS(image_store, store),
    AS(image_get_resinfo, get_resinfo),
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
