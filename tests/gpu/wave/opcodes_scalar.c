/* SPDX-License-Identifier: MIT */
/* Scalar instructions: GCN3 12-1 to 12-52. D is the old destination. */
#include "opcodes.h"

static int ones(uint64_t x)
{
  int n = 0;
  for (int i = 0; i < 64; i++)
    n += x >> i & 1;
  return n;
}

/* The first bit from below that is `want`, -1 if none. */
static int first_from_below(uint64_t x, int width, unsigned want)
{
  for (int i = 0; i < width; i++)
    if ((x >> i & 1) == want)
      return i;
  return -1;
}

static int first_from_above(uint64_t x, int width)
{
  for (int i = 0; i < width; i++)
    if (x >> (width - 1 - i) & 1)
      return i;
  return -1;
}

static int first_unlike_sign(uint64_t x, int width)
{
  for (int i = 1; i < width; i++)
    if ((x >> (width - 1 - i) & 1) != x >> (width - 1))
      return i;
  return -1;
}

static uint64_t mirrored(uint64_t x, int width)
{
  uint64_t r = 0;
  for (int i = 0; i < width; i++)
    r |= (x >> i & 1) << (width - 1 - i);
  return r;
}

/* Whole quads where one of their bits is set. */
static uint64_t quads(uint64_t x)
{
  uint64_t r = 0;
  for (int i = 0; i < 64; i += 4)
    if (x >> i & 15)
      r |= UINT64_C(15) << i;
  return r;
}

static uint64_t quad_bits(uint64_t x)
{
  uint64_t r = 0;
  for (int i = 0; i < 16; i++)
    r |= (uint64_t)((x >> (4 * i) & 15) != 0) << i;
  return r;
}

static uint64_t doubled(uint32_t x)
{
  uint64_t r = 0;
  for (int i = 0; i < 32; i++)
    r |= (uint64_t)(x >> i & 1) << (2 * i) | (uint64_t)(x >> i & 1)
                                                 << (2 * i + 1);
  return r;
}

/* S_BFE: offset in the low bits of b, size in bits 16 to 22. */
static uint64_t field(__int128 a, unsigned from, unsigned count, bool is_signed)
{
  __int128 v = a >> from;
  if (count < 64)
    v &= ((__int128)1 << count) - 1;
  if (is_signed && count && count < 64 && v >> (count - 1) & 1)
    v -= (__int128)1 << count;
  return (uint64_t)v;
}

static bool fits32(int64_t x)
{
  return x == (int32_t)x;
}

#define SCC(e)  (o->carry = (e))
#define KEEP(e) (o->carry = in->carry, (e))
/* SCC: the result is not 0. */
#define NZ32(e)    (o->d = (uint32_t)(e), SCC(o->d != 0), o->d)
#define NZ64(e)    (o->d = (uint64_t)(e), SCC(o->d != 0), o->d)
#define ABOVE32(x) ((uint64_t)(x) > UINT32_MAX)
#define EXEC(e)    (o->exec = (e), SCC(o->exec != 0), in->exec)
#define WRITE(e)   (o->exec = (e), SCC(o->exec != 0), o->exec)
#define D          in->d
#define X          in->exec
#define K          ((int32_t)in->imm)
#define U          ((uint32_t)(uint16_t)in->imm)

/* clang-format off */
#define SCALARS(OP)                                                            \
  OP(s_add_u32, 'i', (SCC(ABOVE32((uint64_t)a + b)), a + b))                   \
  OP(s_sub_u32, 'i', (SCC(b > a), a - b))                                      \
  OP(s_add_i32, 'i', (SCC(!fits32((int64_t)sa + sb)), a + b))                  \
  OP(s_sub_i32, 'i', (SCC(!fits32((int64_t)sa - sb)), a - b))                  \
  OP(s_addc_u32, 'i', (SCC(ABOVE32((uint64_t)a + b + in->carry)),              \
                       a + b + in->carry))                                     \
  OP(s_subb_u32, 'i', (SCC((uint64_t)b + in->carry > a), a - b - in->carry))   \
  OP(s_min_i32, 'i', (SCC(sa < sb), sa < sb ? a : b))                          \
  OP(s_min_u32, 'i', (SCC(a < b), a < b ? a : b))                              \
  OP(s_max_i32, 'i', (SCC(sa > sb), sa > sb ? a : b))                          \
  OP(s_max_u32, 'i', (SCC(a > b), a > b ? a : b))                              \
  OP(s_cselect_b32, 'i', KEEP(in->carry ? a : b))                              \
  OP(s_cselect_b64, 'i', KEEP(in->carry ? A : B))                              \
  OP(s_and_b32, 'i', NZ32(a & b))                                              \
  OP(s_and_b64, 'i', NZ64(A & B))                                              \
  OP(s_or_b32, 'i', NZ32(a | b))                                               \
  OP(s_or_b64, 'i', NZ64(A | B))                                               \
  OP(s_xor_b32, 'i', NZ32(a ^ b))                                              \
  OP(s_xor_b64, 'i', NZ64(A ^ B))                                              \
  OP(s_andn2_b32, 'i', NZ32(a & ~b))                                           \
  OP(s_andn2_b64, 'i', NZ64(A & ~B))                                           \
  OP(s_orn2_b32, 'i', NZ32(a | ~b))                                            \
  OP(s_orn2_b64, 'i', NZ64(A | ~B))                                            \
  OP(s_nand_b32, 'i', NZ32(~(a & b)))                                          \
  OP(s_nand_b64, 'i', NZ64(~(A & B)))                                          \
  OP(s_nor_b32, 'i', NZ32(~(a | b)))                                           \
  OP(s_nor_b64, 'i', NZ64(~(A | B)))                                           \
  OP(s_xnor_b32, 'i', NZ32(~(a ^ b)))                                          \
  OP(s_xnor_b64, 'i', NZ64(~(A ^ B)))                                          \
  OP(s_lshl_b32, 'i', NZ32(a << b % 32))                                       \
  OP(s_lshl_b64, 'i', NZ64(A << b % 64))                                       \
  OP(s_lshr_b32, 'i', NZ32(a >> b % 32))                                       \
  OP(s_lshr_b64, 'i', NZ64(A >> b % 64))                                       \
  OP(s_ashr_i32, 'i', NZ32(sa >> b % 32))                                      \
  OP(s_ashr_i64, 'i', NZ64((int64_t)A >> b % 64))                              \
  OP(s_bfm_b32, 'i', KEEP(((UINT64_C(1) << a % 32) - 1) << b % 32))            \
  OP(s_bfm_b64, 'i', KEEP(((UINT64_C(1) << a % 64) - 1) << b % 64))            \
  OP(s_mul_i32, 'i', KEEP(a * b))                                              \
  OP(s_mul_hi_u32, 'i', KEEP((uint64_t)a * b >> 32))                           \
  OP(s_mul_hi_i32, 'i', KEEP((int64_t)sa * sb >> 32))                          \
  OP(s_bfe_u32, 'i', NZ32(field(a, b % 32, b >> 16 & 127, false)))             \
  OP(s_bfe_i32, 'i', NZ32(field(sa, b % 32, b >> 16 & 127, true)))             \
  OP(s_bfe_u64, 'i', NZ64(field(A, b % 64, b >> 16 & 127, false)))             \
  OP(s_bfe_i64, 'i', NZ64(field((int64_t)A, b % 64, b >> 16 & 127, true)))     \
  OP(s_absdiff_i32, 'i', NZ32(sa - (int64_t)sb < 0 && (int32_t)(a - b) < 0     \
                              ? b - a : (int32_t)(a - b) < 0 ? b - a : a - b)) \
  OP(s_lshl1_add_u32, 'i', (SCC(ABOVE32(((uint64_t)a << 1) + b)), (a << 1) + b)) \
  OP(s_lshl2_add_u32, 'i', (SCC(ABOVE32(((uint64_t)a << 2) + b)), (a << 2) + b)) \
  OP(s_lshl3_add_u32, 'i', (SCC(ABOVE32(((uint64_t)a << 3) + b)), (a << 3) + b)) \
  OP(s_lshl4_add_u32, 'i', (SCC(ABOVE32(((uint64_t)a << 4) + b)), (a << 4) + b)) \
  OP(s_pack_ll_b32_b16, 'i', KEEP((a & 0xffff) | b << 16))                     \
  OP(s_pack_lh_b32_b16, 'i', KEEP((a & 0xffff) | (b >> 16) << 16))             \
  OP(s_pack_hh_b32_b16, 'i', KEEP(a >> 16 | (b >> 16) << 16))                  \
  OP(s_mov_b32, 'i', KEEP(a))                                                  \
  OP(s_mov_b64, 'i', KEEP(A))                                                  \
  OP(s_cmov_b32, 'i', KEEP(in->carry ? a : (uint32_t)D))                       \
  OP(s_cmov_b64, 'i', KEEP(in->carry ? A : D))                                 \
  OP(s_not_b32, 'i', NZ32(~a))                                                 \
  OP(s_not_b64, 'i', NZ64(~A))                                                 \
  OP(s_wqm_b32, 'i', NZ32(quads(a)))                                           \
  OP(s_wqm_b64, 'i', NZ64(quads(A)))                                           \
  OP(s_quadmask_b32, 'i', NZ32(quad_bits(a)))                                  \
  OP(s_quadmask_b64, 'i', NZ64(quad_bits(A)))                                  \
  OP(s_brev_b32, 'i', KEEP(mirrored(a, 32)))                                   \
  OP(s_brev_b64, 'i', KEEP(mirrored(A, 64)))                                   \
  OP(s_bcnt0_i32_b32, 'i', NZ32(32 - ones(a)))                                 \
  OP(s_bcnt0_i32_b64, 'i', NZ32(64 - ones(A)))                                 \
  OP(s_bcnt1_i32_b32, 'i', NZ32(ones(a)))                                      \
  OP(s_bcnt1_i32_b64, 'i', NZ32(ones(A)))                                      \
  OP(s_ff0_i32_b32, 'i', KEEP((uint32_t)first_from_below(a, 32, 0)))           \
  OP(s_ff0_i32_b64, 'i', KEEP((uint32_t)first_from_below(A, 64, 0)))           \
  OP(s_ff1_i32_b32, 'i', KEEP((uint32_t)first_from_below(a, 32, 1)))           \
  OP(s_ff1_i32_b64, 'i', KEEP((uint32_t)first_from_below(A, 64, 1)))           \
  OP(s_flbit_i32_b32, 'i', KEEP((uint32_t)first_from_above(a, 32)))            \
  OP(s_flbit_i32_b64, 'i', KEEP((uint32_t)first_from_above(A, 64)))            \
  OP(s_flbit_i32, 'i', KEEP((uint32_t)first_unlike_sign(a, 32)))               \
  OP(s_flbit_i32_i64, 'i', KEEP((uint32_t)first_unlike_sign(A, 64)))           \
  OP(s_sext_i32_i8, 'i', KEEP((uint32_t)(int8_t)a))                            \
  OP(s_sext_i32_i16, 'i', KEEP((uint32_t)(int16_t)a))                          \
  OP(s_abs_i32, 'i', NZ32(sa < 0 ? 0 - a : a))                                 \
  OP(s_bitset0_b32, 'i', KEEP((uint32_t)D & ~(1u << a % 32)))                  \
  OP(s_bitset1_b32, 'i', KEEP((uint32_t)D | 1u << a % 32))                     \
  OP(s_bitset0_b64, 'i', KEEP(D & ~(UINT64_C(1) << a % 64)))                   \
  OP(s_bitset1_b64, 'i', KEEP(D | UINT64_C(1) << a % 64))                      \
  OP(s_bitreplicate_b64_b32, 'i', KEEP(doubled(a)))                            \
  OP(s_and_saveexec_b64, 'i', EXEC(A & X))                                     \
  OP(s_or_saveexec_b64, 'i', EXEC(A | X))                                      \
  OP(s_xor_saveexec_b64, 'i', EXEC(A ^ X))                                     \
  OP(s_andn2_saveexec_b64, 'i', EXEC(A & ~X))                                  \
  OP(s_orn2_saveexec_b64, 'i', EXEC(A | ~X))                                   \
  OP(s_nand_saveexec_b64, 'i', EXEC(~(A & X)))                                 \
  OP(s_nor_saveexec_b64, 'i', EXEC(~(A | X)))                                  \
  OP(s_xnor_saveexec_b64, 'i', EXEC(~(A ^ X)))                                 \
  OP(s_andn1_saveexec_b64, 'i', EXEC(~A & X))                                  \
  OP(s_orn1_saveexec_b64, 'i', EXEC(~A | X))                                   \
  OP(s_andn1_wrexec_b64, 'i', WRITE(~A & X))                                   \
  OP(s_andn2_wrexec_b64, 'i', WRITE(A & ~X))                                   \
  OP(s_cmp_eq_i32, 'i', SCC(sa == sb))                                         \
  OP(s_cmp_lg_i32, 'i', SCC(sa != sb))                                         \
  OP(s_cmp_gt_i32, 'i', SCC(sa > sb))                                          \
  OP(s_cmp_ge_i32, 'i', SCC(sa >= sb))                                         \
  OP(s_cmp_lt_i32, 'i', SCC(sa < sb))                                          \
  OP(s_cmp_le_i32, 'i', SCC(sa <= sb))                                         \
  OP(s_cmp_eq_u32, 'i', SCC(a == b))                                           \
  OP(s_cmp_lg_u32, 'i', SCC(a != b))                                           \
  OP(s_cmp_gt_u32, 'i', SCC(a > b))                                            \
  OP(s_cmp_ge_u32, 'i', SCC(a >= b))                                           \
  OP(s_cmp_lt_u32, 'i', SCC(a < b))                                            \
  OP(s_cmp_le_u32, 'i', SCC(a <= b))                                           \
  OP(s_cmp_eq_u64, 'i', SCC(A == B))                                           \
  OP(s_cmp_lg_u64, 'i', SCC(A != B))                                           \
  OP(s_bitcmp0_b32, 'i', SCC(!(a >> b % 32 & 1)))                              \
  OP(s_bitcmp1_b32, 'i', SCC(a >> b % 32 & 1))                                 \
  OP(s_bitcmp0_b64, 'i', SCC(!(A >> b % 64 & 1)))                              \
  OP(s_bitcmp1_b64, 'i', SCC(A >> b % 64 & 1))                                 \
  OP(s_cmpk_eq_i32, 'i', (SCC((int32_t)D == K), (uint32_t)D))                  \
  OP(s_cmpk_lg_i32, 'i', (SCC((int32_t)D != K), (uint32_t)D))                  \
  OP(s_cmpk_gt_i32, 'i', (SCC((int32_t)D > K), (uint32_t)D))                   \
  OP(s_cmpk_ge_i32, 'i', (SCC((int32_t)D >= K), (uint32_t)D))                  \
  OP(s_cmpk_lt_i32, 'i', (SCC((int32_t)D < K), (uint32_t)D))                   \
  OP(s_cmpk_le_i32, 'i', (SCC((int32_t)D <= K), (uint32_t)D))                  \
  OP(s_cmpk_eq_u32, 'i', (SCC((uint32_t)D == U), (uint32_t)D))                 \
  OP(s_cmpk_lg_u32, 'i', (SCC((uint32_t)D != U), (uint32_t)D))                 \
  OP(s_cmpk_gt_u32, 'i', (SCC((uint32_t)D > U), (uint32_t)D))                  \
  OP(s_cmpk_ge_u32, 'i', (SCC((uint32_t)D >= U), (uint32_t)D))                 \
  OP(s_cmpk_lt_u32, 'i', (SCC((uint32_t)D < U), (uint32_t)D))                  \
  OP(s_cmpk_le_u32, 'i', (SCC((uint32_t)D <= U), (uint32_t)D))                 \
  OP(s_movk_i32, 'i', KEEP((uint32_t)K))                                       \
  OP(s_cmovk_i32, 'i', KEEP(in->carry ? (uint32_t)K : (uint32_t)D))            \
  OP(s_addk_i32, 'i', (SCC(!fits32((int64_t)(int32_t)D + K)),                  \
                       (uint32_t)D + (uint32_t)K))                             \
  OP(s_mulk_i32, 'i', KEEP((uint32_t)D * (uint32_t)K))

SCALARS(OPCODE)
const opcode_case opcodes_scalar[] = {SCALARS(OPCODE_ROW) {0}};
/* clang-format on */
