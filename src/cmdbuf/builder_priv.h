/* SPDX-License-Identifier: MIT */
/* Shared by the files of the builder; only they include it. */
#ifndef AQ_CMDBUF_BUILDER_PRIV_H
#define AQ_CMDBUF_BUILDER_PRIV_H

#include "cmdbuf/builder.h"
#include "common/arena.h"

/* Room that every block keeps for its end: a barrier that could not be folded
 * and the largest terminator. */
enum { AQ_BLOCK_END = sizeof(aq_op_barrier) + sizeof(aq_op_branch_if) };

/* Where terminators point while recording: a block, or a label with this. */
enum { AQ_TARGET_LABEL = 1u << 31 };

/* What refs may name: the bytes that commands need of each. */
typedef struct aq_ref_table {
  uint64_t *sizes;
  uint32_t count, capacity;
} aq_ref_table;

struct aq_builder {
  /* Blocks. */
  aq_block **blocks;
  uint32_t count, allocated, capacity; /* in use, made, places */
  uint32_t block_size;
  bool one_shot;
  aq_block *block;               /* the one being filled, or NULL */
  uint32_t top;                  /* offset of the next record */
  uint32_t clear_from, clear_to; /* zero since the block's earlier use */
  uint32_t commands;

  /* Barriers. */
  uint16_t *last;   /* header that takes the release of the next one */
  uint16_t pending; /* header bits for the next packet: barrier, acquire */

  aq_ref_table refs[2]; /* slots, static buffers */
  uint32_t flags;       /* of the program */

  /* Kernels and static buffers. */
  aq_arena names;
  const char **kernel_names;
  uint64_t *kernel_objects;
  uint32_t kernel_count, kernel_capacity;
  aq_binding *statics;
  uint32_t static_capacity;

  uint32_t *labels; /* block ordinals, or AQ_BLOCK_NONE: not placed */
  uint32_t label_count, label_capacity;
  aq_program program;
};

/* Makes an array of `*capacity` items hold at least `count`. */
aq_status aq_builder_grow(void *array, uint32_t *capacity, uint32_t count,
                          size_t item, aq_diag *diag);

/* Makes sure that a block can be opened. */
aq_status aq_block_prepare(aq_builder *builder, uint32_t blocks, aq_diag *diag);
void aq_block_open(aq_builder *builder);

/* Makes the current block one that has room. The slow half of
 * aq_block_reserve. */
aq_status aq_block_find_room(aq_builder *builder, uint32_t bytes,
                             aq_diag *diag);

/* The next record of the current block; the caller made sure that it fits. */
void *aq_record_add(aq_builder *builder, aq_opcode code, unsigned flags,
                    uint32_t size);

/* The current block ends with the terminator that was recorded: it goes into
 * the sums. */
void aq_block_finish(aq_builder *builder, aq_opcode code, uint32_t target,
                     uint32_t next);

/* Records a terminator with its targets and ends the block. */
void *aq_flow_end(aq_builder *builder, aq_opcode code, unsigned flags,
                  uint32_t size, uint32_t target, uint32_t next);

/* The flow forks or joins here: what barriers know of the packets before is
 * settled. Needs the room of AQ_BLOCK_END. */
void aq_builder_settle(aq_builder *builder);

/* Notes that a command touches [ref, +bytes); the slow half of ref_note. */
aq_status aq_ref_check(aq_builder *builder, aq_ref ref, uint64_t bytes,
                       aq_diag *diag);

static inline aq_status aq_block_reserve(aq_builder *builder, uint32_t bytes,
                                         aq_diag *diag)
{
  const aq_block *block = builder->block;
  if (block && block->rodata - builder->top >= bytes + AQ_BLOCK_END)
    return AQ_OK;
  return aq_block_find_room(builder, bytes, diag);
}

static inline aq_status aq_ref_note(aq_builder *builder, aq_ref ref,
                                    uint64_t bytes, aq_diag *diag)
{
  aq_ref_table *table = &builder->refs[ref >> 63];
  const uint32_t ordinal = aq_ref_ordinal(ref);
  if (__builtin_expect(ordinal >= table->count, 0))
    return aq_ref_check(builder, ref, bytes, diag);
  if (table->sizes[ordinal] < aq_ref_offset(ref) + bytes)
    table->sizes[ordinal] = aq_ref_offset(ref) + bytes;
  return AQ_OK;
}

/* A packet was recorded: it took the barrier before it and takes the release
 * of the next one. */
static inline void aq_packet_note(aq_builder *builder, uint16_t *header)
{
  builder->last = header;
  builder->pending = 0;
}

#endif
