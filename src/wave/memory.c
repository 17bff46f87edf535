/* SPDX-License-Identifier: MIT */
/* Flat, global and scratch memory. */
#include "config.h"

#include <string.h>

#include "wave/instructions.h"
#include "wave/memory.h"
#include "wave/memory_map.h"

#pragma GCC optimize("O3")

enum { LANES = AQ_WAVE_LANES, DWORD = 4 };

/* ---- addresses ---- */

void aq_wave_addresses_read(const aq_wave *w, const aq_wave_op *o,
                            uint64_t addresses[LANES])
{
  const uint64_t offset = (uint64_t)(int64_t)o->inst->offset;
  uint64_t base = offset;
  if (o->b.kind == AQ_WAVE_SGPR)
    base += o->b.rows == 2 ? aq_wave_pair(w, o->b.number) : w->s[o->b.number];
  if (o->a.kind != AQ_WAVE_VGPR) {
    for (unsigned i = 0; i < LANES; i++)
      addresses[i] = base;
    return;
  }
  const uint32_t *low = aq_wave_row(w, o->a.number), *high = low + LANES;
  if (o->a.rows == 2)
    for (unsigned i = 0; i < LANES; i++)
      addresses[i] = base + ((uint64_t)high[i] << 32 | low[i]);
  else
    for (unsigned i = 0; i < LANES; i++)
      addresses[i] = base + low[i];
}

/* Scratch is swizzled: dwords of one offset of all lanes lie side by side. An
 * access is split where a dword ends. */
static unsigned char *scratch_at(const aq_wave *w, uint64_t offset,
                                 unsigned lane)
{
  return w->scratch + (offset / DWORD * LANES + lane) * DWORD + offset % DWORD;
}

unsigned char *aq_wave_lane_locate(aq_wave *w, const aq_wave_op *o,
                                   uint64_t address, unsigned bytes,
                                   unsigned lane, bool write, unsigned *chunk)
{
  const uint8_t encoding = o->inst->row->encoding;
  const uint32_t aperture = (uint32_t)(address >> 32);
  *chunk = bytes;
  if (encoding == AQ_ISA_SCRATCH ||
      (encoding == AQ_ISA_FLAT && aperture == AQ_WAVE_PRIVATE_APERTURE)) {
    const uint64_t offset = (uint32_t)address;
    if (offset + bytes > w->group->private_size) {
      aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, offset,
                    write ? "scratch write behind the private segment"
                          : "scratch read behind the private segment");
      return NULL;
    }
    const unsigned left = DWORD - (unsigned)offset % DWORD;
    *chunk = bytes < left ? bytes : left;
    return scratch_at(w, offset, lane);
  }
  if (encoding == AQ_ISA_FLAT && aperture == AQ_WAVE_SHARED_APERTURE) {
    const uint64_t offset = (uint32_t)address;
    if (offset + bytes <= w->group->lds_size)
      return w->group->lds + offset;
  } else if (aq_wave_may(w->group, address, bytes, write)) {
    return (unsigned char *)(uintptr_t)address;
  }
  aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, address,
                write ? "write" : "read");
  return NULL;
}

/* All lanes are on and lie side by side. */
static bool is_contiguous(const uint64_t addresses[LANES], uint64_t exec,
                          unsigned bytes)
{
  uint64_t differs = 0;
  if (exec != ~UINT64_C(0))
    return false;
  for (unsigned i = 0; i < LANES; i++)
    differs |= addresses[i] ^ (addresses[0] + (uint64_t)i * bytes);
  return !differs;
}

/* ---- loads and stores ---- */

static uint32_t part_load(const aq_wave_op *o, uint32_t value, uint32_t old)
{
  if (o->bytes == 1)
    value = o->sext ? (uint32_t)(int8_t)value : value & 0xff;
  else if (o->bytes == 2)
    value = o->sext ? (uint32_t)(int16_t)value : value & 0xffff;
  return o->half == 0   ? value
         : o->half == 1 ? (old & 0xffff0000) | (value & 0xffff)
                        : (old & 0xffff) | value << 16;
}

static void load_execute(aq_wave *w, const aq_wave_op *o)
{
  _Alignas(64) uint64_t addresses[LANES];
  const uint64_t exec = aq_wave_exec(w);
  uint32_t *d = aq_wave_row(w, o->dst);
  aq_wave_addresses_read(w, o, addresses);
  if (o->bytes == DWORD && o->inst->row->encoding == AQ_ISA_GLOBAL &&
      is_contiguous(addresses, exec, DWORD) &&
      aq_wave_may(w->group, addresses[0], LANES * DWORD, false)) {
    memcpy(d, (const void *)(uintptr_t)addresses[0], LANES * DWORD);
    return;
  }
  for (uint64_t left = exec; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    uint32_t value[4] = {0};
    for (unsigned done = 0, chunk; done < o->bytes; done += chunk) {
      const unsigned char *from = aq_wave_lane_locate(
          w, o, addresses[i] + done, o->bytes - done, i, false, &chunk);
      if (!from)
        return;
      memcpy((unsigned char *)value + done, from, chunk);
    }
    d[i] = part_load(o, value[0], d[i]);
    for (unsigned r = 1; r < o->dst_rows; r++)
      d[r * LANES + i] = value[r];
  }
}

static void store_execute(aq_wave *w, const aq_wave_op *o)
{
  _Alignas(64) uint64_t addresses[LANES];
  const uint64_t exec = aq_wave_exec(w);
  const uint32_t *data = aq_wave_row(w, o->c.number);
  aq_wave_addresses_read(w, o, addresses);
  if (o->bytes == DWORD && o->inst->row->encoding == AQ_ISA_GLOBAL &&
      is_contiguous(addresses, exec, DWORD) &&
      aq_wave_may(w->group, addresses[0], LANES * DWORD, true)) {
    memcpy((void *)(uintptr_t)addresses[0], data, LANES * DWORD);
    return;
  }
  for (uint64_t left = exec; left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    uint32_t value[4] = {data[i] >> (o->half == 2 ? 16 : 0)};
    for (unsigned r = 1; r < o->c.rows; r++)
      value[r] = data[r * LANES + i];
    for (unsigned done = 0, chunk; done < o->bytes; done += chunk) {
      unsigned char *to = aq_wave_lane_locate(w, o, addresses[i] + done,
                                              o->bytes - done, i, true, &chunk);
      if (!to)
        return;
      memcpy(to, (const unsigned char *)value + done, chunk);
    }
  }
}

static const struct {
  const char *name; /* behind "flat_", "global_" or "scratch_" */
  uint8_t bytes, sext, half;
} accesses[] = {
    {"load_ubyte", 1, 0, 0},     {"load_sbyte", 1, 1, 0},
    {"load_ushort", 2, 0, 0},    {"load_sshort", 2, 1, 0},
    {"load_dword", 4, 0, 0},     {"load_dwordx2", 8, 0, 0},
    {"load_dwordx3", 12, 0, 0},  {"load_dwordx4", 16, 0, 0},
    {"load_ubyte_d16", 1, 0, 1}, {"load_ubyte_d16_hi", 1, 0, 2},
    {"load_sbyte_d16", 1, 1, 1}, {"load_sbyte_d16_hi", 1, 1, 2},
    {"load_short_d16", 2, 0, 1}, {"load_short_d16_hi", 2, 0, 2},
    {"store_byte", 1, 0, 0},     {"store_byte_d16_hi", 1, 0, 2},
    {"store_short", 2, 0, 0},    {"store_short_d16_hi", 2, 0, 2},
    {"store_dword", 4, 0, 0},    {"store_dwordx2", 8, 0, 0},
    {"store_dwordx3", 12, 0, 0}, {"store_dwordx4", 16, 0, 0},
};

/* buffer_wbl2 and its like: what they order happens in order here. */
static void order_execute(aq_wave *w, const aq_wave_op *o)
{
  (void)w, (void)o;
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

aq_wave_execute *aq_wave_memory_find(aq_wave_op *op)
{
  const char *name = op->inst->row->name;
  const uint8_t encoding = op->inst->row->encoding;
  if (encoding == AQ_ISA_MUBUF)
    return *op->inst->row->operands ? NULL : order_execute;
  if (op->inst->lds)
    return NULL;
  const char *access = strchr(name, '_') + 1;
  for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++)
    if (strcmp(access, accesses[i].name) == 0) {
      op->bytes = accesses[i].bytes;
      op->sext = accesses[i].sext;
      op->half = accesses[i].half;
      return access[0] == 'l' ? load_execute : store_execute;
    }
  return aq_wave_atomic_find(op);
}
