/* SPDX-License-Identifier: MIT */
/*
 * Values that depend on unwritten bits. An instruction whose sources have
 * such bits runs several times, each time with other values in their place: the
 * bits of its results that differ depend on them. So every instruction is
 * followed by its own semantics, and a bit that cannot differ is never
 * reported.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/check/core/core.h"
#include "gpu/wave/core/code.h"

enum { ROWS_MAX = 160 /* that an instruction names */ };

/* The registers of a wave before the instruction, after it, and the bits that
 * differ between its runs. */
typedef struct aq_check_trial {
  unsigned count;
  uint16_t rows[ROWS_MAX];
  uint32_t before[ROWS_MAX][AQ_WAVE_LANES], after[ROWS_MAX][AQ_WAVE_LANES],
      unset[ROWS_MAX][AQ_WAVE_LANES], differs[ROWS_MAX][AQ_WAVE_LANES];
  uint32_t s_before[AQ_WAVE_SCALARS], s_after[AQ_WAVE_SCALARS], s_unset[128],
      s_differs[128];
  uint32_t scc_before, scc_after;
  bool scc_differs;
} aq_check_trial;

/* ---- bits of registers ---- */

void aq_check_row_get(const aq_uninit_regs *u, unsigned row,
                      uint32_t bits[AQ_WAVE_LANES])
{
  const bool partial = u->partial[row / 64] >> row % 64 & 1;
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    bits[l] = !(u->lanes[row] >> l & 1) ? 0
              : partial                 ? u->bits[row][l]
                                        : UINT32_MAX;
}

/* The row gets a place for its bits; false: out of memory. */
static bool row_split(aq_check *check, aq_uninit_regs *u, unsigned row)
{
  if (u->partial[row / 64] >> row % 64 & 1)
    return true;
  if (!u->bits)
    u->bits = malloc(2 * AQ_WAVE_ACC * sizeof *u->bits);
  if (!u->bits) {
    check->lost = true;
    return false;
  }
  aq_check_row_get(u, row, u->bits[row]);
  u->partial[row / 64] |= (uint64_t)1 << row % 64;
  return true;
}

void aq_check_row_put(aq_check *check, aq_uninit_regs *u, unsigned row,
                      const uint32_t bits[AQ_WAVE_LANES], uint64_t which)
{
  uint64_t any = 0, some = 0;
  for (uint64_t rest = which; rest; rest &= rest - 1) {
    const int l = __builtin_ctzll(rest);
    any |= (uint64_t)(bits[l] != 0) << l;
    some |= (uint64_t)(bits[l] != 0 && bits[l] != UINT32_MAX) << l;
  }
  u->lanes[row] &= ~which;
  if (u->lanes[row] == 0)
    u->partial[row / 64] &= ~((uint64_t)1 << row % 64);
  const bool partial = u->partial[row / 64] >> row % 64 & 1;
  if ((some || (any && partial)) && row_split(check, u, row))
    for (uint64_t rest = any; rest; rest &= rest - 1) {
      const int l = __builtin_ctzll(rest);
      u->bits[row][l] = bits[l];
    }
  u->lanes[row] |= any;
}

void aq_check_scalar_put(aq_uninit_regs *u, unsigned code, uint32_t bits)
{
  const uint64_t bit = (uint64_t)1 << code % 64;
  if (aq_check_scalar_never(u, code)) {
    u->never[code / 64] &= ~bit;
    u->scalar_from[code] = 0;
  }
  u->scalar_bits[code] = bits;
  u->scalars[code / 64] =
      bits ? u->scalars[code / 64] | bit : u->scalars[code / 64] & ~bit;
}

void aq_check_results_define(aq_wave *w, const aq_check_site *site,
                             aq_uninit_regs *u)
{
  const uint64_t which =
      site->crosses && !site->keeps ? UINT64_MAX : AQ_WAVE_EXEC(w);
  aq_check_scalars_define(u, site);
  u->scc &= site->leaves_scc;
  if (site->listed) {
    const uint16_t *rows = site->rows + site->sources;
    for (unsigned i = 0; i < site->results; i++)
      u->lanes[rows[i]] &= ~which;
    return;
  }
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0; r->dest && !r->scalar && k < r->count; k++)
      u->lanes[r->first + k] &= ~which;
  }
}

/* ---- trials ---- */

static bool rows_list(const aq_wave *w, const aq_check_site *site,
                      aq_check_trial *t)
{
  t->count = 0;
  for (unsigned i = 0; i < site->name_count; i++)
    for (unsigned k = 0; !site->names[i].scalar && k < site->names[i].count;
         k++) {
      const unsigned row = aq_check_row(w, site, &site->names[i], k);
      bool there = false;
      for (unsigned j = 0; j < t->count && !there; j++)
        there = t->rows[j] == row;
      if (there)
        continue;
      if (t->count == ROWS_MAX)
        return false;
      t->rows[t->count++] = (uint16_t)row;
    }
  return true;
}

enum { COMPLEMENT, ZEROS, ONES, SOME, OTHERS, AS_SECOND, AS_FIRST, VARIANTS };

static uint32_t other_value(int variant, uint32_t x, uint32_t unset,
                            uint32_t salt)
{
  uint32_t random = (salt + 1) * 0x9e3779b9u + (uint32_t)variant * 0x85ebca6bu;
  random = (random ^ random >> 15) * 0x2c1b3c6du;
  random ^= random >> 12;
  return variant == COMPLEMENT ? x ^ unset
         : variant == ZEROS    ? x & ~unset
         : variant == ONES     ? x | unset
                               : x ^ (unset & random);
}

/* Word k of a source of the lane, before the instruction. */
static uint32_t source_word(const aq_wave *w, const aq_wave_op *o, int i,
                            unsigned k, int l)
{
  return o->kind[i] == AQ_WAVE_VGPR   ? w->v[o->source[i] + k][l]
         : o->kind[i] == AQ_WAVE_SGPR ? w->s[o->source[i] + k]
                                      : (uint32_t)(o->constant[i] >> 32 * k);
}

/* One source takes the value of the other where its bits are not written: such
 * values decide comparisons. */
static void source_follow(aq_wave *w, const aq_wave_op *o, int to,
                          const aq_uninit_regs *u, const aq_check_trial *t)
{
  uint32_t bits[AQ_WAVE_LANES];
  for (unsigned k = 0; k < 2; k++) {
    const unsigned at = o->source[to] + k;
    if (o->kind[to] == AQ_WAVE_VGPR && at < 2 * AQ_WAVE_ACC) {
      bool named = false;
      for (unsigned j = 0; j < t->count; j++)
        named |= t->rows[j] == at;
      aq_check_row_get(u, at, bits);
      for (int l = 0; named && l < AQ_WAVE_LANES; l++)
        w->v[at][l] =
            (w->v[at][l] & ~bits[l]) | (source_word(w, o, !to, k, l) & bits[l]);
    } else if (o->kind[to] == AQ_WAVE_SGPR && at < AQ_ISA_EXEC) {
      w->s[at] = (w->s[at] & ~t->s_unset[at]) |
                 (source_word(w, o, !to, k, 0) & t->s_unset[at]);
    }
  }
}

static void variant_make(aq_wave *w, const aq_wave_op *o, int variant,
                         const aq_uninit_regs *u, aq_check_trial *t)
{
  memcpy(w->s, t->s_before, sizeof w->s);
  w->scc = t->scc_before;
  for (unsigned j = 0; j < t->count; j++)
    memcpy(w->v[t->rows[j]], t->before[j], sizeof t->before[j]);
  if (variant >= AS_SECOND) {
    source_follow(w, o, variant == AS_FIRST, u, t);
    return;
  }
  if (u->scc && variant != SOME)
    w->scc = !w->scc;
  for (unsigned j = 0; j < t->count; j++)
    if (u->lanes[t->rows[j]])
      for (uint32_t l = 0; l < AQ_WAVE_LANES; l++)
        w->v[t->rows[j]][l] =
            other_value(variant, t->before[j][l], t->unset[j][l],
                        t->rows[j] * AQ_WAVE_LANES + l);
  for (uint32_t i = 0; i < AQ_ISA_EXEC; i++)
    if (t->s_unset[i])
      w->s[i] =
          other_value(variant, t->s_before[i], t->s_unset[i], 0x10000 + i);
}

static const aq_wave_op *plain_run(aq_wave *w, const aq_wave_op *o)
{
  return w->index_on ? aq_wave_indexed_run(w, o) : o->run(w, o);
}

static void trial_begin(const aq_wave *w, const aq_uninit_regs *u,
                        aq_check_trial *t)
{
  memcpy(t->s_before, w->s, sizeof w->s);
  t->scc_before = w->scc;
  for (unsigned j = 0; j < t->count; j++) {
    memcpy(t->before[j], w->v[t->rows[j]], sizeof t->before[j]);
    aq_check_row_get(u, t->rows[j], t->unset[j]);
  }
  for (unsigned i = 0; i < 128; i++)
    t->s_unset[i] =
        u->scalars[i / 64] >> i % 64 & 1 ? aq_check_scalar_bits(u, i) : 0;
}

static void trial_keep(const aq_wave *w, aq_check_trial *t)
{
  memcpy(t->s_after, w->s, sizeof w->s);
  t->scc_after = w->scc;
  for (unsigned j = 0; j < t->count; j++)
    memcpy(t->after[j], w->v[t->rows[j]], sizeof t->after[j]);
  memset(t->differs, 0, t->count * sizeof t->differs[0]);
  memset(t->s_differs, 0, sizeof t->s_differs);
  t->scc_differs = false;
}

static void trial_compare(const aq_wave *w, aq_check_trial *t)
{
  for (unsigned j = 0; j < t->count; j++)
    for (int l = 0; l < AQ_WAVE_LANES; l++)
      t->differs[j][l] |= w->v[t->rows[j]][l] ^ t->after[j][l];
  for (unsigned i = 0; i < 128; i++)
    t->s_differs[i] |= w->s[i] ^ t->s_after[i];
  t->scc_differs |= w->scc != t->scc_after;
}

/* The load that the first source with such bits came by. */
static uint32_t source_from(const aq_check_site *site, const aq_uninit_regs *u,
                            const aq_check_trial *t)
{
  for (unsigned j = 0; j < t->count; j++)
    if (u->lanes[t->rows[j]] && u->from[t->rows[j]])
      return u->from[t->rows[j]];
  for (unsigned i = 0; i < 128; i++)
    if (site->reads[i / 64] & u->scalars[i / 64] & (uint64_t)1 << i % 64 &&
        aq_check_scalar_from(u, i))
      return aq_check_scalar_from(u, i);
  return u->scc ? u->scc_from : 0;
}

static void exec_report(aq_wave *w, uint32_t number, const aq_check_trial *t,
                        uint32_t from)
{
  const uint64_t lanes =
      t->s_differs[AQ_ISA_EXEC] | (uint64_t)t->s_differs[AQ_ISA_EXEC + 1] << 32;
  const aq_check_use use = {
      .kind = "uninitialised branch",
      .message = "which lanes continue depends on an unwritten value",
      .lane = lanes ? __builtin_ctzll(lanes) : -1,
      .lanes = (unsigned)__builtin_popcountll(lanes),
      .from = from};
  if (lanes)
    aq_check_uninit_report(w, number, &use);
}

static bool row_differs(const uint32_t differs[AQ_WAVE_LANES])
{
  uint32_t any = 0;
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    any |= differs[l];
  return any != 0;
}

static void trial_end(aq_wave *w, uint32_t number, aq_uninit_regs *u,
                      const aq_check_trial *t)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const uint32_t from = source_from(&check->sites[number - 1], u, t);
  memcpy(w->s, t->s_after, sizeof w->s);
  w->scc = t->scc_after;
  for (unsigned j = 0; j < t->count; j++) {
    memcpy(w->v[t->rows[j]], t->after[j], sizeof t->after[j]);
    aq_check_row_put(check, u, t->rows[j], t->differs[j], UINT64_MAX);
    if (row_differs(t->differs[j]))
      u->from[t->rows[j]] = from;
  }
  for (unsigned i = 0; i < AQ_ISA_EXEC; i++) {
    if (t->s_differs[i] || t->s_unset[i])
      aq_check_scalar_put(u, i, t->s_differs[i]);
    if (t->s_differs[i])
      u->scalar_from[i] = from;
  }
  if (t->scc_differs)
    u->scc_from = from;
  u->scc = t->scc_differs;
  exec_report(w, number, t, from);
}

static const aq_wave_op *trials_run(aq_wave *w, const aq_wave_op *o,
                                    uint32_t number, aq_uninit_regs *u)
{
  aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_site *site = &check->sites[number - 1];
  if (!check->trial)
    check->trial = malloc(sizeof *check->trial);
  aq_check_trial *t = check->trial;
  if (!t || !rows_list(w, site, t)) {
    check->lost |= !t;
    const aq_wave_op *next = plain_run(w, o);
    aq_check_results_define(w, site, u);
    return next;
  }
  trial_begin(w, u, t);
  const aq_wave_op *next = plain_run(w, o);
  if (!next)
    return NULL;
  trial_keep(w, t);
  for (int i = 0; i < VARIANTS; i++) {
    variant_make(w, o, i, u, t);
    if (plain_run(w, o))
      trial_compare(w, t);
  }
  trial_end(w, number, u, t);
  return next;
}

/* Whether a source has unwritten bits where the instruction reads it. */
static inline bool sources_matter(const aq_wave *w, const aq_check_site *site,
                                  const aq_uninit_regs *u)
{
  const uint64_t which = site->crosses ? UINT64_MAX : AQ_WAVE_EXEC(w);
  if ((site->reads[0] & u->scalars[0]) | (site->reads[1] & u->scalars[1]) ||
      (site->reads_scc && u->scc) || w->index_on || site->by_m0)
    return true;
  if (site->listed) {
    uint64_t any = 0;
    for (unsigned i = 0; i < site->sources; i++)
      any |= u->lanes[site->rows[i]];
    return any & which;
  }
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    for (unsigned k = 0;
         !r->scalar && (!r->dest || site->keeps) && k < r->count; k++)
      if (u->lanes[r->first + k] & which)
        return true;
  }
  return false;
}

const aq_wave_op *aq_check_uninit_run(aq_wave *w, const aq_wave_op *o,
                                      uint32_t number)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_site *site = &check->sites[number - 1];
  aq_uninit_regs *u = &aq_check_group_of(w)->unset[w->number];
  switch (site->init) {
  case AQ_CHECK_INIT_COMPUTES:
    if (sources_matter(w, site, u))
      return trials_run(w, o, number, u);
    aq_check_results_define(w, site, u);
    break;
  case AQ_CHECK_INIT_DEFINES:
    aq_check_results_define(w, site, u);
    break;
  case AQ_CHECK_INIT_JUMPS:
    aq_check_uninit_addresses(w, number);
    aq_check_results_define(w, site, u);
    break;
  case AQ_CHECK_INIT_BY_SCC:
  case AQ_CHECK_INIT_BY_VCC:
    aq_check_uninit_branch(w, number);
    break;
  default:
    break; /* accesses are followed with the memory */
  }
  return plain_run(w, o);
}

/* ---- life ---- */

/* Vector registers of a kernel, at most, of either file. */
static unsigned rows_of(const aq_kernel_descriptor *d)
{
  const unsigned rows = ((d->rsrc1 & 63) + 1) * 8;
  return rows < AQ_WAVE_ACC ? rows : AQ_WAVE_ACC;
}

/* Registers that hold a value when the wave begins (gpu/wave/grid/wave_init.c).
 */
static void wave_begin(const aq_wave *w, aq_uninit_regs *u)
{
  const aq_kernel_descriptor *d = &w->grid->descriptor;
  const uint32_t rsrc2 = d->rsrc2;
  const unsigned user = rsrc2 >> 1 & 31, dimensions = (rsrc2 >> 11 & 3) + 1;
  const uint16_t target = aq_wave_code_target(w->grid->code);
  /* The numbers of a workgroup, its size, the place of private memory. */
  const unsigned asked = target & AQ_ISA_GFX12 ? 8 : 15;
  const unsigned system =
      (unsigned)__builtin_popcount(rsrc2 >> 7 & asked) + (rsrc2 & 1);
  const unsigned scalars = target & AQ_ISA_RDNA ? AQ_ISA_VCC : 102;
  const bool packed = target & (AQ_ISA_FROM_90A | AQ_ISA_FROM_GFX11);
  const unsigned rows = rows_of(d);
  for (unsigned first = 0; first <= AQ_WAVE_ACC; first += AQ_WAVE_ACC) {
    memset(u->lanes + first, 0xff, rows * sizeof *u->lanes);
    memset(u->from + first, 0, rows * sizeof *u->from);
  }
  memset(u->partial, 0, sizeof u->partial);
  free(u->scratch);
  u->scratch = NULL;
  u->scc_from = 0;
  u->scalars[0] = u->scalars[1] = 0;
  aq_check_scalars_add(u->scalars, user + system, scalars - user - system);
  aq_check_scalars_add(u->scalars, AQ_ISA_VCC, 2);
  memcpy(u->never, u->scalars, sizeof u->never);
  u->scc = true;
  for (unsigned i = 0; i < (packed ? 1 : dimensions); i++)
    u->lanes[i] = 0;
}

bool aq_check_uninit_group(aq_check_group *group, const aq_wave_grid *grid)
{
  group->unset = calloc(grid->waves, sizeof *group->unset);
  group->lds_unset = malloc(grid->lds_asked + 4);
  return group->unset && group->lds_unset;
}

void aq_check_uninit_group_begin(const aq_wave_group *group)
{
  aq_check_group *mine = group->observed;
  const uint32_t lds = group->grid->lds_asked;
  memset(mine->lds_unset, 0xff, lds);
  memset(mine->lds_unset + lds, 0, 4); /* words are read */
  mine->lds_written = false;
  for (uint32_t i = 0; i < group->grid->waves; i++)
    wave_begin(group->waves[i], &mine->unset[i]);
}

void aq_check_uninit_barrier(const aq_wave_group *group)
{
  aq_check_group *mine = group->observed;
  const uint32_t lds = group->grid->lds_asked;
  const uint8_t *bits = mine->lds_unset;
  if (!mine->lds_written && lds > 0)
    mine->lds_written = bits[0] == 0 && memcmp(bits, bits + 1, lds - 1) == 0;
}

void aq_check_uninit_group_fini(const aq_check_group *group,
                                const aq_wave_grid *grid)
{
  for (uint32_t i = 0; group->unset && i < grid->waves; i++) {
    free(group->unset[i].bits);
    free(group->unset[i].scratch);
  }
  free(group->unset);
  free(group->lds_unset);
}

void aq_check_uninit_fini(aq_check *check)
{
  free(check->trial);
  free(check->origins);
  aq_uninit_shadow_fini(&check->unwritten);
}
