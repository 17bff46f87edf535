/* SPDX-License-Identifier: MIT */
/*
 * Programs of random instructions for test_native: every instruction that has a
 * text and every transfer, with branches, random operands, signs, parts of
 * words, values of other lanes and addresses.
 */
#ifndef AQ_TESTS_WAVE_NATIVE_PROGRAMS_H
#define AQ_TESTS_WAVE_NATIVE_PROGRAMS_H

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/jit/jit_table.h"

enum {
  COUNT = 160, /* instructions of a program, in one page */
  ROWS = 16,   /* registers that programs use */
  SCALARS = 32,
  BYTES = 4096,   /* of memory and of LDS */
  ADDRESS = 20,   /* registers that programs only read: an address, */
  OFFSET = 22,    /* one from s[BASE], */
  SHARED = 23,    /* and one in LDS; */
  INDEX = 25,     /* numbers of words from s[BASE] */
  SELECTORS = 26, /* of bytes, for v_perm_b32 */
  BASE = 40,
};

/* All instructions that have a text, shuffled. */
typedef struct deck {
  const aq_wave_text *texts[512];
  unsigned count, next;
  const aq_wave_texts *table;
  unsigned transfers; /* that it has */
} deck;

typedef struct program_target {
  const char *gfx;
  bool is_rdna, wave32;
} program_target;

extern aq_rng rng;

/* A random number below n. */
unsigned below(unsigned n);

void deck_make(deck *d, const aq_wave_texts *table);

/* The compiler does not know its sources, so registers that are compared after
 * it count as read. */
#define READS_ALL "s_incperflevel 0"

/* The COUNT instructions of program `number`, as a target's assembler names
 * them. */
void program_texts(char (*texts)[BED_TEXT], unsigned number, deck *d,
                   const program_target *of);

#endif
