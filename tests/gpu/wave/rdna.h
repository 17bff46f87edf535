/* SPDX-License-Identifier: MIT */
/* Instructions of RDNA: a bed for each processor. */
#ifndef AQ_TESTS_GPU_WAVE_RDNA_H
#define AQ_TESTS_GPU_WAVE_RDNA_H

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "common/rng.h"
#include "gpu/wave/core/wave.h"
#include "gpu/wave/grid/gws.h"
#include "support/aqtest.h"

enum { LANES = 64, ROWS = 40, CASES = 64 };

static char texts[CASES][BED_TEXT];
static size_t text_count;

static inline void text_add(const char *text)
{
  ck_assert_uint_lt(text_count, CASES);
  strcpy(texts[text_count++], text);
}

/* Begins a list of texts; false: the test is skipped. */
static inline bool texts_begin(void)
{
  text_count = 0;
  return bed_tools_are_here();
}

static inline void open_all(bed *b, const char *gfx, int lanes)
{
  bed_open_all(b, gfx, lanes, texts, text_count);
  b->wave->mode = 0xf0;
}

static inline void rows_fill(bed *b, aq_rng *rng)
{
  for (unsigned r = 0; r < ROWS; r++)
    for (int l = 0; l < LANES; l++)
      b->wave->v[r][l] = (uint32_t)aq_rng_bits(rng);
  for (unsigned k = 0; k < 100; k++)
    b->wave->s[k] = (uint32_t)aq_rng_bits(rng);
}

static inline void run(bed *b, size_t i)
{
  ck_assert_msg(bed_run(b, i), "%s: %s", texts[i], b->grid.fault.text);
}

static const char *const processors[] = {"gfx1010", "gfx1030", "gfx1100",
                                         "gfx1151", "gfx1201"};
enum { PROCESSORS = sizeof processors / sizeof *processors, GFX1100 = 2 };
#define EACH(p) for (size_t p = 0; p < PROCESSORS; p++)

#endif
