/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/lds_direct_load.h"

#include "gpu/wave/core/access.h"
#include "gpu/wave/core/buffer.h"
#include "gpu/wave/memory/lds.h"

#define LANES(l)                                                               \
  for (uint64_t rest = AQ_WAVE_EXEC(w); rest; rest &= rest - 1)                \
    for (int l = __builtin_ctzll(rest), once = 1; once; once = 0)

enum { BYTES_MAX = 16 };

/* The bytes of a lane; false: they cannot be reached. */
static bool bytes_read(aq_wave *w, const aq_wave_op *o, int l, unsigned bytes,
                       uint8_t *value, uint64_t *address)
{
  const unsigned part = bytes < 4 ? bytes : 4;
  const bool buffer = o->decoded->inst.row->encoding == AQ_ISA_MUBUF;
  if (!buffer) {
    const void *from = aq_wave_lane_at(w, o, l, bytes, address);
    return from && memcpy(value, from, bytes);
  }
  for (unsigned i = 0; i < bytes; i += part) {
    const void *from = aq_wave_buffer_at(w, o, l, i, part, false, address);
    if (!from)
      return false;
    memcpy(value + i, from, part);
  }
  return true;
}

/* Bytes and halves are extended to words. */
static void value_extend(uint8_t value[BYTES_MAX], unsigned bytes,
                         bool is_signed)
{
  const bool negative = is_signed && value[bytes - 1] >> 7;
  for (unsigned i = bytes; i < 4; i++)
    value[i] = negative ? 0xff : 0;
}

/* The instruction's offset counts in memory and in LDS. */
static const aq_wave_op *direct_load(aq_wave *w, const aq_wave_op *o)
{
  const unsigned bytes = (unsigned)o->constant[2] & 0xff,
                 step = bytes < 4 ? 4 : bytes;
  const uint32_t first =
      aq_wave_shared_base(w, o) + (uint32_t)o->decoded->inst.offset;
  uint64_t address = 0;
  LANES(l)
  {
    const uint32_t at = first + step * (uint32_t)l;
    uint8_t value[BYTES_MAX] = {0};
    uint8_t *to = aq_wave_shared_at(w, at, step);
    if (!to)
      return aq_wave_shared_miss(w, o, l, at);
    if (!bytes_read(w, o, l, bytes, value, &address))
      return aq_wave_access_fault(w, o, l, address, false);
    value_extend(value, bytes, o->constant[2] & AQ_WAVE_DIRECT_SIGNED);
    memcpy(to, value, step);
  }
  return aq_wave_next(o);
}

/* clang-format off */
#define AS(name) {#name, direct_load}
#define WIDTHS(space)                                                          \
  AS(space##_load_lds_ubyte), AS(space##_load_lds_sbyte),                      \
      AS(space##_load_lds_ushort), AS(space##_load_lds_sshort),                \
      AS(space##_load_lds_dword)
const aq_wave_semantics aq_wave_direct[] = {
    WIDTHS(global), WIDTHS(scratch), AS(global_load_lds_dwordx3),
    AS(global_load_lds_dwordx4), {NULL, NULL}};
/* clang-format on */
