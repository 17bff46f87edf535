/* SPDX-License-Identifier: MIT */
/*
 * The machine code of a code object as assembly, function by function.
 *
 * A disassembly borrows the bytes and is constant once opened: any number of
 * threads may read it.
 */
#ifndef AQ_GPU_INSPECT_DISASSEMBLY_H
#define AQ_GPU_INSPECT_DISASSEMBLY_H

#include "gpu/codeobj/functions.h"
#include "gpu/isa/isa.h"

typedef struct aq_disassembly {
  const aq_codeobj *code; /* borrowed */
  aq_code_functions functions;
  aq_isa_decoder decoder;
} aq_disassembly;

/* A line: an instruction, or a word that is none. */
typedef struct aq_disassembly_line {
  uint64_t pc;   /* in the file's address space */
  int64_t label; /* the number of the label that stands before it, or -1 */
  uint32_t words[4];
  unsigned word_count;
  const aq_isa_inst *inst; /* NULL: a word that is no instruction */
  const char *text;        /* "s_cbranch_scc0 L1", ".long 0x00000000" */
} aq_disassembly_line;

/* Receives a line, borrowed for the call. */
typedef void aq_disassembly_sink(const aq_disassembly_line *line, void *user);

/* `code` was read from `bytes`. AQ_ERR_UNSUPPORTED: there is no
 * table of instructions for its processor. */
aq_status aq_disassembly_open(const void *bytes, size_t size,
                              const aq_codeobj *code, aq_disassembly *out,
                              aq_diag *diag);
void aq_disassembly_close(aq_disassembly *disassembly);

/* Passes every line of a function on, in order. */
aq_status aq_disassembly_print(const aq_disassembly *disassembly,
                               const aq_code_function *function,
                               aq_disassembly_sink *sink, void *user,
                               aq_diag *diag);

#endif
