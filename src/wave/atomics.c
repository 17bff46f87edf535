/* SPDX-License-Identifier: MIT */
/* Atomics of memory and of LDS: host atomics of the same width. */
#include "config.h"

#include <string.h>

#include "wave/instructions.h"
#include "wave/lane_math.h"
#include "wave/memory.h"

enum { LANES = AQ_WAVE_LANES };

typedef enum aq_atomic {
  SWAP = 1,
  CMPSWAP,
  ADD,
  SUB,
  RSUB,
  SMIN,
  UMIN,
  SMAX,
  UMAX,
  AND,
  OR,
  XOR,
  INC,
  DEC,
  FADD,
  FMIN,
  FMAX,
  PK_ADD_F16,
} aq_atomic;

/* ---- what becomes of a value ---- */

static uint64_t float_combine(aq_atomic kind, unsigned bytes, uint64_t old,
                              uint64_t data)
{
  if (bytes == 8) {
    const f64 a = as_f64(old), b = as_f64(data);
    return kind == FADD   ? result_f64(a + b, a, b, 0)
           : kind == FMIN ? bits_f64(min_f64(a, b))
                          : bits_f64(max_f64(a, b));
  }
  const f32 a = as_f32((u32)old), b = as_f32((u32)data);
  return kind == FADD   ? result_f32(a + b, a, b, 0)
         : kind == FMIN ? bits_f32(min_f32(a, b))
                        : bits_f32(max_f32(a, b));
}

static uint32_t halves_add(uint32_t a, uint32_t b)
{
  const f32 low = as_f16(a) + as_f16(b),
            high = as_f16(a >> 16) + as_f16(b >> 16);
  return result_f16(low, as_f16(a), as_f16(b), 0) |
         result_f16(high, as_f16(a >> 16), as_f16(b >> 16), 0) << 16;
}

/* Both values as wide as the access; signed ones are extended. */
static uint64_t combine(aq_atomic kind, unsigned bytes, uint64_t old,
                        uint64_t data, uint64_t compared)
{
  const int64_t a = bytes == 8 ? (int64_t)old : (int32_t)old;
  const int64_t b = bytes == 8 ? (int64_t)data : (int32_t)data;
  switch (kind) {
  case SWAP:
    return data;
  case CMPSWAP:
    return old == compared ? data : old;
  case ADD:
    return old + data;
  case SUB:
    return old - data;
  case RSUB:
    return data - old;
  case SMIN:
    return a < b ? old : data;
  case UMIN:
    return old < data ? old : data;
  case SMAX:
    return a > b ? old : data;
  case UMAX:
    return old > data ? old : data;
  case AND:
    return old & data;
  case OR:
    return old | data;
  case XOR:
    return old ^ data;
  case INC:
    return old >= data ? 0 : old + 1;
  case DEC:
    return old == 0 || old > data ? data : old - 1;
  case PK_ADD_F16:
    return halves_add((u32)old, (u32)data);
  default:
    return float_combine(kind, bytes, old, data);
  }
}

/* Replaces what lies there by its combination; returns what it was. */
static uint64_t exchange(const aq_wave_op *o, void *at, uint64_t data,
                         uint64_t compared)
{
  const aq_atomic kind = (aq_atomic)o->operation;
  if (o->bytes == 8) {
    uint64_t old = __atomic_load_n((uint64_t *)at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        (uint64_t *)at, &old, combine(kind, 8, old, data, compared), true,
        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
      ;
    return old;
  }
  uint32_t old = __atomic_load_n((uint32_t *)at, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(
      (uint32_t *)at, &old,
      (uint32_t)combine(kind, 4, old, (uint32_t)data, (uint32_t)compared), true,
      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
    ;
  return old;
}

static uint64_t rows_read(const uint32_t *rows, unsigned lane, unsigned bytes)
{
  return bytes == 8 ? (uint64_t)rows[lane + LANES] << 32 | rows[lane]
                    : rows[lane];
}

/* ---- instructions ---- */

static void lane_exchange(aq_wave *w, const aq_wave_op *o, unsigned lane,
                          unsigned char *at, uint64_t data, uint64_t compared)
{
  const uint64_t old = exchange(o, at, data, compared);
  uint32_t *d = aq_wave_row(w, o->dst) + lane;
  if (o->dst_rows)
    d[0] = (uint32_t)old;
  if (o->dst_rows == 2)
    d[LANES] = (uint32_t)(old >> 32);
}

static bool is_aligned(aq_wave *w, const aq_wave_op *o, uint64_t address)
{
  if (address % o->bytes == 0)
    return true;
  aq_wave_fault(w, o, AQ_EXECUTION_FAULT_MEMORY, address, "misaligned atomic");
  return false;
}

/* The data of a compare-and-swap is the new value, then the compared one. */
static void memory_execute(aq_wave *w, const aq_wave_op *o)
{
  uint64_t addresses[LANES];
  const uint32_t *data = aq_wave_row(w, o->c.number);
  const uint32_t *compared = data + o->bytes / 4u * LANES;
  aq_wave_addresses_read(w, o, addresses);
  for (uint64_t left = aq_wave_exec(w); left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    unsigned chunk;
    unsigned char *at = NULL;
    if (is_aligned(w, o, addresses[i]))
      at = aq_wave_lane_locate(w, o, addresses[i], o->bytes, i, true, &chunk);
    if (!at)
      return;
    if (chunk < o->bytes) { /* swizzled scratch, whose dwords lie apart */
      aq_wave_fault(w, o, AQ_EXECUTION_FAULT_ILLEGAL, addresses[i],
                    "a 64-bit atomic on scratch");
      return;
    }
    lane_exchange(w, o, i, at, rows_read(data, i, o->bytes),
                  o->operation == CMPSWAP ? rows_read(compared, i, o->bytes)
                                          : 0);
  }
}

/* In LDS the compared value comes first. */
static void lds_execute(aq_wave *w, const aq_wave_op *o)
{
  const uint32_t *address = aq_wave_row(w, o->a.number);
  const bool compares = o->operation == CMPSWAP;
  const uint32_t *data = aq_wave_row(w, compares ? o->c.number : o->b.number);
  const uint32_t *compared = aq_wave_row(w, o->b.number);
  for (uint64_t left = aq_wave_exec(w); left; left &= left - 1) {
    const unsigned i = (unsigned)__builtin_ctzll(left);
    const uint32_t where = address[i] + (uint32_t)o->inst->offset;
    unsigned char *at = NULL;
    if (is_aligned(w, o, where))
      at = aq_wave_lds_locate(w, o, where, o->bytes);
    if (!at)
      return;
    lane_exchange(w, o, i, at, rows_read(data, i, o->bytes),
                  compares ? rows_read(compared, i, o->bytes) : 0);
  }
}

typedef struct aq_atomic_row {
  const char *name;
  uint8_t bytes, kind;
} aq_atomic_row;

/* Behind "atomic_". */
static const aq_atomic_row memory_rows[] = {
#define BOTH(name, kind)                                                       \
  {name, 4, kind},                                                             \
  {                                                                            \
    name "_x2", 8, kind                                                        \
  }
    BOTH("swap", SWAP),   BOTH("cmpswap", CMPSWAP),
    BOTH("add", ADD),     BOTH("sub", SUB),
    BOTH("smin", SMIN),   BOTH("umin", UMIN),
    BOTH("smax", SMAX),   BOTH("umax", UMAX),
    BOTH("and", AND),     BOTH("or", OR),
    BOTH("xor", XOR),     BOTH("inc", INC),
    BOTH("dec", DEC),     {"add_f32", 4, FADD},
    {"add_f64", 8, FADD}, {"min_f64", 8, FMIN},
    {"max_f64", 8, FMAX}, {"pk_add_f16", 4, PK_ADD_F16},
#undef BOTH
};

static const aq_atomic_row lds_rows[] = {
#define KINDS(name, type32, type64, kind)                                      \
  {"ds_" name "_" type32, 4, kind}, {"ds_" name "_" type64, 8, kind},          \
      {"ds_" name "_rtn_" type32, 4, kind},                                    \
  {                                                                            \
    "ds_" name "_rtn_" type64, 8, kind                                         \
  }
    KINDS("add", "u32", "u64", ADD),      KINDS("sub", "u32", "u64", SUB),
    KINDS("rsub", "u32", "u64", RSUB),    KINDS("inc", "u32", "u64", INC),
    KINDS("dec", "u32", "u64", DEC),      KINDS("min", "i32", "i64", SMIN),
    KINDS("max", "i32", "i64", SMAX),     KINDS("min", "u32", "u64", UMIN),
    KINDS("max", "u32", "u64", UMAX),     KINDS("min", "f32", "f64", FMIN),
    KINDS("max", "f32", "f64", FMAX),     KINDS("add", "f32", "f64", FADD),
    KINDS("and", "b32", "b64", AND),      KINDS("or", "b32", "b64", OR),
    KINDS("xor", "b32", "b64", XOR),      KINDS("cmpst", "b32", "b64", CMPSWAP),
    KINDS("wrxchg", "b32", "b64", SWAP),  {"ds_pk_add_f16", 4, PK_ADD_F16},
    {"ds_pk_add_rtn_f16", 4, PK_ADD_F16},
#undef KINDS
};

static bool row_apply(aq_wave_op *op, const aq_atomic_row *rows, size_t count,
                      const char *name)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(rows[i].name, name) == 0) {
      op->bytes = rows[i].bytes;
      op->operation = rows[i].kind;
      return true;
    }
  return false;
}

aq_wave_execute *aq_wave_atomic_find(aq_wave_op *op)
{
  const char *name = op->inst->row->name, *atomic = strstr(name, "_atomic_");
  if (op->inst->row->encoding == AQ_ISA_DS)
    return row_apply(op, lds_rows, sizeof lds_rows / sizeof *lds_rows, name)
               ? lds_execute
               : NULL;
  return atomic && row_apply(op, memory_rows,
                             sizeof memory_rows / sizeof *memory_rows,
                             atomic + strlen("_atomic_"))
             ? memory_execute
             : NULL;
}
