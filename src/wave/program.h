/* SPDX-License-Identifier: MIT */
/*
 * Decoded code, by page of guest memory. An instruction is decoded when it is
 * reached first; a page whose bytes changed since an execution last began with
 * it is decoded again. Within wave.
 */
#ifndef AQ_WAVE_PROGRAM_H
#define AQ_WAVE_PROGRAM_H

#include "common/arena.h"
#include "wave/state.h"
#include "wave/values.h"

enum {
  AQ_WAVE_PAGE_BYTES = 4096,
  AQ_WAVE_PAGE_OPS = AQ_WAVE_PAGE_BYTES / 4,
  AQ_WAVE_PAGE_BUCKETS = 256,
};

typedef struct aq_wave_page aq_wave_page;
struct aq_wave_page {
  uint64_t address;   /* of its first byte */
  uint64_t execution; /* that its bytes were compared for */
  aq_wave_page *next; /* of its bucket */
  aq_arena arena;     /* instructions and constants */
  const aq_wave_op *ops[AQ_WAVE_PAGE_OPS];
  unsigned char bytes[AQ_WAVE_PAGE_BYTES + 8]; /* decoded from these */
};

typedef struct aq_wave_program {
  aq_isa_decoder decoder;
  const aq_wave_values *values;
  aq_wave_page *buckets[AQ_WAVE_PAGE_BUCKETS];
} aq_wave_program;

aq_status aq_wave_program_init(aq_wave_program *program,
                               const aq_processor *processor, aq_diag *diag);
void aq_wave_program_fini(aq_wave_program *program);

/* The page at an address, as memory is now; NULL: out of memory. The caller
 * knows that `size` bytes from the page's start can be read, at most a page
 * and 8 more. */
aq_wave_page *aq_wave_program_page(aq_wave_program *program, uint64_t address,
                                   uint64_t execution, size_t size);

/* Decodes the instruction at `pc`, which is in the page. AQ_ERR_INPUT: no
 * instruction; AQ_ERR_UNSUPPORTED: one that is not executed, by name. */
aq_status aq_wave_program_decode(aq_wave_program *program, aq_wave_page *page,
                                 uint64_t pc, const aq_wave_op **out,
                                 aq_diag *diag);

#endif
