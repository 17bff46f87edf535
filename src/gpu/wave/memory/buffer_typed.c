/* SPDX-License-Identifier: MIT */
/*
 * Typed buffer instructions: components in memory have a format, of the
 * instruction (tbuffer_*) or of the resource (buffer_*_format_*); in registers
 * they are f32, f16 or integers. A value that its format cannot hold stops the
 * queue: what becomes of it is not documented.
 */
#include "config.h"

#include "gpu/wave/core/buffer.h"
#include "gpu/wave/core/format.h"
#include "gpu/wave/core/lane_handlers.h"

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

/* `bits` is NULL where there is no such format. */
static aq_wave_format format_of(const aq_wave *w, const aq_wave_op *o)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const bool own = inst->row->encoding == AQ_ISA_MTBUF;
  const uint32_t word = w->s[o->source[0] + 3];
  unsigned numbers = 0;
  const unsigned data = data_format(inst, word, &numbers);
  aq_wave_format f = {0};
  if (data < AQ_WAVE_LAYOUT_565)
    aq_wave_format_find(data, numbers, &f);
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    f.select[i] =
        (uint8_t)(own ? AQ_WAVE_SELECT_FIRST + i : word >> (3 * i) & 7);
  return f;
}

static const aq_wave_op *refuse(aq_wave *w, const aq_wave_op *o,
                                const char *what)
{
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0, what);
}

/* ---- from memory ---- */

static uint32_t to_half(const aq_wave_format *f, uint32_t x)
{
  return aq_wave_format_is_integer(f) ? x & 0xffff : lane_bits16(lane_f32(x));
}

static const aq_wave_op *typed_load(aq_wave *w, const aq_wave_op *o,
                                    unsigned count, bool halves, bool upper)
{
  const aq_wave_format f = format_of(w, o);
  uint64_t address = 0;
  if (!f.bits || (halves && f.bits[0] == 32))
    return refuse(w, o, "a buffer format that is not simulated");
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    uint32_t x[AQ_WAVE_COMPONENTS];
    const void *from = aq_wave_buffer_at(w, o, l, 0, f.bytes, false, &address);
    if (!from) {
      aq_wave_mode_enter(w);
      return aq_wave_access_fault(w, o, l, address, false);
    }
    aq_wave_format_read(&f, from, x);
    for (unsigned i = 0; i < count; i++) {
      uint32_t *d = &w->v[o->dest + (halves ? i / 2 : i)][l];
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

/* Component i of a lane, in a word of a register. */
static uint32_t component_of(const aq_wave *w, const aq_wave_op *o,
                             const aq_wave_format *f, unsigned i, bool halves,
                             bool upper, int l)
{
  const uint32_t word = w->v[o->decoded->data + (halves ? i / 2 : i)][l];
  const uint16_t half = (uint16_t)(upper || i % 2 ? word >> 16 : word);
  return !halves                     ? word
         : f->number == AQ_WAVE_SINT ? (uint32_t)(int16_t)half
         : f->number == AQ_WAVE_UINT ? half
                                     : lane_bits32(lane_f16(half));
}

/* Components that the instruction does not give are 0. */
static const aq_wave_op *typed_store(aq_wave *w, const aq_wave_op *o,
                                     unsigned count, bool halves, bool upper)
{
  const aq_wave_format f = format_of(w, o);
  uint64_t address = 0;
  if (!f.bits || (halves && f.bits[0] == 32))
    return refuse(w, o, "a buffer format that is not simulated");
  w->grid->quiet = false;
  aq_wave_mode_enter_nearest();
  LANES(l)
  {
    uint8_t element[AQ_WAVE_ELEMENT_MAX] = {0};
    uint32_t x[AQ_WAVE_COMPONENTS] = {0};
    for (unsigned i = 0; i < count; i++)
      x[i] = component_of(w, o, &f, i, halves, upper, l);
    const bool fits = aq_wave_format_write(&f, x, element);
    void *to = aq_wave_buffer_at(w, o, l, 0, f.bytes, true, &address);
    if (!to || !fits) {
      aq_wave_mode_enter(w);
      return fits ? aq_wave_access_fault(w, o, l, address, true)
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
