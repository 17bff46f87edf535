/* SPDX-License-Identifier: MIT */
/* Scalar memory. */
#include "config.h"

#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/execution_state.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)

enum { WORDS = 16 };

/* ---- plain addresses ---- */

static uint64_t scalar_sum(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_decoded *more = o->decoded;
  w->at = o;
  uint64_t address = w->s[o->source[0]] | (uint64_t)w->s[o->source[0] + 1]
                                              << 32;
  address += (uint64_t)(int64_t)o->imm;
  if (more->scalar != AQ_WAVE_NONE)
    address += (uint64_t)w->s[more->scalar] * more->element_bytes;
  return address;
}

static uint64_t scalar_address(aq_wave *w, const aq_wave_op *o)
{
  return scalar_sum(w, o) & ~(uint64_t)3;
}

/* gfx12: a byte or two. */
#define SMALL(name, T)                                                         \
  BODY(name)                                                                   \
  {                                                                            \
    const uint64_t address = scalar_sum(w, o);                                 \
    const void *from = aq_wave_translate(w->grid, address, sizeof(T), false);  \
    T value;                                                                   \
    if (!from)                                                                 \
      return aq_wave_access_fault(w, o, -1, address, false);                   \
    memcpy(&value, from, sizeof value);                                        \
    w->s[o->dest] = (uint32_t)(int32_t)value;                                  \
    return aq_wave_next(o);                                                    \
  }
SMALL(s_load_u8, uint8_t)
SMALL(s_load_i8, int8_t)
SMALL(s_load_u16, uint16_t)
SMALL(s_load_i16, int16_t)

BODY(s_load)
{
  const uint64_t address = scalar_address(w, o);
  const unsigned bytes = o->decoded->bytes;
  const void *from = aq_wave_translate(w->grid, address, bytes, false);
  if (!from)
    return aq_wave_access_fault(w, o, -1, address, false);
  memcpy(&w->s[o->dest], from, bytes);
  return aq_wave_next(o);
}

BODY(s_store)
{
  const uint64_t address = scalar_address(w, o);
  const unsigned bytes = o->decoded->bytes;
  void *to = aq_wave_translate(w->grid, address, bytes, true);
  if (!to)
    return aq_wave_access_fault(w, o, -1, address, true);
  w->grid->quiet = false;
  memcpy(to, &w->s[o->dest], bytes);
  return aq_wave_next(o);
}

/* ---- buffers ---- */

typedef struct range {
  uint64_t base, offset, size;
} range;

static range buffer_range(aq_wave *w, const aq_wave_op *o, unsigned align)
{
  w->at = o;
  const aq_wave_decoded *more = o->decoded;
  const uint32_t *r = &w->s[o->source[0]];
  const uint32_t stride = r[1] >> 16 & 0x3fff;
  uint64_t offset = (uint32_t)o->imm;
  if (more->scalar != AQ_WAVE_NONE)
    offset += w->s[more->scalar];
  return (range){.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
                 .offset = offset & ~(uint64_t)(align - 1),
                 .size = stride ? (uint64_t)r[2] * stride : r[2]};
}

/* Words past the end of the buffer are 0. */
BODY(s_buffer_load)
{
  const range at = buffer_range(w, o, 4);
  uint32_t value[WORDS] = {0};
  for (unsigned i = 0; i < o->decoded->bytes / 4u; i++) {
    const uint64_t offset = at.offset + 4 * i;
    if (offset + 4 > at.size)
      continue;
    const void *from = aq_wave_translate(w->grid, at.base + offset, 4, false);
    if (!from)
      return aq_wave_access_fault(w, o, -1, at.base + offset, false);
    memcpy(&value[i], from, 4);
  }
  memcpy(&w->s[o->dest], value, o->decoded->bytes);
  return aq_wave_next(o);
}

/* gfx12: a byte or two. */
#define SMALL_BUFFER(name, T)                                                  \
  BODY(name)                                                                   \
  {                                                                            \
    const range at = buffer_range(w, o, sizeof(T));                            \
    T value = 0;                                                               \
    if (at.offset + sizeof value <= at.size) {                                 \
      const void *from = aq_wave_translate(w->grid, at.base + at.offset,       \
                                           sizeof value, false);               \
      if (!from)                                                               \
        return aq_wave_access_fault(w, o, -1, at.base + at.offset, false);     \
      memcpy(&value, from, sizeof value);                                      \
    }                                                                          \
    w->s[o->dest] = (uint32_t)(int32_t)value;                                  \
    return aq_wave_next(o);                                                    \
  }
SMALL_BUFFER(s_buffer_load_u8, uint8_t)
SMALL_BUFFER(s_buffer_load_i8, int8_t)
SMALL_BUFFER(s_buffer_load_u16, uint16_t)
SMALL_BUFFER(s_buffer_load_i16, int16_t)

/* They are not stored. */
BODY(s_buffer_store)
{
  const range at = buffer_range(w, o, 4);
  w->grid->quiet = false;
  for (unsigned i = 0; i < o->decoded->bytes / 4u; i++) {
    const uint64_t offset = at.offset + 4 * i;
    if (offset + 4 > at.size)
      continue;
    void *to = aq_wave_translate(w->grid, at.base + offset, 4, true);
    if (!to)
      return aq_wave_access_fault(w, o, -1, at.base + offset, true);
    memcpy(to, &w->s[o->dest + i], 4);
  }
  return aq_wave_next(o);
}

/* ---- atomics ---- */

/* cmpswap's data is the new value and then the one compared with. */
static const aq_wave_op *atomic_at(aq_wave *w, const aq_wave_op *o,
                                   uint64_t address, unsigned size)
{
  const aq_wave_atomic op = (aq_wave_atomic)o->constant[0];
  const uint32_t *data = &w->s[o->dest];
  void *at = aq_wave_translate(w->grid, address, size, true);
  uint64_t old = 0;
  if (!at)
    return aq_wave_access_fault(w, o, -1, address, true);
  if (address % size != 0)
    return aq_wave_misaligned(w, o, -1, address);
  if (size == 4) {
    old = aq_wave_exchange32(op, at, data[0],
                             op == AQ_WAVE_CMPSWAP ? data[1] : 0);
  } else {
    const uint64_t b = data[0] | (uint64_t)data[1] << 32;
    const uint64_t c =
        op == AQ_WAVE_CMPSWAP ? data[2] | (uint64_t)data[3] << 32 : 0;
    old = aq_wave_exchange64(op, at, b, c);
  }
  w->grid->quiet &= aq_wave_atomic_is_read(at, size, old);
  if (o->decoded->inst.glc) {
    w->s[o->dest] = (uint32_t)old;
    if (size == 8)
      w->s[o->dest + 1] = (uint32_t)(old >> 32);
  }
  return aq_wave_next(o);
}

static unsigned atomic_size(const aq_wave_op *o)
{
  return o->constant[0] == AQ_WAVE_CMPSWAP ? o->decoded->bytes / 2u
                                           : o->decoded->bytes;
}

BODY(s_atomic)
{
  return atomic_at(w, o, scalar_address(w, o), atomic_size(o));
}

/* Outside the buffer nothing happens, and 0 is the old value. */
BODY(s_buffer_atomic)
{
  const range at = buffer_range(w, o, 4);
  const unsigned size = atomic_size(o);
  if (at.offset + size <= at.size)
    return atomic_at(w, o, at.base + at.offset, size);
  if (o->decoded->inst.glc)
    memset(&w->s[o->dest], 0, size);
  return aq_wave_next(o);
}

/* clang-format off */
#define AS(name, handler) {#name, handler##_}
#define WIDTHS(name)                                                           \
  AS(name##_dword, name), AS(name##_dwordx2, name), AS(name##_dwordx4, name)
#define LOADS(name)                                                            \
  WIDTHS(name), AS(name##_dwordx8, name), AS(name##_dwordx16, name)
#define BOTH(name, op) AS(name##_##op, name), AS(name##_##op##_x2, name)
#define ATOMICS(name)                                                          \
  BOTH(name, swap), BOTH(name, cmpswap), BOTH(name, add), BOTH(name, sub),     \
      BOTH(name, smin), BOTH(name, umin), BOTH(name, smax), BOTH(name, umax),  \
      BOTH(name, and), BOTH(name, or), BOTH(name, xor), BOTH(name, inc),       \
      BOTH(name, dec)
const aq_wave_semantics aq_wave_smem[] = {
    {"s_load_u8", s_load_u8_}, {"s_load_i8", s_load_i8_},
    {"s_load_u16", s_load_u16_}, {"s_load_i16", s_load_i16_},
    {"s_load_b96", s_load_}, {"s_buffer_load_b96", s_buffer_load_},
    {"s_buffer_load_u8", s_buffer_load_u8_},
    {"s_buffer_load_i8", s_buffer_load_i8_},
    {"s_buffer_load_u16", s_buffer_load_u16_},
    {"s_buffer_load_i16", s_buffer_load_i16_}, LOADS(s_load), WIDTHS(s_store), LOADS(s_buffer_load),
    WIDTHS(s_buffer_store), ATOMICS(s_atomic), ATOMICS(s_buffer_atomic),
    {NULL, NULL}};
/* clang-format on */
