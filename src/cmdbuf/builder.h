/* SPDX-License-Identifier: MIT */
/*
 * The builder: records commands into the blocks of a program.
 *
 * Barriers cost no packet: a barrier puts its acquire scope and the barrier bit
 * on the next dispatch and its release scope on the previous one, also across
 * a block's end; barriers with no dispatch between them merge to the wider
 * scopes. The release of a barrier before the first dispatch has nothing to
 * ride on: what was submitted earlier carries its own.
 *
 * Memory: blocks are kept over a reset, so that a warm builder allocates
 * nothing. Thread rule: one thread at a time per builder.
 */
#ifndef AQ_CMDBUF_BUILDER_H
#define AQ_CMDBUF_BUILDER_H

#include "cmdbuf/program.h"
#include "common/diag.h"

typedef struct aq_builder aq_builder;

typedef struct aq_dispatch {
  uint64_t kernel_object;
  uint32_t grid[3];      /* work-items, none 0 */
  uint16_t workgroup[3]; /* work-items, none 0 */
  uint32_t group_size;   /* bytes a workgroup */
  uint32_t private_size; /* bytes a work-item */
  const void *kernarg;   /* copied */
  uint32_t kernarg_size; /* bytes */
} aq_dispatch;

/* block_size: bytes, a power of two, 0 for the default. */
aq_status aq_builder_create(uint32_t block_size, aq_builder **out,
                            aq_diag *diag);
void aq_builder_destroy(aq_builder *builder);

/* Forgets everything that was recorded. */
void aq_builder_reset(aq_builder *builder);

/* After an error the recorded commands are as before the call. */
aq_status aq_builder_dispatch(aq_builder *builder, const aq_dispatch *dispatch,
                              aq_diag *diag);
void aq_builder_barrier(aq_builder *builder, aq_fence_scope acquire,
                        aq_fence_scope release);

/* Ends the recording: the program stays valid until the next reset. */
aq_status aq_builder_end(aq_builder *builder, aq_program *out, aq_diag *diag);

#endif
