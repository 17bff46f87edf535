/* SPDX-License-Identifier: MIT */
/* Instructions that move values between lanes, or to and from scalars. */
#include "config.h"

#include "wave/lanes.h"

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
  w->s[o->d] =
      o->kind[0] == AQ_WAVE_V ? w->v[o->r[0]][l] : aq_wave_s32(w, o, 0);
  return aq_wave_next(o);
}

BODY(v_readlane_b32)
{
  const uint32_t l = aq_wave_s32(w, o, 1) & (w->wave32 ? 31 : 63);
  w->s[o->d] = w->v[o->r[0]][l];
  return aq_wave_next(o);
}

BODY(v_writelane_b32)
{
  const uint32_t value = aq_wave_s32(w, o, 0);
  w->v[o->d][aq_wave_s32(w, o, 1) & (w->wave32 ? 31 : 63)] = value;
  return aq_wave_next(o);
}

BODY(v_swap_b32)
{
  LANES(l)
  {
    const uint32_t a = w->v[o->r[0]][l];
    w->v[o->r[0]][l] = w->v[o->d][l];
    w->v[o->d][l] = a;
  }
  return aq_wave_next(o);
}

/* Exchanges lanes of the destination with the source's lanes `distance` below.
 * Both have to be active, or neither. */
static const aq_wave_op *lanes_swap(aq_wave *w, const aq_wave_op *o,
                                    int distance)
{
  const uint64_t exec = AQ_WAVE_EXEC(w);
  uint32_t *d = w->v[o->d], *s = w->v[o->r[0]];
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

/* The lane that an address means to lane l: halves of a wave of RDNA 1 to 3 are
 * apart. */
static uint32_t permuted_lane(const aq_wave_op *o, int l, uint32_t address)
{
  const uint32_t lane = (address + (uint32_t)o->imm) / 4;
  return o->more->inst.wave32 ||
                 o->more->inst.target & (AQ_ISA_GFX10 | AQ_ISA_GFX11)
             ? ((uint32_t)l & 32) | (lane & 31)
             : lane & 63;
}

/* Lanes pull: inactive lanes read as 0. */
BODY(ds_bpermute_b32)
{
  const aq_wave_more *more = o->more;
  const uint32_t *address = w->v[more->address], *data = w->v[more->data];
  uint32_t from[AQ_WAVE_LANES] = {0};
  LANES(l)
  {
    const uint32_t lane = permuted_lane(o, l, address[l]);
    from[l] = AQ_WAVE_EXEC(w) >> lane & 1 ? data[lane] : 0;
  }
  LANES(l) w->v[o->d][l] = from[l];
  return aq_wave_next(o);
}

/* Lanes push: the last one that writes wins. */
/* Of lanes that are off, too. */
BODY(ds_bpermute_fi_b32)
{
  const uint32_t *address = w->v[o->more->address];
  uint32_t from[AQ_WAVE_LANES];
  memcpy(from, w->v[o->more->data], sizeof from);
  LANES(l)
  w->v[o->d][l] = from[permuted_lane(o, l, address[l])];
  return aq_wave_next(o);
}

BODY(ds_permute_b32)
{
  const aq_wave_more *more = o->more;
  const uint32_t *address = w->v[more->address], *data = w->v[more->data];
  uint32_t to[AQ_WAVE_LANES] = {0};
  LANES(l) to[permuted_lane(o, l, address[l])] = data[l];
  LANES(l) w->v[o->d][l] = to[l];
  return aq_wave_next(o);
}

/* The lane that l reads, by the pattern of the offset. */
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

BODY(ds_swizzle_b32)
{
  const uint32_t *data = w->v[o->more->address];
  const uint32_t pattern = (uint32_t)o->imm;
  uint32_t from[AQ_WAVE_LANES] = {0};
  if ((pattern & 0xe000) == 0xe000)
    return aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, 0,
                         "ds_swizzle_b32 in FFT mode is not simulated");
  LANES(l)
  {
    const int lane = (pattern & 0xe000) == 0xc000 ? swizzle_rotate(pattern, l)
                                                  : swizzle_lane(pattern, l);
    from[l] = AQ_WAVE_EXEC(w) >> lane & 1 ? data[lane] : 0;
  }
  LANES(l) w->v[o->d][l] = from[l];
  return aq_wave_next(o);
}

/* clang-format off */
#define H(name) {#name, name##_}
const aq_wave_semantics aq_wave_cross[] = {
    H(v_readfirstlane_b32), H(v_readlane_b32), H(v_writelane_b32),
    H(v_swap_b32), H(v_permlane16_swap_b32), H(v_permlane32_swap_b32),
    H(ds_bpermute_b32), H(ds_bpermute_fi_b32), H(ds_permute_b32), H(ds_swizzle_b32), {NULL, NULL}};
/* clang-format on */
