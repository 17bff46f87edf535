/* SPDX-License-Identifier: MIT */
/*
 * What instructions compute, as C expressions for the host's compiler, written
 * from AMD's ISA documents: "GCN3" is the Graphics Core Next 3 instruction set
 * (2016), chapter 12; "CDNA4" the CDNA 4 one, chapter 12. None of it shares
 * code with src/gpu/wave.
 */
#ifndef AQ_TESTS_WAVE_OPCODES_H
#define AQ_TESTS_WAVE_OPCODES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* A lane's sources after selection and signs, or a scalar instruction's. */
typedef struct opcode_in {
  uint64_t a, b, c, d; /* d: the destination's old value */
  uint64_t c_high, exec;
  bool carry; /* SCC; the lane's bit of the mask that is read */
  bool vcc;   /* the lane's bit of VCC */
  bool ieee;  /* of MODE */
  int16_t imm;
  int lane;
} opcode_in;

typedef struct opcode_out {
  uint64_t d, high;
  bool carry;    /* SCC, or the lane's bit of the mask that is written */
  uint64_t exec; /* s_*_saveexec_b64 and kin */
} opcode_out;

typedef void opcode_run(const opcode_in *in, opcode_out *out);

typedef struct opcode_case {
  const char *name;
  opcode_run *run;
  /* What MODE changes: F f32, D f64, H f16 round and flush by it; lower case:
   * rounded to nearest, denormals kept; i: no floats */
  char kind;
  unsigned ulps; /* by which the result may differ */
} opcode_case;

extern const opcode_case opcodes_vector[], opcodes_scalar[];
extern const opcode_case opcodes_half[], opcodes_special[];
extern const opcode_case opcodes_rdna[];

/* The name that gfx9 has for an instruction of RDNA, else its own. */
const char *opcode_name(const char *name, char text[48]);

/* An expression's value is D; it may set o->carry, o->high, o->exec. */
#define OPCODE(name, KIND, EXPR)                                               \
  static void name##_x(const opcode_in *in, opcode_out *o)                     \
  {                                                                            \
    const uint64_t A = in->a, B = in->b, C = in->c;                            \
    const uint32_t a = (uint32_t)A, b = (uint32_t)B, c = (uint32_t)C;          \
    const int32_t sa = (int32_t)a, sb = (int32_t)b, sc = (int32_t)c;           \
    const uint16_t ha = (uint16_t)A, hb = (uint16_t)B, hc = (uint16_t)C;       \
    (void)A, (void)B, (void)C, (void)a, (void)b, (void)c, (void)sa, (void)sb;  \
    (void)sc, (void)ha, (void)hb, (void)hc;                                    \
    o->d = (uint64_t)(EXPR);                                                   \
  }
#define OPCODE_ROW(name, KIND, EXPR) {#name, name##_x, KIND, 0},

static inline float f32_from(uint64_t bits)
{
  const uint32_t word = (uint32_t)bits;
  float x;
  memcpy(&x, &word, sizeof x);
  return x;
}

static inline uint32_t f32_bits(float x)
{
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline double f64_from(uint64_t bits)
{
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t f64_bits(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* f16 as a number; any f16 is one. */
static inline long double f16_from(uint16_t h)
{
  const int e = h >> 10 & 31, m = h & 1023;
  const long double x = e == 31 ? (m ? (long double)NAN : HUGE_VALL)
                        : e     ? ldexpl(1024 + m, e - 25)
                                : ldexpl(m, -24);
  return h & 0x8000 ? -x : x;
}

/* Rounds an exact value to f16; `mode` as MODE counts: nearest, up, down, to
 * zero. */
uint16_t f16_round(long double x, int mode);
extern int opcodes_round; /* the mode of f64 and f16 while a case runs */

static inline bool f16_is_nan(uint16_t h)
{
  return (h & 0x7fff) > 0x7c00;
}

static inline bool f32_is_nan(uint32_t x)
{
  return (x & 0x7fffffff) > 0x7f800000;
}

static inline bool f64_is_nan(uint64_t x)
{
  return (x & INT64_MAX) > 0x7ff0000000000000;
}

/* V_MIN and V_MAX of CDNA4 and RDNA 3: a signalling NaN first, made quiet,
 * where MODE says IEEE; else the number. */
uint16_t f16_extreme(uint16_t a, uint16_t b, bool ieee, bool most);
uint32_t f32_extreme(uint32_t a, uint32_t b, bool ieee, bool most);
uint64_t f64_extreme(uint64_t a, uint64_t b, bool ieee, bool most);

/* The NaN of a result: the first NaN source, made quiet, or 0x7fc00000. */
static inline uint32_t f32_of(float r, int n, uint32_t a, uint32_t b,
                              uint32_t c)
{
  const uint32_t from[] = {a, b, c};
  if (r == r)
    return f32_bits(r);
  for (int i = 0; i < n; i++)
    if ((from[i] & 0x7fffffff) > 0x7f800000)
      return from[i] | 0x400000;
  return 0x7fc00000;
}

static inline uint64_t f64_of_result(double r, int n, uint64_t a, uint64_t b,
                                     uint64_t c)
{
  const uint64_t from[] = {a, b, c};
  if (r == r)
    return f64_bits(r);
  for (int i = 0; i < n; i++)
    if ((from[i] & INT64_MAX) > 0x7ff0000000000000)
      return from[i] | UINT64_C(1) << 51;
  return 0x7ff8000000000000;
}

static inline uint16_t f16_of(long double r, int n, uint16_t a, uint16_t b,
                              uint16_t c)
{
  const uint16_t from[] = {a, b, c};
  if (r == r)
    return f16_round(r, opcodes_round);
  for (int i = 0; i < n; i++)
    if (f16_is_nan(from[i]))
      return from[i] | 0x200;
  return 0x7e00;
}

#endif
