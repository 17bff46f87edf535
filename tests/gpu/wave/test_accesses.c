/* SPDX-License-Identifier: MIT */
/* Every load, store and atomic instruction of LDS, memory, buffers, private and
 * scalar memory that executes, against a model in C that reads their names; the
 * operations are from AMD's ISA documents (GCN3 chapter 12, CDNA3 and CDNA4
 * chapter 12, RDNA3 and RDNA4 chapter 16). Of floats only sums that are exact:
 * rounding and denormals of atomics are tested elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/address_translate.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"

enum {
  LANES = 64,
  BYTES = 8192,
  SLOT = 16,     /* bytes of a lane */
  PRIVATE = 128, /* bytes of private memory of a lane: BYTES in all */
  D = 0,
  ADDRESS = 8,
  DATA = 16,
  DATA2 = 24,
  ROWS = 32,
  CASES = 600,
};

typedef enum access_kind { LOAD, STORE, ATOMIC } access_kind;

typedef struct access {
  const aq_isa_row *row;
  access_kind kind;
  bool returns, is_signed, half, upper;
  char op[16], type; /* u i f, h and b: pairs of f16 and bf16 */
  unsigned bytes;    /* of an element */
  unsigned elements, offsets[2];
} access;

static uint8_t memory[BYTES] __attribute__((aligned(256)));
static uint8_t expected[BYTES];
static access cases[CASES];
static char texts[CASES][BED_TEXT];
static aq_wave_reachable reachable;

/* ---- names ---- */

static bool starts(const char **at, const char *with)
{
  const size_t length = strlen(with);
  if (strncmp(*at, with, length) != 0)
    return false;
  *at += length;
  return true;
}

/* "ubyte_d16_hi", "dwordx3", "b96", "i8" */
static bool width_read(const char *at, access *a)
{
  static const struct {
    const char *name;
    unsigned bytes;
    bool is_signed;
  } widths[] = {
      {"ubyte", 1, false},    {"sbyte", 1, true},     {"byte", 1, false},
      {"ushort", 2, false},   {"sshort", 2, true},    {"short", 2, false},
      {"dwordx16", 64, 0},    {"dwordx8", 32, false}, {"dwordx4", 16, 0},
      {"dwordx3", 12, false}, {"dwordx2", 8, false},  {"dword", 4, false},
      {"b512", 64, false},    {"b256", 32, false},    {"b128", 16, false},
      {"b96", 12, false},     {"b64", 8, false},      {"b32", 4, false},
      {"b16", 2, false},      {"b8", 1, false},       {"u16", 2, false},
      {"u8", 1, false},       {"i16", 2, true},       {"i8", 1, true}};
  const bool first = starts(&at, "d16_"); /* from gfx11 on */
  const bool first_upper = first && starts(&at, "hi_");
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (starts(&at, widths[i].name)) {
      a->bytes = widths[i].bytes;
      a->is_signed = widths[i].is_signed;
      a->half = starts(&at, "_d16") || first;
      a->upper = starts(&at, "_hi") || first_upper;
      return *at == 0;
    }
  return false;
}

static bool atomic_read(const char *at, access *a)
{
  static const struct {
    const char *name, *op;
  } ops[] = {{"add", "add"},        {"sub", "sub"},       {"rsub", "rsub"},
             {"inc", "inc"},        {"dec", "dec"},       {"smin", "min"},
             {"umin", "min"},       {"min", "min"},       {"smax", "max"},
             {"umax", "max"},       {"max", "max"},       {"and", "and"},
             {"or", "or"},          {"xor", "xor"},       {"mskor", "mskor"},
             {"swap", "swap"},      {"wrxchg", "swap"},   {"cmpswap", "cmp"},
             {"cmpst", "cmpst"},    {"wrap", "wrap"},     {"fmin", "min"},
             {"fmax", "max"},       {"fcmpswap", "cmp"},  {"csub", "clamp"},
             {"storexchg", "swap"}, {"cmpstore", "store"}};
  const bool packed = starts(&at, "pk_");
  /* Two words of a name. */
  if (starts(&at, "cond_sub_"))
    strcpy(a->op, "cond");
  else if (starts(&at, "sub_clamp_"))
    strcpy(a->op, "clamp");
  else if (starts(&at, "min_num_"))
    strcpy(a->op, "min");
  else if (starts(&at, "max_num_"))
    strcpy(a->op, "max");
  char name[16] = "";
  const size_t length = *a->op ? 0 : strcspn(at, "_");
  if (length >= sizeof name)
    return false;
  memcpy(name, at, length);
  if (length)
    at += length + (at[length] == '_');
  for (size_t i = 0; !*a->op && i < sizeof ops / sizeof *ops; i++)
    if (strcmp(ops[i].name, name) == 0)
      strcpy(a->op, ops[i].op);
  a->kind = ATOMIC;
  a->type = name[0] == 's' && strlen(name) == 4 && name[1] == 'm' ? 'i'
            : *name == 'f'                                        ? 'f'
                                                                  : 'u';
  if (a->row->encoding == AQ_ISA_DS)
    a->returns = starts(&at, "rtn_");
  a->bytes = 4;
  if (packed)
    a->type = starts(&at, "bf16") ? 'b' : starts(&at, "f16") ? 'h' : 0;
  else if (starts(&at, "x2"))
    a->bytes = 8;
  else if (*at) {
    a->type = *at == 'b' ? 'u' : *at;
    a->bytes = atoi(at + 1) / 8;
    at += 3;
  }
  return *a->op && a->type && *at == 0 && (a->bytes == 4 || a->bytes == 8);
}

/* False: another test has it. */
static bool name_read(const aq_isa_row *row, access *a)
{
  const char *at = row->name;
  *a = (access){.row = row, .elements = 1};
  if (starts(&at, "ds_")) {
    if (row->flags & AQ_ISA_GDS || strstr(at, "_tr_") || strstr(at, "addtid"))
      return false;
    const char *two = strchr(at, '2');
    if (row->flags & AQ_ISA_OFFSET2 && two) {
      const bool load = starts(&at, "read2") || starts(&at, "load_2addr"),
                 far = strncmp(two, "2st", 3) == 0 || strstr(two, "stride64");
      a->kind = load ? LOAD : STORE;
      a->elements = 2;
      if (!load && !starts(&at, "write2") && !starts(&at, "store_2addr"))
        return false;
      at = strrchr(at, '_') + 1;
      a->bytes = (unsigned)atoi(at + 1) / 8;
      a->offsets[0] = far ? 0 : a->bytes;
      a->offsets[1] = far ? 4 * 64 * a->bytes : 0;
      return true;
    }
    if (starts(&at, "read_") || starts(&at, "load_"))
      return width_read(at, a);
    a->kind = STORE;
    return starts(&at, "write_") || starts(&at, "store_") ? width_read(at, a)
                                                          : atomic_read(at, a);
  }
  if (!starts(&at, "flat_") && !starts(&at, "global_") &&
      !starts(&at, "scratch_") && !starts(&at, "s_buffer_") &&
      !starts(&at, "buffer_") && !starts(&at, "s_"))
    return false;
  if (starts(&at, "load_"))
    return width_read(at, a);
  a->kind = STORE;
  return starts(&at, "store_")    ? width_read(at, a)
         : starts(&at, "atomic_") ? atomic_read(at, a)
                                  : false;
}

/* ---- texts ---- */

static char *register_put(char *at, char file, unsigned first, unsigned bytes)
{
  const unsigned words = (bytes + 3) / 4;
  return at + (words > 1
                   ? sprintf(at, "%c[%u:%u]", file, first, first + words - 1)
                   : sprintf(at, "%c%u", file, first));
}

/* Bytes of the data: an exchange under a condition has two values in one. */
static unsigned data_bytes(const access *a)
{
  return strcmp(a->op, "cmp") == 0 ? 2 * a->bytes : a->bytes;
}

static void ds_put(const access *a, char *at)
{
  const char *role = a->row->operands;
  at += sprintf(at, "%s ", a->row->name);
  for (bool first = true; *role; first = false) {
    const unsigned registers[] = {ADDRESS, DATA, DATA2, D};
    if (!first)
      at += sprintf(at, ", ");
    at = register_put(at, 'v', registers[*role - 'A'],
                      *role == 'A'   ? 4
                      : *role == 'D' ? a->bytes * a->elements
                                     : a->bytes);
    role += strcspn(role, " ");
    role += *role == ' ';
  }
  if (a->elements == 2)
    sprintf(at, " offset0:%u offset1:%u",
            a->offsets[1] ? 0 : a->offsets[0] / a->bytes,
            a->offsets[1] / a->bytes / 64);
  else
    sprintf(at, " offset:%u", a->offsets[0]);
}

static void vector_put(const access *a, uint16_t target, char *at)
{
  const uint8_t e = a->row->encoding;
  const bool is_12 = target & AQ_ISA_GFX1200;
  at += sprintf(at, "%s ", a->row->name);
  if (e == AQ_ISA_MUBUF) {
    at = register_put(at, 'v', a->kind == LOAD ? D : DATA, data_bytes(a));
    at += sprintf(at, ", v%d, s[4:7], %s offen", ADDRESS, is_12 ? "null" : "0");
  } else {
    if (a->kind == LOAD || a->returns) {
      at = register_put(at, 'v', D, a->bytes);
      at += sprintf(at, ", ");
    }
    at = register_put(at, 'v', ADDRESS, e == AQ_ISA_SCRATCH ? 4 : 8);
    if (a->kind != LOAD)
      at = register_put(strcat(at, ", ") + 2, 'v', DATA, data_bytes(a));
    if (e != AQ_ISA_FLAT)
      at += sprintf(at, ", off");
  }
  at += sprintf(at, " offset:%u", a->offsets[0]);
  if (a->returns)
    sprintf(at, is_12                      ? " th:TH_ATOMIC_RETURN"
                : target & AQ_ISA_FROM_940 ? " sc0"
                                           : " glc");
}

static void scalar_put(const access *a, char *at)
{
  const bool buffer = strncmp(a->row->name, "s_buffer", 8) == 0;
  at += sprintf(at, "%s ", a->row->name);
  at = register_put(at, 's', DATA, data_bytes(a));
  at += sprintf(at, ", s[4:%d], 0x%x", buffer ? 7 : 5, a->offsets[0]);
  if (a->returns)
    sprintf(at, " glc");
}

static size_t case_add(size_t count, const access *from, uint16_t target)
{
  access *a = &cases[count];
  ck_assert_uint_lt(count, CASES);
  *a = *from;
  if (a->elements == 1)
    a->offsets[0] = a->bytes == 1 ? 19 : a->bytes == 2 ? 18 : 16;
  if (a->row->encoding == AQ_ISA_DS)
    ds_put(a, texts[count]);
  else if (a->row->encoding == AQ_ISA_SMEM)
    scalar_put(a, texts[count]);
  else
    vector_put(a, target, texts[count]);
  return count + 1;
}

static size_t cases_make(uint16_t target)
{
  size_t count = 0;
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    access a;
    if (row->encoding < AQ_ISA_SMEM || row->encoding > AQ_ISA_MUBUF ||
        (row->encoding > AQ_ISA_SMEM && row->encoding < AQ_ISA_DS) ||
        !aq_wave_row_executes(row, target) || !name_read(row, &a))
      continue;
    count = case_add(count, &a, target);
    if (a.kind != ATOMIC || row->encoding == AQ_ISA_DS)
      continue;
    a.returns = true;
    count = case_add(count, &a, target);
  }
  return count;
}

/* ---- the model ---- */

static float float_of(uint32_t bits)
{
  float x;
  memcpy(&x, &bits, 4);
  return x;
}

static uint32_t bits_of(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}

static double double_of(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

static uint64_t wide_bits_of(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}

/* Integers of at most 11 bits as f16, exactly. */
static uint32_t half_of(int x)
{
  _Float16 h = (_Float16)x;
  uint16_t bits;
  memcpy(&bits, &h, 2);
  return bits;
}

static int half_value(uint32_t bits)
{
  const uint16_t b = (uint16_t)bits;
  _Float16 h;
  memcpy(&h, &b, 2);
  return (int)h;
}

static uint32_t pair_add(char type, uint32_t x, uint32_t y)
{
  uint32_t r = 0;
  for (int s = 0; s < 32; s += 16) {
    const uint32_t p = x >> s & 0xffff, q = y >> s & 0xffff;
    r |= (type == 'h' ? half_of(half_value(p) + half_value(q))
                      : bits_of(float_of(p << 16) + float_of(q << 16)) >> 16)
         << s;
  }
  return r;
}

static uint64_t sum(const access *a, uint64_t x, uint64_t y)
{
  switch (a->type) {
  case 'f':
    return a->bytes == 8
               ? wide_bits_of(double_of(x) + double_of(y))
               : bits_of(float_of((uint32_t)x) + float_of((uint32_t)y));
  case 'h':
  case 'b':
    return pair_add(a->type, (uint32_t)x, (uint32_t)y);
  default:
    return x + y;
  }
}

static bool is_less(const access *a, uint64_t x, uint64_t y)
{
  if (a->type == 'f')
    return a->bytes == 8 ? double_of(x) < double_of(y)
                         : float_of((uint32_t)x) < float_of((uint32_t)y);
  if (a->type == 'i')
    return a->bytes == 8 ? (int64_t)x < (int64_t)y : (int32_t)x < (int32_t)y;
  return x < y;
}

static bool is_equal(const access *a, uint64_t x, uint64_t y)
{
  return a->type == 'f' ? !is_less(a, x, y) && !is_less(a, y, x) : x == y;
}

/* What memory holds after the operation: `x` data, `y` the second. */
static uint64_t changed(const access *a, uint64_t old, uint64_t x, uint64_t y)
{
  const char *op = a->op;
  return strcmp(op, "add") == 0     ? sum(a, old, x)
         : strcmp(op, "sub") == 0   ? old - x
         : strcmp(op, "rsub") == 0  ? x - old
         : strcmp(op, "inc") == 0   ? (old >= x ? 0 : old + 1)
         : strcmp(op, "dec") == 0   ? (old == 0 || old > x ? x : old - 1)
         : strcmp(op, "min") == 0   ? (is_less(a, x, old) ? x : old)
         : strcmp(op, "max") == 0   ? (is_less(a, old, x) ? x : old)
         : strcmp(op, "and") == 0   ? (old & x)
         : strcmp(op, "or") == 0    ? (old | x)
         : strcmp(op, "xor") == 0   ? (old ^ x)
         : strcmp(op, "mskor") == 0 ? ((old & ~x) | y)
         : strcmp(op, "wrap") == 0  ? (old >= x ? old - x : old + y)
         : strcmp(op, "cmp") == 0   ? (is_equal(a, old, y) ? x : old)
         : strcmp(op, "cmpst") == 0 ? (is_equal(a, old, x) ? y : old)
         : strcmp(op, "store") == 0 ? (is_equal(a, old, y) ? x : old)
         : strcmp(op, "cond") == 0  ? (old >= x ? old - x : old)
         : strcmp(op, "clamp") == 0 ? (old >= x ? old - x : 0)
                                    : x;
}

/* ---- a case ---- */

/* Numbers that add up exactly where the type is one of floats. */
static uint64_t number(aq_rng *rng, char type, unsigned bytes)
{
  const uint64_t x = aq_rng_bits(rng);
  const int i = (int)(x >> 20 & 63) - 32, k = (int)(x >> 40 & 63) - 32;
  switch (type) {
  case 'f':
    return bytes == 8 ? wide_bits_of(i / 4.0) : bits_of((float)i / 4);
  case 'h':
    return half_of(i) | half_of(k) << 16;
  case 'b':
    return bits_of((float)i) >> 16 | (bits_of((float)k) & 0xffff0000);
  default:
    return x & 1 ? x : x >> 58;
  }
}

/* Where byte `k` of a lane's access lies in memory. */
static size_t place(const access *a, int l, unsigned element, unsigned k)
{
  const unsigned at = a->offsets[element] + k;
  if (a->row->encoding == AQ_ISA_SMEM)
    return at;
  if (a->row->encoding == AQ_ISA_SCRATCH) {
    const unsigned own = SLOT * ((unsigned)l % 4) + at;
    return (size_t)(own / 4 * 256 + 4 * (unsigned)l + own % 4);
  }
  return SLOT * (63 - (size_t)l) + at;
}

static uint64_t loaded(const access *a, int l, unsigned element, unsigned word,
                       unsigned bytes)
{
  uint64_t x = 0;
  for (unsigned k = 0; k < bytes; k++)
    x |= (uint64_t)memory[place(a, l, element, 4 * word + k)] << (8 * k);
  return x;
}

static void stored(const access *a, int l, unsigned element, unsigned word,
                   unsigned bytes, uint64_t x)
{
  for (unsigned k = 0; k < bytes; k++)
    expected[place(a, l, element, 4 * word + k)] = (uint8_t)(x >> (8 * k));
}

/* A lane's registers, or the scalar ones. */
typedef struct files {
  uint32_t *at;
  unsigned stride;
} files;

static uint32_t *word_at(const files *f, unsigned number)
{
  return f->at + (size_t)number * f->stride;
}

static uint64_t value_at(const files *f, unsigned number, unsigned bytes)
{
  return *word_at(f, number) |
         (bytes == 8 ? (uint64_t)*word_at(f, number + 1) << 32 : 0);
}

static void value_put(const files *f, unsigned number, unsigned bytes,
                      uint64_t x)
{
  *word_at(f, number) = (uint32_t)x;
  if (bytes == 8)
    *word_at(f, number + 1) = (uint32_t)(x >> 32);
}

static unsigned destination(const access *a)
{
  return a->row->encoding == AQ_ISA_SMEM ||
                 (a->row->encoding == AQ_ISA_MUBUF && a->kind == ATOMIC)
             ? DATA
             : D;
}

static void load_expect(const access *a, int l, const files *f)
{
  for (unsigned e = 0; e < a->elements; e++)
    for (unsigned w = 0; w < (a->bytes + 3) / 4; w++) {
      uint32_t *d = word_at(f, destination(a) + e * ((a->bytes + 3) / 4) + w);
      const unsigned size = a->bytes < 4 ? a->bytes : 4;
      uint32_t x = (uint32_t)loaded(a, l, e, w, size);
      if (a->is_signed)
        x = size == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
      *d = !a->half   ? x
           : a->upper ? (*d & 0xffff) | x << 16
                      : (*d & 0xffff0000) | (x & 0xffff);
    }
}

static void store_expect(const access *a, int l, const files *f)
{
  for (unsigned e = 0; e < a->elements; e++)
    for (unsigned w = 0; w < (a->bytes + 3) / 4; w++)
      stored(a, l, e, w, a->bytes < 4 ? a->bytes : 4,
             *word_at(f, (e ? DATA2 : DATA) + w) >> (a->upper ? 16 : 0));
}

static void atomic_expect(const access *a, int l, const files *f)
{
  const uint64_t old = loaded(a, l, 0, 0, a->bytes);
  const bool pair = strcmp(a->op, "cmp") == 0;
  const uint64_t x = value_at(f, DATA, a->bytes),
                 y = value_at(f, pair ? DATA + a->bytes / 4 : DATA2, a->bytes);
  stored(a, l, 0, 0, a->bytes, changed(a, old, x, y));
  if (a->returns)
    value_put(f, destination(a), a->bytes, old);
}

/* Memory and registers before the instruction. */
static void inputs_make(bed *b, const access *a, aq_rng *rng)
{
  aq_wave *w = b->wave;
  const bool swizzled = a->row->encoding == AQ_ISA_SCRATCH,
             local = a->row->encoding == AQ_ISA_DS || swizzled,
             offsets = local || a->row->encoding == AQ_ISA_MUBUF;
  const uint64_t base = offsets ? 0 : (uint64_t)(uintptr_t)memory;
  for (size_t i = 0; i < BYTES; i += 8) {
    const uint64_t x = number(rng, a->type, 8), y = number(rng, a->type, 4);
    const uint64_t both = a->bytes == 8 ? x : (uint32_t)x | y << 32;
    const uint64_t words = (uint32_t)number(rng, a->type, 4) | y << 32;
    memcpy(memory + i, a->bytes == 8 ? &both : &words, 8);
  }
  const files scalar = {w->s, 1};
  for (unsigned r = 16; r < 48; r++)
    w->s[r] = (uint32_t)aq_rng_bits(rng);
  for (int l = 0; l < LANES; l++) {
    const files lane = {&w->v[0][l], LANES};
    const files *f = a->row->encoding == AQ_ISA_SMEM ? &scalar : &lane;
    const uint64_t at = base + (swizzled ? SLOT * ((unsigned)l % 4)
                                         : SLOT * (63 - (unsigned)l));
    for (unsigned r = 0; r < ROWS; r++)
      w->v[r][l] = (uint32_t)aq_rng_bits(rng);
    w->v[ADDRESS][l] = (uint32_t)at;
    w->v[ADDRESS + 1][l] = (uint32_t)(at >> 32);
    if (a->kind != ATOMIC)
      continue;
    const bool pair = strcmp(a->op, "cmp") == 0;
    const unsigned second = pair ? DATA + a->bytes / 4 : DATA2;
    value_put(f, DATA, a->bytes, number(rng, a->type, a->bytes));
    value_put(f, second, a->bytes, number(rng, a->type, a->bytes));
    const bool store = strcmp(a->op, "store") == 0;
    if (l % 2 && (pair || store || strcmp(a->op, "cmpst") == 0))
      value_put(f, pair || store ? second : DATA, a->bytes,
                loaded(a, l, 0, 0, a->bytes));
  }
}

static void wave_prepare(bed *b, const access *a)
{
  const bool swizzled = a->row->encoding == AQ_ISA_SCRATCH;
  const uint64_t base = (uint64_t)(uintptr_t)memory;
  b->wave->s[4] = (uint32_t)base;
  b->wave->s[5] = (uint32_t)(base >> 32);
  b->wave->s[6] = BYTES;
  /* RDNA: offsets in bytes are compared. */
  b->wave->s[7] = strncmp(b->gfx, "gfx1", 4) == 0 ? 3u << 28 : 0;
  b->wave->scratch = memory;
  b->wave->scratch_size = b->wave->scratch_room = swizzled ? PRIVATE : 0;
  b->wave->mode = 0xf0;
  b->grid.lds_size = BYTES;
  b->grid.scratch_size = swizzled ? PRIVATE : 0;
  b->group.lds = memory;
  aq_wave_reachable_fini(&reachable);
  reachable = (aq_wave_reachable){.allocations = b->allocations};
  b->grid.reachable = &reachable;
}

static void case_check(bed *b, size_t number, aq_rng *rng)
{
  static uint32_t before[ROWS][LANES];
  const access *a = &cases[number];
  const char *text = texts[number];
  const bool scalar = a->row->encoding == AQ_ISA_SMEM;
  const uint64_t exec = scalar ? 1 : aq_rng_bits(rng) | 1;
  uint32_t registers[128];
  aq_wave *w = b->wave;
  wave_prepare(b, a);
  inputs_make(b, a, rng);
  w->s64[AQ_ISA_EXEC / 2] = exec;
  memcpy(before, w->v, sizeof before);
  memcpy(registers, w->s, sizeof registers);
  memcpy(expected, memory, sizeof memory);
  for (int l = 0; l < LANES; l++) {
    const files lane = {&before[0][l], LANES}, own = {registers, 1};
    if (!(exec >> l & 1))
      continue;
    (a->kind == LOAD    ? load_expect
     : a->kind == STORE ? store_expect
                        : atomic_expect)(a, l, scalar ? &own : &lane);
  }
  ck_assert_msg(bed_run(b, number), "%s of %s: %s", text, b->gfx,
                b->grid.fault.text);
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++)
      ck_assert_msg(w->v[r][l] == before[r][l],
                    "%s of %s, lane %d, v%u: 0x%x, expected 0x%x", text, b->gfx,
                    l, r, w->v[r][l], before[r][l]);
  for (unsigned r = 0; r < 48; r++)
    ck_assert_msg(w->s[r] == registers[r], "%s of %s, s%u: 0x%x, expected 0x%x",
                  text, b->gfx, r, w->s[r], registers[r]);
  for (size_t i = 0; i < BYTES; i++)
    ck_assert_msg(memory[i] == expected[i],
                  "%s of %s, byte %zu: 0x%x, expected 0x%x", text, b->gfx, i,
                  memory[i], expected[i]);
}

static void target_check(const char *gfx, uint16_t target)
{
  const size_t count = cases_make(target);
  size_t refused = 0;
  aq_rng rng;
  for (unsigned level = 0; level < aq_wave_level_count(); level++) {
    bed b;
    bed_open(&b, gfx, texts, count, level);
    aq_rng_init(&rng, 5, level);
    refused = 0;
    for (size_t i = 0; i < count; i++)
      if (b.refused[i])
        refused++;
      else
        case_check(&b, i, &rng);
    aq_wave_reachable_fini(&reachable);
    bed_close(&b);
  }
  fprintf(stderr, "%s: %zu accesses, %zu of them refused by the assembler\n",
          gfx, count, refused);
}

START_TEST(accesses_do_what_their_names_say)
{
  static const struct {
    const char *gfx;
    uint16_t bit;
  } targets[] = {{"gfx942", AQ_ISA_GFX940},   {"gfx900", AQ_ISA_GFX900},
                 {"gfx90a", AQ_ISA_GFX90A},   {"gfx950", AQ_ISA_GFX950},
                 {"gfx908", AQ_ISA_GFX908},   {"gfx906", AQ_ISA_GFX906},
                 {"gfx1010", AQ_ISA_GFX1010}, {"gfx1030", AQ_ISA_GFX1030},
                 {"gfx1100", AQ_ISA_GFX1100}, {"gfx1151", AQ_ISA_GFX1150},
                 {"gfx1201", AQ_ISA_GFX1200}};
  if (!bed_tools_are_here())
    return;
  const size_t count =
      getenv("AQ_ORACLES") ? sizeof targets / sizeof *targets : 2;
  for (size_t i = 0; i < count; i++)
    target_check(targets[i].gfx, targets[i].bit);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/accesses", accesses_do_what_their_names_say)
