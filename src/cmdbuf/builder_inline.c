/* SPDX-License-Identifier: MIT */
/* Nesting: the blocks of one program become a subroutine of another. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder_priv.h"
#include "cmdbuf/opcodes.h"

/* The new ordinals of the nested program. */
typedef struct mapping {
  uint32_t block;        /* what its block 0 becomes */
  uint32_t *kernels;     /* by its ordinals */
  const uint32_t *slots; /* the same, or NULL: they stay */
  uint32_t statics;      /* what its static buffer 0 becomes */
} mapping;

static aq_status kernel_map(aq_builder *builder, const aq_program *nested,
                            uint32_t ordinal, uint32_t *out, aq_diag *diag)
{
  const char *name = nested->kernel_names[ordinal];
  const uint64_t object =
      nested->kernel_objects ? nested->kernel_objects[ordinal] : 0;
  for (uint32_t i = 0; i < builder->kernel_count; i++)
    if (builder->kernel_objects[i] == object &&
        strcmp(builder->kernel_names[i], name) == 0) {
      *out = i;
      return AQ_OK;
    }
  return aq_builder_kernel(builder, name, object, out, diag);
}

static aq_status tables_map(aq_builder *builder, const aq_program *nested,
                            mapping *map, aq_diag *diag)
{
  aq_status status = AQ_OK;
  for (uint32_t i = 0; i < nested->kernel_count && status == AQ_OK; i++)
    status = kernel_map(builder, nested, i, &map->kernels[i], diag);
  map->statics = builder->refs[1].count;
  for (uint32_t i = 0; i < nested->static_count && status == AQ_OK; i++) {
    aq_ref ref;
    const aq_binding buffer = nested->statics
                                  ? nested->statics[i]
                                  : (aq_binding){NULL, nested->static_sizes[i]};
    status =
        aq_builder_buffer(builder, buffer.address, buffer.size, &ref, diag);
    if (status == AQ_OK)
      status = aq_ref_note(builder, ref, nested->static_sizes[i], diag);
  }
  for (uint32_t i = 0; i < nested->slot_count && status == AQ_OK; i++) {
    const uint32_t slot = map->slots ? map->slots[i] : i;
    if (slot >= AQ_REF_ORDINALS)
      return aq_diag_set(diag, AQ_ERR_INVALID, "slot %u: at most %d", slot,
                         AQ_REF_ORDINALS - 1);
    status =
        aq_ref_note(builder, aq_ref_slot(slot, 0), nested->slot_sizes[i], diag);
  }
  return status;
}

static aq_ref ref_map(const mapping *map, aq_ref ref)
{
  const uint32_t ordinal = aq_ref_ordinal(ref);
  if (ref & AQ_REF_STATIC)
    return aq_ref_static(map->statics + ordinal, aq_ref_offset(ref));
  return aq_ref_slot(map->slots ? map->slots[ordinal] : ordinal,
                     aq_ref_offset(ref));
}

static void refs_map(const mapping *map, void *refs, uint32_t count)
{
  for (aq_ref *ref = refs; count > 0; count--, ref++)
    *ref = ref_map(map, *ref);
}

static void record_map(const mapping *map, aq_block *block, aq_op *op)
{
  const aq_op_field *field = aq_op_infos[op->code].fields();
  for (; field->name; field++) {
    void *at = (unsigned char *)op + field->offset;
    if (field->kind == AQ_FIELD_REF)
      refs_map(map, at, 1);
    else if (field->kind == AQ_FIELD_KERNEL)
      *(uint32_t *)at = map->kernels[*(uint32_t *)at];
    else if (field->kind == AQ_FIELD_BLOCK)
      *(uint32_t *)at += map->block;
  }
  refs_map(map, (void *)(uintptr_t)aq_op_tail(op), aq_op_tail_refs(op));
  const uint32_t published = aq_op_rodata_refs(op);
  if (published > 0)
    refs_map(map, (unsigned char *)block + ((const aq_op_dispatch *)op)->rodata,
             published);
}

/* Copies a block behind the present ones. The next block now is not the one
 * its recording knew, so its last packet releases to system scope. */
static void block_copy(aq_builder *builder, const mapping *map,
                       const aq_block *from)
{
  aq_block *block = builder->blocks[builder->count];
  memcpy(block, from, from->size);
  block->ordinal = builder->count++;
  block->first = builder->commands;
  if (block->target != AQ_BLOCK_NONE)
    block->target += map->block;
  if (block->next != AQ_BLOCK_NONE)
    block->next += map->block;
  builder->last = NULL;
  unsigned char *at = (unsigned char *)block + block->header_size;
  for (uint32_t i = 0; i < block->commands; i++) {
    aq_op *op = (aq_op *)at;
    op->index = builder->commands++;
    record_map(map, block, op);
    if (aq_op_infos[op->code].packets && !aq_op_infos[op->code].ends)
      builder->last = &((aq_op_dispatch *)op)->header;
    at += op->size * 8u;
  }
  aq_builder_barrier(builder, AQ_SCOPE_NONE, AQ_SCOPE_SYSTEM);
  builder->pending = 0;
  builder->last = NULL;
}

static aq_status nest_check(const aq_builder *builder, const aq_program *nested,
                            aq_diag *diag)
{
  if (nested->block_size != builder->block_size)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "nested program with blocks of %u bytes; %u expected",
                       nested->block_size, builder->block_size);
  if (builder->one_shot && (nested->flags & AQ_PROGRAM_RODATA))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "nested program is reusable; one-shot expected");
  return AQ_OK;
}

aq_status aq_builder_nest(aq_builder *builder, const aq_program *nested,
                          const uint32_t *slots, aq_label *entry, aq_diag *diag)
{
  mapping map = {.slots = slots};
  aq_label label;
  map.kernels = malloc((nested->kernel_count + 1) * sizeof *map.kernels);
  aq_status status =
      map.kernels ? nest_check(builder, nested, diag) : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = tables_map(builder, nested, &map, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, 0, diag);
  if (status == AQ_OK)
    status = aq_block_prepare(builder, nested->block_count + 1, diag);
  if (status == AQ_OK)
    status = aq_builder_label(builder, &label, diag);
  if (status == AQ_OK) {
    map.block = builder->labels[label] = builder->count;
    aq_builder_settle(builder);
    aq_flow_end(builder, AQ_OP_CALL, 0, sizeof(aq_op_call), map.block,
                map.block + nested->block_count);
    for (uint32_t i = 0; i < nested->block_count; i++)
      block_copy(builder, &map, nested->blocks[i]);
    aq_block_open(builder);
    aq_program *program = &builder->program;
    program->packets += nested->packets;
    program->kernarg_size += nested->kernarg_size;
    if (nested->kernarg_max > program->kernarg_max)
      program->kernarg_max = nested->kernarg_max;
    builder->flags |= nested->flags;
    if (entry)
      *entry = label;
  }
  free(map.kernels);
  return status;
}
