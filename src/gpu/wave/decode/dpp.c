/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/dpp.h"

#include "gpu/wave/core/lanes.h"

/* The lane that l reads by DPP, or -1. */
static int dpp_lane(unsigned control, int l)
{
  const int row = l & ~15, in = l & 15, n = (int)(control & 15);
  if (control < 0x100)
    return (l & ~3) | (int)(control >> (2 * (l & 3)) & 3);
  switch (control & 0x1f0) {
  case 0x100: /* row_shl */
    return in + n < 16 ? l + n : -1;
  case 0x110: /* row_shr */
    return in >= n ? l - n : -1;
  case 0x120: /* row_ror */
    return row | ((in - n) & 15);
  case 0x150: /* row_newbcast, row_share */
    return row | n;
  case 0x160: /* row_xmask */
    return row | (in ^ n);
  default:
    break;
  }
  switch (control) {
  case 0x130: /* wave_shl */
    return l < 63 ? l + 1 : -1;
  case 0x134: /* wave_rol */
    return (l + 1) & 63;
  case 0x138: /* wave_shr */
    return l > 0 ? l - 1 : -1;
  case 0x13c: /* wave_ror */
    return (l - 1) & 63;
  case 0x140: /* row_mirror */
    return row | (15 - in);
  case 0x141: /* row_half_mirror */
    return (l & ~7) | (7 - (l & 7));
  case 0x142: /* row_bcast15: the last lane of the row before */
    return l >= 16 ? row - 1 : -1;
  case 0x143: /* row_bcast31 */
    return l >= 32 ? 31 : -1;
  default:
    return -1;
  }
}

void aq_wave_move_dpp(const aq_isa_inst *inst, aq_wave_move *move)
{
  const bool eight = inst->form == AQ_ISA_DPP8 || inst->form == AQ_ISA_E64_DPP8;
  *move = (aq_wave_move){.zeroes = eight || inst->bound_ctrl,
                         .fetches = inst->fetch_inactive};
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    const int from = eight ? (l & ~7) | (int)(inst->lanes >> (3 * (l & 7)) & 7)
                           : dpp_lane(inst->dpp_ctrl, l);
    const bool writes = eight || (inst->row_mask >> (l / 16) & 1 &&
                                  inst->bank_mask >> (l / 4 & 3) & 1);
    move->from[l] = (uint8_t)(from < 0 ? l : from);
    move->reads |= (uint64_t)(from >= 0) << l;
    move->writes |= (uint64_t)writes << l;
  }
}

/* ---- ds_swizzle_b32 ---- */

static int swizzle_lane(uint32_t pattern, int l)
{
  if (pattern & 0x8000) /* within four */
    return (l & ~3) | (int)(pattern >> (2 * (l & 3)) & 3);
  const int and_mask = (int)(pattern & 31), or_mask = (int)(pattern >> 5 & 31),
            xor_mask = (int)(pattern >> 10 & 31);
  return (l & 32) | ((((l & 31) & and_mask) | or_mask) ^ xor_mask);
}

static int swizzle_rotate(uint32_t pattern, int l)
{
  const int mask = (int)(pattern & 31), amount = (int)(pattern >> 5 & 31);
  const int turn = pattern & 0x400 ? -amount : amount;
  return (l & 32) | (l & mask) | ((l + turn) & 31 & ~mask);
}

bool aq_wave_move_swizzle(uint32_t pattern, aq_wave_move *move)
{
  *move =
      (aq_wave_move){.reads = UINT64_MAX, .writes = UINT64_MAX, .zeroes = true};
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    move->from[l] =
        (uint8_t)((pattern & 0xe000) == 0xc000 ? swizzle_rotate(pattern, l)
                                               : swizzle_lane(pattern, l));
  return (pattern & 0xe000) != 0xe000;
}

/* ---- execution ---- */

/* Lanes whose source can be read. */
static uint64_t lanes_valid(const aq_wave *w, const aq_wave_move *move)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  uint64_t valid = 0;
  if (move->fetches || exec == (w->wave32 ? UINT32_MAX : UINT64_MAX))
    return move->reads;
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    valid |= (exec >> move->from[l] & 1) << l;
  return valid & move->reads;
}

uint64_t aq_wave_move_rows(const aq_wave *w, const aq_wave_move *move,
                           uint32_t *to, const uint32_t *source, unsigned words)
{
  const uint64_t valid = lanes_valid(w, move);
  const uint64_t writes = AQ_WAVE_EXEC(w) & move->writes;
  const bool zeroes = move->zeroes && writes & ~valid;
  uint32_t mask[AQ_WAVE_LANES] __attribute__((aligned(64)));
  if (zeroes)
    lanes_expand(valid, mask);
  for (unsigned i = 0; i < words; i++) {
    const uint32_t *from = source + i * AQ_WAVE_LANES;
    uint32_t *row = to + i * AQ_WAVE_LANES;
    AQ_EACH_LANE(l) row[l] = from[move->from[l]];
    if (zeroes)
      AQ_EACH_LANE(l) row[l] &= mask[l];
  }
  return move->zeroes ? writes : writes & valid;
}
