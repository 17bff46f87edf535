/* SPDX-License-Identifier: MIT */
/*
 * One way to write an instruction (form, operands, modifiers), chosen at
 * random, its text (variant.c) and its results (variant_lane.c): for
 * test_opcodes.c.
 */
#ifndef AQ_TESTS_WAVE_VARIANT_H
#define AQ_TESTS_WAVE_VARIANT_H

#include "bed.h"
#include "common/rng.h"
#include "opcodes.h"

enum { LANES = 64, SOURCES = 3 };
/* Registers: sources from v4, v8, v12 and s4, s8, s12; results in v16 and
 * s16; masks read in s[20:21], written in s[22:23]. */
enum { FIRST = 4, STEP = 4, RESULT = 16, MASK_IN = 20, MASK_OUT = 22 };

typedef enum source_kind { VECTOR, SCALAR, CONSTANT } source_kind;

/* How one instruction is written. */
typedef struct variant {
  const aq_isa_row *row;
  const opcode_case *as;
  unsigned target; /* its bit */
  aq_isa_form form;
  source_kind kind[SOURCES];
  int constant;            /* of source 0: of variant_constants */
  unsigned neg, abs, sext; /* a bit a source */
  bool clamp;
  unsigned omod;
  unsigned select[SOURCES], dst_sel, dst_unused; /* SDWA */
  unsigned dpp, dpp_number, row_mask, bank_mask, quad;
  bool bound, fetch; /* DPP: reads lanes beyond the row, lanes that are off */
  unsigned op_sel, op_sel_hi, neg_hi;
  uint32_t literal;
  int16_t imm;
} variant;

/* An operand of a row's list. */
typedef struct operand {
  char role, file;
  bool floats;
  unsigned bits;
} operand;

/* A row's operands; the result counts them. One by its role, or NULL. */
unsigned variant_operands(const aq_isa_row *row, operand out[8]);
const operand *variant_operand(const operand *list, unsigned n, char role);

bool variant_is_vector(const aq_isa_row *row);
bool variant_is_compare(const aq_isa_row *row);
bool variant_is_dpp(const variant *v);

/* Whether an operand is half a VGPR, "v4.h": gfx11. */
bool variant_is_half(const variant *v, const operand *o);

/* Whether it is written as VOP3 is. */
bool variant_is_wide(const variant *v);

/* Whether the destination is a source, too. */
bool variant_accumulates(const char *name);

unsigned variant_below(aq_rng *rng, unsigned n);
variant variant_choose(aq_rng *rng, const aq_isa_row *row,
                       const opcode_case *as, unsigned target);
void variant_write(const variant *v, char text[BED_TEXT]);

/* Constant operands: an integer, or a float. */
typedef struct variant_constant {
  const char *text;
  int integer; /* or */
  double value;
} variant_constant;

extern const variant_constant variant_constants[];

/* ---- a lane ---- */

typedef struct lane_state {
  const bed *b;
  const variant *v;
  operand list[8];
  unsigned n;
  const uint32_t (*before)[LANES]; /* rows of VGPRs */
  const uint32_t *scalars;
  uint64_t exec;
} lane_state;

/* A source of `bits`; of floats often a special one, `calm` ones near 1. */
uint64_t lane_number(aq_rng *rng, unsigned bits, bool floats, bool calm);

/* The constant, or the source before selection and signs. */
uint64_t lane_constant(const variant *v, unsigned bits);
uint64_t lane_source(const lane_state *s, unsigned i, unsigned bits, int l);

/* The result of a lane; false: the lane is not written. */
bool lane_expect(const lane_state *s, int l, opcode_out *out, uint64_t *d);

#endif
