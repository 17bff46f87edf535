/* SPDX-License-Identifier: MIT */
/* Uses of unwritten bits: branches, addresses, and copies to the host.
 */
#include "config.h"

#include <string.h>

#include "gpu/check/core/core.h"

/* ---- reports ---- */

void aq_check_init_report(aq_wave *w, uint32_t site, const aq_check_use *use)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const aq_check_site *from =
      use->from ? &grid->check->sites[use->from - 1] : NULL;
  const bool place = from && !from->unset_shared;
  const aq_check_what what = {
      .check = AQ_CHECK_INIT,
      .kind = use->kind,
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

void aq_check_init_branch(aq_wave *w, uint32_t number)
{
  aq_check_unset *u = &aq_check_group_of(w)->unset[w->number];
  aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  aq_check_use use = {.kind = "uninitialised branch",
                      .message = "the branch depends on an unwritten value",
                      .lane = -1};
  if (site->init == AQ_CHECK_INIT_BY_SCC) {
    use.from = u->scc_from;
    if (u->scc)
      aq_check_init_report(w, number, &use);
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
  aq_check_init_report(w, number, &use);
  aq_check_scalar_put(u, AQ_ISA_VCC, 0);
  aq_check_scalar_put(u, AQ_ISA_VCC + 1, 0);
}

/* Registers of addresses; a finding makes them count as written. */
void aq_check_init_addresses(aq_wave *w, uint32_t number)
{
  aq_check_unset *u = &aq_check_group_of(w)->unset[w->number];
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
      aq_check_init_report(w, number, &use);
      if (scalar)
        aq_check_scalar_put(u, at, 0);
      else
        u->lanes[at] &= ~lanes;
    }
  }
}

/* ---- memory ---- */

void aq_check_init_get(aq_check *check, uint64_t address, unsigned size,
                       uint8_t *bits)
{
  uint8_t any = 0;
  aq_check_unwritten_get(&check->unwritten, address, size, bits);
  for (unsigned i = 0; i < size; i++)
    any |= bits[i];
  if (!any || !aq_check_known_alive(check, address))
    return;
  aq_check_unwritten_look(&check->unwritten, address, size);
  aq_check_unwritten_get(&check->unwritten, address, size, bits);
}

/* ---- copies, the host ---- */

void aq_check_init_read(aq_check *check, const aq_check_act *act,
                        uint64_t address, uint64_t size)
{
  uint64_t where;
  if (aq_check_unwritten_any(&check->unwritten, address, size, &where) &&
      aq_check_known_alive(check, address))
    for (uint64_t at = where; at < address + size; at += 64)
      aq_check_unwritten_look(&check->unwritten, at, 1);
  if (!aq_check_unwritten_any(&check->unwritten, address, size, &where))
    return;
  const aq_check_what what = {.check = AQ_CHECK_INIT,
                              .kind = "uninitialised output",
                              .act = act,
                              .lane = -1,
                              .has_address = true,
                              .has_place = true,
                              .address = where,
                              .other_kernel = -1,
                              .message = "the host gets unwritten memory",
                              .missing =
                                  "a write to the memory before it is copied"};
  aq_check_report(check, &what);
}

static bool is_host_memory(const aq_check *check, uint64_t address)
{
  const aq_check_known *k = aq_check_known_near(check, address);
  return !k || address < k->block.base ||
         address >= k->block.base + k->block.size ||
         k->block.device == AQ_DEVICE_HOST;
}

void aq_check_init_copy(aq_check *check, const aq_check_act *act, uint64_t to,
                        uint64_t from, uint64_t size)
{
  if (is_host_memory(check, to))
    aq_check_init_read(check, act, from, size);
  else
    aq_check_unwritten_copy(&check->unwritten, to, from, size);
}

void aq_check_init_forget(aq_check *check)
{
  for (size_t i = 0; i < check->known_count; i++)
    check->known[i].begins_unwritten = false;
  aq_check_unwritten_fini(&check->unwritten);
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

void aq_check_init_open(aq_check *check)
{
  check->unwritten.user = check;
  check->unwritten.begin = page_begin;
}
