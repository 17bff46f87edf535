/* SPDX-License-Identifier: MIT */
/*
 * Fields of VOP3P, and its handlers that compute lane by lane, for sources that
 * vector_packed.inc does not compute at once: NaNs, infinities in sums of
 * products, other MODEs, clamps.
 */
#ifndef AQ_GPU_WAVE_CORE_PACKED_H
#define AQ_GPU_WAVE_CORE_PACKED_H

#include "gpu/wave/core/execution_state.h"

/* Which half of a source goes to the low and to the high half of the result,
 * and whether it is negated; of 64 bits, which word. */
typedef struct aq_wave_select {
  bool second[2], negative[2];
} aq_wave_select;

static inline aq_wave_select aq_wave_select_read(const aq_isa_inst *inst, int i)
{
  aq_wave_select s = {
      .second = {inst->op_sel >> i & 1, inst->op_sel_hi >> i & 1},
      .negative = {false, inst->neg_hi >> i & 1}};
  for (unsigned k = 0; k < inst->operand_count; k++)
    if (inst->operands[k].role == 'A' + i)
      s.negative[0] = inst->operands[k].modifiers & AQ_ISA_NEG;
  return s;
}

/* Gives a file's handler its name here. */
#define AQ_WAVE_BY_LANE(name)                                                  \
  const aq_wave_op *aq_wave_by_lane_##name(aq_wave *w, const aq_wave_op *o)    \
  {                                                                            \
    return name##_(w, o);                                                      \
  }

aq_wave_handler aq_wave_by_lane_v_add_f16, aq_wave_by_lane_v_sub_f16,
    aq_wave_by_lane_v_subrev_f16, aq_wave_by_lane_v_mul_f16,
    aq_wave_by_lane_v_fma_f16, aq_wave_by_lane_v_min_f16,
    aq_wave_by_lane_v_max_f16, aq_wave_by_lane_v_cvt_f16_f32,
    aq_wave_by_lane_v_cvt_f32_f16, aq_wave_by_lane_v_pk_add_f16,
    aq_wave_by_lane_v_pk_mul_f16, aq_wave_by_lane_v_pk_fma_f16,
    aq_wave_by_lane_v_pk_min_f16, aq_wave_by_lane_v_pk_max_f16,
    aq_wave_by_lane_v_pk_add_f32, aq_wave_by_lane_v_pk_mul_f32,
    aq_wave_by_lane_v_pk_fma_f32, aq_wave_by_lane_v_fma_mix_f32,
    aq_wave_by_lane_v_fma_mixlo_f16, aq_wave_by_lane_v_fma_mixhi_f16,
    aq_wave_by_lane_v_cvt_pkrtz, aq_wave_by_lane_v_pk_mad_i16,
    aq_wave_by_lane_v_pk_mad_u16, aq_wave_by_lane_v_pk_mul_lo_u16,
    aq_wave_by_lane_v_pk_add_i16, aq_wave_by_lane_v_pk_add_u16,
    aq_wave_by_lane_v_pk_sub_i16, aq_wave_by_lane_v_pk_sub_u16,
    aq_wave_by_lane_v_pk_lshlrev_b16, aq_wave_by_lane_v_pk_lshrrev_b16,
    aq_wave_by_lane_v_pk_ashrrev_i16, aq_wave_by_lane_v_pk_max_i16,
    aq_wave_by_lane_v_pk_min_i16, aq_wave_by_lane_v_pk_max_u16,
    aq_wave_by_lane_v_pk_min_u16, aq_wave_by_lane_v_dot2_f32_f16,
    aq_wave_by_lane_v_dot2c_f32_f16, aq_wave_by_lane_v_dot4_i32_i8,
    aq_wave_by_lane_v_dot4c_i32_i8, aq_wave_by_lane_v_dot4_u32_u8,
    aq_wave_by_lane_v_dot2_i32_i16, aq_wave_by_lane_v_dot2_u32_u16,
    aq_wave_by_lane_v_dot2c_i32_i16, aq_wave_by_lane_v_dot8_i32_i4,
    aq_wave_by_lane_v_dot8c_i32_i4, aq_wave_by_lane_v_dot8_u32_u4;

/* For vector_division.inc. */
aq_wave_handler aq_wave_by_lane_v_div_scale_f32,
    aq_wave_by_lane_v_div_scale_f64, aq_wave_by_lane_v_div_fmas_f32,
    aq_wave_by_lane_v_div_fmas_f64, aq_wave_by_lane_v_div_fixup_f32,
    aq_wave_by_lane_v_div_fixup_f64;

#endif
