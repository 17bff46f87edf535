/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/buffer.h"

typedef struct resource {
  uint64_t base;
  uint32_t stride, records;
  bool swizzled, adds_lane;
  uint32_t group, element; /* swizzled: records and bytes next to each other */
} resource;

static resource resource_of(const aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *r = &w->s[o->r[0]];
  return (resource){.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
                    .stride = r[1] >> 16 & 0x3fff,
                    .records = r[2],
                    .swizzled = r[1] >> 31,
                    .adds_lane = r[3] >> 23 & 1,
                    .group = 8u << (r[3] >> 21 & 3),
                    .element = 2u << (r[3] >> 19 & 3)};
}

/* Records count where an index is used, else bytes. */
static bool is_outside(const resource *r, bool indexed, uint32_t index,
                       uint64_t offset, uint32_t scalar, unsigned size)
{
  if (r->stride && (r->swizzled || indexed || r->adds_lane))
    return index >= r->records || (r->swizzled && offset + size > r->stride);
  return offset + scalar + size > r->records;
}

static uint64_t offset_swizzled(const resource *r, uint32_t index,
                                uint32_t offset)
{
  return ((uint64_t)(index / r->group) * r->stride +
          (uint64_t)(offset / r->element) * r->element) *
             r->group +
         (uint64_t)(index % r->group) * r->element + offset % r->element;
}

void *aq_wave_buffer_at(aq_wave *w, const aq_wave_op *o, int lane,
                        unsigned first, unsigned size, bool write,
                        uint64_t *address)
{
  const aq_wave_more *more = o->more;
  w->at = o;
  const resource r = resource_of(w, o);
  const bool indexed = more->inst.idxen;
  const uint32_t scalar =
      more->scalar == AQ_WAVE_NONE ? (uint32_t)o->k[1] : w->s[more->scalar];
  uint32_t index = indexed ? w->v[more->address][lane] : 0;
  uint32_t offset = (uint32_t)o->imm + first;
  if (more->inst.offen)
    offset += w->v[more->address + (indexed ? 1 : 0)][lane];
  if (r.base == AQ_WAVE_PRIVATE_BASE) {
    *address = (uint64_t)AQ_WAVE_PRIVATE_HI << 32 | (offset + scalar / 64);
    return aq_wave_private_at(w, lane, (uint64_t)offset + scalar / 64, size);
  }
  if (r.adds_lane)
    index += (uint32_t)lane;
  if (is_outside(&r, indexed, index, offset, scalar, size))
    return memset(w->nowhere, 0, sizeof w->nowhere);
  *address = r.base + scalar +
             (r.swizzled && r.stride ? offset_swizzled(&r, index, offset)
                                     : (uint64_t)index * r.stride + offset);
  return aq_wave_reach(w->grid, *address, size, write);
}

/* ---- private memory, a wave at a time ---- */

#define ALWAYS_INLINE __attribute__((always_inline)) static inline

typedef struct private_row {
  const uint32_t *offsets; /* of the lanes; NULL: none */
  uint32_t first;          /* bytes, before them */
  uint64_t more;           /* bytes, after them */
} private_row;

ALWAYS_INLINE uint64_t private_offset(const private_row *row, unsigned lane)
{
  return (uint32_t)(row->first + (row->offsets ? row->offsets[lane] : 0)) +
         row->more;
}

/* Whether the instruction is for private memory, and all lanes stay inside. */
static bool private_row_of(const aq_wave *w, const aq_wave_op *o,
                           unsigned words, private_row *out)
{
  const aq_wave_more *more = o->more;
  const uint32_t *r = &w->s[o->r[0]];
  const uint64_t base = r[0] | (uint64_t)(r[1] & 0xffff) << 32;
  const uint32_t scalar =
      more->scalar == AQ_WAVE_NONE ? (uint32_t)o->k[1] : w->s[more->scalar];
  if (base != AQ_WAVE_PRIVATE_BASE || more->inst.idxen ||
      w->scratch_size < 4 * words)
    return false;
  *out = (private_row){.offsets = more->inst.offen ? w->v[more->address] : NULL,
                       .first = (uint32_t)o->imm,
                       .more = scalar / 64};
  const uint64_t last = w->scratch_size - 4 * words;
  if (!out->offsets)
    return private_offset(out, 0) <= last;
  bool inside = true;
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)
    inside &= private_offset(out, (unsigned)__builtin_ctzll(rest)) <= last;
  return inside;
}

/* Moves `words`, a constant where it is inlined. */
ALWAYS_INLINE void private_move(aq_wave *w, const private_row *row,
                                uint16_t data, unsigned words, bool store)
{
  const uint64_t stride = aq_wave_private_stride(w->scratch_size);
  uint32_t value[4];
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
    const unsigned lane = (unsigned)__builtin_ctzll(rest);
    uint8_t *at = w->scratch + stride * lane + private_offset(row, lane);
    if (!store)
      memcpy(value, at, 4 * words);
    for (unsigned i = 0; i < words; i++)
      if (store)
        memcpy(at + 4 * i, &w->v[data + i][lane], 4);
      else
        w->v[data + i][lane] = value[i];
  }
}

bool aq_wave_private_load(aq_wave *w, const aq_wave_op *o, unsigned words)
{
  private_row row;
  if (!private_row_of(w, o, words, &row))
    return false;
  if (words == 1)
    private_move(w, &row, o->d, 1, false);
  else if (words == 2)
    private_move(w, &row, o->d, 2, false);
  else
    private_move(w, &row, o->d, words, false);
  return true;
}

bool aq_wave_private_store(aq_wave *w, const aq_wave_op *o, unsigned words)
{
  private_row row;
  if (!private_row_of(w, o, words, &row))
    return false;
  if (words == 1)
    private_move(w, &row, o->more->data, 1, true);
  else
    private_move(w, &row, o->more->data, words, true);
  return true;
}
