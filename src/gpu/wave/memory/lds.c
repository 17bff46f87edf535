/* SPDX-License-Identifier: MIT */
/* LDS: the memory of a workgroup, which one thread executes at a time.
 * access.inc accesses words of all lanes; this file handles the other cases
 * lane by lane. */
#include "config.h"

#include <stdio.h>

#include "gpu/wave/core/access.h"
#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/lanes.h"
#include "gpu/wave/memory/lds.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)
#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

const aq_wave_op *aq_wave_shared_miss(aq_wave *w, const aq_wave_op *o, int lane,
                                      uint32_t address)
{
  char what[96];
  snprintf(what, sizeof what, "lane %d: LDS address %u of %u bytes", lane,
           address, w->grid->lds_asked);
  return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_APERTURE,
                       (uint64_t)AQ_WAVE_SHARED_HI << 32 | address, what);
}

/* `words` words at `offset` from the lane's address into rows from d on. */
static const aq_wave_op *words_load(aq_wave *w, const aq_wave_op *o,
                                    uint32_t offset, unsigned words, uint16_t d)
{
  const uint32_t *address = w->v[o->decoded->address];
  LANES(l)
  {
    const uint32_t at = address[l] + offset;
    const uint8_t *from = aq_wave_shared_at(w, at, 4 * words);
    if (__builtin_expect(!from, false))
      return aq_wave_shared_miss(w, o, l, at);
    for (unsigned i = 0; i < words; i++)
      memcpy(&w->v[d + i][l], from + 4 * i, 4);
  }
  return aq_wave_next(o);
}

static const aq_wave_op *words_store(aq_wave *w, const aq_wave_op *o,
                                     uint32_t offset, unsigned words,
                                     uint16_t data)
{
  const uint32_t *address = w->v[o->decoded->address];
  LANES(l)
  {
    const uint32_t at = address[l] + offset;
    uint8_t *to = aq_wave_shared_at(w, at, 4 * words);
    if (__builtin_expect(!to, false))
      return aq_wave_shared_miss(w, o, l, at);
    for (unsigned i = 0; i < words; i++)
      memcpy(to + 4 * i, &w->v[data + i][l], 4);
  }
  return aq_wave_next(o);
}

/* Two elements of `words`, whose offsets count in elements or 64 of them. The
 * address may be overwritten by the first, so it is kept. */
const aq_wave_op *aq_wave_shared_load2(aq_wave *w, const aq_wave_op *o,
                                       unsigned words, unsigned scale)
{
  const uint32_t unit = 4 * words * scale;
  const uint32_t first = ((uint32_t)o->imm & 0xff) * unit,
                 second = ((uint32_t)o->imm >> 8 & 0xff) * unit;
  const uint32_t *address = w->v[o->decoded->address];
  uint32_t kept[AQ_WAVE_LANES];
  memcpy(kept, address, sizeof kept);
  LANES(l)
  {
    const uint8_t *a = aq_wave_shared_at(w, kept[l] + first, 4 * words),
                  *b = aq_wave_shared_at(w, kept[l] + second, 4 * words);
    if (__builtin_expect(!a || !b, false))
      return aq_wave_shared_miss(w, o, l, kept[l] + (a ? second : first));
    for (unsigned i = 0; i < words; i++) {
      memcpy(&w->v[o->dest + i][l], a + 4 * i, 4);
      memcpy(&w->v[o->dest + words + i][l], b + 4 * i, 4);
    }
  }
  return aq_wave_next(o);
}

const aq_wave_op *aq_wave_shared_store2(aq_wave *w, const aq_wave_op *o,
                                        unsigned words, unsigned scale)
{
  const uint32_t unit = 4 * words * scale;
  const aq_wave_op *next = words_store(w, o, ((uint32_t)o->imm & 0xff) * unit,
                                       words, o->decoded->data);
  return next ? words_store(w, o, ((uint32_t)o->imm >> 8 & 0xff) * unit, words,
                            o->decoded->data2)
              : NULL;
}

#define OFFSET ((uint32_t)o->imm)

const aq_wave_op *aq_wave_shared_load(aq_wave *w, const aq_wave_op *o,
                                      unsigned words)
{
  return words_load(w, o, OFFSET, words, o->dest);
}

const aq_wave_op *aq_wave_shared_store(aq_wave *w, const aq_wave_op *o,
                                       unsigned words)
{
  return words_store(w, o, OFFSET, words, o->decoded->data);
}

/* ---- bytes and halves ---- */

const aq_wave_op *aq_wave_shared_small_load(aq_wave *w, const aq_wave_op *o,
                                            aq_wave_small small)
{
  LANES(l)
  {
    const uint32_t at = w->v[o->decoded->address][l] + OFFSET;
    const uint8_t *from = aq_wave_shared_at(w, at, small.size);
    uint32_t x = 0;
    if (!from)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(&x, from, small.size);
    if (small.is_signed)
      x = small.size == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
    w->v[o->dest][l] = aq_wave_small_place(w->v[o->dest][l], x, small.part);
  }
  return aq_wave_next(o);
}

const aq_wave_op *aq_wave_shared_small_store(aq_wave *w, const aq_wave_op *o,
                                             aq_wave_small small)
{
  LANES(l)
  {
    const uint32_t at = w->v[o->decoded->address][l] + OFFSET;
    const uint32_t x =
        w->v[o->decoded->data][l] >> (small.part == AQ_WAVE_HIGH ? 16 : 0);
    uint8_t *to = aq_wave_shared_at(w, at, small.size);
    if (!to)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(to, &x, small.size);
  }
  return aq_wave_next(o);
}

/* ---- read, modify, write ---- */

/* cmpst compares with its first data and stores the second; others take the
 * operand first. */
ALWAYS_INLINE const aq_wave_op *modify(aq_wave *w, const aq_wave_op *o,
                                       unsigned words)
{
  const aq_wave_decoded *more = o->decoded;
  const aq_wave_atomic op = (aq_wave_atomic)o->constant[0];
  const bool swapped = op == AQ_WAVE_CMPSWAP || op == AQ_WAVE_CMPSWAP_F;
  const uint16_t rb = swapped ? more->data2 : more->data,
                 rc = swapped ? more->data : more->data2;
  LANES(l)
  {
    const uint32_t at = w->v[more->address][l] + OFFSET;
    uint8_t *p = aq_wave_shared_at(w, at, 4 * words);
    if (!p)
      return aq_wave_shared_miss(w, o, l, at);
    if (words == 1) {
      uint32_t old;
      memcpy(&old, p, 4);
      const uint32_t c = rc == AQ_WAVE_NONE ? 0 : w->v[rc][l];
      const uint32_t value = aq_wave_atomic32(op, old, w->v[rb][l], c);
      memcpy(p, &value, 4);
      if (o->dest != AQ_WAVE_NONE)
        w->v[o->dest][l] = old;
    } else {
      uint64_t old;
      memcpy(&old, p, 8);
      const uint64_t c = rc == AQ_WAVE_NONE ? 0 : lane_u64(w->v[rc], l);
      const uint64_t value =
          aq_wave_atomic64(op, old, lane_u64(w->v[rb], l), c);
      memcpy(p, &value, 8);
      if (o->dest != AQ_WAVE_NONE) {
        w->v[o->dest][l] = (uint32_t)old;
        w->v[o->dest + 1][l] = (uint32_t)(old >> 32);
      }
    }
  }
  return aq_wave_next(o);
}

/* What histograms and counters do. */
static const aq_wave_op *add32(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = w->v[o->decoded->address],
                 *b = w->v[o->decoded->data];
  uint32_t *d = o->dest == AQ_WAVE_NONE ? NULL : w->v[o->dest];
  LANES(l)
  {
    const uint32_t at = address[l] + OFFSET;
    uint8_t *p = aq_wave_shared_at(w, at, 4);
    uint32_t old;
    if (__builtin_expect(!p, false))
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(&old, p, 4);
    const uint32_t sum = old + b[l];
    memcpy(p, &sum, 4);
    if (d)
      d[l] = old;
  }
  return aq_wave_next(o);
}

BODY(modify32)
{
  return (aq_wave_atomic)o->constant[0] == AQ_WAVE_ADD ? add32(w, o)
                                                       : modify(w, o, 1);
}
BODY(modify64)
{
  return modify(w, o, 2);
}

/* clang-format off */
#define H(name) {#name, name##_}
#define AS(name, handler) {#name, handler##_}
#define M32(n, T) AS(ds_##n##_##T, modify32), AS(ds_##n##_rtn_##T, modify32)
#define M64(n, T) AS(ds_##n##_##T, modify64), AS(ds_##n##_rtn_##T, modify64)
const aq_wave_semantics aq_wave_shared[] = {
    M32(add, u32), M32(sub, u32), M32(rsub, u32),
    M32(inc, u32), M32(dec, u32), M32(min, i32), M32(max, i32), M32(min, u32),
    M32(max, u32), M32(and, b32), M32(or, b32), M32(xor, b32), M32(mskor, b32),
    M32(cmpst, b32), M32(cmpst, f32), M32(min_num, f32), M32(max_num, f32),
    M64(min_num, f64), M64(max_num, f64), M32(cond_sub, u32), M32(sub_clamp, u32), M32(min, f32), M32(max, f32),
    M32(add, f32), M32(pk_add, f16), M32(pk_add, bf16),
    AS(ds_wrxchg_rtn_b32, modify32), AS(ds_wrap_rtn_b32, modify32),
    M64(add, u64), M64(sub, u64), M64(rsub, u64), M64(inc, u64), M64(dec, u64),
    M64(min, i64), M64(max, i64), M64(min, u64), M64(max, u64), M64(and, b64),
    M64(or, b64), M64(xor, b64), M64(mskor, b64), M64(cmpst, b64),
    M64(cmpst, f64), M64(min, f64), M64(max, f64), M64(add, f64),
    AS(ds_wrxchg_rtn_b64, modify64), {NULL, NULL}};
/* clang-format on */
