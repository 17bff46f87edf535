/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "wave/instructions.h"

#include <string.h>

#include "wave/memory_map.h"

#define S(name) static void name(aq_wave *w, const aq_wave_op *o)

/* ---- operands ---- */

static inline uint32_t read32(const aq_wave *w, const aq_wave_source *s)
{
  return s->kind == AQ_WAVE_CONSTANT ? (uint32_t)s->value : w->s[s->number];
}

static inline uint64_t read64(const aq_wave *w, const aq_wave_source *s)
{
  return s->kind == AQ_WAVE_CONSTANT ? s->value : aq_wave_pair(w, s->number);
}

static inline void scc_set(aq_wave *w, bool value)
{
  w->s[AQ_ISA_SCC] = value;
}

#define A   read32(w, &o->a)
#define B   read32(w, &o->b)
#define A64 read64(w, &o->a)
#define B64 read64(w, &o->b)
#define D   w->s[o->dst]
#define SCC w->s[AQ_ISA_SCC]
#define IMM ((int32_t)(int16_t)o->inst->imm)

/* A result without SCC; with SCC = (result != 0); with a condition. */
#define MOVE(name, value)                                                      \
  S(name)                                                                      \
  {                                                                            \
    D = (uint32_t)(value);                                                     \
  }
#define MOVE64(name, value)                                                    \
  S(name)                                                                      \
  {                                                                            \
    aq_wave_pair_set(w, o->dst, value);                                        \
  }
#define LOGIC(name, value)                                                     \
  S(name)                                                                      \
  {                                                                            \
    const uint32_t r = (uint32_t)(value);                                      \
    D = r;                                                                     \
    scc_set(w, r != 0);                                                        \
  }
#define LOGIC64(name, value)                                                   \
  S(name)                                                                      \
  {                                                                            \
    const uint64_t r = (uint64_t)(value);                                      \
    aq_wave_pair_set(w, o->dst, r);                                            \
    scc_set(w, r != 0);                                                        \
  }
#define ARITHMETIC(name, type, value, condition)                               \
  S(name)                                                                      \
  {                                                                            \
    const type a = (type)A, b = (type)B;                                       \
    const uint32_t r = (uint32_t)(value);                                      \
    const bool c = (condition);                                                \
    (void)a, (void)b;                                                          \
    D = r;                                                                     \
    scc_set(w, c);                                                             \
  }
#define COMPARE(name, type, a_value, b_value, operator)                        \
  S(name)                                                                      \
  {                                                                            \
    scc_set(w, (type)(a_value) operator(type)(b_value));                       \
  }
#define EXEC_OP(name, value)                                                   \
  S(name)                                                                      \
  {                                                                            \
    const uint64_t a = A64, exec = aq_wave_exec(w), r = (value);               \
    aq_wave_pair_set(w, o->dst, exec);                                         \
    aq_wave_pair_set(w, AQ_ISA_EXEC, r);                                       \
    scc_set(w, r != 0);                                                        \
  }

static uint64_t field64(uint64_t value, uint32_t where, bool sext)
{
  const unsigned offset = where & 63, width = where >> 16 & 127;
  if (width == 0)
    return 0;
  const uint64_t shifted = value >> offset;
  if (width >= 64)
    return sext ? (uint64_t)((int64_t)value >> offset) : shifted;
  const uint64_t sign = UINT64_C(1) << (width - 1);
  const uint64_t bits = shifted & ((UINT64_C(1) << width) - 1);
  return sext ? (bits ^ sign) - sign : bits;
}

/* Of 32 bits: offset in bits 0-4, width in 16-22. */
static uint32_t field32(uint32_t value, uint32_t where, bool sext)
{
  return (uint32_t)field64(sext ? (uint64_t)(int64_t)(int32_t)value : value,
                           (where & 31) | (where & 0x7f0000), sext);
}

static uint64_t reversed(uint64_t value)
{
  uint64_t out = 0;
  for (unsigned i = 0; i < 64; i++)
    out |= (value >> i & 1) << (63 - i);
  return out;
}

/* Each bit of a quad becomes the OR of its four. */
static uint64_t whole_quads(uint64_t value)
{
  uint64_t any = value | value >> 1 | value >> 2 | value >> 3;
  any &= UINT64_C(0x1111111111111111);
  return any * 15;
}

MOVE(s_mov_b32, A)
MOVE64(s_mov_b64, A64)
MOVE(s_movk_i32, IMM)
MOVE(s_brev_b32, reversed(A) >> 32)
MOVE64(s_brev_b64, reversed(A64))
MOVE(s_sext_i32_i8, (int8_t)A)
MOVE(s_sext_i32_i16, (int16_t)A)
MOVE(s_ff1_i32_b32, A ? __builtin_ctz(A) : -1)
MOVE(s_ff1_i32_b64, A64 ? __builtin_ctzll(A64) : -1)
MOVE(s_ff0_i32_b32, ~A ? __builtin_ctz(~A) : -1)
MOVE(s_ff0_i32_b64, ~A64 ? __builtin_ctzll(~A64) : -1)
MOVE(s_flbit_i32_b32, A ? __builtin_clz(A) : -1)
MOVE(s_flbit_i32_b64, A64 ? __builtin_clzll(A64) : -1)
MOVE(s_flbit_i32, A == 0 || A == ~0u ? -1 : __builtin_clrsb((int)A) + 1)
MOVE(s_flbit_i32_i64, A64 == 0 || A64 == ~UINT64_C(0)
                          ? -1
                          : __builtin_clrsbll((long long)A64) + 1)
MOVE(s_bitset0_b32, D & ~(1u << (A & 31)))
MOVE(s_bitset1_b32, D | 1u << (A & 31))
MOVE64(s_bitset0_b64, aq_wave_pair(w, o->dst) & ~(UINT64_C(1) << (A & 63)))
MOVE64(s_bitset1_b64, aq_wave_pair(w, o->dst) | UINT64_C(1) << (A & 63))
MOVE(s_cmov_b32, SCC ? A : D)
MOVE64(s_cmov_b64, SCC ? A64 : aq_wave_pair(w, o->dst))
MOVE(s_cmovk_i32, SCC ? (uint32_t)IMM : D)
MOVE(s_cselect_b32, SCC ? A : B)
MOVE64(s_cselect_b64, SCC ? A64 : B64)
MOVE(s_mul_i32, A *B)
MOVE(s_mul_hi_u32, (uint64_t)A *B >> 32)
MOVE(s_mul_hi_i32, (int64_t)(int32_t)A *(int32_t)B >> 32)
MOVE(s_mulk_i32, D *(uint32_t)IMM)
MOVE(s_bfm_b32, ((1u << (A & 31)) - 1) << (B & 31))
MOVE64(s_bfm_b64, ((UINT64_C(1) << (A & 63)) - 1) << (B & 63))
MOVE(s_pack_ll_b32_b16, (A & 0xffff) | B << 16)
MOVE(s_pack_lh_b32_b16, (A & 0xffff) | (B & 0xffff0000))
MOVE(s_pack_hh_b32_b16, A >> 16 | (B & 0xffff0000))
LOGIC(s_not_b32, ~A)
LOGIC64(s_not_b64, ~A64)
LOGIC(s_wqm_b32, whole_quads(A))
LOGIC64(s_wqm_b64, whole_quads(A64))
LOGIC(s_bcnt0_i32_b32, __builtin_popcount(~A))
LOGIC(s_bcnt1_i32_b32, __builtin_popcount(A))
LOGIC(s_bcnt0_i32_b64, __builtin_popcountll(~A64))
LOGIC(s_bcnt1_i32_b64, __builtin_popcountll(A64))
LOGIC(s_abs_i32, (int32_t)A < 0 ? 0 - A : A)
LOGIC(s_and_b32, A &B)
LOGIC64(s_and_b64, A64 &B64)
LOGIC(s_or_b32, A | B)
LOGIC64(s_or_b64, A64 | B64)
LOGIC(s_xor_b32, A ^ B)
LOGIC64(s_xor_b64, A64 ^ B64)
LOGIC(s_andn2_b32, A & ~B)
LOGIC64(s_andn2_b64, A64 & ~B64)
LOGIC(s_orn2_b32, A | ~B)
LOGIC64(s_orn2_b64, A64 | ~B64)
LOGIC(s_nand_b32, ~(A &B))
LOGIC64(s_nand_b64, ~(A64 &B64))
LOGIC(s_nor_b32, ~(A | B))
LOGIC64(s_nor_b64, ~(A64 | B64))
LOGIC(s_xnor_b32, ~(A ^ B))
LOGIC64(s_xnor_b64, ~(A64 ^ B64))
LOGIC(s_lshl_b32, A << (B & 31))
LOGIC64(s_lshl_b64, A64 << (B & 63))
LOGIC(s_lshr_b32, A >> (B & 31))
LOGIC64(s_lshr_b64, A64 >> (B & 63))
LOGIC(s_ashr_i32, (int32_t)A >> (B & 31))
LOGIC64(s_ashr_i64, (int64_t)A64 >> (B & 63))
LOGIC(s_bfe_u32, field32(A, B, false))
LOGIC(s_bfe_i32, field32(A, B, true))
LOGIC64(s_bfe_u64, field64(A64, B, false))
LOGIC64(s_bfe_i64, field64(A64, B, true))
ARITHMETIC(s_add_u32, uint32_t, a + b, r < a)
ARITHMETIC(s_sub_u32, uint32_t, a - b, a < b)
ARITHMETIC(s_add_i32, uint32_t, a + b, ((a ^ r) & (b ^ r)) >> 31)
ARITHMETIC(s_sub_i32, uint32_t, a - b, ((a ^ b) & (a ^ r)) >> 31)
ARITHMETIC(s_addc_u32, uint32_t, a + b + SCC,
           (uint64_t)a + b + SCC > UINT32_MAX)
ARITHMETIC(s_subb_u32, uint32_t, a - b - SCC, (uint64_t)a < (uint64_t)b + SCC)
ARITHMETIC(s_min_i32, int32_t, a < b ? a : b, a < b)
ARITHMETIC(s_min_u32, uint32_t, a < b ? a : b, a < b)
ARITHMETIC(s_max_i32, int32_t, a > b ? a : b, a > b)
ARITHMETIC(s_max_u32, uint32_t, a > b ? a : b, a > b)
ARITHMETIC(s_lshl1_add_u32, uint32_t, (a << 1) + b,
           ((uint64_t)a << 1) + b > UINT32_MAX)
ARITHMETIC(s_lshl2_add_u32, uint32_t, (a << 2) + b,
           ((uint64_t)a << 2) + b > UINT32_MAX)
ARITHMETIC(s_lshl3_add_u32, uint32_t, (a << 3) + b,
           ((uint64_t)a << 3) + b > UINT32_MAX)
ARITHMETIC(s_lshl4_add_u32, uint32_t, (a << 4) + b,
           ((uint64_t)a << 4) + b > UINT32_MAX)
LOGIC(s_absdiff_i32, (int32_t)A > (int32_t)B ? A - B : B - A)

S(s_addk_i32)
{
  const uint32_t a = D, b = (uint32_t)IMM, r = a + b;
  D = r;
  scc_set(w, ((a ^ r) & (b ^ r)) >> 31);
}

COMPARE(s_cmp_eq_i32, int32_t, A, B, ==)
COMPARE(s_cmp_lg_i32, int32_t, A, B, !=)
COMPARE(s_cmp_gt_i32, int32_t, A, B, >)
COMPARE(s_cmp_ge_i32, int32_t, A, B, >=)
COMPARE(s_cmp_lt_i32, int32_t, A, B, <)
COMPARE(s_cmp_le_i32, int32_t, A, B, <=)
COMPARE(s_cmp_eq_u32, uint32_t, A, B, ==)
COMPARE(s_cmp_lg_u32, uint32_t, A, B, !=)
COMPARE(s_cmp_gt_u32, uint32_t, A, B, >)
COMPARE(s_cmp_ge_u32, uint32_t, A, B, >=)
COMPARE(s_cmp_lt_u32, uint32_t, A, B, <)
COMPARE(s_cmp_le_u32, uint32_t, A, B, <=)
COMPARE(s_cmp_eq_u64, uint64_t, A64, B64, ==)
COMPARE(s_cmp_lg_u64, uint64_t, A64, B64, !=)
COMPARE(s_bitcmp0_b32, uint32_t, A >> (B & 31) & 1, 0, ==)
COMPARE(s_bitcmp1_b32, uint32_t, A >> (B & 31) & 1, 1, ==)
COMPARE(s_bitcmp0_b64, uint64_t, A64 >> (B & 63) & 1, 0, ==)
COMPARE(s_bitcmp1_b64, uint64_t, A64 >> (B & 63) & 1, 1, ==)
COMPARE(s_cmpk_eq_i32, int32_t, D, IMM, ==)
COMPARE(s_cmpk_lg_i32, int32_t, D, IMM, !=)
COMPARE(s_cmpk_gt_i32, int32_t, D, IMM, >)
COMPARE(s_cmpk_ge_i32, int32_t, D, IMM, >=)
COMPARE(s_cmpk_lt_i32, int32_t, D, IMM, <)
COMPARE(s_cmpk_le_i32, int32_t, D, IMM, <=)
COMPARE(s_cmpk_eq_u32, uint32_t, D, o->inst->imm, ==)
COMPARE(s_cmpk_lg_u32, uint32_t, D, o->inst->imm, !=)
COMPARE(s_cmpk_gt_u32, uint32_t, D, o->inst->imm, >)
COMPARE(s_cmpk_ge_u32, uint32_t, D, o->inst->imm, >=)
COMPARE(s_cmpk_lt_u32, uint32_t, D, o->inst->imm, <)
COMPARE(s_cmpk_le_u32, uint32_t, D, o->inst->imm, <=)

EXEC_OP(s_and_saveexec_b64, a &exec)
EXEC_OP(s_or_saveexec_b64, a | exec)
EXEC_OP(s_xor_saveexec_b64, a ^ exec)
EXEC_OP(s_andn2_saveexec_b64, a & ~exec)
EXEC_OP(s_orn2_saveexec_b64, a | ~exec)
EXEC_OP(s_nand_saveexec_b64, ~(a &exec))
EXEC_OP(s_nor_saveexec_b64, ~(a | exec))
EXEC_OP(s_xnor_saveexec_b64, ~(a ^ exec))
EXEC_OP(s_andn1_saveexec_b64, ~a &exec)
EXEC_OP(s_orn1_saveexec_b64, ~a | exec)

/* ---- control ---- */

static void jump(aq_wave *w, const aq_wave_op *o)
{
  w->pc += (uint64_t)(int64_t)IMM * 4;
}

#define BRANCH(name, condition)                                                \
  S(name)                                                                      \
  {                                                                            \
    if (condition)                                                             \
      jump(w, o);                                                              \
  }
BRANCH(s_branch, true)
BRANCH(s_cbranch_scc0, !SCC)
BRANCH(s_cbranch_scc1, SCC)
BRANCH(s_cbranch_vccz, !aq_wave_pair(w, AQ_ISA_VCC))
BRANCH(s_cbranch_vccnz, aq_wave_pair(w, AQ_ISA_VCC))
BRANCH(s_cbranch_execz, !aq_wave_exec(w))
BRANCH(s_cbranch_execnz, aq_wave_exec(w))
MOVE64(s_getpc_b64, w->pc)

S(s_setpc_b64)
{
  w->pc = A64;
}

S(s_swappc_b64)
{
  const uint64_t target = A64;
  aq_wave_pair_set(w, o->dst, w->pc);
  w->pc = target;
}

S(s_call_b64)
{
  aq_wave_pair_set(w, o->dst, w->pc);
  jump(w, o);
}

S(s_endpgm)
{
  (void)o;
  w->status = AQ_WAVE_ENDED;
}

S(s_barrier)
{
  (void)o;
  w->status = AQ_WAVE_AT_BARRIER;
}

S(s_sleep)
{
  (void)o;
  w->status = AQ_WAVE_SLEEPS;
}

S(s_nop)
{
  (void)w, (void)o;
}

S(s_trap)
{
  aq_wave_fault(w, o, AQ_EXECUTION_FAULT_TRAP, 0, "trap");
}

/* Clocks advance with what the workgroup issues, so that loops that wait for
 * time end. */
MOVE64(s_memtime, w->group->ticks + w->group->issued)
MOVE64(s_memrealtime, w->group->ticks + w->group->issued)

/* ---- hardware registers ---- */

enum { REGISTER_MODE = 1 };

S(s_getreg_b32)
{
  const unsigned id = o->inst->imm & 63, offset = o->inst->imm >> 6 & 31,
                 width = (o->inst->imm >> 11) + 1u;
  const uint64_t value = id == REGISTER_MODE ? w->mode : 0;
  D = (uint32_t)(value >> offset & ((UINT64_C(1) << width) - 1));
}

static void register_write(aq_wave *w, const aq_wave_op *o, uint32_t value)
{
  const unsigned id = o->inst->imm & 63, offset = o->inst->imm >> 6 & 31,
                 width = (o->inst->imm >> 11) + 1u;
  const uint64_t mask = ((UINT64_C(1) << width) - 1) << offset;
  if (id == REGISTER_MODE)
    w->mode =
        (uint32_t)((w->mode & ~mask) | ((uint64_t)value << offset & mask));
  if (w->mode & AQ_WAVE_ROUND)
    aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                  "a rounding mode other than to nearest even");
}

S(s_setreg_b32)
{
  register_write(w, o, D);
}

S(s_setreg_imm32_b32)
{
  register_write(w, o, o->inst->literal);
}

/* ---- memory ---- */

static void load(aq_wave *w, const aq_wave_op *o, unsigned bytes)
{
  const aq_isa_operand *s = aq_isa_operand_find(o->inst, 'S');
  const uint64_t address =
      (aq_wave_pair(w, o->a.number) + (uint64_t)(int64_t)o->inst->offset +
       (s ? w->s[s->code] : 0)) &
      ~UINT64_C(3);
  if (!aq_wave_may(w->group, address, bytes, false)) {
    aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, address, "read");
    return;
  }
  memcpy(&w->s[o->dst], (const void *)(uintptr_t)address, bytes);
}

/* What lies behind the resource's bytes reads as 0. */
static void buffer_load(aq_wave *w, const aq_wave_op *o, unsigned bytes)
{
  const aq_isa_operand *s = aq_isa_operand_find(o->inst, 'S');
  const uint32_t *resource = &w->s[o->a.number];
  const uint64_t base = aq_wave_pair(w, o->a.number) & 0xffffffffffff;
  const uint32_t stride = resource[1] >> 16 & 0x3fff;
  const uint64_t limit = (uint64_t)resource[2] * (stride ? stride : 1);
  const uint64_t offset =
      ((uint64_t)(int64_t)o->inst->offset + (s ? w->s[s->code] : 0)) &
      ~UINT64_C(3);
  for (unsigned i = 0; i < bytes / 4; i++) {
    const uint64_t at = offset + 4 * i;
    uint32_t value = 0;
    if (at + 4 <= limit) {
      if (!aq_wave_may(w->group, base + at, 4, false)) {
        aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, base + at, "read");
        return;
      }
      memcpy(&value, (const void *)(uintptr_t)(base + at), 4);
    }
    w->s[o->dst + i] = value;
  }
}

#define LOAD(name, function, bytes)                                            \
  S(name)                                                                      \
  {                                                                            \
    function(w, o, bytes);                                                     \
  }
LOAD(s_load_dword, load, 4)
LOAD(s_load_dwordx2, load, 8)
LOAD(s_load_dwordx4, load, 16)
LOAD(s_load_dwordx8, load, 32)
LOAD(s_load_dwordx16, load, 64)
LOAD(s_buffer_load_dword, buffer_load, 4)
LOAD(s_buffer_load_dwordx2, buffer_load, 8)
LOAD(s_buffer_load_dwordx4, buffer_load, 16)
LOAD(s_buffer_load_dwordx8, buffer_load, 32)
LOAD(s_buffer_load_dwordx16, buffer_load, 64)

static const aq_wave_instruction instructions[] = {
#define X(name)       {#name, name},
#define NOTHING(name) {#name, s_nop},
#include "wave/scalar.def"
};

const aq_wave_instruction *aq_wave_scalar_find(const char *name)
{
  return aq_wave_instruction_find(
      instructions, sizeof instructions / sizeof *instructions, name);
}
