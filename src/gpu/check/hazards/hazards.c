/* SPDX-License-Identifier: MIT */
/*
 * Missing wait states. Some instructions of gfx9 read the result of an earlier
 * one only after a number of others; s_nop N stands for N + 1 of them. Figures
 * and conditions come from LLVM's GCNHazardRecognizer.cpp (checkVMEMHazards,
 * checkDivFMasHazards, checkDPPHazards, checkRWLaneHazards, checkReadM0Hazards,
 * checkGetRegHazards, checkSetRegHazards, checkVALUHazards); hazards_mfma.c has
 * the rules of matrix instructions; doc/checker.md names the rules there that
 * this file leaves out. Counted along the executed path, so code of a compiler
 * is silent.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/text.h"
#include "gpu/check/core/core.h"
#include "gpu/check/hazards/hazards.h"
#include "gpu/isa/control_flow.h"

static bool begins(const char *name, const char *part)
{
  return strncmp(name, part, strlen(part)) == 0;
}

static bool reads_m0(const aq_isa_inst *inst)
{
  const char *name = inst->row->name;
  return begins(name, "s_sendmsg") || begins(name, "s_movrel") ||
         begins(name, "s_ttracedata") || begins(name, "v_interp") ||
         strstr(name, "addtid") || strstr(name, "gws") || inst->gds ||
         inst->lds || strstr(name, "_load_lds_");
}

/* A scalar offset of a buffer leaves the data time. Stores of images are left
 * out, as their descriptors of 256 bits do. */
static bool is_wide_store(const aq_check_site *site)
{
  const uint8_t encoding = site->inst.row->encoding;
  const bool buffer = encoding == AQ_ISA_MUBUF || encoding == AQ_ISA_MTBUF;
  for (unsigned i = 0; buffer && i < site->name_count; i++)
    if (site->names[i].scalar && site->names[i].role == 'S')
      return false;
  const char *name = site->inst.row->name;
  return (strstr(name, "_store_") && site->bytes > 8) ||
         strstr(name, "_cmpswap_x2"); /* two values of 8 bytes */
}

static bool is_transcendental(const char *name)
{
  static const char *const names[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_",
                                      "v_sqrt", "v_sin_", "v_cos_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (begins(name, names[i]))
      return true;
  return false;
}

/* ---- rules ---- */

static bool is_result(const aq_check_registers *r)
{
  return r->dest || (r->scalar && r->role == 'E');
}

/* A register that one writes and the other names: of the kind, read or
 * written, in a role (0: any). */
static bool registers_meet(const aq_check_site *writer,
                           const aq_check_site *reader, bool scalar, char role)
{
  for (unsigned i = 0; i < writer->name_count; i++)
    for (unsigned j = 0; j < reader->name_count; j++) {
      const aq_check_registers *a = &writer->names[i], *b = &reader->names[j];
      if (is_result(a) && !is_result(b) && a->scalar == scalar &&
          b->scalar == scalar && (!role || b->role == role) &&
          a->first < b->first + b->count && b->first < a->first + a->count)
        return true;
    }
  return false;
}

static bool scalar_writes(const aq_check_site *site, unsigned code)
{
  for (unsigned i = 0; i < site->name_count; i++) {
    const aq_check_registers *r = &site->names[i];
    if (r->scalar && is_result(r) && code >= r->first &&
        code < (unsigned)r->first + r->count)
      return true;
  }
  return false;
}

static bool any_scalar(const aq_check_site *w, const aq_check_site *r)
{
  return registers_meet(w, r, true, 0);
}

static bool lane_scalar(const aq_check_site *w, const aq_check_site *r)
{
  return registers_meet(w, r, true, 'B');
}

static bool any_vector(const aq_check_site *w, const aq_check_site *r)
{
  return registers_meet(w, r, false, 0);
}

/* The next one of their own kind is not faster. */
static bool trans_result(const aq_check_site *w, const aq_check_site *r)
{
  return !(r->is & AQ_CHECK_IS_TRANS) && any_vector(w, r);
}

static bool exec(const aq_check_site *w, const aq_check_site *r)
{
  (void)r;
  return w->is & AQ_CHECK_IS_COMPARES || scalar_writes(w, AQ_ISA_EXEC) ||
         scalar_writes(w, AQ_ISA_EXEC + 1);
}

static bool exec_of_matrix(const aq_check_site *w, const aq_check_site *r)
{
  return !(w->is & AQ_CHECK_IS_MATRIX) && exec(w, r) &&
         !strstr(r->inst.row->name, "accvgpr_read");
}

static bool vcc(const aq_check_site *w, const aq_check_site *r)
{
  (void)r;
  return scalar_writes(w, AQ_ISA_VCC) || scalar_writes(w, AQ_ISA_VCC + 1);
}

static bool m0(const aq_check_site *w, const aq_check_site *r)
{
  (void)r;
  return scalar_writes(w, AQ_ISA_M0);
}

/* The number of the hardware's register. */
static bool same_hardware(const aq_check_site *w, const aq_check_site *r)
{
  return (w->inst.imm & 63) == (r->inst.imm & 63);
}

/* The data of the store is written too early. */
static bool store_data(const aq_check_site *w, const aq_check_site *r)
{
  const uint8_t encoding = w->inst.row->encoding;
  const bool buffer = encoding == AQ_ISA_MUBUF || encoding == AQ_ISA_MTBUF;
  for (unsigned i = 0; i < w->name_count; i++)
    for (unsigned j = 0; j < r->name_count; j++) {
      const aq_check_registers *a = &w->names[i], *b = &r->names[j];
      if (!a->scalar && !b->scalar && a->role == (buffer ? 'D' : 'B') &&
          b->dest && a->first < b->first + b->count &&
          b->first < a->first + a->count)
        return true;
    }
  return false;
}

static const struct {
  uint32_t first, second; /* their kinds */
  uint8_t states, from_940;
  bool (*meet)(const aq_check_site *first, const aq_check_site *second);
  const char *message;
} rules[] = {
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_VMEM, 5, 5, any_scalar,
     "a memory access reads a scalar that a vector instruction wrote"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_FMAS, 4, 4, vcc,
     "v_div_fmas reads VCC, which a vector instruction wrote"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_DPP, 5, 5, exec,
     "DPP reads lanes after EXEC was written"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_DPP, 2, 2, any_vector,
     "DPP reads a register that was written"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_LANE, 4, 4, lane_scalar,
     "the lane is chosen by a scalar that a vector instruction wrote"},
    {AQ_CHECK_IS_SALU, AQ_CHECK_IS_BY_M0, 1, 1, m0,
     "M0 is read after it was written"},
    {AQ_CHECK_IS_SETS, AQ_CHECK_IS_SETS | AQ_CHECK_IS_GETS, 2, 2, same_hardware,
     "a hardware register is accessed after s_setreg"},
    {AQ_CHECK_IS_WIDE, AQ_CHECK_IS_VALU, 1, 2, store_data,
     "the data of a store of more than 8 bytes is written"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_VALU, 0, 2, any_scalar,
     "a vector instruction reads a scalar that another one wrote"},
    {AQ_CHECK_IS_TRANS, AQ_CHECK_IS_VALU, 0, 1, trans_result,
     "the result of a transcendental instruction is read"},
    {AQ_CHECK_IS_VALU, AQ_CHECK_IS_MATRIX, 4, 4, exec_of_matrix,
     "a matrix instruction follows a write of EXEC"},
};

enum { RULES = sizeof rules / sizeof *rules };

_Static_assert((int)RULES <= (int)AQ_CHECK_RULES, "a bit a rule");

/* The rules whose first or second instruction it may be. One that writes no
 * scalar is the first of none about scalars. */
static void rules_find(aq_check_site *site)
{
  const bool from_940 = site->inst.target & AQ_ISA_FROM_940;
  bool writes = site->is & AQ_CHECK_IS_COMPARES;
  for (unsigned i = 0; i < site->name_count; i++)
    writes |= site->names[i].scalar && is_result(&site->names[i]);
  for (unsigned i = 0; i < RULES; i++) {
    const bool vectors =
        rules[i].meet == any_vector || rules[i].meet == trans_result ||
        rules[i].meet == store_data || rules[i].meet == same_hardware;
    if (!(from_940 ? rules[i].from_940 : rules[i].states))
      continue;
    if (site->is & rules[i].first && (vectors || writes))
      site->firsts |= (uint16_t)(1u << i);
    if (site->is & rules[i].second)
      site->seconds |= (uint16_t)(1u << i);
  }
}

/* ---- sites ---- */

void aq_check_hazards_site(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const char *name = inst->row->name;
  const aq_isa_class class = aq_isa_class_of(inst);
  const uint8_t encoding = inst->row->encoding;
  unsigned is = encoding <= AQ_ISA_SOPP ? AQ_CHECK_IS_SALU : 0;
  if (inst->target & AQ_ISA_RDNA)
    return;
  if (class == AQ_ISA_CLASS_VALU || class == AQ_ISA_CLASS_MATRIX)
    is |= AQ_CHECK_IS_VALU;
  if (encoding >= AQ_ISA_FLAT && encoding <= AQ_ISA_MTBUF) {
    is |= AQ_CHECK_IS_VMEM;
    is |= is_wide_store(site) ? AQ_CHECK_IS_WIDE : 0;
  }
  is |= aq_isa_form_is_dpp(inst->form) ? AQ_CHECK_IS_DPP : 0;
  is |= begins(name, "v_readlane") || begins(name, "v_writelane")
            ? AQ_CHECK_IS_LANE
            : 0;
  is |= begins(name, "v_div_fmas") ? AQ_CHECK_IS_FMAS : 0;
  is |= begins(name, "v_cmpx") ? AQ_CHECK_IS_COMPARES : 0;
  is |= begins(name, "s_setreg") ? AQ_CHECK_IS_SETS : 0;
  is |= begins(name, "s_getreg") ? AQ_CHECK_IS_GETS : 0;
  is |= reads_m0(inst) ? AQ_CHECK_IS_BY_M0 : 0;
  is |= class == AQ_ISA_CLASS_MATRIX && !strstr(name, "accvgpr")
            ? AQ_CHECK_IS_MATRIX
            : 0;
  is |= begins(name, "v_dot") ? AQ_CHECK_IS_DOT : 0;
  is |= is_transcendental(name) ? AQ_CHECK_IS_TRANS : 0;
  is |= encoding == AQ_ISA_DS ? AQ_CHECK_IS_LDS : 0;
  site->is = is;
  aq_check_matrix_site(site);
  site->states =
      (uint8_t)(strcmp(name, "s_nop") == 0 ? (inst->imm & 15) + 1 : 1);
  rules_find(site);
}

/* ---- waves ---- */

static void report(aq_wave *w, uint32_t number, const char *message,
                   uint32_t writer, unsigned need, unsigned had)
{
  aq_check_grid *grid = aq_check_grid_of(w);
  char missing[AQ_CHECK_TEXT];
  snprintf(missing, sizeof missing,
           "%u wait state%s between them; %u are there (s_nop %u)", need,
           aq_text_plural(need), had, need - had - 1);
  const aq_check_what what = {.check = AQ_CHECK_WAIT,
                              .kind = "missing wait states",
                              .wave = w,
                              .act = grid->act,
                              .site = number,
                              .lane = -1,
                              .other_kernel = grid->kernel,
                              .other_site = writer,
                              .other_text = "the earlier instruction",
                              .message = message,
                              .missing = missing};
  aq_check_report(grid->check, &what);
}

/* Two instructions, by the rules of matrices. Whether they break none. */
static bool pair_check(aq_wave *w, uint32_t number, uint32_t earlier,
                       unsigned had)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const char *message;
  const unsigned need = aq_check_matrix_need(
      &check->sites[earlier - 1], &check->sites[number - 1], &message);
  if (had < need)
    report(w, number, message, earlier, need, had);
  return had >= need;
}

/* Behind the last matrix instructions, which take long. */
static void matrices_check(aq_wave *w, uint32_t number, const aq_check_waits *s)
{
  for (unsigned back = 1; back <= AQ_CHECK_MATRICES; back++) {
    const aq_check_recent *at =
        &s->matrices[(s->matrices_at - back) % AQ_CHECK_MATRICES];
    const unsigned had = s->states - at->states;
    if (!at->site || had >= AQ_CHECK_MATRIX_STATES)
      break;
    (void)pair_check(w, number, at->site, had);
  }
}

/* ---- windows ---- */

enum { LONGEST = 5 /* states of a rule */ };

/* The instructions that rules may reach back to, the last one first, and the
 * states since each. Which rules are broken depends on the window alone, so
 * that a site remembers the ones that it came behind, and the next ones. */
typedef struct window {
  uint32_t sites[LONGEST], had[LONGEST];
} window;

struct aq_check_windows {
  window *list; /* 0 is empty */
  size_t count, capacity;
  aq_map by_hash; /* → the last one of it */
};

void aq_check_hazards_fini(aq_check *check)
{
  if (!check->windows)
    return;
  aq_map_fini(&check->windows->by_hash);
  free(check->windows->list);
  free(check->windows);
}

/* The number of a window; 0: out of memory. */
static uint32_t window_number(aq_check *check, const window *made)
{
  struct aq_check_windows *all = check->windows;
  uint64_t hash = 0, at;
  for (unsigned i = 0; i < LONGEST; i++)
    hash = (hash ^ made->sites[i] ^ (uint64_t)made->had[i] << 32) *
           UINT64_C(0x9e3779b97f4a7c15);
  if (aq_map_get(&all->by_hash, hash, &at) &&
      memcmp(&all->list[at], made, sizeof *made) == 0)
    return (uint32_t)at;
  if (AQ_ARRAY_PUSH(all->list, all->count, all->capacity, *made) &&
      aq_map_put(&all->by_hash, hash, all->count - 1))
    return (uint32_t)all->count - 1;
  check->lost = true;
  return 0;
}

static bool windows_make(aq_check *check)
{
  static const window none;
  if (!check->windows)
    check->windows = calloc(1, sizeof *check->windows);
  struct aq_check_windows *all = check->windows;
  return all && (all->count > 0 ||
                 AQ_ARRAY_PUSH(all->list, all->count, all->capacity, none));
}

/* The rules that the instruction is the second of; whether none is broken. */
static bool rules_check(aq_wave *w, uint32_t number, const window *recent)
{
  const aq_check *check = aq_check_grid_of(w)->check;
  const aq_check_site *site = &check->sites[number - 1];
  const bool from_940 = site->inst.target & AQ_ISA_FROM_940;
  bool kept = true;
  for (unsigned k = 0; k < LONGEST && recent->sites[k]; k++) {
    const unsigned had = recent->had[k];
    const aq_check_site *earlier = &check->sites[recent->sites[k] - 1];
    if (!earlier->passes && (earlier->is & AQ_CHECK_IS_DOT || site->meets_acc))
      kept &= pair_check(w, number, recent->sites[k], had);
    for (unsigned both = earlier->firsts & site->seconds; both;
         both &= both - 1) {
      const unsigned i = (unsigned)__builtin_ctz(both);
      const unsigned need = from_940 ? rules[i].from_940 : rules[i].states;
      if (had >= need || !rules[i].meet(earlier, site))
        continue;
      report(w, number, rules[i].message, recent->sites[k], need, had);
      kept = false;
    }
  }
  return kept;
}

/* Checks the instruction behind the window, and makes the next one. */
static void window_step(aq_wave *w, uint32_t number, aq_check_waits *s)
{
  aq_check *check = aq_check_grid_of(w)->check;
  aq_check_site *site = &check->sites[number - 1];
  if (!windows_make(check)) {
    check->lost = true;
    return;
  }
  const window recent = check->windows->list[s->window];
  window made = {.sites = {number}};
  const bool kept = rules_check(w, number, &recent);
  unsigned count = 1;
  for (unsigned k = 0; k < LONGEST && recent.sites[k] && count < LONGEST &&
                       recent.had[k] + site->states < LONGEST;
       k++) {
    made.sites[count] = recent.sites[k];
    made.had[count++] = recent.had[k] + site->states;
  }
  const uint32_t before = s->window;
  s->window = window_number(check, &made);
  if (kept && s->window) {
    const unsigned at = site->window_at++ % AQ_CHECK_WINDOWS;
    site->window_from[at] = before + 1;
    site->window_to[at] = s->window;
  }
}

void aq_check_hazards(aq_wave *w, uint32_t number)
{
  aq_check_waits *s = &aq_check_group_of(w)->waits[w->number];
  const aq_check_site *site = &aq_check_grid_of(w)->check->sites[number - 1];
  if (!site->states) /* RDNA */
    return;
  unsigned at = 0;
  while (at < AQ_CHECK_WINDOWS && site->window_from[at] != s->window + 1)
    at++;
  if (at < AQ_CHECK_WINDOWS)
    s->window = site->window_to[at];
  else
    window_step(w, number, s);
  if (s->matrices_at)
    matrices_check(w, number, s);
  if (site->passes)
    s->matrices[s->matrices_at++ % AQ_CHECK_MATRICES] =
        (aq_check_recent){.site = number, .states = s->states + 1};
  s->states += site->states;
}
