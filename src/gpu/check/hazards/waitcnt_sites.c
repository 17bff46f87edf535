/* SPDX-License-Identifier: MIT */
/* Which counters an instruction adds to, and which ones it waits for. */
#include "config.h"

#include <string.h>

#include "gpu/check/core/core.h"

static bool has(const aq_isa_inst *inst, const char *part)
{
  return strstr(inst->row->name, part) != NULL;
}

static bool begins(const aq_isa_inst *inst, const char *part)
{
  return strncmp(inst->row->name, part, strlen(part)) == 0;
}

/* ---- waits ---- */

/* The largest value of a field is no limit. */
static uint8_t limit(unsigned value, unsigned bits)
{
  return value < (1u << bits) - 1 ? (uint8_t)value : AQ_CHECK_NO_LIMIT;
}

/* The counters of s_waitcnt. */
static void fields_read(aq_check_site *site)
{
  const unsigned imm = site->inst.imm;
  if (site->inst.target & AQ_ISA_FROM_GFX11) {
    site->vm_limit = limit(imm >> 10 & 63, 6);
    site->lgkm_limit = limit(imm >> 4 & 63, 6);
    return;
  }
  site->vm_limit = limit((imm & 15) | (imm >> 14 & 3) << 4, 6);
  site->lgkm_limit = site->inst.target & AQ_ISA_GFX10 ? limit(imm >> 8 & 63, 6)
                                                      : limit(imm >> 8 & 15, 4);
}

/* Waits of one counter or two; waits for stores and exports limit no load. */
static const struct {
  const char *name;
  enum { NOTHING, LOADS, LDS, SCALARS, LOADS_LDS, ALL } counters;
} waits[] = {
    {"s_waitcnt_vmcnt", LOADS},     {"s_waitcnt_lgkmcnt", LDS},
    {"s_wait_loadcnt", LOADS},      {"s_wait_dscnt", LDS},
    {"s_wait_kmcnt", SCALARS},      {"s_wait_loadcnt_dscnt", LOADS_LDS},
    {"s_wait_storecnt_dscnt", LDS}, {"s_wait_idle", ALL},
    {"s_waitcnt_vscnt", NOTHING},   {"s_waitcnt_expcnt", NOTHING},
    {"s_waitcnt_depctr", NOTHING},  {"s_wait_storecnt", NOTHING},
    {"s_wait_samplecnt", NOTHING},  {"s_wait_bvhcnt", NOTHING},
    {"s_wait_expcnt", NOTHING},     {"s_wait_alu", NOTHING},
    {"s_wait_event", NOTHING},
};

static void limits_find(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const uint8_t imm = limit(inst->imm & 63, 6);
  site->vm_limit = site->lgkm_limit = site->km_limit = AQ_CHECK_NO_LIMIT;
  if (strcmp(inst->row->name, "s_waitcnt") == 0) {
    site->waits = true;
    fields_read(site);
  }
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    if (strcmp(inst->row->name, waits[i].name) != 0)
      continue;
    site->waits = true;
    if (waits[i].counters == LOADS)
      site->vm_limit = imm;
    else if (waits[i].counters == LDS)
      site->lgkm_limit = imm;
    else if (waits[i].counters == SCALARS)
      site->km_limit = imm;
    else if (waits[i].counters == LOADS_LDS)
      site->vm_limit = limit(inst->imm >> 8 & 63, 6), site->lgkm_limit = imm;
    else if (waits[i].counters == ALL)
      site->vm_limit = site->lgkm_limit = site->km_limit = 0;
  }
  /* Before gfx12, lgkmcnt counts scalar memory, too. */
  if (!(inst->target & AQ_ISA_GFX12) && site->lgkm_limit == 0)
    site->km_limit = 0;
}

/* ---- loads ---- */

static bool is_scalar_load(const aq_isa_inst *inst)
{
  return has(inst, "_load") || has(inst, "_atomic") || has(inst, "memtime") ||
         has(inst, "memrealtime");
}

/* From gfx10 on, stores and atomics without a result have a counter of their
 * own. */
static bool is_load(const aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  if (!(inst->target & AQ_ISA_RDNA))
    return has(inst, "_load") || has(inst, "_store") || has(inst, "_atomic");
  return has(inst, "_load") || (has(inst, "_atomic") && site->returns);
}

static uint8_t counts_of(const aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  switch (inst->row->encoding) {
  case AQ_ISA_SMEM:
    return is_scalar_load(inst) ? AQ_CHECK_COUNTS_SMEM : 0;
  case AQ_ISA_DS:
    return AQ_CHECK_COUNTS_LDS;
  case AQ_ISA_FLAT:
    return AQ_CHECK_COUNTS_FLAT | AQ_CHECK_COUNTS_LDS |
           (inst->target & AQ_ISA_RDNA && !is_load(site)
                ? 0
                : AQ_CHECK_COUNTS_VMEM);
  case AQ_ISA_SCRATCH:
  case AQ_ISA_GLOBAL:
  case AQ_ISA_MUBUF:
  case AQ_ISA_MTBUF:
    return is_load(site) ? AQ_CHECK_COUNTS_VMEM : 0;
  default:
    return begins(inst, "s_sendmsg_rtn") ? AQ_CHECK_COUNTS_SMEM : 0;
  }
}

void aq_check_waits_site(aq_check_site *site)
{
  const uint16_t target = site->inst.target;
  aq_check_hazards_site(site);
  limits_find(site);
  site->counts = counts_of(site);
  site->arrives = strcmp(site->inst.row->name, "s_barrier") == 0 ||
                  begins(&site->inst, "s_barrier_signal");
  /* Flat accesses return in order from gfx10 on; scalar ones never do. */
  site->unorders =
      (site->counts & AQ_CHECK_COUNTS_FLAT && !(target & AQ_ISA_RDNA)) ||
      (site->counts & AQ_CHECK_COUNTS_SMEM && !(target & AQ_ISA_GFX12));
}
