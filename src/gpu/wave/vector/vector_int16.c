/* SPDX-License-Identifier: MIT */
/* Integers of 16 bits. */
#include "config.h"

#include "gpu/wave/core/lane_handlers.h"

S2(v_add_u16, b32, u16, u16, (uint16_t)(a + b))
S2(v_sub_u16, b32, u16, u16, (uint16_t)(a - b))
S2(v_subrev_u16, b32, u16, u16, (uint16_t)(b - a))
S2(v_mul_lo_u16, b32, u16, u16, (uint16_t)((uint32_t)a *b))
S2(v_lshlrev_b16, b32, u16, u16, (uint16_t)(b << (a & 15)))
S2(v_lshrrev_b16, b32, u16, u16, b >> (a & 15))
S2(v_ashrrev_i16, b32, u16, u16, (uint16_t)((int16_t)b >> (a & 15)))
S2(v_max_u16, b32, u16, u16, a > b ? a : b)
S2(v_max_i16, b32, u16, u16, (int16_t)a > (int16_t)b ? a : b)
S2(v_min_u16, b32, u16, u16, a < b ? a : b)
S2(v_min_i16, b32, u16, u16, (int16_t)a < (int16_t)b ? a : b)
S3(v_mad_u16, b32, u16, u16, u16, (uint16_t)((uint32_t)a *b + c))
S3(v_mad_u32_u16, b32, u16, u16, u32, (uint32_t)a *b + c)
S3(v_mad_i32_i16, b32, u16, u16, u32, (uint32_t)((int16_t)a *(int16_t)b) + c)
S3(v_min3_u16, b32, u16, u16, u16, a < b ? (a < c ? a : c) : b < c ? b : c)
S3(v_max3_u16, b32, u16, u16, u16, a > b ? (a > c ? a : c) : b > c ? b : c)

/* clang-format off */
const aq_wave_semantics aq_wave_short[] = {
    H(v_add_u16), H(v_sub_u16), H(v_subrev_u16), H(v_mul_lo_u16),
    H(v_lshlrev_b16), H(v_lshrrev_b16), H(v_ashrrev_i16), H(v_max_u16),
    H(v_max_i16), H(v_min_u16), H(v_min_i16), H(v_mad_u16),
    H(v_mad_u32_u16), H(v_mad_i32_i16), H(v_min3_u16), H(v_max3_u16),
    AS(v_mad_legacy_u16, v_mad_u16), AS(v_mad_legacy_i16, v_mad_u16),
    AS(v_mad_i16, v_mad_u16), AS(v_add_i16, v_add_u16),
    AS(v_sub_i16, v_sub_u16), {NULL, NULL}};
/* clang-format on */
