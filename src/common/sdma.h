/* SPDX-License-Identifier: MIT */
/*
 * SDMA: the words of AMD's copy engines, for the writers of rings and for the
 * simulator, which reads them. Plain data.
 *
 * A packet is a header (opcode, sub-opcode << 8, flags) and its words; counts,
 * pitches and extents are one less than they say. Sources: Linux,
 * drivers/gpu/drm/amd/amdgpu: vega10_sdma_pkt_open.h (SDMA 4), navi10_… (5),
 * sdma_v6_0_0_pkt_open.h, and ROCr's sdma_registers.h (gfx12).
 */
#ifndef AQ_COMMON_SDMA_H
#define AQ_COMMON_SDMA_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
  /* Opcodes. */
  AQ_SDMA_NOP = 0,
  AQ_SDMA_COPY = 1,
  AQ_SDMA_WRITE = 2,
  AQ_SDMA_INDIRECT = 4,
  AQ_SDMA_FENCE = 5,
  AQ_SDMA_TRAP = 6,
  AQ_SDMA_SEM = 7,
  AQ_SDMA_POLL = 8,
  AQ_SDMA_COND_EXE = 9,
  AQ_SDMA_ATOMIC = 10,
  AQ_SDMA_FILL = 11,
  AQ_SDMA_PTEPDE = 12,
  AQ_SDMA_TIMESTAMP = 13,
  AQ_SDMA_REGISTER_WRITE = 14,
  AQ_SDMA_PRE_EXE = 15,
  AQ_SDMA_GPUVM_INV = 16,
  AQ_SDMA_GCR = 17,

  /* Sub-opcodes. */
  AQ_SDMA_COPY_LINEAR = 0,
  AQ_SDMA_COPY_RECT = 4, /* linear sub-window */
  AQ_SDMA_TIMESTAMP_LOCAL = 1,
  AQ_SDMA_TIMESTAMP_GLOBAL = 2,
  AQ_SDMA_GCR_USER = 1,

  AQ_SDMA_SUB_SHIFT = 8,

  /* Flags of headers, where they begin. */
  AQ_SDMA_NOP_COUNT_SHIFT = 16,   /* 14 bits: words behind the header */
  AQ_SDMA_ELEMENT_SHIFT = 29,     /* of a sub-window: log2 of its bytes */
  AQ_SDMA_FILL_SHIFT = 30,        /* log2 of the bytes of a value: 0 or 2 */
  AQ_SDMA_HDP_FLUSH_SHIFT = 26,   /* of a poll */
  AQ_SDMA_FUNCTION_SHIFT = 28,    /* of a poll: as PM4's WAIT_REG_MEM */
  AQ_SDMA_MEMORY_SHIFT = 31,      /* of a poll: not a register */
  AQ_SDMA_ATOMIC_LOOP_SHIFT = 16, /* until the comparison holds */
  AQ_SDMA_OPERATION_SHIFT = 25,   /* of an atomic: AQ_PM4_ATOMIC_… */

  /* Polls: clocks between two looks, and how often. */
  AQ_SDMA_RETRY_SHIFT = 16,
  AQ_SDMA_RETRY_EVER = 0xfff,

  /* Words of packets with their headers. */
  AQ_SDMA_COPY_WORDS = 7,
  AQ_SDMA_RECT_WORDS = 13,
  AQ_SDMA_WRITE_WORDS = 4, /* and the words that it writes */
  AQ_SDMA_FENCE_WORDS = 4,
  AQ_SDMA_TRAP_WORDS = 2,
  AQ_SDMA_POLL_WORDS = 6,
  AQ_SDMA_ATOMIC_WORDS = 8,
  AQ_SDMA_FILL_WORDS = 5,
  AQ_SDMA_TIMESTAMP_WORDS = 3,
  AQ_SDMA_GCR_WORDS = 5,
};

/* Where the packets of generations differ. */
typedef struct aq_sdma_form {
  unsigned generation; /* 9 to 12; 0: none whose packets are known */
  unsigned count_bits; /* of a linear copy */
  bool wide_rect;      /* the sub-window of gfx12 */
} aq_sdma_form;

/* Of a processor's name, "gfx942". */
static inline aq_sdma_form aq_sdma_form_of(const char *gfx)
{
  enum { NARROW = 22, WIDE = 30 };
  static const struct {
    const char *prefix;
    aq_sdma_form form;
  } known[] = {{"gfx120", {12, WIDE, true}},  {"gfx11", {11, WIDE, false}},
               {"gfx103", {10, WIDE, false}}, {"gfx10", {10, NARROW, false}},
               {"gfx90a", {9, WIDE, false}},  {"gfx94", {9, WIDE, false}},
               {"gfx95", {9, WIDE, false}},   {"gfx9", {9, NARROW, false}}};
  const aq_sdma_form none = {0, 0, false};
  for (unsigned i = 0; gfx && i < sizeof known / sizeof *known; i++)
    if (strncmp(gfx, known[i].prefix, strlen(known[i].prefix)) == 0)
      return known[i].form;
  return none;
}

#endif
