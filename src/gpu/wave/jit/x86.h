/* SPDX-License-Identifier: MIT */
/*
 * Writes instructions of x86-64 with AVX2 into a buffer: the forms that
 * compiled code (emit_unit.c) consists of, and no others. An instruction that
 * does not fit is dropped, and `full` is set: a caller asks once, at the end.
 *
 * Registers of compiled code, from its entry to its exit:
 *
 *   rbx  the wave            r12  the page's instructions
 *   r13  the budget's rest   r14  bytes of the strip in a row, 0, 32, ...
 *   r15  number of the strip ebp  bits of EXEC in the strip
 *   rsp  the frame, aligned to 32 bytes; the others are free
 */
#ifndef AQ_GPU_WAVE_JIT_X86_H
#define AQ_GPU_WAVE_JIT_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { /* general registers */
       AQ_RAX,
       AQ_RCX,
       AQ_RDX,
       AQ_RBX,
       AQ_RSP,
       AQ_RBP,
       AQ_RSI,
       AQ_RDI,
       AQ_R8,
       AQ_R9,
       AQ_R10,
       AQ_R11,
       AQ_R12,
       AQ_R13,
       AQ_R14,
       AQ_R15,
};

enum { /* conditions of jumps and sets */
       AQ_X86_O,
       AQ_X86_B = 2,
       AQ_X86_AE,
       AQ_X86_E,
       AQ_X86_NE,
       AQ_X86_BE,
       AQ_X86_A,
       AQ_X86_L = 12,
       AQ_X86_GE,
       AQ_X86_LE,
       AQ_X86_G,
};

enum { AQ_X86_VECTORS = 512, AQ_X86_REFERENCES = 8192 };

/* A constant of eight words, behind the code. */
typedef struct aq_x86_vector {
  uint32_t words[8];
} aq_x86_vector;

typedef struct aq_x86_reference {
  uint32_t at;     /* of four bytes, an offset in the code */
  uint16_t vector; /* whose distance they become */
  uint8_t behind;  /* bytes of the instruction after them */
} aq_x86_reference;

typedef struct aq_x86 {
  uint8_t *bytes;
  uint32_t size, room;
  bool full;
  aq_x86_vector vectors[AQ_X86_VECTORS];
  aq_x86_reference references[AQ_X86_REFERENCES];
  unsigned vector_count, reference_count;
} aq_x86;

/* An operand of a vector instruction. */
typedef struct aq_x86_operand {
  enum {
    AQ_X86_YMM,
    AQ_X86_ROW,       /* [rbx + r14 + at] */
    AQ_X86_FRAME,     /* [rsp + at] */
    AQ_X86_FRAME_ROW, /* [rsp + r14 + at] */
    AQ_X86_WAVE,      /* [rbx + at] */
    AQ_X86_VECTOR,    /* constant number `at` */
    AQ_X86_AT,        /* [general register `at`], */
    AQ_X86_SUM,       /* or the sum of two */
  } kind;
  int32_t at;
} aq_x86_operand;

static inline aq_x86_operand aq_x86_ymm(int number)
{
  return (aq_x86_operand){AQ_X86_YMM, number};
}

static inline aq_x86_operand aq_x86_frame(int32_t at)
{
  return (aq_x86_operand){AQ_X86_FRAME, at};
}

/* A place behind the one that a general register names. */
static inline aq_x86_operand aq_x86_at(int reg, int32_t behind)
{
  return (aq_x86_operand){AQ_X86_AT, behind * 16 + reg};
}

/* The same of two registers' sum; `index` is not rsp. */
static inline aq_x86_operand aq_x86_sum(int base, int index, int32_t behind)
{
  return (aq_x86_operand){AQ_X86_SUM, behind * 256 + index * 16 + base};
}

/* ---- bytes ---- */

void aq_x86_byte(aq_x86 *x, unsigned byte);
void aq_x86_word(aq_x86 *x, uint32_t word);

/* Where a jump that was written ends; `at`: its result. */
void aq_x86_land(aq_x86 *x, uint32_t at, uint32_t to);
void aq_x86_land_here(aq_x86 *x, uint32_t at);

/* ---- general registers ---- */

/* An instruction of a register and a word of the wave, or of the frame; `wide`:
 * 64 bits. `op` is the opcode. */
void aq_x86_wave(aq_x86 *x, unsigned op, int reg, bool wide, int32_t at);
void aq_x86_memory(aq_x86 *x, unsigned op, int reg, bool wide, int base,
                   int32_t at);

/* Of two registers: `rm` is the second operand of Intel's manual's MR forms. */
void aq_x86_registers(aq_x86 *x, unsigned op, int reg, int rm, bool wide);

/* 0x81 /extension with a number of 32 bits. */
void aq_x86_number(aq_x86 *x, int extension, int rm, bool wide, int32_t number);

/* Shifts by a number: 4 left, 5 right, 7 right with the sign; 1 turns right. */
void aq_x86_shift(aq_x86 *x, int extension, int rm, bool wide, int by);

/* Loads a number of 32 bits, zero extended, or of 64. */
void aq_x86_load_number(aq_x86 *x, int reg, uint32_t number);
void aq_x86_load_wide(aq_x86 *x, int reg, uint64_t number);

/* `reg` becomes the address `base` + `at`. */
void aq_x86_address(aq_x86 *x, int reg, int base, int32_t at);

/* `reg` becomes a place in the code; what aq_x86_land takes. */
uint32_t aq_x86_code_address(aq_x86 *x, int reg);

/* Jumps; each returns what aq_x86_land takes. */
uint32_t aq_x86_jump(aq_x86 *x);
uint32_t aq_x86_jump_if(aq_x86 *x, int condition);

/* The 32 bits of `reg` become whether a condition holds; of al to dl. */
void aq_x86_set(aq_x86 *x, int condition, int reg);

/* ---- vectors ---- */

/* An instruction with a VEX prefix: `map` 1 to 3 of opcodes, `prefix` 0 to 3
 * (none, 66, f3, f2), `op`; `reg` and `second` are registers; `tail`: whether
 * an immediate byte follows, which the caller writes. */
void aq_x86_vex(aq_x86 *x, unsigned map, unsigned prefix, bool wide,
                unsigned op, int reg, int second, aq_x86_operand m, bool tail);

/* The same of 128 bits. */
void aq_x86_vex128(aq_x86 *x, unsigned map, unsigned prefix, bool wide,
                   unsigned op, int reg, int second, aq_x86_operand m);

/* vpgatherdd, or vpgatherdq: words of [base + index + at] where `mask` is set,
 * which becomes 0; three different registers. */
void aq_x86_gather(aq_x86 *x, bool wide, int to, int base, int index,
                   int32_t at, int mask);

/* The constant with the same word eight times, or with these. */
aq_x86_operand aq_x86_same(aq_x86 *x, uint32_t word);
aq_x86_operand aq_x86_constant(aq_x86 *x, const uint32_t words[8]);

/* Writes the constants behind the code. */
void aq_x86_finish(aq_x86 *x);

#endif
