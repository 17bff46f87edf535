/* SPDX-License-Identifier: MIT */
/* The local data share, and the lane moves of its crossbar. */
#include "config.h"

#include <string.h>

#include "wave/instructions.h"
#include "wave/memory.h"

#pragma GCC optimize("O3")

enum { LANES = AQ_WAVE_LANES, DWORD = 4, STRIDE_64 = 64 };

unsigned char *aq_wave_lds_locate(aq_wave *w, const aq_wave_op *o,
                                  uint32_t address, unsigned bytes)
{
  if ((uint64_t)address + bytes <= w->group->lds_size)
    return w->group->lds + address;
  aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, address,
                "access behind the group segment (LDS)");
  return NULL;
}

/* The offset of the first or second element, in bytes. */
static uint32_t element_offset(const aq_wave_op *o, unsigned element)
{
  const uint32_t offset = (uint32_t)o->inst->offset;
  if (!(o->inst->row->flags & AQ_ISA_OFFSET2))
    return offset;
  const unsigned unit =
      o->bytes * (strstr(o->inst->row->name, "st64") ? STRIDE_64 : 1);
  return (element ? offset >> 8 : offset & 0xff) * unit;
}

static void read_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = aq_wave_row(w, o->a.number);
  uint32_t *d = aq_wave_row(w, o->dst);
  const unsigned elements = o->inst->row->flags & AQ_ISA_OFFSET2 ? 2 : 1;
  const unsigned rows = o->dst_rows / elements;
  const uint32_t offsets[2] = {element_offset(o, 0), element_offset(o, 1)};
  for (uint64_t left = aq_wave_exec(w); left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    const uint32_t base = address[i]; /* may be a row of the destination */
    uint32_t value[4] = {0};
    for (unsigned e = 0; e < elements; e++) {
      const unsigned char *from =
          aq_wave_lds_locate(w, o, base + offsets[e], o->bytes);
      if (!from)
        return;
      memcpy(value + e * rows, from, o->bytes);
    }
    if (o->bytes == 1)
      value[0] = o->sext ? (uint32_t)(int8_t)value[0] : value[0];
    else if (o->bytes == 2)
      value[0] = o->sext ? (uint32_t)(int16_t)value[0] : value[0];
    if (o->half)
      value[0] = o->half == 1 ? (d[i] & 0xffff0000) | (value[0] & 0xffff)
                              : (d[i] & 0xffff) | value[0] << 16;
    for (unsigned r = 0; r < o->dst_rows; r++)
      d[r * LANES + i] = value[r];
  }
}

static void write_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = aq_wave_row(w, o->a.number);
  const uint32_t *data[2] = {aq_wave_row(w, o->b.number),
                             aq_wave_row(w, o->c.number)};
  const unsigned elements = o->inst->row->flags & AQ_ISA_OFFSET2 ? 2 : 1;
  const uint32_t offsets[2] = {element_offset(o, 0), element_offset(o, 1)};
  for (uint64_t left = aq_wave_exec(w); left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    for (unsigned e = 0; e < elements; e++) {
      uint32_t value[4] = {data[e][i] >> (o->half == 2 ? 16 : 0)};
      for (unsigned r = 1; r < o->b.rows; r++)
        value[r] = data[e][r * LANES + i];
      unsigned char *to =
          aq_wave_lds_locate(w, o, address[i] + offsets[e], o->bytes);
      if (!to)
        return;
      memcpy(to, value, o->bytes);
    }
  }
}

/* ---- moves between lanes ---- */

/* Lane i reads the lane that its address names; a lane that is off gives 0. */
static void bpermute_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = aq_wave_row(w, o->a.number);
  const uint32_t *data = aq_wave_row(w, o->b.number);
  const uint64_t exec = aq_wave_exec(w);
  uint32_t result[LANES], *d = aq_wave_row(w, o->dst);
  for (unsigned i = 0; i < LANES; i++) {
    const unsigned from = (address[i] + (uint32_t)o->inst->offset) / 4 % LANES;
    result[i] = exec >> from & 1 ? data[from] : 0;
  }
  for (unsigned i = 0; i < LANES; i++)
    d[i] = exec >> i & 1 ? result[i] : d[i];
}

/* Lane i writes to the lane that its address names; the last writer wins. */
static void permute_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = aq_wave_row(w, o->a.number);
  const uint32_t *data = aq_wave_row(w, o->b.number);
  const uint64_t exec = aq_wave_exec(w);
  uint32_t result[LANES] = {0}, *d = aq_wave_row(w, o->dst);
  for (unsigned i = 0; i < LANES; i++)
    if (exec >> i & 1)
      result[(address[i] + (uint32_t)o->inst->offset) / 4 % LANES] = data[i];
  for (unsigned i = 0; i < LANES; i++)
    d[i] = exec >> i & 1 ? result[i] : d[i];
}

static unsigned swizzle_lane(uint32_t pattern, unsigned lane)
{
  enum { QUADS = 0x8000, HALF = 32 };
  if (pattern & QUADS)
    return (lane & ~3u) | (pattern >> (lane & 3) * 2 & 3);
  const unsigned at =
      ((lane & pattern & 31) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
  return (lane & HALF) | at;
}

static void swizzle_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *data = aq_wave_row(w, o->a.number);
  const uint64_t exec = aq_wave_exec(w);
  uint32_t result[LANES], *d = aq_wave_row(w, o->dst);
  for (unsigned i = 0; i < LANES; i++) {
    const unsigned from = swizzle_lane((uint32_t)o->inst->offset, i);
    result[i] = exec >> from & 1 ? data[from] : 0;
  }
  for (unsigned i = 0; i < LANES; i++)
    d[i] = exec >> i & 1 ? result[i] : d[i];
}

static const struct {
  const char *name;
  uint8_t bytes, sext, half; /* of one element */
  aq_wave_execute *execute;
} accesses[] = {
    {"ds_read_i8", 1, 1, 0, read_execute},
    {"ds_read_u8", 1, 0, 0, read_execute},
    {"ds_read_i16", 2, 1, 0, read_execute},
    {"ds_read_u16", 2, 0, 0, read_execute},
    {"ds_read_b32", 4, 0, 0, read_execute},
    {"ds_read_b64", 8, 0, 0, read_execute},
    {"ds_read_b96", 12, 0, 0, read_execute},
    {"ds_read_b128", 16, 0, 0, read_execute},
    {"ds_read_u8_d16", 1, 0, 1, read_execute},
    {"ds_read_u8_d16_hi", 1, 0, 2, read_execute},
    {"ds_read_i8_d16", 1, 1, 1, read_execute},
    {"ds_read_i8_d16_hi", 1, 1, 2, read_execute},
    {"ds_read_u16_d16", 2, 0, 1, read_execute},
    {"ds_read_u16_d16_hi", 2, 0, 2, read_execute},
    {"ds_read2_b32", 4, 0, 0, read_execute},
    {"ds_read2st64_b32", 4, 0, 0, read_execute},
    {"ds_read2_b64", 8, 0, 0, read_execute},
    {"ds_read2st64_b64", 8, 0, 0, read_execute},
    {"ds_write_b8", 1, 0, 0, write_execute},
    {"ds_write_b8_d16_hi", 1, 0, 2, write_execute},
    {"ds_write_b16", 2, 0, 0, write_execute},
    {"ds_write_b16_d16_hi", 2, 0, 2, write_execute},
    {"ds_write_b32", 4, 0, 0, write_execute},
    {"ds_write_b64", 8, 0, 0, write_execute},
    {"ds_write_b96", 12, 0, 0, write_execute},
    {"ds_write_b128", 16, 0, 0, write_execute},
    {"ds_write2_b32", 4, 0, 0, write_execute},
    {"ds_write2st64_b32", 4, 0, 0, write_execute},
    {"ds_write2_b64", 8, 0, 0, write_execute},
    {"ds_write2st64_b64", 8, 0, 0, write_execute},
    {"ds_bpermute_b32", 4, 0, 0, bpermute_execute},
    {"ds_permute_b32", 4, 0, 0, permute_execute},
    {"ds_swizzle_b32", 4, 0, 0, swizzle_execute},
};

aq_wave_execute *aq_wave_lds_find(aq_wave_op *op)
{
  if (op->inst->gds)
    return NULL;
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
    if (strcmp(op->inst->row->name, accesses[i].name) == 0) {
      op->bytes = accesses[i].bytes;
      op->sext = accesses[i].sext;
      op->half = accesses[i].half;
      return accesses[i].execute;
    }
  return aq_wave_atomic_find(op);
}
