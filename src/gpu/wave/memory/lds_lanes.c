/* SPDX-License-Identifier: MIT */
/*
 * LDS instructions that need more than a lane's address and data: by the number
 * of the lane, once for the wave, two words of memory, transposed.
 */
#include "config.h"

#include "gpu/wave/core/atomics.h"
#include "gpu/wave/core/lane_handlers.h"
#include "gpu/wave/memory/lds.h"

#define OFFSET ((uint32_t)o->imm)

/* ---- by the number of the lane ---- */

BODY(ds_read_addtid_b32)
{
  LANES(l)
  {
    const uint32_t at = aq_wave_shared_base(w, o) + OFFSET + 4 * (uint32_t)l;
    const uint8_t *from = aq_wave_shared_at(w, at, 4);
    if (!from)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(&w->v[o->dest][l], from, 4);
  }
  return aq_wave_next(o);
}

BODY(ds_write_addtid_b32)
{
  LANES(l)
  {
    const uint32_t at = aq_wave_shared_base(w, o) + OFFSET + 4 * (uint32_t)l;
    uint8_t *to = aq_wave_shared_at(w, at, 4);
    if (!to)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(to, &w->v[o->decoded->data][l], 4);
  }
  return aq_wave_next(o);
}

/* ---- once for the wave ---- */

/* Adds the number of active lanes, or subtracts it. All of them get the old
 * value. */
static const aq_wave_op *count(aq_wave *w, const aq_wave_op *o, bool consumes)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const uint32_t at = aq_wave_shared_base(w, o) + OFFSET,
                 lanes = (uint32_t)__builtin_popcountll(exec);
  uint8_t *p = aq_wave_shared_at(w, at, 4);
  uint32_t old;
  if (!exec)
    return aq_wave_next(o);
  if (!p)
    return aq_wave_shared_miss(w, o, __builtin_ctzll(exec), at);
  memcpy(&old, p, 4);
  const uint32_t value = consumes ? old - lanes : old + lanes;
  memcpy(p, &value, 4);
  LANES(l) w->v[o->dest][l] = old;
  return aq_wave_next(o);
}

BODY(ds_append)
{
  return count(w, o, false);
}

BODY(ds_consume)
{
  return count(w, o, true);
}

/* ---- two words of memory ---- */

/* Exchanges two elements of `words`; both are read before one is written. */
static const aq_wave_op *exchange2(aq_wave *w, const aq_wave_op *o,
                                   unsigned words, unsigned scale)
{
  const uint32_t unit = 4 * words * scale;
  const uint32_t offsets[] = {(OFFSET & 0xff) * unit,
                              (OFFSET >> 8 & 0xff) * unit};
  const uint16_t data[] = {o->decoded->data, o->decoded->data2};
  LANES(l)
  {
    uint8_t *p[2];
    uint32_t old[4];
    for (int k = 0; k < 2; k++) {
      const uint32_t at = w->v[o->decoded->address][l] + offsets[k];
      p[k] = aq_wave_shared_at(w, at, 4 * words);
      if (!p[k])
        return aq_wave_shared_miss(w, o, l, at);
      memcpy(old + words * (unsigned)k, p[k], 4 * words);
    }
    for (int k = 0; k < 2; k++)
      for (unsigned i = 0; i < words; i++)
        memcpy(p[k] + 4 * i, &w->v[data[k] + i][l], 4);
    for (unsigned i = 0; i < 2 * words; i++)
      w->v[o->dest + i][l] = old[i];
  }
  return aq_wave_next(o);
}

BODY(ds_wrxchg2_rtn_b32)
{
  return exchange2(w, o, 1, 1);
}

BODY(ds_wrxchg2st64_rtn_b32)
{
  return exchange2(w, o, 1, 64);
}

BODY(ds_wrxchg2_rtn_b64)
{
  return exchange2(w, o, 2, 1);
}

BODY(ds_wrxchg2st64_rtn_b64)
{
  return exchange2(w, o, 2, 64);
}

/* Each word is stored, without its upper bit, where that is set. */
BODY(ds_condxchg32_rtn_b64)
{
  LANES(l)
  {
    const uint32_t at = (w->v[o->decoded->address][l] + OFFSET) & 0xfff8;
    uint8_t *p = aq_wave_shared_at(w, at, 8);
    uint32_t old[2];
    if (!p)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(old, p, 8);
    for (unsigned i = 0; i < 2; i++) {
      const uint32_t value = w->v[o->decoded->data + i][l];
      if (value >> 31)
        memcpy(p + 4 * i, &(uint32_t){value & 0x7fffffff}, 4);
    }
    w->v[o->dest][l] = old[0];
    w->v[o->dest + 1][l] = old[1];
  }
  return aq_wave_next(o);
}

/* ---- transposed ---- */

enum { GROUP = 16 };

static uint32_t field_of(const uint32_t *words, unsigned first, unsigned bits)
{
  const uint64_t both =
      words[first / 32] | (uint64_t)(first / 32 < 2 ? words[first / 32 + 1] : 0)
                              << 32;
  return (uint32_t)(both >> (first % 32)) & ((1u << bits) - 1);
}

/* Groups of 16 lanes read a matrix of 16 columns, each lane a part of a row;
 * each lane gets its column. Elements have `bits`. */
static const aq_wave_op *transposed(aq_wave *w, const aq_wave_op *o,
                                    unsigned words, unsigned bits)
{
  const unsigned elements = 32 * words / bits, parts = GROUP / elements;
  uint32_t in[AQ_WAVE_LANES][4] = {0};
  if (AQ_WAVE_EXEC(w) != UINT64_MAX)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "a transposed read with inactive lanes is not "
                         "simulated");
  LANES(l)
  {
    const uint32_t at = w->v[o->decoded->address][l] + OFFSET;
    const uint8_t *from = aq_wave_shared_at(w, at, 4 * words);
    if (!from)
      return aq_wave_shared_miss(w, o, l, at);
    memcpy(in[l], from, 4 * words);
  }
  for (unsigned l = 0; l < AQ_WAVE_LANES; l++) {
    const unsigned group = l & ~(GROUP - 1u), column = l % GROUP;
    uint64_t out[2] = {0};
    for (unsigned row = 0; row < elements; row++) {
      const unsigned lane = group + row * parts + column / elements;
      const uint64_t x = field_of(in[lane], column % elements * bits, bits);
      const unsigned first = row * bits;
      out[first / 64] |= x << (first % 64);
      if (first % 64 + bits > 64)
        out[1] |= x >> (64 - first % 64);
    }
    for (unsigned i = 0; i < words; i++)
      w->v[o->dest + i][l] = (uint32_t)(out[i / 2] >> (32 * (i % 2)));
  }
  return aq_wave_next(o);
}

BODY(ds_read_b64_tr_b16)
{
  return transposed(w, o, 2, 16);
}

BODY(ds_read_b64_tr_b8)
{
  return transposed(w, o, 2, 8);
}

BODY(ds_read_b64_tr_b4)
{
  return transposed(w, o, 2, 4);
}

BODY(ds_read_b96_tr_b6)
{
  return transposed(w, o, 3, 6);
}

const aq_wave_semantics aq_wave_shared_lanes[] = {H(ds_read_addtid_b32),
                                                  H(ds_write_addtid_b32),
                                                  H(ds_append),
                                                  H(ds_consume),
                                                  H(ds_wrxchg2_rtn_b32),
                                                  H(ds_wrxchg2st64_rtn_b32),
                                                  H(ds_wrxchg2_rtn_b64),
                                                  H(ds_wrxchg2st64_rtn_b64),
                                                  H(ds_condxchg32_rtn_b64),
                                                  H(ds_read_b64_tr_b16),
                                                  H(ds_read_b64_tr_b8),
                                                  H(ds_read_b64_tr_b4),
                                                  H(ds_read_b96_tr_b6),
                                                  {NULL, NULL}};
