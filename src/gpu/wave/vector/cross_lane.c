/* SPDX-License-Identifier: MIT */
/* Instructions that move values between lanes, or to and from scalars. */
#include "config.h"

#include "gpu/wave/core/dpp.h"
#include "gpu/wave/core/lanes.h"

#define BODY(name)                                                             \
  static const aq_wave_op *name##_(aq_wave *w, const aq_wave_op *o)
#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

/* Of lane 0 where no lane is active. */
BODY(v_readfirstlane_b32)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  const int l = exec ? __builtin_ctzll(exec) : 0;
  w->s[o->dest] =
      o->kind[0] == AQ_WAVE_VGPR ? w->v[o->source[0]][l] : aq_wave_s32(w, o, 0);
  return aq_wave_next(o);
}

BODY(v_readlane_b32)
{
  const uint32_t l = aq_wave_s32(w, o, 1) & (w->wave32 ? 31 : 63);
  w->s[o->dest] = w->v[o->source[0]][l];
  return aq_wave_next(o);
}

BODY(v_writelane_b32)
{
  const uint32_t value = aq_wave_s32(w, o, 0);
  w->v[o->dest][aq_wave_s32(w, o, 1) & (w->wave32 ? 31 : 63)] = value;
  return aq_wave_next(o);
}

BODY(v_swap_b32)
{
  LANES(l)
  {
    const uint32_t a = w->v[o->source[0]][l];
    w->v[o->source[0]][l] = w->v[o->dest][l];
    w->v[o->dest][l] = a;
  }
  return aq_wave_next(o);
}

/* Exchanges lanes of the destination with the source's lanes `distance` below.
 * Both have to be active, or neither. */
static const aq_wave_op *lanes_swap(aq_wave *w, const aq_wave_op *o,
                                    int distance)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  uint32_t *d = w->v[o->dest], *s = w->v[o->source[0]];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    if (l & distance && (exec >> l & 1) != (exec >> (l - distance) & 1))
      return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                           "an exchange with an inactive lane is not "
                           "simulated");
  for (int l = 0; l < AQ_WAVE_LANES; l++) {
    if (!(l & distance) || !(exec >> l & 1))
      continue;
    const uint32_t x = d[l];
    d[l] = s[l - distance];
    s[l - distance] = x;
  }
  return aq_wave_next(o);
}

/* Odd rows of 16 lanes with even ones of the source. */
BODY(v_permlane16_swap_b32)
{
  return lanes_swap(w, o, 16);
}

BODY(v_permlane32_swap_b32)
{
  return lanes_swap(w, o, 32);
}

/* ---- through the LDS crossbar; no memory is touched ---- */

/* The lanes that addresses mean: halves of a wave of RDNA 1 to 3 are apart. */
static void permuted_lanes(aq_wave *w, const aq_wave_op *o,
                           uint8_t lanes[AQ_WAVE_LANES])
{
  const uint32_t *address = w->v[o->decoded->address];
  const bool apart = o->decoded->inst.wave32 ||
                     o->decoded->inst.target & (AQ_ISA_GFX10 | AQ_ISA_GFX11);
  const uint32_t mask = apart ? 31 : 63, half = apart ? 32 : 0;
  AQ_EACH_LANE(l)
  lanes[l] = (uint8_t)(((uint32_t)l & half) |
                       ((address[l] + (uint32_t)o->imm) / 4 & mask));
}

/* Lanes pull: inactive lanes read as 0. */
BODY(ds_bpermute_b32)
{
  const uint32_t *data = w->v[o->decoded->data], *m = lanes_mask(w);
  uint32_t active[AQ_WAVE_LANES], row[AQ_WAVE_LANES];
  uint8_t from[AQ_WAVE_LANES];
  permuted_lanes(w, o, from);
  AQ_EACH_LANE(l) active[l] = data[l] & m[l];
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    row[l] = active[from[l]];
  lanes_keep(w, w->v[o->dest], row);
  return aq_wave_next(o);
}

/* Of lanes that are off, too. */
BODY(ds_bpermute_fi_b32)
{
  const uint32_t *data = w->v[o->decoded->data];
  uint32_t row[AQ_WAVE_LANES];
  uint8_t from[AQ_WAVE_LANES];
  permuted_lanes(w, o, from);
  for (int l = 0; l < AQ_WAVE_LANES; l++)
    row[l] = data[from[l]];
  lanes_keep(w, w->v[o->dest], row);
  return aq_wave_next(o);
}

/* Lanes push: the last one that writes wins. */
BODY(ds_permute_b32)
{
  const uint32_t *data = w->v[o->decoded->data];
  uint32_t row[AQ_WAVE_LANES] = {0};
  uint8_t to[AQ_WAVE_LANES];
  permuted_lanes(w, o, to);
  LANES(l) row[to[l]] = data[l];
  lanes_keep(w, w->v[o->dest], row);
  return aq_wave_next(o);
}

BODY(ds_swizzle_b32)
{
  uint32_t row[AQ_WAVE_LANES];
  aq_wave_move_rows(w, o->decoded->move, row, w->v[o->decoded->address], 1);
  lanes_keep(w, w->v[o->dest], row);
  return aq_wave_next(o);
}

/* clang-format off */
#define H(name) {#name, name##_}
const aq_wave_semantics aq_wave_cross[] = {
    H(v_readfirstlane_b32), H(v_readlane_b32), H(v_writelane_b32),
    H(v_swap_b32), H(v_permlane16_swap_b32), H(v_permlane32_swap_b32),
    H(ds_bpermute_b32), H(ds_bpermute_fi_b32), H(ds_permute_b32), H(ds_swizzle_b32), {NULL, NULL}};
/* clang-format on */
