/* SPDX-License-Identifier: MIT */
/* A buffer of typed memory and LDS for a test bed. */
#ifndef AQ_TESTS_GPU_WAVE_TYPED_H
#define AQ_TESTS_GPU_WAVE_TYPED_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bed.h"
#include "gpu/wave/core/address_translate.h"
#include "support/aqtest.h"

enum { LANES = 64, BYTES = 4096, LDS = 4096 };

static uint8_t memory[BYTES] __attribute__((aligned(16)));
static uint32_t lds[LDS / 4];
static aq_wave_reachable reachable;

/* s[4:7] is a resource of `records` bytes, or of that many records. */
static inline void bed_fill(bed *b, uint32_t records, unsigned stride,
                            uint32_t word3)
{
  const uint64_t base = (uint64_t)(uintptr_t)memory;
  b->wave->s[4] = (uint32_t)base;
  b->wave->s[5] = (uint32_t)(base >> 32) | stride << 16;
  b->wave->s[6] = records;
  b->wave->s[7] = word3;
  memset(lds, 0xee, sizeof lds);
  for (unsigned i = 0; i < BYTES; i++)
    memory[i] = (uint8_t)(i * 7 + (i >> 8));
}

static inline void bed_attach(bed *b)
{
  b->grid.lds_size = LDS;
  b->group.lds = (uint8_t *)lds;
  reachable = (aq_wave_reachable){.allocations = b->allocations};
  b->grid.reachable = &reachable;
}

static inline bool open_one(bed *b, const char *gfx, const char *text,
                            uint32_t records, unsigned stride, uint32_t word3)
{
  if (!bed_open_one(b, gfx, text))
    return false;
  bed_attach(b);
  bed_fill(b, records, stride, word3);
  return true;
}

static inline void close_one(bed *b)
{
  aq_wave_reachable_fini(&reachable);
  bed_close(b);
}

static inline bool is_rdna(const char *gfx)
{
  return strncmp(gfx, "gfx1", 4) == 0;
}

enum { OOB_INDEX = 1 << 28, OOB_EMPTY = 2 << 28, OOB_RAW = 3 << 28 };

static const char *const rdna[] = {"gfx1010", "gfx1030", "gfx1100", "gfx1150",
                                   "gfx1200"};
enum { RDNA = sizeof rdna / sizeof *rdna };

/* The value of a register before. */
enum { REST = 0x1234567 };

#endif
