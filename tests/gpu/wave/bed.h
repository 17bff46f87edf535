/* SPDX-License-Identifier: MIT */
/*
 * Single instructions, assembled by LLVM and executed on a wave whose
 * registers the test fills and reads. For the tests of src/gpu/wave.
 */
#ifndef AQ_TESTS_WAVE_BED_H
#define AQ_TESTS_WAVE_BED_H

#include "common/allocations.h"
#include "gpu/wave/core/code.h"
#include "gpu/wave/core/execution_state.h"

enum { BED_STRIDE = 16 /* bytes an instruction */, BED_TEXT = 192 };

typedef struct bed {
  const char *gfx;
  bool wave32; /* waves of RDNA have 64 lanes, but where a test asks for 32 */
  uint8_t *bytes; /* the instructions, BED_STRIDE apart */
  bool *refused;  /* by the assembler */
  uint64_t next;  /* where the wave is after bed_run; 0: it stopped */
  size_t count;
  aq_allocations *allocations; /* open: all of the process */
  aq_wave_code *code;
  aq_wave *wave;
  aq_wave_group group;
  aq_wave_grid grid;
} bed;

/* Assembles `count` texts and marks each one that the assembler refuses, for
 * waves of 64 lanes, or of 32 or 64. bed_close frees all. */
void bed_open(bed *out, const char *gfx, char (*texts)[BED_TEXT], size_t count,
              unsigned level);
void bed_open_in(bed *out, const char *gfx, int lanes, char (*texts)[BED_TEXT],
                 size_t count, unsigned level);
void bed_close(bed *b);

/* The same in waves of 32 or 64 lanes, at the level of the host; the test fails
 * if one is refused. */
void bed_open_all(bed *out, const char *gfx, int lanes, char (*texts)[BED_TEXT],
                  size_t count);

/* Whether an assembler is here; else the test is skipped. */
bool bed_tools_are_here(void);

/* One instruction, on a wave with all lanes on; false: no assembler is here,
 * the test is skipped. */
bool bed_open_one(bed *out, const char *gfx, const char *text);

/* Executes instruction `number`; false: it faulted, or the wave stopped, as
 * its state says. */
bool bed_run(bed *b, size_t number);

#endif
