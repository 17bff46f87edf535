/* SPDX-License-Identifier: MIT */
/* Uses of unwritten bits: branches, addresses, and copies to the host.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/check/core/core.h"

/* ---- reports ---- */

void aq_check_uninit_report(aq_wave *w, uint32_t site, const aq_check_use *use)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_site *from =
      use->from ? &grid->check->sites[use->from - 1] : NULL;
  const bool place = from && !from->unset_shared;
  const aq_check_what what = {
      .check = AQ_CHECK_INIT,
      .kind = use->kind,
      .possible = use->possible,
      .wave = w,
      .act = grid->act,
      .site = site,
      .lane = use->lane,
      .lanes = use->lanes,
      .has_address = place,
      .has_place = place,
      .address = place ? from->unset_at : 0,
      .other_kernel = grid->kernel,
      .other_site = use->from,
      .other_text = "load of the value",
      .message = use->message,
      .missing = !from                ? "a write to the register before its use"
                 : from->unset_shared ? "a write to LDS or private memory"
                                      : "a write to the memory"};
  aq_check_report(grid->check, &what);
}

void aq_check_uninit_branch(aq_wave *w, uint32_t number)
{
  aq_uninit_regs *u = &aq_check_group_of(w)->unset[w->number];
  aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  aq_check_use use = {.kind = "uninitialised branch",
                      .message = "the branch depends on an unwritten value",
                      .lane = -1};
  if (site->init == AQ_CHECK_INIT_BY_SCC) {
    use.from = u->scc_from;
    if (u->scc)
      aq_check_uninit_report(w, number, &use);
    u->scc = false;
    return;
  }
  uint64_t unset = 0;
  for (unsigned i = 0; i < (w->wave32 ? 1u : 2u); i++)
    if (u->scalars[1] >> (AQ_ISA_VCC + i - 64) & 1)
      unset |= (uint64_t)aq_check_scalar_bits(u, AQ_ISA_VCC + i) << 32 * i;
  const uint64_t vcc = AQ_WAVE_VCC(w) & (w->wave32 ? UINT32_MAX : UINT64_MAX);
  if (!unset || vcc & ~unset)
    return; /* a bit that is set decides */
  use.from = aq_check_scalar_from(u, AQ_ISA_VCC);
  aq_check_uninit_report(w, number, &use);
  aq_check_scalar_put(u, AQ_ISA_VCC, 0);
  aq_check_scalar_put(u, AQ_ISA_VCC + 1, 0);
}

/* Registers of addresses; a finding makes them count as written. */
void aq_check_uninit_addresses(aq_wave *w, uint32_t number)
{
  aq_uninit_regs *u = &aq_check_group_of(w)->unset[w->number];
  const aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  const uint64_t exec = AQ_WAVE_EXEC(w);
  aq_check_use use = {.kind = "uninitialised address",
                      .message = "the address depends on an unwritten value"};
  uint64_t any = (site->reads[0] & u->scalars[0]) |
                 (site->reads[1] & u->scalars[1]) | !site->listed;
  for (unsigned i = 0; i < site->sources; i++)
    any |= u->lanes[site->rows[i]];
  if (!any)
    return;
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    if (r->role != 'A' && r->role != 'R' && r->role != 'S')
      continue;
    for (unsigned at = r->first; at < (unsigned)r->first + r->count; at++) {
      const uint64_t lanes = r->scalar ? 0 : u->lanes[at] & exec;
      const bool scalar = r->scalar && u->scalars[at / 64] >> at % 64 & 1;
      if (!lanes && !scalar)
        continue;
      use.lane = lanes ? __builtin_ctzll(lanes) : -1;
      use.lanes = (unsigned)__builtin_popcountll(lanes);
      use.from = scalar ? aq_check_scalar_from(u, at) : u->from[at];
      aq_check_uninit_report(w, number, &use);
      if (scalar)
        aq_check_scalar_put(u, at, 0);
      else
        u->lanes[at] &= ~lanes;
    }
  }
}

/* ---- memory ---- */

void aq_check_uninit_get(aq_check *check, uint64_t address, unsigned size,
                         uint8_t *bits)
{
  uint8_t any = 0;
  aq_uninit_shadow_get(&check->unwritten, address, size, bits);
  for (unsigned i = 0; i < size; i++)
    any |= bits[i];
  if (!any || !aq_check_known_alive(check, address))
    return;
  if (aq_uninit_shadow_check_host(&check->unwritten, address, size))
    check->known[aq_check_known_from(check, address)].shared = true;
  aq_uninit_shadow_get(&check->unwritten, address, size, bits);
}

/* ---- padding ---- */

/* Padding of structs that are copied whole: runs of unwritten bytes that are
 * shorter than an alignment and end at it, where the same bytes of each struct
 * are written, and somewhere in it something of that alignment. */
typedef struct padding {
  uint64_t address;  /* of the first struct */
  unsigned period;   /* bytes of a struct */
  unsigned greatest; /* alignment behind a run */
  const uint8_t *bits;
} padding;

/* The end of the bytes from `at` on that are as the first one is. */
static unsigned run_end(const padding *p, unsigned at)
{
  unsigned end = at + 1;
  while (end < p->period && p->bits[end] == p->bits[at])
    end++;
  return end;
}

static bool runs_are_short(padding *p)
{
  for (unsigned at = 0, end; at < p->period; at = end) {
    end = run_end(p, at);
    const unsigned length = end - at;
    if (p->bits[at] == 0)
      continue;
    const unsigned align = length < 2 ? 2 : length < 4 ? 4 : 8;
    if (p->bits[at] != UINT8_MAX || length >= 8 ||
        (p->address + end) % align != 0 || p->period % align != 0)
      return false;
    p->greatest = align > p->greatest ? align : p->greatest;
  }
  return p->greatest > 0;
}

/* Whether bytes of the greatest alignment are written. */
static bool has_member(const padding *p)
{
  unsigned at = (unsigned)(-p->address % p->greatest);
  for (; at + p->greatest <= p->period; at += p->greatest)
    if (p->bits[at] == 0 && run_end(p, at) >= at + p->greatest)
      return true;
  return false;
}

static bool repeats(aq_check *check, const padding *p, uint64_t size)
{
  uint8_t bits[AQ_CHECK_STRUCT_MAX];
  for (uint64_t at = p->period; at < size; at += p->period) {
    const unsigned n =
        size - at < p->period ? (unsigned)(size - at) : p->period;
    aq_uninit_shadow_get(&check->unwritten, p->address + at, n, bits);
    if (memcmp(bits, p->bits, n) != 0)
      return false;
  }
  return true;
}

/* Whether all unwritten bytes of a range are padding of at least two structs.
 */
static bool is_padding(aq_check *check, uint64_t address, uint64_t size)
{
  uint8_t bits[AQ_CHECK_STRUCT_MAX];
  const unsigned most =
      size / 2 < sizeof bits ? (unsigned)(size / 2) : (unsigned)sizeof bits;
  aq_uninit_shadow_get(&check->unwritten, address, most, bits);
  for (unsigned period = 4; period <= most; period += 2) {
    padding p = {.address = address, .period = period, .bits = bits};
    if (runs_are_short(&p) && has_member(&p) && repeats(check, &p, size))
      return true;
  }
  return false;
}

/* Runs of whole words are no padding. */
bool aq_check_uninit_is_padding(const uint32_t *words, unsigned count)
{
  padding p = {.period = 4 * count, .bits = (const uint8_t *)words};
  for (unsigned at = 0, end; at < p.period; at = end) {
    end = run_end(&p, at);
    if (p.bits[at] && (end - at) % 4 == 0)
      return false;
  }
  return runs_are_short(&p);
}

/* ---- copies, the host ---- */

static size_t origin_place(uint64_t line)
{
  return (line ^ line >> 16 ^ line >> 32) % AQ_CHECK_ORIGINS;
}

void aq_check_origin_keep(aq_check *check, uint64_t address,
                          const aq_check_origin *origin)
{
  const uint64_t line = address / AQ_CHECK_ORIGIN;
  if (!check->origins)
    check->origins = calloc(AQ_CHECK_ORIGINS, sizeof *check->origins);
  if (check->origins)
    check->origins[origin_place(line)] =
        (aq_check_origin_place){.line = line, .by = *origin};
  else
    check->lost = true;
}

const aq_check_origin *aq_check_origin_find(const aq_check *check,
                                            uint64_t address)
{
  const uint64_t line = address / AQ_CHECK_ORIGIN;
  const aq_check_origin_place *at =
      check->origins ? &check->origins[origin_place(line)] : NULL;
  return at && at->line == line ? &at->by : NULL;
}

/* The bytes were never written, or with a value that depends on such. */
static void output_report(aq_check *check, const aq_hb_event *act,
                          uint64_t where)
{
  char text[AQ_CHECK_TEXT];
  const bool stored = aq_uninit_shadow_stored(&check->unwritten, where);
  const aq_check_origin *by =
      stored ? aq_check_origin_find(check, where) : NULL;
  aq_check_what what = {
      .check = AQ_CHECK_INIT,
      .kind = "uninitialised output",
      .act = act,
      .lane = -1,
      .has_address = true,
      .has_place = true,
      .address = where,
      .other_kernel = -1,
      .message = stored ? "the host gets a value that a kernel made of "
                          "unwritten ones; which kernel is not kept any more"
                        : "the host gets memory that was never written",
      .missing = "a write to the memory before it is copied"};
  if (by) {
    snprintf(text, sizeof text,
             "the host gets a value at 0x%" PRIx64
             " that a kernel made of unwritten %s",
             where, by->load ? "memory" : "registers");
    what.message = text;
    what.by = by;
    what.site = by->store;
    what.other_site = by->load;
    what.other_kernel = by->load ? by->kernel : -1;
    what.other_text = "load of the unwritten value";
    what.missing = by->load ? "a write to the memory before the kernel loads it"
                            : "a write to the register before its use";
    const bool place =
        by->load && !check->sites[by->load - 1].unset_shared && by->at;
    what.address = place ? by->at : where;
  }
  aq_check_report(check, &what);
}

static void padding_report(aq_check *check, const aq_hb_event *act,
                           uint64_t where)
{
  aq_check_report(
      check,
      &(aq_check_what){
          .check = AQ_CHECK_INIT,
          .kind = "uninitialised padding",
          .possible = AQ_FINDING_NOTE,
          .act = act,
          .lane = -1,
          .has_address = true,
          .has_place = true,
          .address = where,
          .other_kernel = -1,
          .message = "the host gets unwritten bytes between members of structs",
          .missing = "a write to the memory before it is copied"});
}

void aq_check_uninit_read(aq_check *check, const aq_hb_event *act,
                          uint64_t address, uint64_t size)
{
  uint64_t where;
  if (aq_uninit_shadow_any(&check->unwritten, address, size, &where) &&
      aq_check_known_alive(check, address))
    for (uint64_t at = where; at < address + size; at += 64)
      aq_uninit_shadow_check_host(&check->unwritten, at, 1);
  if (!aq_uninit_shadow_any(&check->unwritten, address, size, &where))
    return;
  if (is_padding(check, address, size))
    padding_report(check, act, where);
  else
    output_report(check, act, where);
}

static bool is_host_memory(const aq_check *check, uint64_t address)
{
  const aq_check_known *k = aq_check_known_near(check, address);
  return !k || address < k->block.base ||
         address >= k->block.base + k->block.size ||
         k->block.device == AQ_DEVICE_HOST;
}

void aq_check_uninit_copy(aq_check *check, const aq_hb_event *act, uint64_t to,
                          uint64_t from, uint64_t size)
{
  if (is_host_memory(check, to))
    aq_check_uninit_read(check, act, from, size);
  else
    aq_uninit_shadow_copy(&check->unwritten, to, from, size);
}

void aq_check_uninit_forget(aq_check *check)
{
  for (size_t i = 0; i < check->known_count; i++)
    check->known[i].begins_unwritten = false;
  aq_uninit_shadow_fini(&check->unwritten);
}

/* A page begins as the allocations in it do. */
static bool page_begin(void *user, uint64_t base,
                       uint8_t bits[AQ_CHECK_BITS_PAGE])
{
  const aq_check *check = user;
  const uint64_t end = base + AQ_CHECK_BITS_PAGE;
  bool any = false;
  for (size_t i = aq_check_known_from(check, base);
       i < check->known_count && check->known[i].block.base < end; i++) {
    const aq_check_known *k = &check->known[i];
    const uint64_t from = k->block.base > base ? k->block.base : base,
                   to = k->block.base + k->block.size < end
                            ? k->block.base + k->block.size
                            : end;
    if (!k->begins_unwritten || from >= to)
      continue;
    memset(bits + (from - base), 0xff, to - from);
    any = true;
  }
  return any;
}

void aq_check_uninit_open(aq_check *check)
{
  check->unwritten.allocations = check->options.allocations;
  check->unwritten.user = check;
  check->unwritten.begin = page_begin;
}
