/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cmdbuf/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/memory_value.h"
#include "common/transport.h"

/* A line that grows and is cut where it has no room. */
typedef struct line_text {
  char *at;
  size_t size, length;
} line_text;

static void add(line_text *t, const char *fmt, ...) AQ_PRINTF(2, 3);

static void add(line_text *t, const char *fmt, ...)
{
  va_list args;
  va_start(args, fmt);
  int wrote = vsnprintf(t->at + t->length, t->size - t->length, fmt, args);
  va_end(args);
  if (wrote < 0)
    return;
  t->length += (size_t)wrote;
  if (t->length < t->size)
    return;
  t->length = t->size - 1;
  memcpy(t->at + t->length - 3, "...", 3);
}

void aq_ref_print(aq_ref ref, char text[48])
{
  snprintf(text, 48, "%s%u+0x%" PRIx64, ref & AQ_REF_STATIC ? "static" : "slot",
           aq_ref_ordinal(ref), aq_ref_offset(ref));
}

/* ---- fields ---- */

static void add_header(line_text *t, uint16_t header)
{
  static const char *const scopes[] = {"none", "agent", "system", "?"};
  add(t, "%s%s/%s", aq_header_barrier(header) ? "barrier " : "",
      scopes[aq_header_acquire(header)], scopes[aq_header_release(header)]);
}

static void add_value(line_text *t, const aq_program *program,
                      const aq_op_field *field, uint64_t value)
{
  char ref[48];
  switch (field->kind) {
  case AQ_FIELD_KERNEL:
    add(t, "%s", program->kernel_names[value]);
    return;
  case AQ_FIELD_REF:
    aq_ref_print(value, ref);
    add(t, "%s", ref);
    return;
  case AQ_FIELD_HEX:
    add(t, "0x%" PRIx64, value);
    return;
  case AQ_FIELD_SIGNED:
    add(t, "%" PRId64, (int64_t)value);
    return;
  default:
    add(t, "%" PRIu64, value);
  }
}

static void add_field(line_text *t, const aq_program *program, const aq_op *op,
                      const aq_op_field *field)
{
  if (field->kind == AQ_FIELD_HEADER) {
    add(t, " ");
    add_header(t, (uint16_t)aq_op_value(op, field, 0));
    return;
  }
  add(t, " %s=", field->name);
  for (uint32_t i = 0; i < field->count; i++) {
    if (i > 0)
      add(t, ",");
    add_value(t, program, field, aq_op_value(op, field, i));
  }
}

/* Fields of 0 that say nothing. */
static bool is_silent(const aq_op *op, const aq_op_field *field)
{
  if (field->kind == AQ_FIELD_ZERO)
    return true;
  return aq_op_as_dispatch(op) && field->count == 1 &&
         field->kind != AQ_FIELD_KERNEL && field->kind != AQ_FIELD_HEADER &&
         field->kind != AQ_FIELD_REF && aq_op_value(op, field, 0) == 0;
}

/* ---- flags and tails ---- */

static void add_refs(line_text *t, const char *name, const void *refs,
                     uint32_t count)
{
  const aq_ref *ref = refs;
  for (uint32_t i = 0; i < count; i++) {
    char place[48];
    aq_ref_print(ref[i], place);
    add(t, "%s%s", i == 0 ? name : ",", place);
  }
}

static void add_bytes(line_text *t, const char *name,
                      const unsigned char *bytes, uint32_t size)
{
  if (size > 0)
    add(t, "%s", name);
  for (uint32_t i = 0; i < size && i < 64; i++)
    add(t, "%02x", bytes[i]);
  if (size > 64)
    add(t, "...");
}

/* Bindings and constants of a dispatch, wherever they lie. */
static void add_args(line_text *t, const aq_block *block, const aq_op *op)
{
  const aq_op_dispatch *dispatch = aq_op_as_dispatch(op);
  const uint32_t bindings = dispatch->bindings;
  if (op->flags == AQ_ARGS_NONE)
    return;
  const unsigned char *args =
      op->flags == AQ_ARGS_PREPUBLISHED || op->flags == AQ_ARGS_TEMPLATE
          ? aq_block_at(block, dispatch->rodata)
          : aq_op_tail(op);
  add(t, " args=%s", aq_strategy_names[op->flags]);
  add_refs(t, " ", args, bindings);
  add_bytes(t, " constants=", args + bindings * 8u,
            dispatch->kernarg_size - bindings * 8u);
}

static void add_flags(line_text *t, const aq_op *op)
{
  static const char *const scopes[] = {"none", "agent", "system"};
  static const char *const markers[] = {"point", "begin", "end"};
  if (op->code == AQ_OP_BARRIER)
    add(t, " acquire=%s", scopes[op->flags]);
  else if (op->code == AQ_OP_MARKER)
    add(t, " %s", markers[op->flags]);
  else if (op->code == AQ_OP_ATOMIC)
    add(t, " %s %d bits%s",
        aq_atomic_op_name((aq_atomic_op)(op->flags & AQ_ATOMIC_OP_MASK)),
        op->flags & AQ_ATOMIC_64 ? 64 : 32,
        op->flags & AQ_ATOMIC_RESULT ? " with result" : "");
  else if (op->code == AQ_OP_BRANCH_IF || op->code == AQ_OP_WAIT_VALUE)
    add(t, " %s %d bits",
        aq_condition_name((aq_condition)(op->flags & AQ_BRANCH_CONDITION_MASK)),
        op->flags & AQ_BRANCH_64 ? 64 : 32);
}

size_t aq_record_print(const aq_program *program, const aq_block *block,
                       const aq_op *op, char *to, size_t size)
{
  line_text t = {.at = to, .size = size};
  const aq_op_info *info = &aq_op_infos[op->code];
  add(&t, "%s", info->name);
  add_flags(&t, op);
  for (const aq_op_field *field = info->fields(); field->name; field++)
    if (!is_silent(op, field))
      add_field(&t, program, op, field);
  if (aq_op_as_dispatch(op))
    add_args(&t, block, op);
  else if (op->code == AQ_OP_MARKER && aq_marker_name(op))
    add(&t, " name=\"%s\"", aq_marker_name(op));
  else if (op->code == AQ_OP_UPDATE)
    add_bytes(&t, " data=", aq_op_tail(op), ((const aq_op_update *)op)->bytes);
  return t.length;
}

/* ---- programs ---- */

static void print_head(const aq_program *program, aq_print_line *line,
                       void *user)
{
  char buffer[AQ_PRINT_MAX];
  snprintf(buffer, sizeof buffer,
           "program: %" PRIu64 " commands in %u blocks of %u bytes, %" PRIu64
           " packets, %" PRIu64 " bytes of kernel arguments",
           program->commands, program->block_count, program->block_size,
           program->packets, program->kernarg_size);
  line(buffer, user);
  for (uint32_t i = 0; i < program->kernel_count; i++) {
    snprintf(buffer, sizeof buffer, "kernel %u: %s", i,
             program->kernel_names[i]);
    line(buffer, user);
  }
  for (uint32_t i = 0; i < program->slot_count; i++) {
    snprintf(buffer, sizeof buffer, "slot %u: at least %" PRIu64 " bytes", i,
             program->slot_sizes[i]);
    line(buffer, user);
  }
  for (uint32_t i = 0; i < program->static_count; i++) {
    snprintf(buffer, sizeof buffer, "static %u: at least %" PRIu64 " bytes", i,
             program->static_sizes[i]);
    line(buffer, user);
  }
}

static void print_block(const aq_program *program, const aq_block *block,
                        aq_print_line *line, void *user)
{
  char buffer[AQ_PRINT_MAX];
  snprintf(buffer, sizeof buffer,
           "block %u: %u commands, %u packets, %u bytes of kernel arguments, "
           "%u of rodata",
           block->ordinal, block->commands, block->packets, block->kernarg_size,
           block->size - block->rodata);
  line(buffer, user);
  const unsigned char *at = aq_block_at(block, block->header_size);
  for (uint32_t i = 0; i < block->commands; i++) {
    const aq_op *op = (const aq_op *)at;
    int head = snprintf(buffer, sizeof buffer, "  %u 0x%04x ", op->index,
                        (unsigned)(at - (const unsigned char *)block));
    aq_record_print(program, block, op, buffer + head,
                    sizeof buffer - (size_t)head);
    line(buffer, user);
    at += op->size * 8u;
  }
}

void aq_program_print(const aq_program *program, aq_print_line *line,
                      void *user)
{
  print_head(program, line, user);
  for (uint32_t i = 0; i < program->block_count; i++)
    print_block(program, program->blocks[i], line, user);
}
