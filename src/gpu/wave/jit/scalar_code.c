/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/jit/scalar_code.h"

#include <stddef.h>

/* What SCC becomes. */
enum { KEEP, NONZERO, FLAGS /* of the operation */ };

typedef struct scalar_rule {
  const char *name;
  void (*write)(aq_x86 *x, const aq_wave_op *o, const struct scalar_rule *rule);
  uint8_t op, condition;
  bool wide;
} scalar_rule;

static inline int32_t scalar_at(unsigned code)
{
  return (int32_t)(offsetof(aq_wave, s) + 4 * code);
}

static const int32_t scc_at = (int32_t)offsetof(aq_wave, scc);

void aq_scalar_effects_of(const aq_wave_op *o, const aq_wave_text *t,
                          aq_scalar_effects *out)
{
  *out = (aq_scalar_effects){.write_first = o->dest,
                             .write_count = aq_wave_type_words(t->result)};
  for (int i = 0; i < 2; i++) {
    const unsigned words = aq_wave_type_words(t->sources[i]);
    if (words > 0 && o->kind[i] == AQ_WAVE_SGPR) {
      out->reads[out->read_count][0] = o->source[i];
      out->reads[out->read_count++][1] = (uint16_t)words;
    }
  }
  if (t->reads_old || t->immediate) {
    out->reads[out->read_count][0] = o->dest;
    out->reads[out->read_count++][1] = 2;
  }
  out->exec = t->shape == AQ_WAVE_TEXT_SAVE;
  for (unsigned i = 0; i < out->write_count; i++)
    out->exec |= aq_wave_is_exec(out->write_first + i);
}

/* ---- parts ---- */

static void source_load(aq_x86 *x, const aq_wave_op *o, int i, int reg,
                        bool wide)
{
  if (o->kind[i] != AQ_WAVE_CONSTANT)
    aq_x86_wave(x, 0x8b, reg, wide, scalar_at(o->source[i]));
  else if (wide)
    aq_x86_load_wide(x, reg, o->constant[i]);
  else
    aq_x86_load_number(x, reg, (uint32_t)o->constant[i]);
}

static void result_store(aq_x86 *x, const aq_wave_op *o, bool wide)
{
  aq_x86_wave(x, 0x89, AQ_RAX, wide, scalar_at(o->dest));
}

/* SCC by the flags; rdx changes. */
static void scc_store(aq_x86 *x, int condition)
{
  aq_x86_set(x, condition, AQ_RDX);
  aq_x86_wave(x, 0x89, AQ_RDX, false, scc_at);
}

/* ---- instructions ---- */

/* rax op rcx; moves keep the flags. */
static void plain(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  source_load(x, o, 1, AQ_RCX, r->wide);
  aq_x86_registers(x, r->op, AQ_RCX, AQ_RAX, r->wide);
  result_store(x, o, r->wide);
  scc_store(x, r->condition);
}

/* The second source's other bits. */
static void plain_not(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  source_load(x, o, 1, AQ_RCX, r->wide);
  aq_x86_registers(x, 0xf7, 2, AQ_RCX, r->wide);
  aq_x86_registers(x, r->op, AQ_RCX, AQ_RAX, r->wide);
  result_store(x, o, r->wide);
  scc_store(x, r->condition);
}

/* With the carry in SCC. */
static void carried(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, false);
  source_load(x, o, 1, AQ_RCX, false);
  aq_x86_wave(x, 0x0fba, 4, false, scc_at); /* bt */
  aq_x86_byte(x, 0);
  aq_x86_registers(x, r->op, AQ_RCX, AQ_RAX, false);
  result_store(x, o, false);
  scc_store(x, AQ_X86_B);
}

/* `op`: 4 left, 5 right, 7 with the sign. */
static void shift(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  source_load(x, o, 1, AQ_RCX, false);
  aq_x86_registers(x, 0xd3, r->op, AQ_RAX, r->wide);
  aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, r->wide);
  result_store(x, o, r->wide);
  scc_store(x, AQ_X86_NE);
}

static void mov(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  result_store(x, o, r->wide);
}

static void movk(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  (void)r;
  aq_x86_load_number(x, AQ_RAX, (uint32_t)(int16_t)o->imm);
  result_store(x, o, false);
}

static void complement(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  aq_x86_registers(x, 0xf7, 2, AQ_RAX, r->wide);
  aq_x86_registers(x, 0x85, AQ_RAX, AQ_RAX, r->wide);
  result_store(x, o, r->wide);
  scc_store(x, AQ_X86_NE);
}

static void mul(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  (void)r;
  source_load(x, o, 0, AQ_RAX, false);
  source_load(x, o, 1, AQ_RCX, false);
  aq_x86_registers(x, 0x0faf, AQ_RAX, AQ_RCX, false);
  result_store(x, o, false);
}

static void mul_hi(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  (void)r;
  source_load(x, o, 0, AQ_RAX, false);
  source_load(x, o, 1, AQ_RCX, false);
  aq_x86_registers(x, 0xf7, 4, AQ_RCX, false);
  aq_x86_registers(x, 0x89, AQ_RDX, AQ_RAX, false);
  result_store(x, o, false);
}

/* The first where SCC is set. */
static void select_one(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  source_load(x, o, 1, AQ_RCX, r->wide);
  aq_x86_wave(x, 0x0fba, 4, false, scc_at);
  aq_x86_byte(x, 0);
  aq_x86_registers(x, 0x0f43, AQ_RAX, AQ_RCX, r->wide); /* cmovae */
  result_store(x, o, r->wide);
}

static void compare(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  source_load(x, o, 1, AQ_RCX, r->wide);
  aq_x86_registers(x, 0x39, AQ_RCX, AQ_RAX, r->wide);
  scc_store(x, r->condition);
}

/* The destination against the immediate value; `op`: with its sign. */
static void compare_immediate(aq_x86 *x, const aq_wave_op *o,
                              const scalar_rule *r)
{
  aq_x86_wave(x, 0x8b, AQ_RAX, false, scalar_at(o->dest));
  aq_x86_number(x, 7, AQ_RAX, false,
                r->op ? (int16_t)o->imm : (uint16_t)o->imm);
  scc_store(x, r->condition);
}

static void add_immediate(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  (void)r;
  aq_x86_wave(x, 0x8b, AQ_RAX, false, scalar_at(o->dest));
  aq_x86_number(x, 0, AQ_RAX, false, (int16_t)o->imm);
  result_store(x, o, false);
  scc_store(x, AQ_X86_O);
}

/* EXEC of the source and itself; the old one is kept. `condition`: which of the
 * two is inverted, 1 or 2. */
static void save_exec(aq_x86 *x, const aq_wave_op *o, const scalar_rule *r)
{
  source_load(x, o, 0, AQ_RAX, r->wide);
  aq_x86_wave(x, 0x8b, AQ_RCX, r->wide, scalar_at(AQ_ISA_EXEC));
  aq_x86_wave(x, 0x89, AQ_RCX, r->wide, scalar_at(o->dest));
  if (r->condition)
    aq_x86_registers(x, 0xf7, 2, r->condition == 1 ? AQ_RAX : AQ_RCX, r->wide);
  aq_x86_registers(x, r->op, AQ_RAX, AQ_RCX, r->wide);
  aq_x86_wave(x, 0x89, AQ_RCX, r->wide, scalar_at(AQ_ISA_EXEC));
  aq_x86_registers(x, 0x85, AQ_RCX, AQ_RCX, r->wide);
  scc_store(x, AQ_X86_NE);
}

/* ---- the table ---- */

enum {
  ADD = 0x01,
  OR = 0x09,
  ADC = 0x11,
  SBB = 0x19,
  AND = 0x21,
  SUB = 0x29,
  XOR = 0x31
};

#define COMPARES(t, sign, lt, le, gt, ge)                                      \
  {"s_cmp_eq_" t, compare, 0, AQ_X86_E, false},                                \
      {"s_cmp_lg_" t, compare, 0, AQ_X86_NE, false},                           \
      {"s_cmp_lt_" t, compare, 0, lt, false},                                  \
      {"s_cmp_le_" t, compare, 0, le, false},                                  \
      {"s_cmp_gt_" t, compare, 0, gt, false},                                  \
      {"s_cmp_ge_" t, compare, 0, ge, false},                                  \
      {"s_cmpk_eq_" t, compare_immediate, sign, AQ_X86_E, false},              \
      {"s_cmpk_lg_" t, compare_immediate, sign, AQ_X86_NE, false},             \
      {"s_cmpk_lt_" t, compare_immediate, sign, lt, false},                    \
      {"s_cmpk_le_" t, compare_immediate, sign, le, false},                    \
      {"s_cmpk_gt_" t, compare_immediate, sign, gt, false},                    \
  {                                                                            \
    "s_cmpk_ge_" t, compare_immediate, sign, ge, false                         \
  }

/* clang-format off */
static const scalar_rule rules[] = {
    {"s_add_u32", plain, ADD, AQ_X86_B, false},
    {"s_sub_u32", plain, SUB, AQ_X86_B, false},
    {"s_add_i32", plain, ADD, AQ_X86_O, false},
    {"s_sub_i32", plain, SUB, AQ_X86_O, false},
    {"s_addc_u32", carried, ADC, 0, false},
    {"s_subb_u32", carried, SBB, 0, false},
    {"s_and_b32", plain, AND, AQ_X86_NE, false},
    {"s_and_b64", plain, AND, AQ_X86_NE, true},
    {"s_or_b32", plain, OR, AQ_X86_NE, false},
    {"s_or_b64", plain, OR, AQ_X86_NE, true},
    {"s_xor_b32", plain, XOR, AQ_X86_NE, false},
    {"s_xor_b64", plain, XOR, AQ_X86_NE, true},
    {"s_andn2_b32", plain_not, AND, AQ_X86_NE, false},
    {"s_andn2_b64", plain_not, AND, AQ_X86_NE, true},
    {"s_orn2_b32", plain_not, OR, AQ_X86_NE, false},
    {"s_orn2_b64", plain_not, OR, AQ_X86_NE, true},
    {"s_lshl_b32", shift, 4, 0, false},
    {"s_lshl_b64", shift, 4, 0, true},
    {"s_lshr_b32", shift, 5, 0, false},
    {"s_lshr_b64", shift, 5, 0, true},
    {"s_ashr_i32", shift, 7, 0, false},
    {"s_ashr_i64", shift, 7, 0, true},
    {"s_mov_b32", mov, 0, 0, false},
    {"s_mov_b64", mov, 0, 0, true},
    {"s_movk_i32", movk, 0, 0, false},
    {"s_not_b32", complement, 0, 0, false},
    {"s_not_b64", complement, 0, 0, true},
    {"s_mul_i32", mul, 0, 0, false},
    {"s_mul_hi_u32", mul_hi, 0, 0, false},
    {"s_cselect_b32", select_one, 0, 0, false},
    {"s_cselect_b64", select_one, 0, 0, true},
    {"s_addk_i32", add_immediate, 0, 0, false},
    COMPARES("u32", 0, AQ_X86_B, AQ_X86_BE, AQ_X86_A, AQ_X86_AE),
    COMPARES("i32", 1, AQ_X86_L, AQ_X86_LE, AQ_X86_G, AQ_X86_GE),
    {"s_cmp_eq_u64", compare, 0, AQ_X86_E, true},
    {"s_cmp_lg_u64", compare, 0, AQ_X86_NE, true},
    {"s_and_saveexec_b64", save_exec, AND, 0, true},
    {"s_or_saveexec_b64", save_exec, OR, 0, true},
    {"s_xor_saveexec_b64", save_exec, XOR, 0, true},
    {"s_andn2_saveexec_b64", save_exec, AND, 2, true},
    {"s_and_saveexec_b32", save_exec, AND, 0, false},
    {"s_or_saveexec_b32", save_exec, OR, 0, false},
    {"s_xor_saveexec_b32", save_exec, XOR, 0, false},
    {"s_andn2_saveexec_b32", save_exec, AND, 2, false},
};
/* clang-format on */

bool aq_scalar_write(aq_x86 *x, const aq_wave_op *o, const aq_wave_text *t,
                     bool wave32)
{
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strcmp(rules[i].name, t->name) == 0) {
      if (wave32 && rules[i].wide && rules[i].write == save_exec)
        return false;
      rules[i].write(x, o, &rules[i]);
      return true;
    }
  return false;
}
