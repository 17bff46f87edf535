/* SPDX-License-Identifier: MIT */
/*
 * Profiles of machine code as runs keep them: the instructions of a kernel with
 * their counts, in text, summed up by class and by basic block.
 *
 * The rows are borrowed. One thread at a time.
 */
#ifndef AQ_GPU_INSPECT_PROFILE_H
#define AQ_GPU_INSPECT_PROFILE_H

#include "common/instruction.h"
#include "gpu/isa/control_flow.h"
#include "gpu/isa/labels.h"

typedef struct aq_profile_line {
  const aq_instruction *row;
  int64_t label; /* the number of the label that stands before it, or -1 */
  aq_isa_class class;
  char text[AQ_ISA_TEXT_SIZE];
} aq_profile_line;

/* Sums over instructions; AQ_NONE where none of them has the figure. */
typedef struct aq_profile_sum {
  int64_t instructions; /* in the code */
  int64_t issued, vector_issued, lanes;
  int64_t bytes, segments, segments_least;
  int64_t bank_cycles, bank_cycles_least;
} aq_profile_sum;

/* Instructions that run one after the other: from a label or behind a branch,
 * up to the next. */
typedef struct aq_profile_block {
  size_t first; /* line */
  aq_profile_sum sum;
} aq_profile_block;

typedef struct aq_profile_kernel {
  aq_profile_line *lines; /* by offset */
  size_t line_count;
  aq_profile_block *blocks;
  size_t block_count, block_capacity;
  aq_profile_sum classes[AQ_ISA_CLASS_COUNT], all;
} aq_profile_kernel;

/* Rows from `*at` on that are of one kernel, processor and code; moves `*at`
 * behind them. */
size_t aq_profile_rows_next(const aq_instruction *rows, size_t count,
                            size_t *at);

/* Of such rows. AQ_ERR_UNSUPPORTED: there is no table of instructions for the
 * processor; AQ_ERR_INPUT: a row is no instruction. */
aq_status aq_profile_kernel_make(const aq_instruction *rows, size_t count,
                                 const char *gfx, aq_profile_kernel *out,
                                 aq_diag *diag);
void aq_profile_kernel_fini(aq_profile_kernel *kernel);

#endif
