/* SPDX-License-Identifier: MIT */
/*
 * Typed buffer instructions: components in memory have a format, of the
 * instruction (tbuffer_*) or of the resource (buffer_*_format_*); in registers
 * they are f32, f16 or integers. A value that its format cannot hold stops the
 * queue: what becomes of it is not documented.
 */
#include "config.h"

#include "wave/buffer.h"
#include "wave/each.h"

typedef enum number {
  UNORM,
  SNORM,
  USCALED,
  SSCALED,
  UINT,
  SINT,
  RESERVED,
  FLOAT
} number;

enum { COMPONENTS = 4, LAYOUTS = 15 };

/* Bits of the components by data format, from the lowest on. */
static const uint8_t layouts[LAYOUTS][COMPONENTS] = {
    [1] = {8},
    [2] = {16},
    [3] = {8, 8},
    [4] = {32},
    [5] = {16, 16},
    [6] = {11, 11, 10},
    [7] = {10, 11, 11},
    [8] = {2, 10, 10, 10},
    [9] = {10, 10, 10, 2},
    [10] = {8, 8, 8, 8},
    [11] = {32, 32},
    [12] = {16, 16, 16, 16},
    [13] = {32, 32, 32},
    [14] = {32, 32, 32, 32},
};

typedef struct format {
  const uint8_t *bits; /* NULL: none */
  number number;
  uint8_t select[COMPONENTS]; /* of loads: 0, 1, or a component from 4 on */
  unsigned bytes;             /* of an element */
} format;

static bool is_valid(const uint8_t *bits, number n)
{
  const bool words = bits[0] == 32, halves = bits[0] == 16,
             packed = bits[0] >= 10 && bits[1] == 11;
  return n != RESERVED && (n != FLOAT || words || halves || packed) &&
         (!words || n == UINT || n == SINT || n == FLOAT);
}

/* The data and number format of gfx9, by the instruction or the resource's
 * fourth word; data 0: none. RDNA has one number for both, of seven bits, in
 * resources from gfx11 on of six. */
static unsigned data_format(const aq_isa_inst *inst, uint32_t word,
                            unsigned *numbers)
{
  const bool own = inst->row->encoding == AQ_ISA_MTBUF;
  if (inst->target & AQ_ISA_RDNA) {
    const uint32_t mask = inst->target & AQ_ISA_FROM_GFX11 ? 63 : 127;
    unsigned data;
    return aq_isa_rdna_format_find(own ? inst->format
                                       : (uint8_t)(word >> 12 & mask),
                                   inst->target, &data, numbers)
               ? data
               : 0;
  }
  *numbers = own ? inst->format >> 4 & 7u : word >> 12 & 7;
  return own ? inst->format & 15u : word >> 15 & 15;
}

static format format_of(const aq_wave *w, const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->more->inst;
  const bool own = inst->row->encoding == AQ_ISA_MTBUF;
  const uint32_t word = w->s[o->r[0] + 3];
  unsigned numbers = 0;
  const unsigned data = data_format(inst, word, &numbers);
  format f = {.number = (number)numbers};
  for (unsigned i = 0; i < COMPONENTS; i++)
    f.select[i] = (uint8_t)(own ? 4 + i : word >> (3 * i) & 7);
  if (data == 0 || data >= LAYOUTS || !is_valid(layouts[data], f.number))
    return f;
  f.bits = layouts[data];
  for (unsigned i = 0; i < COMPONENTS; i++)
    f.bytes += f.bits[i];
  f.bytes /= 8;
  return f;
}

static const aq_wave_op *refuse(aq_wave *w, const aq_wave_op *o,
                                const char *what)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0, what);
}

/* ---- from memory ---- */

/* Floats of 10 and 11 bits: no sign, 5 bits of exponent. */
static float small_float(uint32_t x, unsigned bits)
{
  const unsigned mantissa = bits - 5, e = x >> mantissa,
                 m = x & ((1u << mantissa) - 1);
  return lane_f16((uint16_t)(e << 10 | m << (10 - mantissa)));
}

static uint32_t component_read(number n, uint32_t x, unsigned bits)
{
  const int32_t s = (int32_t)(x << (32 - bits)) >> (32 - bits);
  const double most = (double)((UINT64_C(1) << bits) - 1),
               most_signed = (double)((UINT64_C(1) << (bits - 1)) - 1);
  switch (n) {
  case UNORM:
    return lane_bits32((float)((double)x / most));
  case SNORM:
    return lane_bits32((float)fmax((double)s / fmax(most_signed, 1), -1));
  case USCALED:
    return lane_bits32((float)x);
  case SSCALED:
    return lane_bits32((float)s);
  case SINT:
    return (uint32_t)s;
  case FLOAT:
    return bits == 32   ? x
           : bits == 16 ? lane_bits32(lane_f16((uint16_t)x))
                        : lane_bits32(small_float(x, bits));
  default:
    return x;
  }
}

static uint32_t bits_at(const uint8_t *from, unsigned first, unsigned bits)
{
  uint64_t x = 0;
  memcpy(&x, from + first / 8, (first % 8 + bits + 7) / 8);
  return (uint32_t)(x >> (first % 8) & ((UINT64_C(1) << bits) - 1));
}

/* All components; missing ones are 0, the last one is 1. */
static void element_read(const format *f, const uint8_t *from,
                         uint32_t out[COMPONENTS])
{
  const uint32_t one =
      f->number == UINT || f->number == SINT ? 1 : lane_bits32(1);
  uint32_t in[COMPONENTS] = {0, 0, 0, one};
  for (unsigned i = 0, first = 0; i < COMPONENTS && f->bits[i]; i++) {
    in[i] =
        component_read(f->number, bits_at(from, first, f->bits[i]), f->bits[i]);
    first += f->bits[i];
  }
  for (unsigned i = 0; i < COMPONENTS; i++)
    out[i] = f->select[i] >= 4   ? in[f->select[i] - 4]
             : f->select[i] == 1 ? one
                                 : 0;
}

static bool is_integer(const format *f)
{
  return f->number == UINT || f->number == SINT;
}

static uint32_t to_half(const format *f, uint32_t x)
{
  return is_integer(f) ? x & 0xffff : lane_bits16(lane_f32(x));
}

static const aq_wave_op *typed_load(aq_wave *w, const aq_wave_op *o,
                                    unsigned count, bool halves, bool upper)
{
  const format f = format_of(w, o);
  uint64_t address = 0;
  if (!f.bits || (halves && f.bits[0] == 32))
    return refuse(w, o, "a buffer format that is not simulated");
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    uint32_t x[COMPONENTS];
    const void *from = aq_wave_buffer_at(w, o, l, 0, f.bytes, false, &address);
    if (!from) {
      aq_wave_mode_enter(w);
      return aq_wave_miss(w, o, l, address, false);
    }
    element_read(&f, from, x);
    for (unsigned i = 0; i < count; i++) {
      uint32_t *d = &w->v[o->d + (halves ? i / 2 : i)][l];
      const uint32_t half = halves ? to_half(&f, x[i]) : 0;
      if (!halves)
        *d = x[i];
      else if (upper || i % 2)
        *d = (*d & 0xffff) | half << 16;
      else
        *d = (*d & 0xffff0000) | half;
    }
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* ---- to memory ---- */

/* A register's value as a component; false: it does not fit. */
static bool component_write(number n, uint32_t x, unsigned bits, uint32_t *out)
{
  const uint64_t ones = (UINT64_C(1) << bits) - 1;
  const double most = (double)ones, most_signed = (double)(ones >> 1);
  const double a = (double)lane_f32(x), zero = a == a ? a : 0;
  const int32_t s = (int32_t)(x << (32 - bits)) >> (32 - bits);
  switch (n) {
  case UNORM:
    *out = (uint32_t)roundeven(fmin(fmax(zero, 0), 1) * most);
    return true;
  case SNORM:
    *out = (uint32_t)(int32_t)roundeven(fmin(fmax(zero, -1), 1) * most_signed);
    return true;
  case USCALED:
    *out = a >= 0 && a <= most ? (uint32_t)a : 0;
    return a == (double)*out;
  case SSCALED:
    *out = a >= -most_signed - 1 && a <= most_signed ? (uint32_t)(int32_t)a : 0;
    return a == (double)(int32_t)*out;
  case UINT:
    *out = x;
    return x <= ones;
  case SINT:
    *out = x;
    return s == (int32_t)x;
  default:
    *out = bits == 32 ? x : lane_bits16(lane_f32(x));
    return bits >= 16;
  }
}

static void bits_put(uint8_t *to, unsigned first, unsigned bits, uint32_t x)
{
  const unsigned bytes = (first % 8 + bits + 7) / 8;
  const uint64_t mask = ((UINT64_C(1) << bits) - 1) << (first % 8);
  uint64_t old = 0;
  memcpy(&old, to + first / 8, bytes);
  old = (old & ~mask) | ((uint64_t)x << (first % 8) & mask);
  memcpy(to + first / 8, &old, bytes);
}

/* Component i of a lane, in a word of a register. */
static uint32_t component_of(const aq_wave *w, const aq_wave_op *o,
                             const format *f, unsigned i, bool halves,
                             bool upper, int l)
{
  const uint32_t word = w->v[o->more->data + (halves ? i / 2 : i)][l];
  const uint16_t half = (uint16_t)(upper || i % 2 ? word >> 16 : word);
  return !halves             ? word
         : f->number == SINT ? (uint32_t)(int16_t)half
         : f->number == UINT ? half
                             : lane_bits32(lane_f16(half));
}

/* Components that the instruction does not give are 0. */
static const aq_wave_op *typed_store(aq_wave *w, const aq_wave_op *o,
                                     unsigned count, bool halves, bool upper)
{
  const format f = format_of(w, o);
  uint64_t address = 0;
  if (!f.bits || (halves && f.bits[0] == 32))
    return refuse(w, o, "a buffer format that is not simulated");
  w->grid->quiet = false;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    uint8_t element[16] = {0};
    bool fits = true;
    for (unsigned i = 0, first = 0; i < COMPONENTS && f.bits[i]; i++) {
      uint32_t x = 0;
      if (i < count)
        fits &= component_write(f.number,
                                component_of(w, o, &f, i, halves, upper, l),
                                f.bits[i], &x);
      bits_put(element, first, f.bits[i], x);
      first += f.bits[i];
    }
    void *to = aq_wave_buffer_at(w, o, l, 0, f.bytes, true, &address);
    if (!to || !fits) {
      aq_wave_mode_enter(w);
      return fits ? aq_wave_miss(w, o, l, address, true)
                  : refuse(w, o,
                           "a value that the buffer's format cannot "
                           "hold");
    }
    memcpy(to, element, f.bytes);
  }
  aq_wave_mode_enter(w);
  return aq_wave_next(o);
}

/* ---- list ---- */

#define TYPED(name, direction, count, halves, upper)                           \
  BODY(name)                                                                   \
  {                                                                            \
    return typed_##direction(w, o, count, halves, upper);                      \
  }
#define WIDTHS(direction, halves, d16)                                         \
  TYPED(direction##_format##d16##_x, direction, 1, halves, false)              \
  TYPED(direction##_format##d16##_xy, direction, 2, halves, false)             \
  TYPED(direction##_format##d16##_xyz, direction, 3, halves, false)            \
  TYPED(direction##_format##d16##_xyzw, direction, 4, halves, false)
WIDTHS(load, false, )
WIDTHS(store, false, )
WIDTHS(load, true, _d16)
WIDTHS(store, true, _d16)
TYPED(load_format_d16_hi_x, load, 1, true, true)
TYPED(store_format_d16_hi_x, store, 1, true, true)

/* clang-format off */
#define BOTH(name) AS(buffer_##name, name), AS(tbuffer_##name, name)
#define H_WIDTHS(name)                                                         \
  BOTH(name##_x), BOTH(name##_xy), BOTH(name##_xyz), BOTH(name##_xyzw)
const aq_wave_semantics aq_wave_typed[] = {
    H_WIDTHS(load_format), H_WIDTHS(store_format), H_WIDTHS(load_format_d16),
    H_WIDTHS(store_format_d16),
    AS(buffer_load_format_d16_hi_x, load_format_d16_hi_x),
    AS(buffer_store_format_d16_hi_x, store_format_d16_hi_x), {NULL, NULL}};
/* clang-format on */
