/* SPDX-License-Identifier: MIT */
/*
 * The builder: records commands into the blocks of a program.
 *
 * Barriers cost no packet: a barrier puts its acquire scope and the barrier bit
 * on the next packet and its release scope on the previous one, also across a
 * block's end; barriers with no packet between them merge to the wider scopes.
 * The release of a barrier before the first packet has no packet to ride on:
 * earlier submissions carry their own. Where the flow forks or joins (labels,
 * branches, calls) the last packet releases to system scope instead.
 *
 * Arguments of a dispatch are its bindings, one quad word each, then its
 * constants. Without bindings the constants are the caller's bytes, whatever
 * they are. How they reach the packet is decided while recording:
 *
 *                     all static    all slots  mixed     none
 *   reusable builder  prepublished  dynamic    template  prepublished
 *   one-shot builder  general       dynamic    general   direct
 *
 * Memory: blocks and tables are kept over a reset, so that a warm builder
 * allocates nothing. Thread rule: one thread at a time per builder; builders
 * share nothing. After an error the recorded commands are as before the call.
 */
#ifndef AQ_CMDBUF_BUILDER_H
#define AQ_CMDBUF_BUILDER_H

#include <stdbool.h>

#include "cmdbuf/program.h"
#include "common/diag.h"
#include "common/export.h"
#include "common/memory_value.h"
#include "common/transport.h"

AQ_BEGIN_DECLS

typedef struct aq_builder aq_builder;

typedef struct aq_builder_options {
  uint32_t block_size; /* bytes, a power of two; 0: the default */
  bool one_shot;       /* nothing is prepared for a second replay */
} aq_builder_options;

/* options: NULL for a reusable program with blocks of the default size. */
AQ_API aq_status aq_builder_create(const aq_builder_options *options,
                                   aq_builder **out, aq_diag *diag);
AQ_API void aq_builder_destroy(aq_builder *builder);

/* Forgets the commands and labels; kernels and static buffers stay. */
AQ_API void aq_builder_reset(aq_builder *builder);

/* ---- what commands refer to ---- */

/* A kernel: the name by which a program from a file finds it again, and the
 * object of the transport that this program is replayed on, or 0. */
AQ_API aq_status aq_builder_kernel(aq_builder *builder, const char *name,
                                   uint64_t object, uint32_t *ordinal,
                                   aq_diag *diag);

/* A static buffer; `ref` is its start: add an offset to it. address: NULL when
 * it is only known where the program is linked. */
AQ_API aq_status aq_builder_buffer(aq_builder *builder, void *address,
                                   uint64_t size, aq_ref *ref, aq_diag *diag);

/* ---- commands ---- */

typedef struct aq_dispatch {
  uint32_t kernel;       /* ordinal */
  uint32_t grid[3];      /* work-items, none 0 */
  uint16_t workgroup[3]; /* work-items, none 0 */
  uint32_t group_size;   /* bytes a workgroup */
  uint32_t private_size; /* bytes a work-item */
  const aq_ref *bindings;
  uint32_t binding_count;
  const void *constants;  /* copied */
  uint32_t constant_size; /* bytes */
} aq_dispatch;

/* Records a dispatch: a kernel with its grid, bindings and constants.
 * AQ_ERR_INVALID: an ordinal, grid or binding that is not there; the program is
 * unchanged. */
AQ_API aq_status aq_builder_dispatch(aq_builder *builder,
                                     const aq_dispatch *dispatch,
                                     aq_diag *diag);

/* The grid is read from three 32-bit words when the dispatch's turn comes; the
 * one given says how many dimensions there are. */
AQ_API aq_status aq_builder_dispatch_params(aq_builder *builder,
                                            const aq_dispatch *dispatch,
                                            aq_ref params, aq_diag *diag);

/* `size` bytes of arguments lie at `args`, aligned to 16; bindings and
 * constants have to be empty. */
AQ_API aq_status aq_builder_dispatch_args(aq_builder *builder,
                                          const aq_dispatch *dispatch,
                                          aq_ref args, uint32_t size,
                                          aq_diag *diag);

/* Commands after it begin when all before it are complete; the fences apply in
 * between. */
AQ_API void aq_builder_barrier(aq_builder *builder, aq_fence_scope acquire,
                               aq_fence_scope release);

/* pattern_size: 1, 2, 4 or 8 bytes; bytes: a multiple of it. */
AQ_API aq_status aq_builder_fill(aq_builder *builder, aq_ref target,
                                 uint64_t bytes, uint64_t pattern,
                                 uint32_t pattern_size, aq_diag *diag);
AQ_API aq_status aq_builder_copy(aq_builder *builder, aq_ref target,
                                 aq_ref source, uint64_t bytes, aq_diag *diag);
AQ_API aq_status aq_builder_update(aq_builder *builder, aq_ref target,
                                   const void *bytes, uint32_t size,
                                   aq_diag *diag);

/* Changes a value of a buffer whose start is aligned to the value's size. Bytes
 * of other commands are seen with it as barriers say. */
typedef struct aq_command_atomic {
  aq_ref target;
  uint32_t size; /* bytes: 4 or 8 */
  aq_atomic_op op;
  uint64_t operand;
  uint64_t expected; /* of AQ_ATOMIC_CAS */
  aq_ref result;     /* gets the value before, `size` bytes; with `returns` */
  bool returns;
} aq_command_atomic;

/* AQ_ERR_INVALID: an offset that is not a multiple of the size, another size,
 * or a store with a result. */
AQ_API aq_status aq_builder_atomic(aq_builder *builder,
                                   const aq_command_atomic *atomic,
                                   aq_diag *diag);

/* Holds the commands behind it until those before are complete and
 * (value & mask) fulfils the condition with `against` (memory_value.h). */
typedef struct aq_command_wait {
  aq_ref value;
  uint32_t size; /* bytes: 4 or 8 */
  aq_condition condition;
  uint64_t against;
  uint64_t mask; /* 0: all bits */
} aq_command_wait;

/* AQ_ERR_INVALID: the same, bits of `against` outside of the mask, or for AQ_LT
 * and AQ_GE its top bit. */
AQ_API aq_status aq_builder_wait_value(aq_builder *builder,
                                       const aq_command_wait *wait,
                                       aq_diag *diag);

/* A marker without a name. */
AQ_API aq_status aq_builder_marker(aq_builder *builder, aq_marker_kind kind,
                                   uint64_t value, aq_diag *diag);

/* A marker with a name of at most AQ_MARKER_NAME bytes, for the ranges of a
 * record: an end closes the last open range of its value. NULL or "": none. */
AQ_API aq_status aq_builder_marker_named(aq_builder *builder,
                                         aq_marker_kind kind, uint64_t value,
                                         const char *name, aq_diag *diag);

/* ---- flow ---- */

typedef uint32_t aq_label;

/* A condition on a value in a buffer, signed, 32 or 64 bits. */
typedef struct aq_test {
  aq_ref value;
  int64_t against;
  aq_condition condition;
  bool wide; /* 64 bits */
} aq_test;

/* A label stands for the command after its place; a label that is used has to
 * be placed once before the end. */
AQ_API aq_status aq_builder_label(aq_builder *builder, aq_label *out,
                                  aq_diag *diag);
AQ_API aq_status aq_builder_place(aq_builder *builder, aq_label label,
                                  aq_diag *diag);
AQ_API aq_status aq_builder_branch(aq_builder *builder, aq_label label,
                                   aq_diag *diag);

/* All packets so far complete before the value is looked at. */
AQ_API aq_status aq_builder_branch_if(aq_builder *builder, const aq_test *test,
                                      aq_label label, aq_diag *diag);
AQ_API aq_status aq_builder_call(aq_builder *builder, aq_label label,
                                 aq_diag *diag);
AQ_API aq_status aq_builder_return(aq_builder *builder, aq_diag *diag);

/* Copies a finished program, of the same block size, and calls it here. It is
 * no longer needed afterwards. slots: the slot that each of its own becomes;
 * NULL: they stay. entry, which may be NULL: a label to call it again. */
AQ_API aq_status aq_builder_nest(aq_builder *builder, const aq_program *nested,
                                 const uint32_t *slots, aq_label *entry,
                                 aq_diag *diag);

/* Ends the recording: the program stays valid until the next reset.
 * AQ_ERR_INPUT: calls, and programs that are nested, lie more than
 * AQ_CALL_DEPTH deep in each other. */
AQ_API aq_status aq_builder_end(aq_builder *builder, aq_program *out,
                                aq_diag *diag);

AQ_END_DECLS

#endif
