/* SPDX-License-Identifier: MIT */
/* Every instruction of the scalar and vector units that executes: random
 * operands, EXEC masks, forms and modifiers against the host's C, on every
 * level of the host's processor. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpu/wave/core/mode.h"
#include "gpu/wave/core/wave.h"
#include "support/aqtest.h"
#include "variant.h"

enum { VARIANTS = 24, DRAWS = 2 };

/* ---- cases ---- */

static const opcode_case *case_find(const char *of, unsigned target)
{
  char text[48];
  const char *name = target & AQ_ISA_RDNA ? opcode_name(of, text) : of;
  const opcode_case *lists[] = {opcodes_rdna, opcodes_vector, opcodes_half,
                                opcodes_special, opcodes_scalar};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    for (const opcode_case *c = lists[i]; c->name; c++)
      if (strcmp(c->name, name) == 0)
        return c;
  return NULL;
}

/* ---- comparing ---- */

/* The opcodes that failed; each is reported once. */
static const aq_isa_row *failed[64];
static size_t failure_count;

static void mismatch(const variant *v, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void mismatch(const variant *v, const char *format, ...)
{
  va_list arguments;
  for (size_t i = 0; i < failure_count; i++)
    if (failed[i] == v->row)
      return;
  if (failure_count == sizeof failed / sizeof *failed)
    return;
  failed[failure_count++] = v->row;
  fprintf(stderr, "# ");
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
}

static bool is_near(const variant *v, uint64_t ours, uint64_t host)
{
  const uint64_t gap = ours > host ? ours - host : host - ours;
  const bool scaled = v->form == AQ_ISA_SDWA && v->dst_sel < 6;
  return ours == host || (!scaled && gap <= 2 * v->as->ulps) ||
         (scaled && v->as->ulps);
}

static void vector_check(bed *b, size_t number, const char *text,
                         const variant *v, aq_rng *rng, unsigned mode)
{
  static uint32_t before[AQ_WAVE_SCRATCH_ROWS][LANES];
  uint32_t scalars[128];
  aq_wave *w = b->wave;
  lane_state s = {.b = b, .v = v, .before = before, .scalars = scalars};
  const uint64_t masks[] = {UINT64_MAX, aq_rng_bits(rng), 0x5555555555555555, 1,
                            0};
  s.n = variant_operands(v->row, s.list);
  s.exec = masks[variant_below(rng, 5)];
  w->mode = mode;
  for (unsigned i = 0; i < 128; i++)
    w->s[i] = (uint32_t)aq_rng_bits(rng);
  for (unsigned r = 0; r < 24; r++)
    for (int l = 0; l < LANES; l++)
      w->v[r][l] = (uint32_t)aq_rng_bits(rng);
  /* One special number of a row makes all of its lanes go one by one. */
  const bool calm = variant_below(rng, 2);
  for (unsigned k = 0; k < s.n; k++) {
    const operand *o = &s.list[k];
    const bool c = o->role == 'D' && variant_accumulates(v->row->name);
    if (!c && (o->role < 'A' || o->role > 'C'))
      continue;
    const unsigned r = c ? RESULT : FIRST + STEP * (unsigned)(o->role - 'A');
    for (int l = 0; l < LANES; l++) {
      const bool floats = v->as->kind != 'i' &&
                          (c || o->floats || v->row->encoding == AQ_ISA_VOP3P);
      const unsigned bits =
          o->bits == 1632 || (v->row->encoding == AQ_ISA_VOP3P) ? 16
          : c ? (strstr(v->row->name, "f16") ? 16 : o->bits)
              : o->bits;
      const uint64_t x = lane_number(rng, bits, floats, calm);
      w->v[r][l] = (uint32_t)x;
      if (o->bits > 32 && o->bits <= 128)
        w->v[r + 1][l] = (uint32_t)(x >> 32);
    }
  }
  w->s64[AQ_ISA_EXEC / 2] = s.exec;
  memcpy(before, w->v, sizeof before);
  memcpy(scalars, w->s, sizeof scalars);
  if (!bed_run(b, number)) {
    mismatch(v, "%s of %s: %s", text, b->gfx, b->grid.fault.text);
    return;
  }
  const operand *result = variant_operand(s.list, s.n, 'D');
  const unsigned words = variant_is_compare(v->row) ? 0
                         : result && result->bits <= 128
                             ? result->bits / 32 + (result->bits == 16)
                             : 1;
  uint64_t mask = 0;
  for (int l = 0; l < LANES; l++) {
    opcode_out out = {0};
    uint64_t d = 0;
    const bool writes = s.exec >> l & 1 && lane_expect(&s, l, &out, &d);
    if (writes && out.carry)
      mask |= UINT64_C(1) << l;
    if (writes && words) {
      uint64_t ours = w->v[RESULT][l];
      if (words > 1)
        ours |= (uint64_t)w->v[RESULT + 1][l] << 32;
      else
        d = (uint32_t)d;
      if (!is_near(v, ours, d))
        mismatch(v,
                 "%s of %s, MODE 0x%x, EXEC 0x%llx, lane %d: a 0x%llx, b "
                 "0x%llx, c 0x%llx, d 0x%x: 0x%llx, expected 0x%llx",
                 text, b->gfx, mode, (unsigned long long)s.exec, l,
                 (unsigned long long)lane_source(&s, 0, 64, l),
                 (unsigned long long)lane_source(&s, 1, 64, l),
                 (unsigned long long)lane_source(&s, 2, 64, l),
                 before[RESULT][l], (unsigned long long)ours,
                 (unsigned long long)d);
      if (words == 4)
        ck_assert_uint_eq(w->v[RESULT + 2][l] | (uint64_t)w->v[RESULT + 3][l]
                                                    << 32,
                          out.high);
    }
    for (unsigned r = 0; r < 24; r++)
      if (!writes || r < RESULT || r >= RESULT + words)
        if (w->v[r][l] != before[r][l])
          mismatch(v, "%s of %s, lane %d changes v%u", text, b->gfx, l, r);
  }
  if (variant_is_compare(v->row) || variant_operand(s.list, s.n, 'E')) {
    const unsigned at = variant_is_wide(v) ? MASK_OUT : AQ_ISA_VCC;
    const uint64_t ours = w->s[at] | (uint64_t)w->s[at + 1] << 32;
    const bool writes =
        variant_operand(s.list, s.n, 'D') || variant_operand(s.list, s.n, 'E');
    if (writes && ours != mask)
      mismatch(v, "%s of %s: mask 0x%llx, expected 0x%llx", text, b->gfx,
               (unsigned long long)ours, (unsigned long long)mask);
    if (strncmp(v->row->name, "v_cmpx", 6) == 0)
      if (w->s64[AQ_ISA_EXEC / 2] != mask)
        mismatch(v, "%s of %s: EXEC", text, b->gfx);
  }
}

static void scalar_check(bed *b, size_t number, const char *text,
                         const variant *v, aq_rng *rng)
{
  aq_wave *w = b->wave;
  operand list[8];
  opcode_out out = {0};
  const unsigned n = variant_operands(v->row, list);
  const operand *result = variant_operand(list, n, 'D');
  for (unsigned i = 0; i < 126; i++)
    w->s[i] = (uint32_t)lane_number(rng, 32, false, false);
  w->scc = variant_below(rng, 2);
  w->mode = 0xf0; /* floats: to the nearest, with denormals */
  w->s64[AQ_ISA_EXEC / 2] = aq_rng_bits(rng);
  opcode_in in = {.exec = w->s64[AQ_ISA_EXEC / 2],
                  .carry = w->scc,
                  .imm = v->imm,
                  .d = w->s[RESULT] | (uint64_t)w->s[RESULT + 1] << 32};
  uint64_t *values[] = {&in.a, &in.b};
  for (unsigned i = 0; i < 2; i++) {
    const operand *o = variant_operand(list, n, (char)('A' + i));
    const unsigned r = FIRST + STEP * i;
    if (o)
      *values[i] =
          v->kind[i] == CONSTANT
              ? lane_constant(v, o->bits)
              : w->s[r] | (o->bits == 64 ? (uint64_t)w->s[r + 1] << 32 : 0);
  }
  v->as->run(&in, &out);
  if (!bed_run(b, number)) {
    mismatch(v, "%s of %s: %s", text, b->gfx, b->grid.fault.text);
    return;
  }
  if (result) {
    const bool wide = result->bits == 64;
    const uint64_t ours =
        w->s[RESULT] | (wide ? (uint64_t)w->s[RESULT + 1] << 32 : 0);
    const uint64_t host = wide ? out.d : (uint32_t)out.d;
    if (ours != host)
      mismatch(v,
               "%s of %s: a 0x%llx, b 0x%llx, d 0x%llx, SCC %d: 0x%llx, "
               "expected 0x%llx",
               text, b->gfx, (unsigned long long)in.a, (unsigned long long)in.b,
               (unsigned long long)in.d, in.carry, (unsigned long long)ours,
               (unsigned long long)host);
  }
  if (w->scc != out.carry)
    mismatch(v, "%s of %s: a 0x%llx, b 0x%llx: SCC %u", text, b->gfx,
             (unsigned long long)in.a, (unsigned long long)in.b, w->scc);
  if (strstr(v->row->name, "exec"))
    if (w->s64[AQ_ISA_EXEC / 2] != out.exec)
      mismatch(v, "%s of %s: EXEC", text, b->gfx);
}

/* ---- all ---- */

/* MODE: round and denormals of f32, then of f64 and f16, DX10 clamp, IEEE. */
static unsigned mode_choose(aq_rng *rng, const variant *v)
{
  const bool fixed = v->target & AQ_ISA_GFX1200; /* it has neither bit */
  const unsigned clamp = variant_below(rng, 2) ? AQ_WAVE_MODE_DX10_CLAMP : 0,
                 ieee = variant_below(rng, 2) ? AQ_WAVE_MODE_IEEE : 0;
  unsigned denormals = 0xf0, round = 0;
  if (strchr("FDH", v->as->kind)) {
    round = variant_below(rng, 16);
    denormals =
        variant_below(rng, 2) ? 0xf0 : (variant_below(rng, 2) ? 0x30 : 0xc0);
  }
  return round | denormals |
         (fixed ? (unsigned)AQ_WAVE_MODE_DX10_CLAMP : clamp | ieee);
}

static size_t target_check(const char *gfx, unsigned bit, uint64_t seed)
{
  static char texts[1400 * VARIANTS][BED_TEXT];
  static variant variants[1400 * VARIANTS];
  size_t count = 0, with = 0, executing = 0, refused = 0;
  aq_rng rng;
  aq_rng_init(&rng, seed, 0);
  for (size_t i = 0; i < aq_isa_row_count(); i++) {
    const aq_isa_row *row = aq_isa_row_at(i);
    const opcode_case *as = case_find(row->name, bit);
    if (!(row->targets & bit) || row->encoding == AQ_ISA_SOPP ||
        row->encoding == AQ_ISA_SMEM || row->encoding > AQ_ISA_VOP3P ||
        row->flags & AQ_ISA_MATRIX || !aq_wave_handler_named(0, row->name))
      continue;
    executing++;
    if (!as) {
      if (getenv("AQ_OPCODES_MISSING"))
        fprintf(stderr, "without vectors: %s\n", row->name);
      continue;
    }
    with++;
    for (unsigned k = 0; k < VARIANTS; k++, count++) {
      variants[count] = variant_choose(&rng, row, as, bit);
      variant_write(&variants[count], texts[count]);
    }
  }
  for (unsigned level = 0; level < aq_wave_level_count(); level++) {
    bed b;
    bed_open(&b, gfx, texts, count, level);
    aq_rng_init(&rng, seed + 1, 0);
    refused = 0;
    for (size_t i = 0; i < count; i++) {
      refused += b.refused[i];
      for (unsigned draw = 0; draw < DRAWS && !b.refused[i]; draw++)
        if (variant_is_vector(variants[i].row))
          vector_check(&b, i, texts[i], &variants[i], &rng,
                       mode_choose(&rng, &variants[i]));
        else
          scalar_check(&b, i, texts[i], &variants[i], &rng);
    }
    bed_close(&b);
  }
  fprintf(
      stderr,
      "%s: %zu of %zu instructions of the scalar and vector units, the others "
      "elsewhere: %zu texts, %zu of them refused by the assembler\n",
      gfx, with, executing, count, refused);
  return with;
}

START_TEST(instructions_compute_what_the_host_computes)
{
  static const struct {
    const char *gfx;
    unsigned bit;
  } targets[] = {{"gfx90a", AQ_ISA_GFX90A},   {"gfx942", AQ_ISA_GFX940},
                 {"gfx950", AQ_ISA_GFX950},   {"gfx900", AQ_ISA_GFX900},
                 {"gfx906", AQ_ISA_GFX906},   {"gfx908", AQ_ISA_GFX908},
                 {"gfx1010", AQ_ISA_GFX1010}, {"gfx1030", AQ_ISA_GFX1030},
                 {"gfx1100", AQ_ISA_GFX1100}, {"gfx1151", AQ_ISA_GFX1150},
                 {"gfx1201", AQ_ISA_GFX1200}};
  if (!bed_tools_are_here())
    return;
  const char *seed_text = getenv("AQ_OPCODES_SEED");
  const uint64_t seed = seed_text ? strtoull(seed_text, NULL, 10) : 29;
  const char *all = getenv("AQ_ORACLES");
  const size_t quick = aqtest_is_long() ? 2 : 1;
  for (size_t i = 0; i < (all ? sizeof targets / sizeof *targets : quick); i++)
    ck_assert_uint_gt(target_check(targets[i].gfx, targets[i].bit, seed), 300);
  ck_assert_uint_eq(failure_count, 0);
}
END_TEST

AQ_TEST_MAIN("gpu/wave/opcodes", instructions_compute_what_the_host_computes)
