/* SPDX-License-Identifier: MIT */
/*
 * Vector memory: global, flat, scratch and buffer instructions.
 *
 * Lane by lane; access.inc has the accesses of all lanes at once. Addresses of
 * the device are the host's, but for LDS and private memory.
 */
#include "config.h"

#include "gpu/wave/core/access.h"
#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/buffer.h"
#include "gpu/wave/core/lanes.h"
#include "gpu/wave/core/packed.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)
#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

typedef enum space { GLOBAL, FLAT, SCRATCH, BUFFER } space;

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

ALWAYS_INLINE uint32_t lane_word(const aq_wave *w, uint16_t row, int l)
{
  return row == AQ_WAVE_NONE ? 0 : w->v[row][l];
}

ALWAYS_INLINE uint64_t scalar_word(const aq_wave *w, uint16_t code)
{
  return code == AQ_WAVE_NONE ? 0 : w->s[code];
}

static void *shared_at(const aq_wave *w, uint64_t offset, unsigned size)
{
  const uint32_t end = w->grid->lds_size;
  if (offset > end || size > end - offset)
    return NULL;
  return w->group->lds + offset;
}

/* The host address of a lane's access; NULL: `*address` cannot be reached. A
 * store to it ends with aq_wave_private_put. */
ALWAYS_INLINE void *lane_at(aq_wave *w, const aq_wave_op *o, space where, int l,
                            unsigned size, bool write, uint64_t *address)
{
  const aq_wave_decoded *more = o->decoded;
  w->at = o;
  if (where == BUFFER)
    return aq_wave_buffer_at(w, o, l, 0, size, write, address);
  if (where == SCRATCH) {
    const uint64_t offset =
        (uint32_t)(lane_word(w, more->address, l) +
                   (uint32_t)scalar_word(w, more->scalar) + (uint32_t)o->imm);
    *address = (uint64_t)AQ_WAVE_PRIVATE_HI << 32 | offset;
    return aq_wave_private_at(w, (unsigned)l, 0, offset, size);
  }
  uint64_t at = (uint64_t)(int64_t)o->imm + w->v[more->address][l];
  if (where == GLOBAL && more->scalar != AQ_WAVE_NONE)
    at += w->s[more->scalar] | (uint64_t)w->s[more->scalar + 1] << 32;
  else
    at += (uint64_t)w->v[more->address + 1][l] << 32;
  *address = at;
  if (where == FLAT && at >> 32 == AQ_WAVE_SHARED_HI)
    return shared_at(w, (uint32_t)at, size);
  if (where == FLAT && at >> 32 == AQ_WAVE_PRIVATE_HI)
    return aq_wave_private_at(w, (unsigned)l, 0, (uint32_t)at, size);
  return aq_wave_translate(w->grid, at, size, write);
}

void *aq_wave_lane_at(aq_wave *w, const aq_wave_op *o, int lane, unsigned size,
                      uint64_t *address)
{
  const uint8_t encoding = o->decoded->inst.row->encoding;
  return lane_at(w, o,
                 encoding == AQ_ISA_GLOBAL    ? GLOBAL
                 : encoding == AQ_ISA_SCRATCH ? SCRATCH
                                              : FLAT,
                 lane, size, false, address);
}

/* ---- lanes one after the other ---- */

/* Buffers check the range of each word: some may be dropped. */
static const aq_wave_op *buffer_load(aq_wave *w, const aq_wave_op *o,
                                     unsigned words)
{
  uint64_t address = 0;
  uint32_t value[4];
  LANES(l)
  {
    for (unsigned i = 0; i < words; i++) {
      const void *from = aq_wave_buffer_at(w, o, l, 4 * i, 4, false, &address);
      if (!from)
        return aq_wave_access_fault(w, o, l, address, false);
      memcpy(&value[i], from, 4);
    }
    for (unsigned i = 0; i < words; i++)
      w->v[o->dest + i][l] = value[i];
  }
  return aq_wave_next(o);
}

static const aq_wave_op *buffer_store(aq_wave *w, const aq_wave_op *o,
                                      unsigned words)
{
  uint64_t address = 0;
  LANES(l)
  for (unsigned i = 0; i < words; i++) {
    void *to = aq_wave_buffer_at(w, o, l, 4 * i, 4, true, &address);
    if (!to)
      return aq_wave_access_fault(w, o, l, address, true);
    memcpy(to, &w->v[o->decoded->data + i][l], 4);
    aq_wave_private_put(w, to);
  }
  return aq_wave_next(o);
}

ALWAYS_INLINE const aq_wave_op *words_load(aq_wave *w, const aq_wave_op *o,
                                           space where, unsigned words)
{
  uint64_t address = 0;
  if (where == BUFFER)
    return buffer_load(w, o, words);
  LANES(l)
  {
    const uint8_t *from = lane_at(w, o, where, l, 4 * words, false, &address);
    if (__builtin_expect(!from, false))
      return aq_wave_access_fault(w, o, l, address, false);
    lane_words_load(&w->v[o->dest][l], from, words);
  }
  return aq_wave_next(o);
}

ALWAYS_INLINE const aq_wave_op *words_store(aq_wave *w, const aq_wave_op *o,
                                            space where, unsigned words)
{
  const uint16_t data = o->decoded->data;
  uint64_t address = 0;
  w->grid->quiet = false;
  if (where == BUFFER)
    return buffer_store(w, o, words);
  LANES(l)
  {
    uint8_t *to = lane_at(w, o, where, l, 4 * words, true, &address);
    if (__builtin_expect(!to, false))
      return aq_wave_access_fault(w, o, l, address, true);
    lane_words_store(to, &w->v[data][l], words);
    aq_wave_private_put(w, to);
  }
  return aq_wave_next(o);
}

#define WORDS(prefix, where)                                                   \
  const aq_wave_op *aq_wave_##prefix##_load(aq_wave *w, const aq_wave_op *o,   \
                                            unsigned words)                    \
  {                                                                            \
    return words_load(w, o, where, words);                                     \
  }                                                                            \
  const aq_wave_op *aq_wave_##prefix##_store(aq_wave *w, const aq_wave_op *o,  \
                                             unsigned words)                   \
  {                                                                            \
    return words_store(w, o, where, words);                                    \
  }
WORDS(global, GLOBAL)
WORDS(flat, FLAT)
WORDS(scratch, SCRATCH)
WORDS(buffer, BUFFER)

ALWAYS_INLINE const aq_wave_op *small_load(aq_wave *w, const aq_wave_op *o,
                                           space where, aq_wave_small small)
{
  uint64_t address = 0;
  LANES(l)
  {
    const uint8_t *from = lane_at(w, o, where, l, small.size, false, &address);
    if (__builtin_expect(!from, false))
      return aq_wave_access_fault(w, o, l, address, false);
    uint32_t x = *from;
    if (small.size == 2) {
      uint16_t wide;
      memcpy(&wide, from, 2);
      x = small.is_signed ? (uint32_t)(int16_t)wide : wide;
    } else if (small.is_signed) {
      x = (uint32_t)(int8_t)x;
    }
    w->v[o->dest][l] = aq_wave_small_place(w->v[o->dest][l], x, small.part);
  }
  return aq_wave_next(o);
}

ALWAYS_INLINE const aq_wave_op *small_store(aq_wave *w, const aq_wave_op *o,
                                            space where, aq_wave_small small)
{
  const uint16_t data = o->decoded->data;
  uint64_t address = 0;
  w->grid->quiet = false;
  LANES(l)
  {
    uint8_t *to = lane_at(w, o, where, l, small.size, true, &address);
    if (__builtin_expect(!to, false))
      return aq_wave_access_fault(w, o, l, address, true);
    const uint32_t x =
        small.part == AQ_WAVE_HIGH ? w->v[data][l] >> 16 : w->v[data][l];
    if (small.size == 2)
      memcpy(to, &(uint16_t){(uint16_t)x}, 2);
    else
      *to = (uint8_t)x;
    aq_wave_private_put(w, to);
  }
  return aq_wave_next(o);
}

#define SMALL(prefix, where)                                                   \
  const aq_wave_op *aq_wave_##prefix##_small_load(                             \
      aq_wave *w, const aq_wave_op *o, aq_wave_small small)                    \
  {                                                                            \
    return small_load(w, o, where, small);                                     \
  }                                                                            \
  const aq_wave_op *aq_wave_##prefix##_small_store(                            \
      aq_wave *w, const aq_wave_op *o, aq_wave_small small)                    \
  {                                                                            \
    return small_store(w, o, where, small);                                    \
  }
SMALL(global, GLOBAL)
SMALL(flat, FLAT)
SMALL(buffer, BUFFER)

/* The old value goes to d if it was asked for; cmpswap's data is the new value
 * and then the one compared with. */
ALWAYS_INLINE const aq_wave_op *atomic(aq_wave *w, const aq_wave_op *o,
                                       space where, unsigned size)
{
  const aq_wave_decoded *more = o->decoded;
  const aq_wave_atomic op = (aq_wave_atomic)o->constant[0];
  const bool drops = aq_wave_atomic_is_dropped(op, more->inst.target);
  uint64_t address = 0;
  bool reads = true;
  LANES(l)
  {
    void *at = lane_at(w, o, where, l, size, true, &address);
    if (!at)
      return aq_wave_access_fault(w, o, l, address, true);
    if (address % size != 0 && at != w->nowhere)
      return aq_wave_misaligned(w, o, l, address);
    if (drops && aq_wave_translate_is_fine(w->grid, address)) {
      for (unsigned i = 0; more->inst.glc && i < size / 4; i++)
        w->v[o->dest + i][l] = 0;
    } else if (size == 4) {
      const uint32_t old = aq_wave_exchange32(op, at, w->v[more->data][l],
                                              w->v[more->data + 1][l]);
      reads &= aq_wave_atomic_is_read(at, size, old);
      if (more->inst.glc)
        w->v[o->dest][l] = old;
    } else {
      const uint64_t old =
          aq_wave_exchange64(op, at, lane_u64(w->v[more->data], l),
                             lane_u64(w->v[more->data + 2], l));
      reads &= aq_wave_atomic_is_read(at, size, old);
      if (more->inst.glc) {
        w->v[o->dest][l] = (uint32_t)old;
        w->v[o->dest + 1][l] = (uint32_t)(old >> 32);
      }
    }
    aq_wave_private_put(w, at);
  }
  w->grid->quiet &= reads;
  return aq_wave_next(o);
}

/* ---- each instruction in each space ---- */

#define LOAD(name, where, size, is_signed, part)                               \
  BODY(name)                                                                   \
  {                                                                            \
    return small_load(w, o, where,                                             \
                      (aq_wave_small){size, is_signed, AQ_WAVE_##part});       \
  }
#define STORE(name, where, size, part)                                         \
  BODY(name)                                                                   \
  {                                                                            \
    return small_store(w, o, where,                                            \
                       (aq_wave_small){size, false, AQ_WAVE_##part});          \
  }
#define SMALL_LOAD(name, shared, size, is_signed, part)                        \
  LOAD(scratch_load_##name, SCRATCH, size, is_signed, part)
#define SMALL_STORE(name, shared, size, part)                                  \
  STORE(scratch_store_##name, SCRATCH, size, part)
#include "gpu/wave/memory/access_subword.def"
#undef SMALL_LOAD
#undef SMALL_STORE

#define ATOMICS(prefix, where)                                                 \
  BODY(prefix##_atomic)                                                        \
  {                                                                            \
    return atomic(w, o, where, 4);                                             \
  }                                                                            \
  BODY(prefix##_atomic_x2)                                                     \
  {                                                                            \
    return atomic(w, o, where, 8);                                             \
  }

ATOMICS(global, GLOBAL)
ATOMICS(flat, FLAT)
ATOMICS(buffer, BUFFER)

/* For access_atomics.inc. */
AQ_WAVE_BY_LANE(global_atomic)
AQ_WAVE_BY_LANE(global_atomic_x2)
AQ_WAVE_BY_LANE(flat_atomic)
AQ_WAVE_BY_LANE(flat_atomic_x2)

/* clang-format off */
#define H(name) {#name, name##_}
#define AS(name, handler) {#name, handler##_}
#define SMALL_LOAD(name, shared, size, is_signed, part)                        \
  H(scratch_load_##name),
#define SMALL_STORE(name, shared, size, part)                                  \
  H(scratch_store_##name),
const aq_wave_semantics aq_wave_memory[] = {
#include "gpu/wave/memory/access_subword.def"
    H_ATOMICS(buffer), {NULL, NULL}};
/* clang-format on */
