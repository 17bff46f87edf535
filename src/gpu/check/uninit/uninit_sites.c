/* SPDX-License-Identifier: MIT */
/* How `init` follows each instruction. */
#include "config.h"

#include <string.h>

#include "gpu/check/core/core.h"

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

static bool begins(const char *name, const char *part)
{
  return strncmp(name, part, strlen(part)) == 0;
}

/* ---- sites ---- */

static bool begins_one_of(const char *name, const char *const *list)
{
  for (; *list; list++)
    if (begins(name, *list))
      return true;
  return false;
}

static aq_check_uninit_kind scalar_kind(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  if (has(name, "_scc0") || has(name, "_scc1"))
    return AQ_CHECK_INIT_BY_SCC;
  if (has(name, "_vccz") || has(name, "_vccnz"))
    return AQ_CHECK_INIT_BY_VCC;
  if (begins(name, "s_setpc") || begins(name, "s_swappc"))
    return AQ_CHECK_INIT_JUMPS;
  if (begins(name, "s_getpc") || begins(name, "s_call") ||
      begins(name, "s_getreg") || begins(name, "s_sendmsg_rtn"))
    return AQ_CHECK_INIT_DEFINES;
  if (inst->row->encoding == AQ_ISA_SOPP || begins(name, "s_setreg") ||
      begins(name, "s_set_gpr") || begins(name, "s_cbranch") ||
      begins(name, "s_rfe") || begins(name, "s_setvskip") ||
      begins(name, "s_barrier") || begins(name, "s_wait"))
    return AQ_CHECK_INIT_NONE;
  return AQ_CHECK_INIT_COMPUTES;
}

static aq_check_uninit_kind memory_kind(const aq_check_site *site)
{
  const char *name = site->inst.row->name;
  if (has(name, "permute") || has(name, "swizzle"))
    return AQ_CHECK_INIT_COMPUTES;
  if (site->inst.lds || has(name, "_load_lds_"))
    return AQ_CHECK_INIT_DIRECT;
  const bool exact =
      !has(name, "_tr_") && !has(name, "_src2_") &&
      !(has(name, "_format_") && site->kind == AQ_WAVE_ACCESS_READ);
  return !exact || site->kind == AQ_WAVE_ACCESS_NONE ? AQ_CHECK_INIT_DEFINES
         : site->kind == AQ_WAVE_ACCESS_READ         ? AQ_CHECK_INIT_LOADS
         : site->kind == AQ_WAVE_ACCESS_WRITE        ? AQ_CHECK_INIT_STORES
                                                     : AQ_CHECK_INIT_UPDATES;
}

static aq_check_uninit_kind image_kind(const aq_check_site *site)
{
  return site->kind == AQ_WAVE_ACCESS_WRITE ? AQ_CHECK_INIT_IMAGE_STORES
                                            : AQ_CHECK_INIT_DEFINES;
}

/* Whether an instruction leaves parts of its destination, or reads it. */
static bool keeps_parts(const aq_isa_inst *inst)
{
  static const char *const names[] = {
      "v_fmac",       "v_mac",       "v_pk_fmac",    "v_dot2c",
      "v_dot4c",      "v_dot8c",     "v_swap",       "v_cvt_pkacc",
      "v_permlane",   "v_writelane", "s_cmov",       "s_bitset",
      "s_movreld",    "v_cvt_sr",    "v_cvt_scalef", "v_cvt_pk_fp8",
      "v_cvt_pk_bf8", "s_addk",      "s_mulk",       "s_cmpk",
      "s_fmac",       "v_dot2acc",   "v_swmmac",     NULL};
  const aq_isa_row *row = inst->row;
  for (unsigned i = 0; i < inst->operand_count; i++)
    if (inst->target & AQ_ISA_RDNA && inst->operands[i].role == 'D' &&
        inst->operands[i].bits == 16)
      return true; /* half a register */
  if (inst->form == AQ_ISA_SDWA || aq_isa_form_is_dpp(inst->form) ||
      inst->second || row->flags & AQ_ISA_OPSEL || row->encoding == AQ_ISA_DS ||
      has(row->name, "mix"))
    return true;
  return begins_one_of(row->name, names);
}

/* Scalar instructions that have no result in SCC; others count as setting it.
 */
static bool leaves_scc(const aq_isa_inst *inst)
{
  static const char *const names[] = {
      "s_mov",    "s_cmov",  "s_cselect", "s_mul_", "s_mulk", "s_sext",
      "s_ff1",    "s_ff0",   "s_bfm",     "s_brev", "s_pack", "s_flbit",
      "s_bitset", "s_cls",   "s_ctz",     "s_clz",  "s_cvt",  "s_ceil",
      "s_floor",  "s_trunc", "s_rndne",   "s_fma",  NULL};
  return inst->row->encoding > AQ_ISA_SOPC ||
         begins_one_of(inst->row->name, names);
}

static bool reads_scc(const aq_isa_inst *inst)
{
  static const char *const names[] = {"s_cselect", "s_cmov",      "s_addc_",
                                      "s_subb_",   "s_add_co_ci", "s_sub_co_ci",
                                      NULL};
  return begins_one_of(inst->row->name, names);
}

/* Lists the rows that it reads, and then the rows that it writes. */
static void rows_list(aq_check_site *site)
{
  unsigned count = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (unsigned i = 0; i < site->name_count; i++) {
      const aq_check_registers *r = &site->names[i];
      const bool wanted = pass ? r->dest : !r->dest || site->keeps;
      for (unsigned k = 0; wanted && !r->scalar && k < r->count; k++) {
        if (count == AQ_CHECK_ROWS)
          return;
        site->rows[count++] = (uint16_t)(r->first + k);
      }
    }
    if (pass == 0)
      site->sources = (uint8_t)count;
  }
  site->results = (uint8_t)(count - site->sources);
  site->listed = true;
}

void aq_check_uninit_site(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const uint8_t encoding = inst->row->encoding;
  const char *name = inst->row->name;
  site->reads_scc = reads_scc(inst);
  site->leaves_scc = leaves_scc(inst);
  site->keeps = keeps_parts(inst);
  site->halves = has(name, "d16");
  rows_list(site);
  site->crosses = aq_isa_form_is_dpp(inst->form) || encoding == AQ_ISA_DS ||
                  inst->row->flags & (AQ_ISA_MATRIX | AQ_ISA_WMMA) ||
                  has(name, "lane");
  site->init =
      (uint8_t)(encoding <= AQ_ISA_SOPP ? scalar_kind(inst)
                : encoding >= AQ_ISA_SMEM && encoding <= AQ_ISA_MTBUF &&
                        (encoding == AQ_ISA_SMEM || encoding >= AQ_ISA_DS)
                    ? memory_kind(site)
                : encoding == AQ_ISA_MIMG ? image_kind(site)
                : encoding > AQ_ISA_MIMG || site->name_count == 0
                    ? AQ_CHECK_INIT_NONE
                    : AQ_CHECK_INIT_COMPUTES);
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    if (!r->scalar)
      continue;
    const bool writes = r->dest || r->role == 'E';
    if (writes)
      aq_check_scalars_add(site->writes, r->first, r->count);
    if (!writes || site->keeps)
      aq_check_scalars_add(site->reads, r->first, r->count);
  }
  if (begins(name, "v_div_fmas"))
    aq_check_scalars_add(site->reads, AQ_ISA_VCC, 2);
  if (inst->second)
    aq_check_scalars_add(site->reads, AQ_ISA_VCC, 1); /* of v_dual_cndmask */
  if (begins(name, "s_movrels"))
    aq_check_scalars_add(site->reads, 0, 128);
}
