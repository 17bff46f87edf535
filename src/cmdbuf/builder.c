/* SPDX-License-Identifier: MIT */
#include "cmdbuf/builder.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Room that every block keeps for its end: a barrier that could not be folded
 * and the larger terminator. */
enum { END_SIZE = sizeof(aq_op_barrier) + sizeof(aq_op_branch) };

struct aq_builder {
  aq_block **blocks;
  uint32_t count, allocated, capacity; /* blocks in use, made, places */
  uint32_t block_size;
  aq_block *block; /* the one being filled, NULL before the first command */
  uint32_t top;    /* offset of the next record */
  uint32_t commands;
  aq_op_dispatch *last; /* takes the release of the next barrier */
  bool barrier;         /* one waits for the next dispatch */
  aq_fence_scope acquire;
  aq_program program;
};

aq_status aq_builder_create(uint32_t block_size, aq_builder **out,
                            aq_diag *diag)
{
  if (block_size == 0)
    block_size = AQ_BLOCK_SIZE_DEFAULT;
  if (block_size < AQ_BLOCK_SIZE_MIN || block_size > AQ_BLOCK_SIZE_MAX ||
      (block_size & (block_size - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "block size %u: a power of two from %d to %d expected",
                       block_size, AQ_BLOCK_SIZE_MIN, AQ_BLOCK_SIZE_MAX);
  aq_builder *builder = calloc(1, sizeof *builder);
  if (!builder)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a builder");
  builder->block_size = block_size;
  *out = builder;
  return AQ_OK;
}

void aq_builder_destroy(aq_builder *builder)
{
  if (!builder)
    return;
  for (uint32_t i = 0; i < builder->allocated; i++)
    free(builder->blocks[i]);
  free(builder->blocks);
  free(builder);
}

void aq_builder_reset(aq_builder *builder)
{
  builder->count = 0;
  builder->block = NULL;
  builder->commands = 0;
  builder->last = NULL;
  builder->barrier = false;
  builder->acquire = AQ_SCOPE_NONE;
  builder->program = (aq_program){0};
}

/* Makes sure that block_open has a block to take. */
static aq_status block_prepare(aq_builder *builder, aq_diag *diag)
{
  if (builder->count < builder->allocated)
    return AQ_OK;
  if (builder->allocated == builder->capacity) {
    uint32_t capacity = builder->capacity ? builder->capacity * 2 : 16;
    aq_block **grown =
        realloc(builder->blocks, capacity * sizeof *builder->blocks);
    if (!grown)
      return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for %u blocks",
                         capacity);
    builder->blocks = grown;
    builder->capacity = capacity;
  }
  aq_block *block = malloc(builder->block_size);
  if (!block)
    return aq_diag_set(diag, AQ_ERR_NO_MEMORY, "no memory for a block of %u",
                       builder->block_size);
  builder->blocks[builder->allocated++] = block;
  return AQ_OK;
}

static void block_open(aq_builder *builder)
{
  aq_block *block = builder->blocks[builder->count];
  *block = (aq_block){
      .magic = AQ_BLOCK_MAGIC,
      .version = AQ_BLOCK_VERSION,
      .header_size = sizeof *block,
      .ordinal = builder->count++,
      .target = AQ_BLOCK_NO_TARGET,
      .size = builder->block_size,
      .commands_offset = sizeof *block,
      .rodata_offset = builder->block_size,
  };
  builder->block = block;
  builder->top = sizeof *block;
}

/* The next record of the current block; the caller made sure it fits. */
static void *record_add(aq_builder *builder, aq_opcode code, uint8_t flags,
                        uint32_t size)
{
  aq_op *op = (aq_op *)((unsigned char *)builder->block + builder->top);
  *op = (aq_op){.code = (uint8_t)code,
                .flags = flags,
                .size = (uint16_t)(size / 8),
                .index = builder->commands++};
  builder->top += size;
  builder->block->command_count++;
  return op;
}

/* Seals the current block behind its terminator and adds it to the sums. */
static void block_finish(aq_builder *builder, aq_opcode terminator)
{
  aq_block *block = builder->block;
  block->terminator = (uint8_t)terminator;
  block->commands_size = builder->top - block->commands_offset;
  block->rodata_size = block->size - block->rodata_offset;
  aq_program *program = &builder->program;
  program->packets += block->packets;
  program->kernarg_size += block->kernarg_size;
  if (block->kernarg_max > program->kernarg_max)
    program->kernarg_max = block->kernarg_max;
}

/* Ends the current block with a branch to a new one. */
static void block_split(aq_builder *builder)
{
  aq_op_branch *branch =
      record_add(builder, AQ_OP_BRANCH, 0, sizeof(aq_op_branch));
  branch->target = builder->block->target = builder->count;
  branch->reserved = 0;
  block_finish(builder, AQ_OP_BRANCH);
  block_open(builder);
}

/* Makes the current block one that has `size` bytes free. */
static aq_status block_reserve(aq_builder *builder, uint32_t size,
                               aq_diag *diag)
{
  const aq_block *block = builder->block;
  if (block && block->rodata_offset - builder->top >= size + END_SIZE)
    return AQ_OK;
  aq_status status = block_prepare(builder, diag);
  if (status != AQ_OK)
    return status;
  if (block)
    block_split(builder);
  else
    block_open(builder);
  return AQ_OK;
}

static aq_status dispatch_check(const aq_builder *builder,
                                const aq_dispatch *dispatch, aq_diag *diag)
{
  for (int i = 0; i < 3; i++)
    if (dispatch->grid[i] == 0 || dispatch->workgroup[i] == 0)
      return aq_diag_set(diag, AQ_ERR_INVALID,
                         "dispatch: grid and workgroup must not be 0");
  const uint32_t room = builder->block_size - sizeof(aq_block) -
                        sizeof(aq_op_dispatch) - END_SIZE;
  if (dispatch->kernarg_size > room)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "dispatch: %u bytes of arguments, a block of %u holds "
                       "at most %u",
                       dispatch->kernarg_size, builder->block_size, room & ~7u);
  return AQ_OK;
}

static uint16_t dispatch_dimensions(const aq_dispatch *dispatch)
{
  if (dispatch->grid[2] > 1 || dispatch->workgroup[2] > 1)
    return 3;
  return dispatch->grid[1] > 1 || dispatch->workgroup[1] > 1 ? 2 : 1;
}

/* Copies bytes to the bottom of the rodata and returns their offset. */
static uint32_t rodata_add(aq_builder *builder, const void *bytes,
                           uint32_t size)
{
  aq_block *block = builder->block;
  const uint32_t padded = (size + 7) & ~7u;
  block->rodata_offset -= padded;
  unsigned char *to = (unsigned char *)block + block->rodata_offset;
  memcpy(to, bytes, size);
  memset(to + size, 0, padded - size);
  return block->rodata_offset;
}

aq_status aq_builder_dispatch(aq_builder *builder, const aq_dispatch *dispatch,
                              aq_diag *diag)
{
  aq_status status = dispatch_check(builder, dispatch, diag);
  if (status != AQ_OK)
    return status;
  const uint32_t arguments = (dispatch->kernarg_size + 7) & ~7u;
  status = block_reserve(builder, sizeof(aq_op_dispatch) + arguments, diag);
  if (status != AQ_OK)
    return status;
  aq_op_dispatch *record =
      record_add(builder, AQ_OP_DISPATCH, 0, sizeof *record);
  record->image = (aq_dispatch_image){
      .header = aq_packet_header(AQ_PACKET_KERNEL_DISPATCH, builder->barrier,
                                 builder->acquire, AQ_SCOPE_NONE),
      .setup = dispatch_dimensions(dispatch),
      .workgroup_size = {dispatch->workgroup[0], dispatch->workgroup[1],
                         dispatch->workgroup[2]},
      .grid_size = {dispatch->grid[0], dispatch->grid[1], dispatch->grid[2]},
      .private_segment_size = dispatch->private_size,
      .group_segment_size = dispatch->group_size,
      .kernel_object = dispatch->kernel_object,
  };
  record->kernarg_size = dispatch->kernarg_size;
  record->kernarg_offset =
      arguments ? rodata_add(builder, dispatch->kernarg, dispatch->kernarg_size)
                : 0;
  record->reserved = 0;

  aq_block *block = builder->block;
  const uint32_t rounded = aq_kernarg_round(dispatch->kernarg_size);
  block->packets++;
  block->dispatches++;
  block->kernarg_size += rounded;
  if (rounded > block->kernarg_max)
    block->kernarg_max = rounded;
  builder->last = record;
  builder->barrier = false;
  builder->acquire = AQ_SCOPE_NONE;
  return AQ_OK;
}

/* Widens the release scope of a recorded dispatch. */
static void release_widen(aq_op_dispatch *record, aq_fence_scope release)
{
  const unsigned mask = AQ_HEADER_SCOPE_MASK << AQ_HEADER_RELEASE_SHIFT;
  uint16_t header = record->image.header;
  if (aq_header_release(header) < (unsigned)release)
    record->image.header =
        (uint16_t)((header & ~mask) | release << AQ_HEADER_RELEASE_SHIFT);
}

void aq_builder_barrier(aq_builder *builder, aq_fence_scope acquire,
                        aq_fence_scope release)
{
  if (builder->last)
    release_widen(builder->last, release);
  builder->barrier = true;
  if (acquire > builder->acquire)
    builder->acquire = acquire;
}

aq_status aq_builder_end(aq_builder *builder, aq_program *out, aq_diag *diag)
{
  aq_status status = block_reserve(builder, 0, diag);
  if (status != AQ_OK)
    return status;
  if (builder->barrier)
    record_add(builder, AQ_OP_BARRIER, (uint8_t)builder->acquire,
               sizeof(aq_op_barrier));
  record_add(builder, AQ_OP_RETURN, 0, sizeof(aq_op_return));
  block_finish(builder, AQ_OP_RETURN);
  builder->program.blocks = (const aq_block *const *)builder->blocks;
  builder->program.block_count = builder->count;
  *out = builder->program;
  return AQ_OK;
}
