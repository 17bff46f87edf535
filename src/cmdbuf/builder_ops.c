/* SPDX-License-Identifier: MIT */
/* Tables, transfers and markers of the builder. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder_priv.h"
#include "cmdbuf/builtins.h"

/* ---- what commands refer to ---- */

aq_status aq_builder_kernel(aq_builder *builder, const char *name,
                            uint64_t object, uint32_t *ordinal, aq_diag *diag)
{
  const uint32_t count = builder->kernel_count + 1;
  uint32_t names = builder->kernel_capacity, objects = names;
  aq_status status = aq_builder_grow(&builder->kernel_names, &names, count,
                                     sizeof *builder->kernel_names, diag);
  if (status == AQ_OK)
    status = aq_builder_grow(&builder->kernel_objects, &objects, count,
                             sizeof *builder->kernel_objects, diag);
  if (status != AQ_OK)
    return status;
  builder->kernel_capacity = objects;
  char *copy = aq_arena_text(&builder->names, name, strlen(name));
  if (!copy)
    return aq_diag_no_memory(diag);
  builder->kernel_names[count - 1] = copy;
  builder->kernel_objects[count - 1] = object;
  *ordinal = builder->kernel_count++;
  return AQ_OK;
}

/* Makes a table hold `count` ordinals, the new ones of size 0. */
static aq_status table_grow(aq_ref_table *table, uint32_t count, aq_diag *diag)
{
  if (count > AQ_REF_ORDINALS)
    return aq_diag_set(diag, AQ_ERR_INVALID, "%u buffers: at most %d", count,
                       AQ_REF_ORDINALS);
  aq_status status = aq_builder_grow(&table->sizes, &table->capacity, count,
                                     sizeof *table->sizes, diag);
  if (status != AQ_OK)
    return status;
  memset(table->sizes + table->count, 0,
         (count - table->count) * sizeof *table->sizes);
  table->count = count;
  return AQ_OK;
}

aq_status aq_builder_buffer(aq_builder *builder, void *address, uint64_t size,
                            aq_ref *ref, aq_diag *diag)
{
  aq_ref_table *table = &builder->refs[1];
  const uint32_t ordinal = table->count;
  aq_status status =
      aq_builder_grow(&builder->statics, &builder->static_capacity, ordinal + 1,
                      sizeof *builder->statics, diag);
  if (status == AQ_OK)
    status = table_grow(table, ordinal + 1, diag);
  if (status != AQ_OK)
    return status;
  builder->statics[ordinal] = (aq_binding){address, size};
  *ref = aq_ref_static(ordinal, 0);
  return AQ_OK;
}

aq_status aq_ref_check(aq_builder *builder, aq_ref ref, uint64_t bytes,
                       aq_diag *diag)
{
  const uint32_t ordinal = aq_ref_ordinal(ref);
  if (ref & AQ_REF_STATIC)
    return aq_diag_set(diag, AQ_ERR_INVALID, "static buffer %u; there are %u",
                       ordinal, builder->refs[1].count);
  aq_status status = table_grow(&builder->refs[0], ordinal + 1, diag);
  return status == AQ_OK ? aq_ref_note(builder, ref, bytes, diag) : status;
}

/* The same for memory that the processor or a builtin kernel touches. */
static aq_status range_note(aq_builder *builder, aq_ref ref, uint64_t bytes,
                            aq_diag *diag)
{
  if (bytes > AQ_REF_OFFSET_MAX - aq_ref_offset(ref))
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "%llu bytes: the end is behind 2^%d",
                       (unsigned long long)bytes, AQ_REF_OFFSET_BITS);
  return aq_ref_note(builder, ref, bytes, diag);
}

/* ---- transfers ---- */

/* One workgroup does 4 KiB; the grid of a packet has 32 bits. */
#define TRANSFER_MAX ((uint64_t)UINT32_MAX * AQ_BUILTIN_BYTES)

static aq_status transfer_check(uint64_t bytes, aq_diag *diag)
{
  if (bytes == 0 || bytes > TRANSFER_MAX)
    return aq_diag_set(
        diag, AQ_ERR_INVALID, "%llu bytes to transfer: 1 to %llu expected",
        (unsigned long long)bytes, (unsigned long long)TRANSFER_MAX);
  return AQ_OK;
}

/* A record with one packet of a builtin kernel. */
static void *transfer_add(aq_builder *builder, aq_opcode code, uint32_t size,
                          uint32_t kernarg)
{
  /* All of them have the header there. */
  aq_op_fill *record = aq_record_add(builder, code, 0, size);
  aq_block *block = builder->block;
  kernarg = aq_kernarg_round(kernarg);
  record->header = (uint16_t)(AQ_PACKET_KERNEL_DISPATCH | builder->pending);
  aq_packet_note(builder, &record->header);
  block->packets++;
  block->kernarg_size += kernarg;
  if (kernarg > block->kernarg_max)
    block->kernarg_max = kernarg;
  builder->flags |= AQ_PROGRAM_BUILTINS;
  return record;
}

_Static_assert(offsetof(aq_op_fill, header) == 8 &&
                   offsetof(aq_op_copy, header) == 8 &&
                   offsetof(aq_op_update, header) == 8,
               "transfers have their header at 8");

aq_status aq_builder_fill(aq_builder *builder, aq_ref target, uint64_t bytes,
                          uint64_t pattern, uint32_t pattern_size,
                          aq_diag *diag)
{
  if ((pattern_size != 1 && pattern_size != 2 && pattern_size != 4 &&
       pattern_size != 8) ||
      bytes % pattern_size != 0)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "fill: a pattern of %u bytes over %llu; 1, 2, 4 or 8 "
                       "over a multiple expected",
                       pattern_size, (unsigned long long)bytes);
  aq_status status = transfer_check(bytes, diag);
  if (status == AQ_OK)
    status = range_note(builder, target, bytes, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, sizeof(aq_op_fill), diag);
  if (status != AQ_OK)
    return status;
  aq_op_fill *record =
      transfer_add(builder, AQ_OP_FILL, sizeof *record, sizeof(aq_fill_args));
  record->pattern_size = (uint16_t)pattern_size;
  record->zero0 = 0;
  record->target = target;
  record->bytes = bytes;
  record->pattern = pattern;
  return AQ_OK;
}

aq_status aq_builder_copy(aq_builder *builder, aq_ref target, aq_ref source,
                          uint64_t bytes, aq_diag *diag)
{
  aq_status status = transfer_check(bytes, diag);
  if (status == AQ_OK)
    status = range_note(builder, target, bytes, diag);
  if (status == AQ_OK)
    status = range_note(builder, source, bytes, diag);
  if (status == AQ_OK)
    status = aq_block_reserve(builder, sizeof(aq_op_copy), diag);
  if (status != AQ_OK)
    return status;
  aq_op_copy *record =
      transfer_add(builder, AQ_OP_COPY, sizeof *record, sizeof(aq_copy_args));
  record->zero0 = 0;
  record->zero1 = 0;
  record->target = target;
  record->source = source;
  record->bytes = bytes;
  return AQ_OK;
}

aq_status aq_builder_update(aq_builder *builder, aq_ref target,
                            const void *bytes, uint32_t size, aq_diag *diag)
{
  aq_status status = transfer_check(size, diag);
  if (status == AQ_OK)
    status = range_note(builder, target, size, diag);
  if (status == AQ_OK && size > builder->block_size)
    status = aq_block_find_room(builder, size, diag);
  const uint32_t tail = (size + 7) & ~7u;
  if (status == AQ_OK)
    status = aq_block_reserve(builder, sizeof(aq_op_update) + tail, diag);
  if (status != AQ_OK)
    return status;
  aq_op_update *record =
      transfer_add(builder, AQ_OP_UPDATE, sizeof *record + tail,
                   sizeof(aq_update_args) + size);
  record->zero0 = 0;
  record->bytes = size;
  record->target = target;
  memcpy(record + 1, bytes, size);
  memset((unsigned char *)(record + 1) + size, 0, tail - size);
  return AQ_OK;
}

aq_status aq_builder_marker(aq_builder *builder, aq_marker_kind kind,
                            uint64_t value, aq_diag *diag)
{
  return aq_builder_marker_named(builder, kind, value, NULL, diag);
}

/* The name is the record's tail, ended by at least one zero byte. */
aq_status aq_builder_marker_named(aq_builder *builder, aq_marker_kind kind,
                                  uint64_t value, const char *name,
                                  aq_diag *diag)
{
  const size_t length = name ? strlen(name) : 0;
  if (length > AQ_MARKER_NAME)
    return aq_diag_set(diag, AQ_ERR_INVALID,
                       "a marker's name of %zu bytes; at most %d expected",
                       length, AQ_MARKER_NAME);
  const uint32_t tail = length ? ((uint32_t)length + 8) & ~7u : 0;
  aq_status status =
      aq_block_reserve(builder, sizeof(aq_op_marker) + tail, diag);
  if (status != AQ_OK)
    return status;
  aq_op_marker *record =
      aq_record_add(builder, AQ_OP_MARKER, kind, sizeof *record + tail);
  record->value = value;
  if (length > 0) {
    memset(record + 1, 0, tail);
    memcpy(record + 1, name, length);
  }
  builder->block->markers++;
  return AQ_OK;
}
