/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/print.h"
#include "cmdbuf/program_file.h"
#include "common/json_out.h"
#include "common/text.h"

bool aq_cli_is_program(const char *path)
{
  uint32_t magic = 0;
  FILE *file = fopen(path, "rb");
  if (!file)
    return false;
  size_t got = fread(&magic, sizeof magic, 1, file);
  fclose(file);
  return got == 1 && magic == AQ_PROGRAM_MAGIC;
}

/* ---- JSON ---- */

static void json_texts(aq_json_out *json, const char *key,
                       const char *const *texts, uint32_t count)
{
  aq_json_out_array(json, key);
  for (uint32_t i = 0; i < count; i++) {
    char *clean = aq_text_utf8(texts[i], strlen(texts[i]));
    aq_json_out_text(json, NULL, clean);
    free(clean);
  }
  aq_json_out_close_array(json);
}

static void json_sizes(aq_json_out *json, const char *key,
                       const uint64_t *sizes, uint32_t count)
{
  aq_json_out_array(json, key);
  for (uint32_t i = 0; i < count; i++)
    aq_json_out_int(json, NULL, (int64_t)sizes[i]);
  aq_json_out_close_array(json);
}

static void json_value(aq_json_out *json, const aq_program *program,
                       const char *key, const aq_op_field *field,
                       uint64_t value)
{
  char text[48];
  switch (field->kind) {
  case AQ_FIELD_KERNEL:
    aq_json_out_text(json, key, program->kernel_names[value]);
    return;
  case AQ_FIELD_REF:
    aq_ref_print(value, text);
    aq_json_out_text(json, key, text);
    return;
  case AQ_FIELD_HEADER:
  case AQ_FIELD_HEX:
    snprintf(text, sizeof text, "0x%" PRIx64, value);
    aq_json_out_text(json, key, text);
    return;
  default:
    aq_json_out_int(json, key, (int64_t)value);
  }
}

static void json_field(aq_json_out *json, const aq_program *program,
                       const aq_op *op, const aq_op_field *field)
{
  if (field->kind == AQ_FIELD_ZERO)
    return;
  if (field->count == 1) {
    json_value(json, program, field->name, field, aq_op_value(op, field, 0));
    return;
  }
  aq_json_out_array(json, field->name);
  for (uint32_t i = 0; i < field->count; i++)
    json_value(json, program, NULL, field, aq_op_value(op, field, i));
  aq_json_out_close_array(json);
}

static void json_args(aq_json_out *json, const aq_block *block, const aq_op *op)
{
  const aq_op_dispatch *dispatch = aq_op_as_dispatch(op);
  if (!dispatch)
    return;
  aq_json_out_text(json, "args", aq_strategy_names[op->flags]);
  const uint32_t published = aq_op_rodata_refs(op);
  const aq_ref *refs =
      published ? aq_block_at(block, dispatch->rodata) : aq_op_tail(op);
  aq_json_out_array(json, "addresses");
  for (uint32_t i = 0; i < dispatch->bindings; i++) {
    char text[48];
    aq_ref_print(refs[i], text);
    aq_json_out_text(json, NULL, text);
  }
  aq_json_out_close_array(json);
}

static void json_block(aq_json_out *json, const aq_program *program,
                       const aq_block *block)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "ordinal", block->ordinal);
  aq_json_out_int(json, "packets", block->packets);
  aq_json_out_int(json, "kernarg_size", block->kernarg_size);
  aq_json_out_int(json, "rodata_size", block->size - block->rodata);
  aq_json_out_array(json, "records");
  const unsigned char *at = aq_block_at(block, block->header_size);
  for (uint32_t i = 0; i < block->commands; i++) {
    const aq_op *op = (const aq_op *)at;
    const aq_op_info *info = &aq_op_infos[op->code];
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "index", op->index);
    aq_json_out_int(json, "offset", (const char *)op - (const char *)block);
    aq_json_out_text(json, "op", info->name);
    aq_json_out_int(json, "flags", op->flags);
    for (const aq_op_field *field = info->fields(); field->name; field++)
      json_field(json, program, op, field);
    json_args(json, block, op);
    aq_json_out_close_map(json);
    at += op->size * 8u;
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static void json_program(aq_json_out *json, const aq_program *program)
{
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "version", AQ_PROGRAM_VERSION);
  aq_json_out_int(json, "block_size", program->block_size);
  aq_json_out_int(json, "commands", (int64_t)program->commands);
  aq_json_out_int(json, "packets", (int64_t)program->packets);
  aq_json_out_int(json, "kernarg_size", (int64_t)program->kernarg_size);
  json_texts(json, "kernels", program->kernel_names, program->kernel_count);
  json_sizes(json, "slots", program->slot_sizes, program->slot_count);
  json_sizes(json, "statics", program->static_sizes, program->static_count);
  aq_json_out_array(json, "blocks");
  for (uint32_t i = 0; i < program->block_count; i++)
    json_block(json, program, program->blocks[i]);
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

/* ---- text ---- */

static void line_put(const char *line, void *user)
{
  aq_cli *cli = user;
  char *clean = aq_text_line(line, strlen(line));
  fprintf(cli->out, "%s\n", clean ? clean : "");
  free(clean);
}

aq_status aq_cli_show_program(aq_cli *cli, const char *path)
{
  aq_program_file *file;
  aq_program program;
  aq_json_out *json = NULL;
  aq_status status = aq_program_open(path, &file, &program, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = aq_cli_json_begin_if(cli, &json);
  if (status == AQ_OK && json)
    json_program(json, &program);
  else if (status == AQ_OK)
    aq_program_print(&program, line_put, cli);
  if (status == AQ_OK)
    status = aq_cli_json_end_if(cli, json);
  aq_program_close(file);
  return status;
}
