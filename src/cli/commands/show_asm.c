/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/demangle.h"
#include "common/text.h"
#include "gpu/codeobj/kernel_text.h"
#include "gpu/inspect/disassembly.h"
#include "gpu/inspect/reachability.h"

/* A code object that is shown. */
typedef struct asm_show {
  aq_cli *cli;
  aq_json_out *json; /* NULL: text */
  aq_disassembly d;
  aq_reach_memo *memo;
  const char *only; /* the requested function or kernel, or NULL */
} asm_show;

/* ---- functions ---- */

/* As llvm-objdump prints it. */
static void line_put(const aq_disassembly_line *line, void *user)
{
  FILE *out = ((const asm_show *)user)->cli->out;
  if (line->label >= 0)
    fprintf(out, "\n%016" PRIx64 " <L%" PRId64 ">:\n", line->pc, line->label);
  fprintf(out, "\t%-59s// %012" PRIX64 ":", line->text, line->pc);
  for (unsigned i = 0; i < line->word_count; i++)
    fprintf(out, " %08X", line->words[i]);
  fputc('\n', out);
}

static void line_json(const aq_disassembly_line *line, void *user)
{
  aq_json_out *json = ((const asm_show *)user)->json;
  char text[24];
  aq_json_out_map(json, NULL);
  aq_json_out_int(json, "pc", (int64_t)line->pc);
  if (line->label >= 0) {
    snprintf(text, sizeof text, "L%" PRId64, line->label);
    aq_json_out_text(json, "label", text);
  }
  aq_json_out_array(json, "words");
  for (unsigned i = 0; i < line->word_count; i++)
    aq_json_out_int(json, NULL, line->words[i]);
  aq_json_out_close_array(json);
  aq_json_out_text(json, "text", line->text);
  aq_json_out_close_map(json);
}

static aq_status function_show(asm_show *show, const aq_code_function *function)
{
  char name[AQ_CODE_LINE_SIZE];
  aq_code_text(function->name, name, sizeof name);
  if (!show->json) {
    fprintf(show->cli->out, "\n%016" PRIx64 " <%s>:\n", function->address,
            name);
    return aq_disassembly_print(&show->d, function, line_put, show,
                                &show->cli->diag);
  }
  aq_json_out_map(show->json, NULL);
  aq_json_out_text(show->json, "name", function->name);
  aq_json_out_int(show->json, "address", (int64_t)function->address);
  aq_json_out_bool(show->json, "kernel", function->kernel != NULL);
  aq_json_out_array(show->json, "instructions");
  aq_status status = aq_disassembly_print(&show->d, function, line_json, show,
                                          &show->cli->diag);
  aq_json_out_close_array(show->json);
  aq_json_out_close_map(show->json);
  return status;
}

/* ---- what kernels reach ---- */

static void reach_put(FILE *out, const aq_code_kernel *kernel,
                      const aq_reach *reach)
{
  char name[AQ_CODE_LINE_SIZE];
  const uint64_t entry =
      kernel->address + (uint64_t)kernel->descriptor.entry_offset;
  fprintf(out, "%s: %" PRIu64 " instruction%s can be reached%s, ",
          aq_code_text(kernel->name, name, sizeof name), reach->instructions,
          aq_text_plural(reach->instructions),
          reach->indirect ? ", through pointers too" : "");
  if (reach->missing_count == 0)
    fputs("all execute\n", out);
  else
    fputs("not simulated:\n", out);
  for (size_t i = 0; i < reach->missing_count; i++) {
    const aq_reach_missing *missing = &reach->missing[i];
    const bool before = missing->first_pc < entry;
    fprintf(out, "  %s, %" PRIu64 " time%s, first at %c0x%" PRIx64 "\n",
            missing->name, missing->count, aq_text_plural(missing->count),
            before ? '-' : '+',
            before ? entry - missing->first_pc : missing->first_pc - entry);
  }
}

static void reach_json(aq_json_out *json, const aq_code_kernel *kernel,
                       const aq_reach *reach)
{
  aq_json_out_map(json, NULL);
  aq_json_out_text(json, "name", kernel->name);
  aq_json_out_int(
      json, "entry",
      (int64_t)(kernel->address + (uint64_t)kernel->descriptor.entry_offset));
  aq_json_out_int(json, "reachable", (int64_t)reach->instructions);
  aq_json_out_bool(json, "indirect", reach->indirect);
  aq_json_out_array(json, "missing");
  for (size_t i = 0; i < reach->missing_count; i++) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "instruction", reach->missing[i].name);
    aq_json_out_int(json, "count", (int64_t)reach->missing[i].count);
    aq_json_out_int(json, "first_pc", (int64_t)reach->missing[i].first_pc);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
  aq_json_out_close_map(json);
}

static aq_status kernel_show(asm_show *show, const aq_code_kernel *kernel)
{
  aq_reach reach;
  if (!kernel->has_descriptor)
    return AQ_OK; /* only declared */
  aq_status status =
      aq_reach_find(&show->d, kernel, show->memo, &reach, &show->cli->diag);
  if (status != AQ_OK)
    return status;
  if (show->json)
    reach_json(show->json, kernel, &reach);
  else
    reach_put(show->cli->out, kernel, &reach);
  aq_reach_fini(&reach);
  return AQ_OK;
}

/* ---- a code object ---- */

/* The functions to show: all, or the requested one and those it reaches. */
static aq_status wanted_mark(asm_show *show, uint8_t *wanted, bool *found)
{
  const aq_code_functions *functions = &show->d.functions;
  for (size_t i = 0; i < functions->count; i++) {
    const aq_code_function *of = &functions->list[i];
    aq_reach reach;
    if (show->only && !aq_name_is(of->name, show->only) &&
        !(of->kernel && aq_name_is(of->kernel->name, show->only)))
      continue;
    *found = true;
    wanted[i] = 1;
    if (!show->only || !of->kernel)
      continue;
    aq_status status = aq_reach_find(&show->d, of->kernel, show->memo, &reach,
                                     &show->cli->diag);
    if (status != AQ_OK)
      return status;
    for (size_t k = 0; k < functions->count; k++)
      wanted[k] |= reach.functions[k];
    aq_reach_fini(&reach);
  }
  return AQ_OK;
}

static aq_status kernels_show(asm_show *show)
{
  const aq_codeobj *code = show->d.code;
  aq_status status = AQ_OK;
  if (show->json)
    aq_json_out_array(show->json, "kernels");
  else
    fputc('\n', show->cli->out);
  for (size_t i = 0; i < code->kernel_count && status == AQ_OK; i++)
    if (!show->only || aq_name_is(code->kernels[i].name, show->only))
      status = kernel_show(show, &code->kernels[i]);
  if (show->json)
    aq_json_out_close_array(show->json);
  return status;
}

static void head_put(asm_show *show, const char *id)
{
  char target[AQ_TARGET_TEXT_SIZE], line[AQ_CODE_LINE_SIZE];
  aq_target_print(&show->d.code->target, target);
  if (!show->json) {
    if (id)
      fprintf(show->cli->out, "entry           %s\n",
              aq_code_text(id, line, sizeof line));
    fprintf(show->cli->out, "target          %s\n", target);
    return;
  }
  aq_json_out_text(show->json, "entry", id);
  aq_json_out_text(show->json, "target", target);
}

static aq_status object_show(asm_show *show, const char *id, bool *found)
{
  bool here = false;
  uint8_t *wanted = calloc(show->d.functions.count + 1, 1);
  show->memo = aq_reach_memo_create();
  aq_status status = wanted && show->memo ? wanted_mark(show, wanted, &here)
                                          : aq_diag_no_memory(&show->cli->diag);
  if (status == AQ_OK && (here || !show->only)) {
    *found = true;
    if (show->json)
      aq_json_out_map(show->json, NULL);
    head_put(show, id);
    status = AQ_OK;
    if (show->json)
      aq_json_out_array(show->json, "functions");
    for (size_t i = 0; i < show->d.functions.count && status == AQ_OK; i++)
      if (wanted[i])
        status = function_show(show, &show->d.functions.list[i]);
    if (show->json)
      aq_json_out_close_array(show->json);
    if (status == AQ_OK)
      status = kernels_show(show);
    if (show->json)
      aq_json_out_close_map(show->json);
  }
  aq_reach_memo_destroy(show->memo);
  free(wanted);
  return status;
}

aq_status aq_cli_show_asm(aq_cli *cli, aq_json_out *json, const char *id,
                          const aq_codeobj *code, const void *bytes,
                          size_t size, bool *found)
{
  asm_show show = {.cli = cli,
                   .json = json,
                   .only = cli->arg_count > 1 ? cli->args[1] : NULL};
  aq_status status =
      aq_disassembly_open(bytes, size, code, &show.d, &cli->diag);
  if (status != AQ_OK)
    return status;
  status = object_show(&show, id, found);
  aq_disassembly_close(&show.d);
  return status;
}
