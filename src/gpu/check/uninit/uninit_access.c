/* SPDX-License-Identifier: MIT */
/* Loads, stores and atomics of unwritten bits, and the uses of such
 * bits that are findings: branches, addresses, outputs. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "common/allocations.h"
#include "gpu/check/core/core.h"
#include "gpu/wave/core/buffer.h"

/* The access under way. */
typedef struct doing {
  aq_check *check;
  aq_wave *wave;
  aq_check_group *group;
  aq_uninit_regs *unset;
  aq_check_site *site;
  uint32_t number;
  const aq_wave_access_info *touch;
  const aq_wave_op *op;
  bool unset_found; /* unwritten memory; its first place is the site's */
} doing;

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

/* ---- places ---- */

/* The byte of private memory in the shadow of the arena; NULL: out of range. */
static uint8_t *scratch_byte(const doing *d, int l, uint64_t offset)
{
  const aq_wave *w = d->wave;
  const uint64_t at =
      d->touch->first + aq_wave_private_place((unsigned)l, offset);
  return at < (uint64_t)w->scratch_size * AQ_WAVE_LANES ? d->unset->scratch + at
                                                        : NULL;
}

static bool scratch_make(doing *d)
{
  const size_t size = (size_t)d->wave->scratch_size * AQ_WAVE_LANES;
  if (d->unset->scratch)
    return true;
  d->unset->scratch = malloc(size + 1);
  if (d->unset->scratch)
    memset(d->unset->scratch, 0xff, size);
  d->check->lost |= !d->unset->scratch;
  return d->unset->scratch != NULL;
}

static uint8_t *shared_at(const doing *d, uint64_t at, unsigned size)
{
  const uint64_t end = d->wave->grid->lds_asked;
  return at <= end && size <= end - at ? d->group->lds_unset + at : NULL;
}

/* `part` 1 is the second address of ds_read2. */
static void lane_get(doing *d, int l, int part, unsigned size, uint8_t *bits)
{
  const aq_wave_access_info *t = d->touch;
  const uint64_t at = part ? aq_wave_access_info_second(t, l) : t->at[l];
  memset(bits, 0, size);
  if (t->global >> l & 1) {
    aq_check_uninit_get(d->check, aq_address_host(at), size, bits);
  } else if (t->shared >> l & 1) {
    const uint8_t *from = shared_at(d, (uint32_t)at, size);
    if (from)
      memcpy(bits, from, size);
  } else if (t->scratch >> l & 1 && scratch_make(d)) {
    for (unsigned i = 0; i < size; i++) {
      const uint8_t *from = scratch_byte(d, l, at + i);
      bits[i] = from ? *from : 0;
    }
  }
  for (unsigned i = 0; i < size && !d->unset_found; i++)
    if (bits[i]) {
      d->unset_found = true;
      d->site->unset_at = aq_address_host(at) + i;
      d->site->unset_shared = !(t->global >> l & 1);
      return;
    }
}

static void lane_put(doing *d, int l, int part, unsigned size,
                     const uint8_t *bits)
{
  const aq_wave_access_info *t = d->touch;
  const uint64_t at = part ? aq_wave_access_info_second(t, l) : t->at[l];
  if (t->global >> l & 1) {
    aq_uninit_shadow_put(&d->check->unwritten, aq_address_host(at), size, bits);
  } else if (t->shared >> l & 1) {
    uint8_t *to = shared_at(d, (uint32_t)at, size);
    d->group->lds_written = false;
    if (to)
      memcpy(to, bits, size);
  } else if (t->scratch >> l & 1 && scratch_make(d)) {
    for (unsigned i = 0; i < size; i++) {
      uint8_t *to = scratch_byte(d, l, at + i);
      if (to)
        *to = bits[i];
    }
  }
}

static uint64_t lanes_of(const aq_wave_access_info *t)
{
  return t->global | t->shared | t->scratch;
}

/* The range of the lanes' accesses to memory, if it is not long. */
static bool range_find(const aq_wave_access_info *t, uint64_t *first,
                       uint64_t *size)
{
  enum { LONG = 1 << 14 };
  *first = aq_address_host(t->least);
  *size = aq_address_host(t->most) - *first + t->bytes;
  return t->global && !t->shared && *size <= LONG;
}

/* ---- loads ---- */

static const aq_check_registers *named(const aq_check_site *site, char role)
{
  for (unsigned i = 0; i < site->name_count; i++)
    if (site->names[i].role == role)
      return &site->names[i];
  return NULL;
}

/* The bits of the words that a load of less than a word makes of `old`. */
static uint32_t small_place(const aq_check_site *site, uint32_t old,
                            uint32_t bits)
{
  const char *name = site->inst.row->name;
  const unsigned width = 8u * site->bytes;
  const bool half = has(name, "d16"),
             sign = has(name, "_sbyte") || has(name, "_sshort") ||
                    has(name, "_i8") || has(name, "_i16");
  if (sign && bits >> (width - 1) & 1)
    bits |= UINT32_MAX << width;
  if (!half)
    return bits;
  return has(name, "_hi") ? (old & 0xffff) | bits << 16
                          : (old & 0xffff0000) | (bits & 0xffff);
}

/* The same of LDS: the range of the lanes' places, or each of them. */
static bool shared_is_clean(const doing *d)
{
  enum { LONG = 1 << 12 };
  const aq_wave_access_info *t = d->touch;
  const uint8_t *bits = d->group->lds_unset;
  const uint32_t end = d->wave->grid->lds_asked;
  if (d->group->lds_written)
    return true;
  if (!t->second && t->most + t->bytes <= end && t->most - t->least < LONG) {
    const uint8_t *at = bits + t->least;
    if (*at == 0 && memcmp(at, at + 1, t->most - t->least + t->bytes - 1) == 0)
      return true;
  }
  uint32_t any = 0;
  for (uint64_t rest = t->shared; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    const uint32_t at = (uint32_t)t->at[l],
                   at2 = t->second ? aq_wave_access_info_second(t, l) : at;
    uint32_t words[2];
    if (at > end || at2 > end || t->bytes > end - at || t->bytes > end - at2)
      return false;
    for (unsigned i = 0; i < t->bytes; i += 4) {
      memcpy(&words[0], bits + at + i, 4);
      memcpy(&words[1], bits + at2 + i, 4);
      any |= words[0] | words[1];
    }
  }
  return any == 0;
}

/* Without unwritten bits in the places, nothing else is to be done. */
static bool load_is_clean(const doing *d)
{
  const aq_wave_access_info *t = d->touch;
  uint64_t first, size, where;
  if (t->shared)
    return !t->global && !t->scratch && shared_is_clean(d);
  return !t->shared && !t->scratch && range_find(t, &first, &size) &&
         !aq_uninit_shadow_any(&d->check->unwritten, first, size, &where);
}

static void lanes_load(doing *d, const aq_check_registers *r)
{
  aq_uninit_regs *u = d->unset;
  const unsigned bytes = d->site->bytes;
  const bool two = d->touch->second != 0, small = bytes < 4;
  const unsigned words = small ? 1 : bytes / 4;
  const uint64_t exec = AQ_WAVE_EXEC(d->wave);
  uint32_t rows[8][AQ_WAVE_LANES], old[AQ_WAVE_LANES];
  const unsigned count = words * (two ? 2 : 1);
  if (count > 8 || count > r->count)
    return;
  memset(rows, 0, count * sizeof rows[0]);
  aq_check_row_get(u, r->first, old);
  for (uint64_t rest = exec; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    for (unsigned part = 0; part < (two ? 2u : 1u); part++) {
      uint32_t bits[4] = {0};
      if (lanes_of(d->touch) >> l & 1)
        lane_get(d, l, (int)part, bytes, (uint8_t *)bits);
      for (unsigned k = 0; k < words; k++)
        rows[part * words + k][l] =
            small ? small_place(d->site, old[l], bits[k]) : bits[k];
    }
  }
  for (unsigned k = 0; k < count; k++) {
    aq_check_row_put(d->check, u, r->first + k, rows[k], exec);
    if (u->lanes[r->first + k] & exec)
      u->from[r->first + k] = d->number;
  }
}

static void scalar_load(doing *d, const aq_check_registers *r)
{
  const aq_wave_access_info *t = d->touch;
  uint64_t first, size, where;
  if (range_find(t, &first, &size) &&
      !aq_uninit_shadow_any(&d->check->unwritten, first, size, &where)) {
    aq_check_scalars_define(d->unset, d->site);
    return;
  }
  for (unsigned k = 0; k < r->count && r->first + k < 128; k++) {
    uint32_t bits = 0;
    if (t->global && 4 * k + 4 <= t->bytes)
      aq_check_uninit_get(d->check, aq_address_host(t->at[0]) + 4 * k, 4,
                          (uint8_t *)&bits);
    aq_check_scalar_put(d->unset, r->first + k, bits);
    if (!bits)
      continue;
    d->unset->scalar_from[r->first + k] = d->number;
    d->site->unset_at = aq_address_host(t->at[0]) + 4 * k;
    d->site->unset_shared = false;
  }
}

static void load(doing *d)
{
  const aq_check_registers *r = named(d->site, 'D');
  if (!r)
    return;
  if (r->scalar) {
    scalar_load(d, r);
  } else if (load_is_clean(d) && !d->site->halves) {
    for (unsigned k = 0; k < r->count; k++)
      d->unset->lanes[r->first + k] &= ~AQ_WAVE_EXEC(d->wave);
  } else {
    lanes_load(d, r);
  }
}

/* ---- stores ---- */

static const aq_check_registers *data_of(const aq_check_site *site, int part)
{
  const uint8_t encoding = site->inst.row->encoding;
  const bool in_place = encoding == AQ_ISA_MUBUF || encoding == AQ_ISA_MTBUF ||
                        encoding == AQ_ISA_SMEM;
  return named(site, (char)(in_place ? 'D' : part ? 'C' : 'B'));
}

static bool host_sees(const doing *d, uint64_t address)
{
  const aq_check_known *k = aq_check_known_near(d->check, address);
  return k && !k->block.ours && k->block.device == AQ_DEVICE_HOST &&
         address >= k->block.base && address < k->block.base + k->block.size;
}

/* Memory that the host reads without a copy is an output. */
static void output_check(doing *d, const aq_check_registers *r, int l,
                         const uint32_t *bits, unsigned words)
{
  bool any = false;
  for (unsigned k = 0; k < words; k++)
    any |= bits[k] != 0;
  if (!any || !(d->touch->global >> l & 1) ||
      !host_sees(d, aq_address_host(d->touch->at[l])))
    return;
  const bool padded =
      d->site->bytes >= 4 && aq_check_uninit_is_padding(bits, words);
  const aq_check_use use = {
      .kind = padded ? "uninitialised padding" : "uninitialised output",
      .message = padded ? "memory of the host gets unwritten bytes of a struct"
                        : "memory of the host gets an unwritten value",
      .possible = padded ? AQ_FINDING_NOTE : AQ_FINDING_SURE,
      .lane = l,
      .lanes = (unsigned)__builtin_popcountll(d->touch->global),
      .from = d->unset->from[r->first]};
  aq_check_uninit_report(d->wave, d->number, &use);
}

/* Whose store left unwritten bits in memory, for a copy that finds them. */
static void origin_keep(doing *d, const aq_check_registers *r, int l, int part,
                        const uint32_t *bits, unsigned words)
{
  bool any = false;
  for (unsigned k = 0; k < words; k++)
    any |= bits[k] != 0;
  if (!any || part || !(d->touch->global >> l & 1))
    return;
  const aq_check_origin made = {
      .kernel = aq_check_grid_of(d->wave)->kernel,
      .entry = aq_check_grid_of(d->wave)->entry,
      .store = d->number,
      .load = d->unset->from[r->first],
      .at = d->unset->from[r->first]
                ? d->check->sites[d->unset->from[r->first] - 1].unset_at
                : 0};
  aq_check_origin_keep(d->check, aq_address_host(d->touch->at[l]), &made);
}

/* Lanes of a buffer store of which the range drops some words only. */
static void words_store(doing *d, uint32_t rows[][AQ_WAVE_LANES],
                        unsigned words)
{
  aq_wave *w = d->wave;
  for (uint64_t rest = AQ_WAVE_EXEC(w) & ~lanes_of(d->touch); rest;
       rest &= rest - 1)
    for (unsigned k = 0; k < words; k++) {
      const int l = __builtin_ctzll(rest);
      uint64_t address = 0;
      if (aq_wave_buffer_at(w, d->op, l, 4 * k, 4, false, &address) !=
              w->nowhere &&
          address)
        aq_uninit_shadow_put(&d->check->unwritten, aq_address_host(address), 4,
                             (const uint8_t *)&rows[k][l]);
    }
}

/* Data that was written goes to places of LDS. */
static bool shared_store_clean(doing *d)
{
  const aq_wave_access_info *t = d->touch;
  if (!t->shared || t->global || t->scratch)
    return false;
  if (d->group->lds_written)
    return true;
  for (uint64_t rest = t->shared; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint8_t *to = shared_at(d, (uint32_t)t->at[l], t->bytes),
            *second = t->second ? shared_at(d, aq_wave_access_info_second(t, l),
                                            t->bytes)
                                : NULL;
    if (to)
      memset(to, 0, t->bytes);
    if (second)
      memset(second, 0, t->bytes);
  }
  return true;
}

static void lanes_store(doing *d, int part)
{
  const aq_check_registers *r = data_of(d->site, part);
  const unsigned bytes = d->site->bytes, words = bytes < 4 ? 1 : bytes / 4;
  const unsigned shift = has(d->site->inst.row->name, "d16_hi") ? 16 : 0;
  const bool typed = has(d->site->inst.row->name, "_format_");
  uint32_t rows[4][AQ_WAVE_LANES];
  if (!r || r->scalar || words > r->count || words > 4)
    return;
  for (unsigned k = 0; k < words; k++)
    aq_check_row_get(d->unset, r->first + k, rows[k]);
  for (uint64_t rest = lanes_of(d->touch); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint32_t bits[4];
    for (unsigned k = 0; k < words; k++)
      bits[k] = typed ? 0 : rows[k][l] >> shift;
    if (bytes < 4)
      bits[0] &= (1u << 8 * bytes) - 1;
    output_check(d, r, l, bits, words);
    origin_keep(d, r, l, part, bits, words);
    lane_put(d, l, part, bytes, (const uint8_t *)bits);
  }
  if (d->site->inst.row->encoding == AQ_ISA_MUBUF && words > 1)
    words_store(d, rows, words);
}

static void store(doing *d)
{
  const aq_wave_access_info *t = d->touch;
  const aq_check_registers *r = data_of(d->site, 0);
  uint64_t first, size, any = 0;
  if (!r)
    return;
  const aq_check_registers *other = t->second ? data_of(d->site, 1) : NULL;
  for (unsigned k = 0; !r->scalar && k < r->count; k++)
    any |= d->unset->lanes[r->first + k];
  for (unsigned k = 0; other && k < other->count; k++)
    any |= d->unset->lanes[other->first + k];
  if (!(any & AQ_WAVE_EXEC(d->wave)) && shared_store_clean(d))
    return;
  if (t->scalar || (!(any & AQ_WAVE_EXEC(d->wave)) && t->row && t->global)) {
    if (range_find(t, &first, &size))
      aq_uninit_shadow_set(&d->check->unwritten, first, size, false);
    return;
  }
  lanes_store(d, 0);
  if (t->second)
    lanes_store(d, 1);
}

/* Elements of an image count as written: a conversion does not keep the bits of
 * values apart. */
static void image_store(doing *d)
{
  const aq_wave_access_info *t = d->touch;
  for (uint64_t rest = t->global; rest; rest &= rest - 1)
    aq_uninit_shadow_set(&d->check->unwritten,
                         aq_address_host(t->at[__builtin_ctzll(rest)]),
                         t->bytes, false);
}

/* An atomic reads its place: unwritten bits come with the result, and
 * stay unless the data replaces them. */
static void update(doing *d)
{
  const char *name = d->site->inst.row->name;
  const bool swaps = has(name, "_swap") || has(name, "wrxchg");
  const aq_check_registers *data = data_of(d->site, 0),
                           *result =
                               d->site->returns ? named(d->site, 'D') : NULL;
  const unsigned bytes = d->site->bytes, words = bytes < 4 ? 1 : bytes / 4;
  uint32_t rows[4][AQ_WAVE_LANES], old[4][AQ_WAVE_LANES];
  if (!data || data->scalar || words > 2 || words > data->count)
    return;
  for (unsigned k = 0; k < words; k++)
    aq_check_row_get(d->unset, data->first + k, rows[k]);
  memset(old, 0, sizeof old);
  for (uint64_t rest = lanes_of(d->touch); rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    uint32_t bits[4] = {0};
    lane_get(d, l, 0, bytes, (uint8_t *)bits);
    for (unsigned k = 0; k < words; k++) {
      old[k][l] = bits[k];
      bits[k] = swaps ? rows[k][l] : bits[k] | rows[k][l];
    }
    lane_put(d, l, 0, bytes, (const uint8_t *)bits);
  }
  for (unsigned k = 0; result && k < words && k < result->count; k++) {
    const unsigned row = result->first + k;
    aq_check_row_put(d->check, d->unset, row, old[k], AQ_WAVE_EXEC(d->wave));
    if (d->unset->lanes[row] & AQ_WAVE_EXEC(d->wave))
      d->unset->from[row] = d->number;
  }
}

void aq_check_uninit_memory(aq_wave *w, const aq_wave_op *o, uint32_t number,
                            const aq_wave_access_info *t)
{
  aq_check_group *group = aq_check_group_of(w);
  aq_check *check = aq_check_grid_of(w)->check;
  doing d = {.check = check,
             .wave = w,
             .group = group,
             .unset = &group->unset[w->number],
             .site = &check->sites[number - 1],
             .number = number,
             .touch = t,
             .op = o};
  aq_check_uninit_addresses(w, number);
  switch (d.site->init) {
  case AQ_CHECK_INIT_LOADS:
    load(&d);
    break;
  case AQ_CHECK_INIT_STORES:
    store(&d);
    break;
  case AQ_CHECK_INIT_UPDATES:
    update(&d);
    break;
  case AQ_CHECK_INIT_IMAGE_STORES:
    image_store(&d);
    break;
  case AQ_CHECK_INIT_DEFINES: /* loads that convert or move bits */
    aq_check_results_define(w, d.site, d.unset);
    break;
  case AQ_CHECK_INIT_DIRECT: /* where in LDS is not followed */
    memset(group->lds_unset, 0, w->grid->lds_asked);
    break;
  default:
    break;
  }
}
