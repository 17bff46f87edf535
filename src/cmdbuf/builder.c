/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/builder.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder_priv.h"
#include "cmdbuf/builtins.h"
#include "common/array.h"

aq_status aq_builder_create(const aq_builder_options *options, aq_builder **out,
                            aq_diag *diag)
{
  uint32_t size = options ? options->block_size : 0;
  if (size == 0)
    size = AQ_BLOCK_SIZE_DEFAULT;
  if (size < AQ_BLOCK_SIZE_MIN || size > AQ_BLOCK_SIZE_MAX ||
      (size & (size - 1)) != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "block size %u: a power of two from %d to %d expected",
                       size, AQ_BLOCK_SIZE_MIN, AQ_BLOCK_SIZE_MAX);
  aq_builder *builder = calloc(1, sizeof *builder);
  if (!builder)
    return aq_diag_no_memory(diag);
  builder->block_size = size;
  builder->one_shot = options && options->one_shot;
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
  free(builder->refs[0].sizes);
  free(builder->refs[1].sizes);
  free(builder->kernel_names);
  free(builder->kernel_objects);
  free(builder->statics);
  free(builder->labels);
  aq_arena_fini(&builder->names);
  free(builder);
}

void aq_builder_reset(aq_builder *builder)
{
  for (int i = 0; i < 2; i++)
    if (builder->refs[i].count > 0)
      memset(builder->refs[i].sizes, 0,
             builder->refs[i].count * sizeof *builder->refs[i].sizes);
  builder->refs[0].count = 0;
  builder->count = 0;
  builder->block = NULL;
  builder->commands = 0;
  builder->last = NULL;
  builder->pending = 0;
  builder->flags = 0;
  builder->label_count = 0;
  builder->program = (aq_program){0};
}

/* ---- blocks ---- */

aq_status aq_builder_grow(void *array, uint32_t *capacity, uint32_t count,
                          size_t item, aq_diag *diag)
{
  return count <= *capacity || aq_array_grow(array, item, capacity,
                                             sizeof *capacity, count, false)
             ? AQ_OK
             : aq_diag_no_memory(diag);
}

aq_status aq_block_prepare(aq_builder *builder, uint32_t blocks, aq_diag *diag)
{
  aq_status status =
      aq_builder_grow(&builder->blocks, &builder->capacity,
                      builder->count + blocks, sizeof *builder->blocks, diag);
  if (status != AQ_OK)
    return status;
  while (builder->allocated < builder->count + blocks) {
    /* Lines of their own, so that a record of 64 bytes touches one. */
    aq_block *block = aligned_alloc(64, builder->block_size);
    if (!block)
      return aq_diag_no_memory(diag);
    block->commands_size = 0;
    builder->blocks[builder->allocated++] = block;
  }
  return AQ_OK;
}

void aq_block_open(aq_builder *builder)
{
  aq_block *block = builder->blocks[builder->count];
  /* Only finished blocks have a size of commands. */
  const bool finished = block->commands_size > 0;
  builder->clear_from =
      finished ? block->header_size + block->commands_size : 0;
  builder->clear_to = finished ? block->rodata : 0;
  *block = (aq_block){
      .magic = AQ_BLOCK_MAGIC,
      .version = AQ_BLOCK_VERSION,
      .header_size = sizeof *block,
      .ordinal = builder->count++,
      .size = builder->block_size,
      .first = builder->commands,
      .rodata = builder->block_size,
      .target = AQ_BLOCK_NONE,
      .next = AQ_BLOCK_NONE,
  };
  builder->block = block;
  builder->top = sizeof *block;
}

void *aq_record_add(aq_builder *builder, aq_opcode code, unsigned flags,
                    uint32_t size)
{
  aq_op *op = (aq_op *)((unsigned char *)builder->block + builder->top);
  *op = (aq_op){.code = (uint8_t)code,
                .flags = (uint8_t)flags,
                .size = (uint16_t)(size / 8),
                .index = builder->commands++};
  builder->top += size;
  builder->block->commands++;
  return op;
}

static void range_clear(aq_block *block, uint32_t from, uint32_t to)
{
  if (from < to)
    memset((unsigned char *)block + from, 0, to - from);
}

void aq_block_finish(aq_builder *builder, aq_opcode code, uint32_t target,
                     uint32_t next)
{
  aq_block *block = builder->block;
  block->terminator = (uint8_t)code;
  block->target = target;
  block->next = next;
  block->commands_size = builder->top - block->header_size;
  /* Clears old contents of the memory; a part that is clear from an earlier
   * use stays so. */
  const uint32_t top = builder->top, rodata = builder->block->rodata;
  const uint32_t from = builder->clear_from, to = builder->clear_to;
  range_clear(builder->block, top, from < rodata ? from : rodata);
  range_clear(builder->block, to > top ? to : top, rodata);
  aq_program *program = &builder->program;
  program->packets += block->packets;
  program->kernarg_size += block->kernarg_size;
  if (block->kernarg_max > program->kernarg_max)
    program->kernarg_max = block->kernarg_max;
  builder->block = NULL;
}

aq_status aq_block_find_room(aq_builder *builder, uint32_t bytes, aq_diag *diag)
{
  const uint32_t most = builder->block_size - sizeof(aq_block) - AQ_BLOCK_END;
  if (bytes > most)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a record of %u bytes: a block of %u holds at most %u",
                       bytes, builder->block_size, most);
  aq_status status = aq_block_prepare(builder, 1, diag);
  if (status != AQ_OK)
    return status;
  if (builder->block) {
    aq_op_branch *branch =
        aq_record_add(builder, AQ_OP_BRANCH, 0, sizeof(aq_op_branch));
    branch->target = builder->count;
    branch->zero0 = 0;
    aq_block_finish(builder, AQ_OP_BRANCH, builder->count, AQ_BLOCK_NONE);
  }
  aq_block_open(builder);
  return AQ_OK;
}

/* ---- dispatches ---- */

/* How a dispatch is laid out. */
typedef struct layout {
  aq_strategy strategy;
  uint32_t kernarg; /* bytes of arguments */
  uint32_t tail;    /* bytes behind the record */
  uint32_t rodata;  /* bytes */
  uint32_t patches;
} layout;

static uint32_t round8(uint32_t size)
{
  return (size + 7) & ~7u;
}

static aq_status shape_check(const aq_builder *builder,
                             const aq_dispatch *dispatch, aq_diag *diag)
{
  const uint32_t *grid = dispatch->grid;
  const uint16_t *workgroup = dispatch->workgroup;
  if (!grid[0] || !grid[1] || !grid[2] || !workgroup[0] || !workgroup[1] ||
      !workgroup[2])
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "dispatch: grid and workgroup must not be 0");
  if (dispatch->kernel >= builder->kernel_count)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "dispatch: kernel %u; there are %u", dispatch->kernel,
                       builder->kernel_count);
  return AQ_OK;
}

static aq_status too_large(const aq_builder *builder, uint64_t size,
                           aq_diag *diag)
{
  const uint32_t room = builder->block_size - sizeof(aq_block) -
                        sizeof(aq_op_dispatch_params) - AQ_BLOCK_END;
  return aq_diag_set(diag, AQ_ERR_INVALID,
                     "dispatch: %llu bytes of arguments, a block of %u holds "
                     "at most %u",
                     (unsigned long long)size, builder->block_size,
                     room & ~(AQ_RODATA_ALIGN - 1u));
}

static aq_status layout_choose(aq_builder *builder, const aq_dispatch *dispatch,
                               layout *out, aq_diag *diag)
{
  const uint32_t bindings = dispatch->binding_count;
  uint32_t statics = 0;
  for (uint32_t i = 0; i < bindings; i++) {
    const aq_ref ref = dispatch->bindings[i];
    statics += ref >> 63;
    aq_status status = aq_ref_note(builder, ref, 0, diag);
    if (status != AQ_OK)
      return status;
  }
  const uint64_t size = (uint64_t)bindings * 8 + dispatch->constant_size;
  if (size > builder->block_size || bindings > UINT16_MAX)
    return too_large(builder, size, diag);
  const uint32_t kernarg = (uint32_t)size;
  *out = (layout){.kernarg = kernarg};
  if (kernarg == 0) {
    out->strategy = AQ_ARGS_NONE;
  } else if (bindings > 0 && statics == 0) {
    out->strategy = AQ_ARGS_DYNAMIC;
    out->tail = round8(kernarg);
  } else if (builder->one_shot) {
    out->strategy = bindings ? AQ_ARGS_GENERAL : AQ_ARGS_DIRECT;
    out->tail = round8(kernarg);
  } else {
    out->patches = bindings - statics;
    out->strategy = out->patches ? AQ_ARGS_TEMPLATE : AQ_ARGS_PREPUBLISHED;
    out->tail = out->patches * 8 + round8(out->patches * 2);
    out->rodata = round8(kernarg);
  }
  const uint32_t room = builder->block_size - sizeof(aq_block) -
                        sizeof(aq_op_dispatch_params) - AQ_BLOCK_END;
  if (out->tail + out->rodata + AQ_RODATA_ALIGN - 1 > room &&
      out->tail + out->rodata > (room & ~(AQ_RODATA_ALIGN - 1u)))
    return too_large(builder, size, diag);
  return AQ_OK;
}

/* Bindings and constants as the packet will have them, refs for addresses. */
static void arguments_write(const aq_dispatch *dispatch, uint64_t *to)
{
  const uint32_t bindings = dispatch->binding_count;
  for (uint32_t i = 0; i < bindings; i++)
    to[i] = dispatch->bindings[i];
  if (dispatch->constant_size == 0)
    return;
  to += bindings;
  to[(dispatch->constant_size - 1) / 8] = 0;
  memcpy(to, dispatch->constants, dispatch->constant_size);
}

static uint32_t rodata_take(aq_builder *builder, uint32_t size)
{
  aq_block *block = builder->block;
  const uint32_t end = block->rodata;
  block->rodata = (end - size) & ~(AQ_RODATA_ALIGN - 1u);
  memset((unsigned char *)block + block->rodata + size, 0,
         end - block->rodata - size);
  return block->rodata;
}

static uint16_t dimensions(const aq_dispatch *dispatch)
{
  if (dispatch->grid[2] > 1 || dispatch->workgroup[2] > 1)
    return 3;
  return dispatch->grid[1] > 1 || dispatch->workgroup[1] > 1 ? 2 : 1;
}

static inline void shape_write(aq_op_dispatch *record,
                               const aq_dispatch *dispatch)
{
  record->setup = dimensions(dispatch);
  record->workgroup[0] = dispatch->workgroup[0];
  record->workgroup[1] = dispatch->workgroup[1];
  record->workgroup[2] = dispatch->workgroup[2];
  record->zero0 = 0;
  record->grid[0] = dispatch->grid[0];
  record->grid[1] = dispatch->grid[1];
  record->grid[2] = dispatch->grid[2];
  record->private_size = dispatch->private_size;
  record->group_size = dispatch->group_size;
  record->kernel = dispatch->kernel;
  record->bindings = (uint16_t)dispatch->binding_count;
  record->zero1[0] = record->zero1[1] = 0;
}

/* The record's addition to its block. */
static inline void block_count(aq_block *block, uint32_t packets,
                               uint32_t kernarg)
{
  block->packets += packets;
  block->kernarg_size += kernarg;
  if (kernarg > block->kernarg_max)
    block->kernarg_max = kernarg;
}

static inline aq_status dispatch_add(aq_builder *builder,
                                     const aq_dispatch *dispatch,
                                     aq_opcode code, uint32_t size,
                                     aq_op_dispatch **out, aq_diag *diag)
{
  layout l = {AQ_ARGS_NONE};
  aq_status status = shape_check(builder, dispatch, diag);
  if (status == AQ_OK)
    status = layout_choose(builder, dispatch, &l, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(
        builder,
        size + l.tail + (l.rodata ? l.rodata + AQ_RODATA_ALIGN - 1 : 0), diag);
  if (status != AQ_OK)
    return status;
  aq_op_dispatch *record =
      aq_record_add(builder, code, l.strategy, size + l.tail);
  uint64_t *tail = (uint64_t *)((unsigned char *)record + size);
  shape_write(record, dispatch);
  record->header = (uint16_t)(AQ_PACKET_KERNEL_DISPATCH | builder->pending);
  record->kernarg_size = l.kernarg;
  record->rodata = 0;
  record->patches = (uint16_t)l.patches;
  uint32_t kernarg = 0;
  if (l.rodata) {
    record->rodata = rodata_take(builder, l.rodata);
    arguments_write(dispatch, (uint64_t *)((unsigned char *)builder->block +
                                           record->rodata));
    builder->flags |= AQ_PROGRAM_RODATA;
    if (l.patches) {
      /* The slots of a template, then which arguments they are. */
      const uint32_t patches = l.patches;
      uint16_t *places = (uint16_t *)(tail + patches);
      uint32_t at = 0;
      memset(places, 0, round8(patches * 2));
      for (uint32_t i = 0; i < dispatch->binding_count; i++)
        if (!(dispatch->bindings[i] & AQ_REF_STATIC)) {
          tail[at] = dispatch->bindings[i];
          places[at++] = (uint16_t)i;
        }
      kernarg = aq_kernarg_round(l.kernarg);
    }
  } else if (l.tail) {
    arguments_write(dispatch, tail);
    kernarg = aq_kernarg_round(l.kernarg);
  }
  builder->block->dispatches++;
  if (code == AQ_OP_DISPATCH_PARAMS)
    block_count(builder->block, 2,
                kernarg + aq_kernarg_round(sizeof(aq_patch_args)));
  else
    block_count(builder->block, 1, kernarg);
  aq_packet_note(builder, &record->header);
  *out = record;
  return AQ_OK;
}

aq_status aq_builder_dispatch(aq_builder *builder, const aq_dispatch *dispatch,
                              aq_diag *diag)
{
  aq_op_dispatch *record;
  return dispatch_add(builder, dispatch, AQ_OP_DISPATCH, sizeof *record,
                      &record, diag);
}

aq_status aq_builder_dispatch_params(aq_builder *builder,
                                     const aq_dispatch *dispatch, aq_ref params,
                                     aq_diag *diag)
{
  aq_op_dispatch *record;
  aq_status status = aq_ref_note(builder, params, 3 * sizeof(uint32_t), diag);
  if (status == AQ_OK)
    status = dispatch_add(builder, dispatch, AQ_OP_DISPATCH_PARAMS,
                          sizeof(aq_op_dispatch_params), &record, diag);
  if (status != AQ_OK)
    return status;
  ((aq_op_dispatch_params *)record)->params = params;
  builder->flags |= AQ_PROGRAM_BUILTINS | AQ_PROGRAM_DRAINS;
  return AQ_OK;
}

aq_status aq_builder_dispatch_args(aq_builder *builder,
                                   const aq_dispatch *dispatch, aq_ref args,
                                   uint32_t size, aq_diag *diag)
{
  if (dispatch->binding_count || dispatch->constant_size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "dispatch: its arguments lie in a buffer, so it has no "
                       "others");
  if (aq_ref_offset(args) % AQ_RODATA_ALIGN != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "dispatch: arguments at offset %llu; a multiple of %d "
                       "expected",
                       (unsigned long long)aq_ref_offset(args),
                       AQ_RODATA_ALIGN);
  aq_op_dispatch *record;
  aq_status status = aq_ref_note(builder, args, size, diag);
  if (status == AQ_OK)
    status = dispatch_add(builder, dispatch, AQ_OP_DISPATCH_ARGS,
                          sizeof(aq_op_dispatch_args), &record, diag);
  if (status != AQ_OK)
    return status;
  record->kernarg_size = size;
  ((aq_op_dispatch_args *)record)->args = args;
  return AQ_OK;
}

/* ---- barriers ---- */

/* Widens one scope of a header. */
static uint16_t scope_widen(uint16_t header, unsigned shift,
                            aq_fence_scope scope)
{
  const unsigned mask = AQ_HEADER_SCOPE_MASK << shift;
  if ((header & mask) >= (unsigned)scope << shift)
    return header;
  return (uint16_t)((header & ~mask) | (unsigned)scope << shift);
}

void aq_builder_barrier(aq_builder *builder, aq_fence_scope acquire,
                        aq_fence_scope release)
{
  if (builder->last)
    *builder->last =
        scope_widen(*builder->last, AQ_HEADER_RELEASE_SHIFT, release);
  builder->pending =
      scope_widen(builder->pending | 1 << AQ_HEADER_BARRIER_SHIFT,
                  AQ_HEADER_ACQUIRE_SHIFT, acquire);
}

void aq_builder_settle(aq_builder *builder)
{
  if (builder->last)
    *builder->last =
        scope_widen(*builder->last, AQ_HEADER_RELEASE_SHIFT, AQ_SCOPE_SYSTEM);
  builder->last = NULL;
  if (builder->pending)
    aq_record_add(builder, AQ_OP_BARRIER, aq_header_acquire(builder->pending),
                  sizeof(aq_op_barrier));
  builder->pending = 0;
}
