/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/gfx1250_addressing.h"
#include "gpu/wave/core/observe.h"

#include "gpu/wave/core/buffer.h"
#include "gpu/wave/core/format.h"
#include "gpu/wave/core/lds_direct_load.h"
#include "gpu/wave/image/image.h"
#include "gpu/wave/profile/access_pattern.h"

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

static aq_wave_access_info_kind shared_kind(const char *name)
{
  if (has(name, "permute") || has(name, "swizzle") || has(name, "gws") ||
      has(name, "consume") || has(name, "append") || has(name, "addtid") ||
      has(name, "nop"))
    return AQ_WAVE_ACCESS_NONE;
  if (strncmp(name, "ds_read", 7) == 0)
    return AQ_WAVE_ACCESS_READ;
  return strncmp(name, "ds_write", 8) == 0 ? AQ_WAVE_ACCESS_WRITE
                                           : AQ_WAVE_ACCESS_ATOMIC;
}

aq_wave_access_info_kind aq_wave_access_info_kind_of(const aq_isa_inst *inst)
{
  const char *name = aq_wave_name_of(inst->row->name);
  switch (inst->row->encoding) {
  case AQ_ISA_DS:
    return shared_kind(name);
  case AQ_ISA_SMEM:
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    return has(name, "_atomic_")  ? AQ_WAVE_ACCESS_ATOMIC
           : has(name, "_load_")  ? AQ_WAVE_ACCESS_READ
           : has(name, "_store_") ? AQ_WAVE_ACCESS_WRITE
                                  : AQ_WAVE_ACCESS_NONE;
  case AQ_ISA_MIMG:
    return has(name, "_store") ? AQ_WAVE_ACCESS_WRITE
           : has(name, "_load") || has(name, "_sample") || has(name, "_gather4")
               ? AQ_WAVE_ACCESS_READ
               : AQ_WAVE_ACCESS_NONE;
  default:
    return AQ_WAVE_ACCESS_NONE;
  }
}

unsigned aq_wave_access_info_bytes(const aq_isa_inst *inst)
{
  if (inst->row->encoding == AQ_ISA_SMEM) {
    const aq_isa_operand *data = aq_isa_operand_find(inst, 'D');
    const unsigned bytes = data ? data->bits / 8u : 0;
    return has(aq_wave_name_of(inst->row->name), "_cmpswap") ? bytes / 2
                                                             : bytes;
  }
  return inst->row->encoding == AQ_ISA_MIMG ? AQ_WAVE_ELEMENT_MAX
                                            : aq_wave_access_bytes(inst);
}

/* ---- addresses ---- */

static void flat_put(aq_wave_access_info *t, int l, uint64_t at)
{
  const uint64_t bit = (uint64_t)1 << l;
  if (at >> 32 == AQ_WAVE_SHARED_HI) {
    t->shared |= bit;
    at = (uint32_t)at;
  } else if (at >> 32 == AQ_WAVE_PRIVATE_HI) {
    t->scratch |= bit;
    at = (uint32_t)at;
  } else {
    t->global |= bit;
  }
  t->at[l] = at;
}

/* Least, most and low bits of the lanes' addresses, where they are all in
 * memory or all in LDS. */
static void extent_find(aq_wave_access_info *t)
{
  t->least = UINT64_MAX;
  t->most = t->low = 0;
  for (uint64_t rest = t->global | t->shared; rest; rest &= rest - 1) {
    const uint64_t at = t->at[__builtin_ctzll(rest)];
    t->least = at < t->least ? at : t->least;
    t->most = at > t->most ? at : t->most;
    t->low |= (uint32_t)at;
  }
}

static void lanes_find(aq_wave_access_info *t, const uint32_t *low,
                       const uint32_t *high, uint64_t base, uint64_t exec)
{
  static aq_wave_access_info_lanes *best;
  aq_wave_access_info_lanes *find = __atomic_load_n(&best, __ATOMIC_RELAXED);
  if (!find) {
    find = aq_wave_access_info_best();
    __atomic_store_n(&best, find, __ATOMIC_RELAXED);
  }
  find(t, low, high, base, exec);
}

static void shared_find(const aq_wave *w, const aq_wave_op *o, unsigned bytes,
                        aq_wave_access_info *t)
{
  const bool two = o->decoded->inst.row->flags & AQ_ISA_OFFSET2;
  const uint32_t unit = bytes * (o->decoded->far ? 64 : 1);
  const uint32_t first =
                     two ? ((uint32_t)o->imm & 0xff) * unit : (uint32_t)o->imm,
                 second = ((uint32_t)o->imm >> 8 & 0xff) * unit;
  t->shared = AQ_WAVE_EXEC(w);
  t->second = two ? t->shared : 0;
  t->apart = second - first;
  lanes_find(t, w->v[o->decoded->address], NULL, first, t->shared);
}

static bool is_private_buffer(const aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *r = &w->s[o->source[0]];
  const uint64_t base = r[0] | (uint64_t)(r[1] & 0xffff) << 32;
  return base && base == aq_wave_private_base(w);
}

/* Handlers compare offsets with the arena. */
static void private_buffer_find(const aq_wave *w, const aq_wave_op *o,
                                aq_wave_access_info *t)
{
  const aq_wave_decoded *more = o->decoded;
  const uint32_t *row = more->inst.offen
                            ? w->v[more->address + (more->inst.idxen ? 1 : 0)]
                            : NULL;
  t->scratch = AQ_WAVE_EXEC(w);
  t->first = more->scalar == AQ_WAVE_NONE ? (uint32_t)o->constant[1]
                                          : w->s[more->scalar];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    t->at[l] = (uint32_t)o->imm + (row ? row[l] : 0);
}

static void scratch_find(const aq_wave *w, const aq_wave_op *o,
                         aq_wave_access_info *t)
{
  const aq_wave_decoded *more = o->decoded;
  const uint32_t add = (uint32_t)o->imm +
                       (more->scalar == AQ_WAVE_NONE ? 0 : w->s[more->scalar]);
  t->scratch = AQ_WAVE_EXEC(w);
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    t->at[l] = (uint32_t)(add + (more->address == AQ_WAVE_NONE
                                     ? 0
                                     : w->v[more->address][l]));
}

static void buffer_find(aq_wave *w, const aq_wave_op *o, unsigned bytes,
                        aq_wave_access_info *t)
{
  const aq_wave_op *at = w->at;
  if (is_private_buffer(w, o)) {
    private_buffer_find(w, o, t);
    return;
  }
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint64_t address = 0;
    if (aq_wave_buffer_at(w, o, l, 0, bytes, false, &address) != w->nowhere)
      flat_put(t, l, address);
  }
  extent_find(t);
  w->at = at;
}

/* The size of an element is the resource's. */
static void image_find(const aq_wave *w, const aq_wave_op *o,
                       aq_wave_access_info *t)
{
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint64_t address;
    if (aq_wave_image_at(w, o, l, &address, &t->bytes))
      flat_put(t, l, address);
  }
  extent_find(t);
}

static void global_find(const aq_wave *w, const aq_wave_op *o,
                        aq_wave_access_info *t)
{
  const aq_wave_decoded *more = o->decoded;
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const bool flat = more->inst.row->encoding == AQ_ISA_FLAT;
  uint64_t base = (uint64_t)(int64_t)o->imm;
  if (more->scalar != AQ_WAVE_NONE)
    base += w->s[more->scalar] | (uint64_t)w->s[more->scalar + 1] << 32;
  const uint32_t *low =
                     more->address == AQ_WAVE_NONE ? NULL : w->v[more->address],
                 *high = more->scalar == AQ_WAVE_NONE && low
                             ? low + AQ_WAVE_LANES
                             : NULL;
  lanes_find(t, low, high, base, exec);
  t->global = exec;
  if (!flat || t->most >> 32 < AQ_WAVE_SHARED_HI)
    return;
  t->global = 0;
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    flat_put(t, l, t->at[l]);
  }
  extent_find(t);
}

static void scalar_find(const aq_wave *w, const aq_wave_op *o,
                        aq_wave_access_info *t)
{
  const aq_wave_decoded *more = o->decoded;
  const uint64_t add = more->scalar == AQ_WAVE_NONE ? 0 : w->s[more->scalar];
  const uint32_t *r = &w->s[o->source[0]];
  t->scalar = true;
  if (!more->resource) {
    t->at[0] =
        ((r[0] | (uint64_t)r[1] << 32) + (uint64_t)(int64_t)o->imm + add) &
        ~(uint64_t)3;
    t->least = t->most = t->at[0];
    t->global = 1;
    return;
  }
  const uint32_t stride = r[1] >> 16 & 0x3fff;
  const uint64_t size = stride ? (uint64_t)r[2] * stride : r[2],
                 offset = ((uint32_t)o->imm + add) & ~(uint64_t)3;
  if (offset + 4 > size)
    return;
  if (t->bytes > size - offset)
    t->bytes = (unsigned)(size - offset) & ~3u;
  t->at[0] = (r[0] | (uint64_t)(r[1] & 0xffff) << 32) + offset;
  t->least = t->most = t->at[0];
  t->global = 1;
}

void aq_wave_access_info_find(aq_wave *w, const aq_wave_op *o, unsigned bytes,
                              aq_wave_access_info *t)
{
  t->bytes = bytes;
  if (aq_wave_elements_has(&o->decoded->inst))
    aq_wave_elements_prepare(w, o);
  t->scalar = t->row = false;
  t->first = 0;
  t->global = t->shared = t->scratch = t->second = 0;
  switch (o->decoded->inst.row->encoding) {
  case AQ_ISA_SMEM:
    scalar_find(w, o, t);
    break;
  case AQ_ISA_DS:
    shared_find(w, o, bytes, t);
    break;
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    buffer_find(w, o, bytes, t);
    break;
  case AQ_ISA_MIMG:
    image_find(w, o, t);
    break;
  case AQ_ISA_SCRATCH:
    scratch_find(w, o, t);
    break;
  default:
    global_find(w, o, t);
  }
}
