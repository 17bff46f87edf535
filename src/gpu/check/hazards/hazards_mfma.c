/* SPDX-License-Identifier: MIT */
/*
 * Wait states around matrix instructions, which take 2 to 16 passes. Figures
 * and conditions come from LLVM's GCNHazardRecognizer.cpp (checkMAIHazards908,
 * checkMAIHazards90A, checkMAIVALUHazards, checkMAILdStHazards), passes from
 * its SISchedule.td. gfx950 has figures of its own, which are not followed.
 */
#include "config.h"

#include <stdio.h>

#include "gpu/check/core/core.h"
#include "gpu/check/hazards/hazards.h"

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

/* m x m x k of the name. */
static bool shape_read(const char *name, unsigned *m, unsigned *k)
{
  static const char *const types[] = {"_f32_", "_i32_", "_f64_"};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const char *at = strstr(name, types[i]);
    if (at && sscanf(at + 5, "%ux%*ux%u", m, k) == 2)
      return true;
  }
  return false;
}

void aq_check_matrix_site(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const char *name = inst->row->name;
  const bool from_940 = inst->target & AQ_ISA_GFX940;
  unsigned m, k;
  site->meets_acc = site->is & AQ_CHECK_IS_MATRIX ||
                    (inst->target & AQ_ISA_GFX908 &&
                     (has(name, "accvgpr") ||
                      site->is & (AQ_CHECK_IS_VMEM | AQ_CHECK_IS_LDS)));
  if (!(site->is & AQ_CHECK_IS_MATRIX) || inst->target & AQ_ISA_GFX950 ||
      !shape_read(name, &m, &k))
    return;
  const bool xf32 = has(name, "xf32");
  site->is |= has(name, "_f64_") ? AQ_CHECK_IS_DOUBLE : 0;
  site->xdl = !(site->is & AQ_CHECK_IS_DOUBLE) &&
              (!from_940 || xf32 || !has(name + strlen(name) - 3, "f32"));
  if (site->is & AQ_CHECK_IS_DOUBLE)
    site->passes = m == 4 ? 4 : 8;
  else if (strncmp(name, "v_smfmac", 8) == 0)
    site->passes = m == 16 ? 4 : 8;
  else if (m == 4)
    site->passes = 2;
  else if (!from_940)
    site->passes = m == 16 ? 8 : 16;
  else if (m == 16)
    site->passes = k == 1 || k == 4 ? 8 : 4;
  else
    site->passes = k <= 2 || (k == 4 && !xf32) ? 16 : 8;
}

/* ---- registers ---- */

static bool overlap(const aq_check_registers *a, const aq_check_registers *b)
{
  return !a->scalar && !b->scalar && a->first < b->first + b->count &&
         b->first < a->first + a->count;
}

static bool same(const aq_check_registers *a, const aq_check_registers *b)
{
  return a->first == b->first && a->count == b->count;
}

static const aq_check_registers *named(const aq_check_site *site, char role)
{
  for (unsigned i = 0; i < site->name_count; i++)
    if (site->names[i].role == role && !site->names[i].scalar)
      return &site->names[i];
  return NULL;
}

/* 2, 8 and 16 passes have a figure each. */
static unsigned by_passes(const aq_check_site *site, unsigned two,
                          unsigned eight, unsigned sixteen)
{
  return site->passes == 2 ? two : site->passes == 8 ? eight : sixteen;
}

/* ---- gfx908 ---- */

/* A register of the second instruction that the first, an MFMA, writes. */
static unsigned need_908(const aq_check_site *first,
                         const aq_check_site *second,
                         const aq_check_registers *r)
{
  const char *name = second->inst.row->name;
  if (has(name, "accvgpr_write"))
    return r->dest ? by_passes(first, 1, 7, 15) : 0;
  if (r->dest)
    return 0;
  if (has(name, "accvgpr_read"))
    return by_passes(first, 4, 10, 18);
  return second->is & AQ_CHECK_IS_MATRIX ? r->role == 'C' ? 2 : 4 : 0;
}

/* v_accvgpr_write, then a reader of the register. */
static unsigned need_written(const aq_check_site *second,
                             const aq_check_registers *r)
{
  if (r->dest)
    return 0;
  if (has(second->inst.row->name, "accvgpr_read"))
    return 3;
  return second->is & AQ_CHECK_IS_MATRIX ? r->role == 'C' ? 1 : 3 : 0;
}

/* ---- from gfx90a ---- */

static unsigned need_of_c(const aq_check_site *first,
                          const aq_check_site *second, bool whole)
{
  const bool from_940 = second->inst.target & AQ_ISA_GFX940,
             doubles = first->is & AQ_CHECK_IS_DOUBLE,
             double_reader = second->is & AQ_CHECK_IS_DOUBLE;
  if (!double_reader && !from_940 && doubles)
    return 0;
  if (whole)
    return doubles && double_reader && first->passes == 4 && second->passes == 4
               ? 4
           : from_940 && first->passes == 2 ? 2
                                            : 0;
  if (doubles)
    return second->xdl ? 0 : first->passes == 4 ? 4 : 9;
  if (from_940)
    return second->xdl && !first->xdl ? 0 : first->passes + first->xdl;
  return double_reader ? by_passes(first, 3, 9, 17)
                       : by_passes(first, 2, 8, 16);
}

/* A, B and any register of other instructions. */
static unsigned need_of_result(const aq_check_site *first,
                               const aq_check_site *second, bool memory)
{
  if (first->is & AQ_CHECK_IS_DOUBLE)
    return memory ? first->passes == 4 ? 9 : 18 : first->passes == 4 ? 6 : 11;
  if (second->inst.target & AQ_ISA_GFX940)
    return first->passes + 2u + first->xdl;
  return by_passes(first, 5, 11, 19);
}

static unsigned need_90a(const aq_check_site *first,
                         const aq_check_site *second,
                         const aq_check_registers *result,
                         const aq_check_registers *r)
{
  if (second->is & AQ_CHECK_IS_MATRIX)
    return r->dest          ? 0
           : r->role == 'C' ? need_of_c(first, second, same(result, r))
                            : need_of_result(first, second, false);
  const bool memory = second->is & (AQ_CHECK_IS_VMEM | AQ_CHECK_IS_LDS);
  if (!memory && !(second->is & AQ_CHECK_IS_VALU))
    return 0;
  return need_of_result(first, second, memory && !r->dest);
}

/* ---- pairs ---- */

/* The first is an MFMA. */
static unsigned need_behind_matrix(const aq_check_site *first,
                                   const aq_check_site *second,
                                   const char **message)
{
  const aq_check_registers *result = named(first, 'D'), *c = named(first, 'C');
  const bool is_908 = second->inst.target & AQ_ISA_GFX908,
             write_908 = is_908 && has(second->inst.row->name, "accvgpr_write"),
             fma = strncmp(second->inst.row->name, "v_fma", 5) == 0 &&
                   has(second->inst.row->name, "f64");
  unsigned need = !is_908 && fma && first->is & AQ_CHECK_IS_DOUBLE ? 2 : 0;
  *message = need ? "f64 is added behind a matrix instruction of f64"
                  : "the result of a matrix instruction is named";
  for (unsigned i = 0; result && i < second->name_count; i++) {
    const aq_check_registers *r = &second->names[i];
    unsigned of = 0;
    if (overlap(result, r) && !(is_908 && same(result, r)))
      of = is_908 ? need_908(first, second, r)
                  : need_90a(first, second, result, r);
    need = of > need ? of : need;
    if (!c || !r->dest || !overlap(c, r) || second->is & AQ_CHECK_IS_MATRIX ||
        !(is_908 ? write_908 : first->xdl))
      continue;
    of = is_908               ? by_passes(first, 0, 5, 13)
         : first->passes == 4 ? 3
                              : by_passes(first, 1, 7, 15);
    if (of <= need)
      continue;
    need = of;
    *message = "C of a matrix instruction is written while it reads it";
  }
  return need;
}

/* v_dot, of which gfx90a and gfx940 have a longer pipeline. */
static unsigned need_behind_dot(const aq_check_site *first,
                                const aq_check_site *second)
{
  const aq_check_registers *result = named(first, 'D');
  const bool alike = first->inst.row == second->inst.row;
  for (unsigned i = 0; result && i < second->name_count; i++) {
    const aq_check_registers *r = &second->names[i];
    if (overlap(result, r) &&
        (alike ? !r->dest && r->role != 'C'
               : !r->dest || second->is & AQ_CHECK_IS_VALU))
      return second->is & AQ_CHECK_IS_MATRIX ? 0 : 3;
  }
  return 0;
}

/* The first is a plain vector instruction, the second a matrix one; and moves
 * of accumulation registers of gfx908. */
static unsigned need_before_matrix(const aq_check_site *first,
                                   const aq_check_site *second)
{
  const aq_check_registers *result = named(first, 'D');
  const char *name = second->inst.row->name;
  const bool is_908 = second->inst.target & AQ_ISA_GFX908,
             loads = second->is & (AQ_CHECK_IS_VMEM | AQ_CHECK_IS_LDS);
  unsigned need = 0;
  for (unsigned i = 0; result && i < second->name_count; i++) {
    const aq_check_registers *r = &second->names[i];
    unsigned of = 0;
    if (!overlap(result, r) || r->dest)
      continue;
    if (is_908 && has(first->inst.row->name, "accvgpr_write"))
      of = need_written(second, r);
    else if (second->is & AQ_CHECK_IS_MATRIX ||
             (is_908 &&
              (has(name, "accvgpr_write") ||
               (loads && has(first->inst.row->name, "accvgpr_read")))))
      of = 2;
    need = of > need ? of : need;
  }
  return need;
}

unsigned aq_check_matrix_need(const aq_check_site *first,
                              const aq_check_site *second, const char **message)
{
  const unsigned knows =
      AQ_ISA_GFX908 | AQ_ISA_GFX90A | AQ_ISA_GFX940; /* not gfx950 */
  if (!(second->inst.target & knows))
    return 0;
  if (first->passes)
    return need_behind_matrix(first, second, message);
  *message = "a source was written by a vector instruction";
  if (first->is & AQ_CHECK_IS_DOT && !(second->inst.target & AQ_ISA_GFX908))
    return need_behind_dot(first, second);
  return first->is & AQ_CHECK_IS_VALU ? need_before_matrix(first, second) : 0;
}
