/* SPDX-License-Identifier: MIT */
/*
 * The instructions and functions that a kernel's code can reach, and which of
 * them the executor of src/gpu/wave lacks.
 *
 * A call to an address that the walk does not find out may go to any function
 * that no kernel is: all of them count as reached then. One thread at a time.
 */
#ifndef AQ_GPU_INSPECT_REACHABILITY_H
#define AQ_GPU_INSPECT_REACHABILITY_H

#include "gpu/inspect/disassembly.h"

/* Instructions of one name that cannot be executed. */
typedef struct aq_reach_missing {
  const char *name;  /* "no instruction" for bytes that are none */
  uint64_t first_pc; /* the least */
  uint64_t count;
} aq_reach_missing;

typedef struct aq_reach {
  uint64_t instructions;
  bool indirect; /* a call went to an address that is not known */
  aq_reach_missing *missing;
  size_t missing_count, missing_capacity;
  uint8_t *functions; /* by function: whether it is reached */
} aq_reach;

typedef struct aq_reach_memo aq_reach_memo;

/* Facts shared by the kernels of a code object; NULL: out of memory. */
aq_reach_memo *aq_reach_memo_create(void);
void aq_reach_memo_destroy(aq_reach_memo *memo);

/* Walks from the kernel's entry. AQ_ERR_INPUT: the file has no code for it. */
aq_status aq_reach_find(const aq_disassembly *disassembly,
                        const aq_code_kernel *kernel, aq_reach_memo *memo,
                        aq_reach *out, aq_diag *diag);
void aq_reach_fini(aq_reach *reach);

#endif
