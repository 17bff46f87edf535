/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/profile/access_pattern.h"

#include <stdlib.h>

#include "gpu/wave/core/buffer.h"

enum {
  SEGMENT = 64,
  BANKS = 32,
  LDS_LANES = 32, /* served at once where each accesses a word */
  PARTS = 2,      /* addresses of a lane: ds_read2 has two */
};

/* Places in LDS. */
typedef struct places {
  uint32_t at[PARTS][AQ_WAVE_LANES];
  uint64_t by[PARTS]; /* the lanes */
} places;

typedef struct accesses {
  uint64_t at[AQ_WAVE_LANES]; /* in memory */
  unsigned count;
  places shared;
  unsigned dropped; /* out of a buffer's range, or private */
} accesses;

/* ---- sizes ---- */

static unsigned width_of(const aq_isa_inst *inst, char role)
{
  const aq_isa_operand *operand = aq_isa_operand_find(inst, role);
  return operand ? operand->bits / 8u : 0;
}

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

static unsigned shared_bytes(const aq_isa_inst *inst)
{
  const char *name = aq_wave_name_of(inst->row->name);
  const bool two = inst->row->flags & AQ_ISA_OFFSET2;
  if (!aq_isa_operand_find(inst, 'A') || has(name, "permute") ||
      has(name, "swizzle") || has(name, "gws") || has(name, "consume") ||
      has(name, "append"))
    return 0;
  if (has(name, "_tr_")) /* exchanges the words of lanes */
    return width_of(inst, 'D');
  if (has(name, "_u8") || has(name, "_i8") || has(name, "_b8"))
    return 1;
  if (has(name, "_u16") || has(name, "_i16") || has(name, "_b16"))
    return 2;
  const unsigned read = width_of(inst, 'D'), written = width_of(inst, 'B');
  if (two)
    return written ? written : read / 2;
  return written ? written : read;
}

unsigned aq_wave_access_bytes(const aq_isa_inst *inst)
{
  const char *name = aq_wave_name_of(inst->row->name);
  switch (inst->row->encoding) {
  case AQ_ISA_DS:
    return shared_bytes(inst);
  case AQ_ISA_FLAT:
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    break;
  default:
    return 0;
  }
  if (has(name, "byte"))
    return 1;
  if (has(name, "short") || has(name, "d16"))
    return 2;
  if (has(name, "_cmpswap")) /* two values, one place */
    return width_of(inst, inst->row->encoding >= AQ_ISA_MUBUF ? 'D' : 'B') / 2;
  const unsigned written = width_of(inst, 'B');
  return written ? written : width_of(inst, 'D');
}

/* ---- addresses ---- */

static void shared_put(accesses *a, int part, int l, uint32_t at)
{
  a->shared.at[part][l] = at;
  a->shared.by[part] |= (uint64_t)1 << l;
}

static void flat_add(accesses *a, int l, uint64_t at)
{
  if (at >> 32 == AQ_WAVE_SHARED_HI)
    shared_put(a, 0, l, (uint32_t)at);
  else if (at >> 32 == AQ_WAVE_PRIVATE_HI)
    a->dropped++;
  else
    a->at[a->count++] = at;
}

static void lane_add(aq_wave *w, const aq_wave_op *o, int l, unsigned bytes,
                     accesses *a)
{
  const aq_wave_decoded *more = o->decoded;
  uint64_t at = 0;
  if (more->inst.row->encoding == AQ_ISA_MUBUF ||
      more->inst.row->encoding == AQ_ISA_MTBUF) {
    const void *host = aq_wave_buffer_at(w, o, l, 0, bytes, false, &at);
    if (host == w->nowhere)
      a->dropped++;
    else
      flat_add(a, l, at);
    return;
  }
  if (more->address == AQ_WAVE_NONE) {
    at = 0;
  } else {
    at = w->v[more->address][l];
    if (more->scalar == AQ_WAVE_NONE)
      at |= (uint64_t)w->v[more->address + 1][l] << 32;
  }
  if (more->scalar != AQ_WAVE_NONE)
    at += w->s[more->scalar] | (uint64_t)w->s[more->scalar + 1] << 32;
  at += (uint64_t)(int64_t)o->imm;
  if (more->inst.row->encoding == AQ_ISA_FLAT)
    flat_add(a, l, at);
  else
    a->at[a->count++] = at;
}

/* `unit`: bytes that each of two offsets counts, by unit_of. */
static void shared_add(const aq_wave *w, const aq_wave_op *o, int l,
                       uint32_t unit, accesses *a)
{
  const aq_isa_inst *inst = &o->decoded->inst;
  const uint32_t base = w->v[o->decoded->address][l];
  if (!(inst->row->flags & AQ_ISA_OFFSET2)) {
    shared_put(a, 0, l, base + (uint32_t)o->imm);
    return;
  }
  shared_put(a, 0, l, base + ((uint32_t)o->imm & 0xff) * unit);
  shared_put(a, 1, l, base + ((uint32_t)o->imm >> 8 & 0xff) * unit);
}

static uint32_t unit_of(const aq_wave_op *o, unsigned bytes)
{
  const bool two = o->decoded->inst.row->flags & AQ_ISA_OFFSET2;
  return bytes * (two && o->decoded->far ? 64 : 1);
}

/* ---- figures ---- */

static int by_value(const void *a, const void *b)
{
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

static void segments_find(accesses *a, unsigned bytes,
                          aq_wave_access_pattern *out)
{
  uint64_t end = 0, covered = 0, next = 0;
  qsort(a->at, a->count, sizeof *a->at, by_value);
  for (unsigned i = 0; i < a->count; i++) {
    const uint64_t from = a->at[i], to = from + bytes;
    const uint64_t fresh = from > end ? from : end;
    const uint64_t first = from / SEGMENT > next ? from / SEGMENT : next;
    const uint64_t behind = (to - 1) / SEGMENT + 1;
    /* Bytes and segments of several lanes count once. */
    covered += to > fresh ? to - fresh : 0;
    out->segments += behind > first ? behind - first : 0;
    end = to > end ? to : end;
    next = behind > next ? behind : next;
  }
  out->segments_least += (covered + SEGMENT - 1) / SEGMENT;
}

static uint32_t bank_of(uint32_t at)
{
  return UINT32_C(1) << at / 4 % BANKS;
}

/* Whether each lane of `by` accesses a word in a bank of its own. */
static bool banks_differ(const uint32_t at[AQ_WAVE_LANES], uint64_t by)
{
  const uint64_t first = by & -by;
  uint32_t banks = 0;
  if (by && by == first * UINT32_MAX) { /* as many lanes as banks */
    const uint32_t *from = at + __builtin_ctzll(by);
    for (int i = 0; i < BANKS; i++)
      banks |= bank_of(from[i]);
    return banks == UINT32_MAX;
  }
  for (uint64_t rest = by; rest; rest &= rest - 1) {
    const uint32_t bank = bank_of(at[__builtin_ctzll(rest)]);
    if (banks & bank)
      return false;
    banks |= bank;
  }
  return true;
}

/* Cycles of the lanes of `by`: the most distinct words that lie in one bank. */
static unsigned group_cycles(const uint32_t at[AQ_WAVE_LANES], uint64_t by,
                             unsigned words)
{
  uint32_t seen[BANKS][LDS_LANES];
  unsigned used[BANKS] = {0}, most = 0;
  if (words == 1 && banks_differ(at, by))
    return by != 0;
  for (uint64_t rest = by; rest; rest &= rest - 1)
    for (unsigned k = 0; k < words; k++) {
      const uint32_t word = at[__builtin_ctzll(rest)] / 4 + k;
      const uint32_t bank = word % BANKS;
      unsigned n = 0;
      while (n < used[bank] && seen[bank][n] != word)
        n++;
      if (n == used[bank])
        seen[bank][used[bank]++] = word;
      most = used[bank] > most ? used[bank] : most;
    }
  return most;
}

/* Neighbouring lanes are served together, as many as fill the banks. */
static unsigned group_lanes(unsigned words)
{
  unsigned lanes = LDS_LANES;
  while (lanes * words > BANKS)
    lanes /= 2;
  return lanes;
}

static unsigned banks_find(const places *p, unsigned bytes, unsigned *least)
{
  const unsigned words = (bytes + 3) / 4, lanes = group_lanes(words);
  const uint64_t group = ((uint64_t)1 << lanes) - 1;
  unsigned cycles = 0;
  *least = 0;
  for (int part = 0; part < PARTS; part++)
    for (unsigned l = 0; l < AQ_WAVE_LANES; l += lanes) {
      const uint64_t by = p->by[part] & group << l;
      cycles += group_cycles(p->at[part], by, words);
      *least += by != 0;
    }
  return cycles;
}

unsigned aq_wave_bank_cycles(const aq_wave_access_info *t)
{
  places p = {.by = {t->shared, t->second}};
  unsigned least;
  /* Adjacent words are in banks of their own. */
  if (t->row && !(t->global | t->scratch)) {
    const unsigned lanes = group_lanes((t->bytes + 3) / 4);
    const unsigned all = (unsigned)__builtin_popcountll(t->shared);
    return (all + lanes - 1) / lanes * (t->second ? 2 : 1);
  }
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    p.at[0][l] = (uint32_t)t->at[l];
  for (int l = 0; l < AQ_WAVE_LANES && t->second; l++)
    p.at[1][l] = aq_wave_access_info_second(t, l);
  return banks_find(&p, t->bytes, &least);
}

aq_wave_access_pattern
aq_wave_access_pattern_find(aq_wave *w, const aq_wave_op *o, unsigned bytes)
{
  const bool shared = o->decoded->inst.row->encoding == AQ_ISA_DS;
  const uint32_t unit = shared ? unit_of(o, bytes) : 0;
  accesses a;
  aq_wave_access_pattern out = {.bytes = 0};
  a.count = a.dropped = 0;
  a.shared.by[0] = a.shared.by[1] = 0;
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    if (shared)
      shared_add(w, o, l, unit, &a);
    else if (o->decoded->inst.row->encoding == AQ_ISA_SCRATCH)
      a.dropped++;
    else
      lane_add(w, o, l, bytes, &a);
  }
  const int in_lds = __builtin_popcountll(a.shared.by[0]) +
                     __builtin_popcountll(a.shared.by[1]);
  out.bytes = (uint64_t)bytes * (a.count + (unsigned)in_lds + a.dropped);
  segments_find(&a, bytes, &out);
  unsigned least;
  out.bank_cycles = banks_find(&a.shared, bytes, &least);
  out.bank_cycles_least = least;
  return out;
}
