/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/buffer.h"

/* The sides of a range check; RDNA's resources choose one. */
typedef enum range_check {
  CHECK_GFX9,
  CHECK_INDEX_AND_OFFSET,
  CHECK_INDEX,
  CHECK_EMPTY,
  CHECK_RAW,
} range_check;

typedef struct resource {
  uint64_t base;
  uint32_t stride, records;
  bool swizzled, adds_lane;
  uint32_t group, element; /* swizzled: records and bytes next to each other */
  range_check check;
  bool whole; /* all bytes are compared, else the first one */
} resource;

/* Fields that RDNA places elsewhere. Sources: Mesa's ac_descriptors.c. */
static void rdna_fields(resource *out, const uint32_t *r, uint16_t target)
{
  const bool from_11 = target & AQ_ISA_FROM_GFX11;
  const uint32_t swizzle = from_11 ? r[1] >> 30 : r[1] >> 31;
  out->swizzled = swizzle != 0;
  out->element = 2u << swizzle; /* 4, from gfx11 on also 8 or 16 */
  out->check =
      (range_check)(CHECK_INDEX_AND_OFFSET + (unsigned)(r[3] >> 28 & 3));
  out->whole = from_11;
}

static resource resource_of(const aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *r = &w->s[o->source[0]];
  const uint16_t target = o->decoded->inst.target;
  resource out = {.base = r[0] | (uint64_t)(r[1] & 0xffff) << 32,
                  .stride = r[1] >> 16 & 0x3fff,
                  .records = r[2],
                  .swizzled = r[1] >> 31,
                  .adds_lane = r[3] >> 23 & 1,
                  .group = 8u << (r[3] >> 21 & 3),
                  .element = 2u << (r[3] >> 19 & 3),
                  .whole = true};
  if (target & AQ_ISA_RDNA)
    rdna_fields(&out, r, target);
  return out;
}

/* The place of an access: its index, its offset without the scalar one, and the
 * offset in a swizzled buffer. */
typedef struct place {
  uint32_t index;
  uint64_t offset, swizzled;
  uint32_t scalar;
  unsigned size;
} place;

/* gfx9: records count where an index is used, else bytes. */
static bool is_outside_gfx9(const resource *r, bool indexed, const place *at)
{
  if (r->stride && (r->swizzled || indexed || r->adds_lane))
    return at->index >= r->records ||
           (r->swizzled && at->offset + at->size > r->stride);
  return at->offset + at->scalar + at->size > r->records;
}

static bool is_outside(const resource *r, bool indexed, const place *at)
{
  const uint64_t last = at->offset + (r->whole ? at->size - 1 : 0);
  switch (r->check) {
  case CHECK_INDEX_AND_OFFSET:
    return at->index >= r->records || last >= r->stride;
  case CHECK_INDEX:
    return at->index >= r->records;
  case CHECK_EMPTY:
    return r->records == 0;
  case CHECK_RAW:
    if (r->swizzled && !r->whole)
      return at->swizzled >= r->records;
    if (r->swizzled && r->stride)
      return at->index >= r->records || last >= r->stride;
    return last + at->scalar >= r->records;
  default:
    return is_outside_gfx9(r, indexed, at);
  }
}

static uint64_t offset_swizzled(const resource *r, uint32_t index,
                                uint32_t offset)
{
  return ((uint64_t)(index / r->group) * r->stride +
          (uint64_t)(offset / r->element) * r->element) *
             r->group +
         (uint64_t)(index % r->group) * r->element + offset % r->element;
}

static uint32_t scalar_offset(const aq_wave *w, const aq_wave_op *o)
{
  const uint16_t scalar = o->decoded->scalar;
  return scalar == AQ_WAVE_NONE ? (uint32_t)o->constant[1] : w->s[scalar];
}

bool aq_wave_buffer_bytes_find(const aq_wave *w, const aq_wave_op *o,
                               aq_wave_buffer_bytes *out)
{
  const resource r = resource_of(w, o);
  const uint32_t scalar = scalar_offset(w, o);
  if (o->decoded->inst.idxen || r.swizzled || r.adds_lane ||
      (r.check != CHECK_GFX9 && r.check != CHECK_RAW) ||
      (r.base && r.base == aq_wave_private_base(w)))
    return false;
  *out = (aq_wave_buffer_bytes){r.base + scalar,
                                r.records > scalar ? r.records - scalar : 0};
  return true;
}

void *aq_wave_buffer_at(aq_wave *w, const aq_wave_op *o, int lane,
                        unsigned first, unsigned size, bool write,
                        uint64_t *address)
{
  const aq_wave_decoded *more = o->decoded;
  w->at = o;
  const resource r = resource_of(w, o);
  const bool indexed = more->inst.idxen;
  const uint32_t scalar = scalar_offset(w, o);
  uint32_t index = indexed ? w->v[more->address][lane] : 0;
  uint32_t offset = (uint32_t)o->imm + first;
  if (more->inst.offen)
    offset += w->v[more->address + (indexed ? 1 : 0)][lane];
  if (r.base && r.base == aq_wave_private_base(w)) {
    *address = (uint64_t)AQ_WAVE_PRIVATE_HI << 32 |
               (uint32_t)(offset + scalar / w->grid->lanes);
    return aq_wave_private_at(w, (unsigned)lane,
                              aq_wave_private_first(w, scalar), offset, size);
  }
  if (r.adds_lane)
    index += (uint32_t)lane;
  const uint64_t within = r.swizzled && r.stride
                              ? offset_swizzled(&r, index, offset)
                              : (uint64_t)index * r.stride + offset;
  const place at = {index, offset, within, scalar, size};
  if (is_outside(&r, indexed, &at))
    return memset(w->nowhere, 0, sizeof w->nowhere);
  *address = r.base + scalar + within;
  return aq_wave_translate(w->grid, *address, size, write);
}

/* ---- private memory ---- */

/* The byte `i` of what lies across words. */
static uint8_t *across_byte(const aq_wave *w, unsigned i)
{
  return w->scratch + w->across.first +
         aq_wave_private_place(w->across.lane, w->across.offset + i);
}

void *aq_wave_private_at(aq_wave *w, unsigned lane, uint64_t first,
                         uint64_t offset, unsigned size)
{
  const uint64_t end = (uint64_t)w->scratch_size * AQ_WAVE_LANES;
  if (offset > w->scratch_size || size > w->scratch_size - offset ||
      first + aq_wave_private_place(lane, offset + size - 1) >= end)
    return NULL;
  if (offset % 4 + size <= 4)
    return w->scratch + first + aq_wave_private_place(lane, offset);
  w->across.lane = lane;
  w->across.size = size;
  w->across.first = first;
  w->across.offset = offset;
  for (unsigned i = 0; i < size; i++)
    w->across.bytes[i] = *across_byte(w, i);
  return w->across.bytes;
}

void aq_wave_private_put_across(aq_wave *w)
{
  for (unsigned i = 0; i < w->across.size; i++)
    *across_byte(w, i) = w->across.bytes[i];
}
