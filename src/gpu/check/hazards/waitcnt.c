/* SPDX-License-Identifier: MIT */
/*
 * Missing waits. A load writes its registers when its counter has fallen far
 * enough; an instruction that names them before that is a hazard. Vector memory
 * returns in order (vmcnt), LDS too (lgkmcnt), scalar memory in any order, and
 * flat accesses count in both. waitcnt_sites.c knows each processor's counters.
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/grid/grid.h"

static uint8_t by_m0(const char *name)
{
  static const struct {
    const char *name;
    uint8_t moved;
  } all[] = {
      {"v_movrelsd_2",
       AQ_CHECK_BY_M0_SOURCE | AQ_CHECK_BY_M0_RESULT | AQ_CHECK_BY_M0_HALVES},
      {"v_movrelsd", AQ_CHECK_BY_M0_SOURCE | AQ_CHECK_BY_M0_RESULT},
      {"v_movrels", AQ_CHECK_BY_M0_SOURCE},
      {"v_movreld", AQ_CHECK_BY_M0_RESULT},
      {"s_movrel", AQ_CHECK_BY_M0_SCALARS},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (strncmp(name, all[i].name, strlen(all[i].name)) == 0)
      return all[i].moved;
  return 0;
}

void aq_check_site_registers(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  site->by_m0 = by_m0(inst->row->name);
  for (unsigned i = 0; i < inst->operand_count; i++) {
    const aq_isa_operand *o = &inst->operands[i];
    const bool scalar = o->file == 's' && o->code < 128;
    const bool null =
        scalar && inst->target & AQ_ISA_RDNA && o->code == AQ_ISA_NULL;
    if (null || (!scalar && o->file != 'v' && o->file != 'a'))
      continue;
    const unsigned bits = o->bits == 1632 ? 32 : o->bits;
    site->names[site->name_count++] = (aq_check_registers){
        .scalar = scalar,
        .dest = o->role == 'D',
        .role = o->role,
        .first = (uint16_t)(o->code + (o->file == 'a' ? AQ_WAVE_ACC : 0)),
        .count = (uint8_t)((bits + 31) / 32)};
  }
}

/* ---- waiting ---- */

static void wait_run(aq_check_waits *s, const aq_check_site *site)
{
  const uint32_t vm = site->vm_limit, lgkm = site->lgkm_limit;
  if (vm != AQ_CHECK_NO_LIMIT && s->vm_issued - s->vm_done > vm)
    s->vm_done = s->vm_issued - vm;
  if (lgkm == 0) {
    s->lgkm_done = s->lgkm_issued;
    s->unordered = false;
  } else if (!s->unordered && lgkm != AQ_CHECK_NO_LIMIT &&
             s->lgkm_issued - s->lgkm_done > lgkm) {
    s->lgkm_done = s->lgkm_issued - lgkm;
  }
  if (site->km_limit == 0)
    s->km_done = s->km_issued;
}

void aq_check_waits_end(aq_check_waits *s)
{
  if ((s->vm_issued | s->lgkm_issued | s->km_issued) > INT32_MAX) {
    memset(s, 0, sizeof *s);
    return;
  }
  s->vm_done = s->vm_issued;
  s->lgkm_done = s->lgkm_issued;
  s->km_done = s->km_issued;
  s->unordered = false;
  s->window = 0;
  if (s->matrices_at) {
    memset(s->matrices, 0, sizeof s->matrices);
    s->matrices_at = 0;
  }
}

/* The wait for vector memory, LDS, or scalar memory. */
static const char *wait_name(const aq_wave *w, unsigned which)
{
  static const char *const names[][3] = {
      {"s_waitcnt vmcnt", "s_waitcnt lgkmcnt", "s_waitcnt lgkmcnt"},
      {"s_wait_loadcnt", "s_wait_dscnt", "s_wait_kmcnt"}};
  const bool split = aq_wave_code_target(w->grid->code) & AQ_ISA_GFX12;
  return names[split][which];
}

static void hazard_report(aq_wave *w, uint32_t number, bool vector_memory,
                          const aq_check_registers *r, unsigned at,
                          uint32_t loader)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  const char *name = r->scalar ? "s" : r->first >= AQ_WAVE_ACC ? "a" : "v";
  const unsigned row =
      at - (!r->scalar && r->first >= AQ_WAVE_ACC ? AQ_WAVE_ACC : 0);
  char message[AQ_CHECK_TEXT], missing[AQ_CHECK_TEXT];
  snprintf(message, sizeof message,
           "%s%u is %s before the load into it has returned", name, row,
           r->dest ? "written" : "read");
  snprintf(missing, sizeof missing,
           "an %s between the load and this instruction",
           wait_name(w, vector_memory ? 0
                        : r->scalar   ? 2
                                      : 1));
  const aq_check_what what = {.check = AQ_CHECK_WAIT,
                              .kind = "missing wait",
                              .wave = w,
                              .act = grid->act,
                              .site = number,
                              .lane = -1,
                              .other_kernel = grid->kernel,
                              .other_site = loader,
                              .other_text = "the load",
                              .message = message,
                              .missing = missing};
  aq_check_report(grid->check, &what);
}

/* Other waves may read LDS behind the barrier before the write is there. */
static void barrier_report(aq_wave *w, uint32_t number, uint32_t writer)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  char missing[AQ_CHECK_TEXT];
  snprintf(missing, sizeof missing,
           "an %s of 0 between the write and the barrier", wait_name(w, 1));
  const aq_check_what what = {
      .check = AQ_CHECK_WAIT,
      .kind = "missing wait",
      .wave = w,
      .act = grid->act,
      .site = number,
      .lane = -1,
      .other_kernel = grid->kernel,
      .other_site = writer,
      .other_text = "the write",
      .message = "a barrier is reached before a write to LDS has ended",
      .missing = missing};
  aq_check_report(grid->check, &what);
}

/* A load may write registers of an earlier one of its own kind, which returns
 * before it. */
static bool is_pending(const aq_check_waits *s, const aq_check_site *site,
                       const aq_check_registers *r, unsigned at, bool *vector)
{
  const bool vm = !r->scalar && s->vm[at] > s->vm_done,
             lgkm = r->scalar ? s->scalar[at] > s->km_done
                              : s->lgkm[at] > s->lgkm_done;
  *vector = vm;
  if (r->dest && vm && !lgkm && site->counts == AQ_CHECK_COUNTS_VMEM)
    return false;
  if (r->dest && lgkm && !vm && site->counts == AQ_CHECK_COUNTS_LDS)
    return false;
  return vm || lgkm;
}

static void names_check(aq_wave *w, uint32_t number, const aq_check_site *site,
                        const aq_check_waits *s)
{
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; k < r->count; k++) {
      const unsigned at = aq_check_row(w, site, r, k);
      bool vector;
      if (!is_pending(s, site, r, at, &vector))
        continue;
      hazard_report(w, number, vector, r, at,
                    r->scalar ? s->scalar_by[at] : s->by[at]);
      return;
    }
  }
}

static void loads_begin(aq_check_waits *s, const aq_check_site *site,
                        uint32_t number, bool active)
{
  if (site->counts & AQ_CHECK_COUNTS_VMEM)
    s->vm_issued++;
  if (site->counts & AQ_CHECK_COUNTS_LDS ||
      (site->counts & AQ_CHECK_COUNTS_SMEM && site->unorders))
    s->lgkm_issued++;
  if (site->counts & AQ_CHECK_COUNTS_SMEM)
    s->km_issued++;
  s->unordered |= site->unorders;
  if (site->counts == AQ_CHECK_COUNTS_LDS &&
      (site->kind == AQ_WAVE_ACCESS_WRITE ||
       site->kind == AQ_WAVE_ACCESS_ATOMIC)) {
    s->written = s->lgkm_issued;
    s->written_by = number;
  }
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    /* Stores have their data in the place of a result. */
    if (!r->dest || (!active && !r->scalar) ||
        site->kind == AQ_WAVE_ACCESS_WRITE ||
        (site->kind == AQ_WAVE_ACCESS_ATOMIC && !site->returns))
      continue;
    for (unsigned at = r->first; at < (unsigned)r->first + r->count; at++) {
      if (r->scalar) {
        s->scalar[at] = s->km_issued;
        s->scalar_by[at] = number;
        continue;
      }
      if (site->counts & AQ_CHECK_COUNTS_VMEM)
        s->vm[at] = s->vm_issued;
      if (site->counts & AQ_CHECK_COUNTS_LDS)
        s->lgkm[at] = s->lgkm_issued;
      s->by[at] = number;
    }
  }
}

void aq_check_wait(aq_wave *w, uint32_t number)
{
  const aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  aq_check_waits *s = &aq_check_group_of(w)->waits[w->number];
  aq_check_hazards(w, number);
  if (site->waits) {
    wait_run(s, site);
    return;
  }
  if (site->arrives && s->written > s->lgkm_done)
    barrier_report(w, number, s->written_by);
  if (s->vm_issued != s->vm_done || s->lgkm_issued != s->lgkm_done ||
      s->km_issued != s->km_done)
    names_check(w, number, site, s);
  if (site->counts)
    loads_begin(s, site, number, AQ_WAVE_EXEC(w) != 0);
}
