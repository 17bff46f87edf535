/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "cli/commands/show_profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands/table_output.h"
#include "common/demangle.h"
#include "common/text.h"
#include "gpu/codeobj/kernel_text.h"
#include "gpu/inspect/counters.h"
#include "gpu/inspect/profile.h"

/* A figure over its least. */
static void ratio_print(char *text, size_t size, int64_t of, int64_t least)
{
  if (of == AQ_NONE || least == AQ_NONE || least == 0)
    snprintf(text, size, "%s", of == AQ_NONE ? "" : "0");
  else
    snprintf(text, size, "%.2f", (double)of / (double)least);
}

static double lanes_mean(int64_t lanes, int64_t issued)
{
  return issued > 0 && lanes != AQ_NONE ? (double)lanes / (double)issued : NAN;
}

/* ---- tables ---- */

static void sum_cells(aq_cli_rows *rows, const aq_profile_sum *sum,
                      const aq_profile_sum *all)
{
  aq_cli_cell_int(rows, sum->instructions);
  aq_cli_cell_int(rows, sum->issued);
  aq_cli_cell_real(
      rows, "%.1f",
      all->issued > 0 ? 100 * (double)sum->issued / (double)all->issued : 0);
  aq_cli_cell_real(rows, "%.1f", lanes_mean(sum->lanes, sum->vector_issued));
  aq_cli_cell_int(rows, sum->bytes);
  aq_cli_cell_int(rows, sum->segments);
  aq_cli_cell_int(rows, sum->segments_least);
  aq_cli_cell_int(rows, sum->bank_cycles);
  aq_cli_cell_int(rows, sum->bank_cycles_least);
}

#define SUM_COLUMNS                                                            \
  {">instructions", "instructions"}, {">issued", "issued"}, {">%", NULL},      \
      {">lanes", "lanes_mean"}, {">bytes", "bytes"},                           \
      {">segments", "segments"}, {">least", "segments_least"},                 \
      {">bank cycles", "bank_cycles"}, {">least", "bank_cycles_least"},        \
  {                                                                            \
    NULL, NULL                                                                 \
  }

static aq_status classes_put(aq_cli *cli, aq_json_out *json,
                             const aq_profile_kernel *kernel)
{
  static const aq_cli_column columns[] = {{"class", "class"}, SUM_COLUMNS};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "classes", columns);
  for (unsigned i = 0; i < AQ_ISA_CLASS_COUNT; i++) {
    if (kernel->classes[i].instructions == 0)
      continue;
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_isa_class_name(i));
    sum_cells(rows, &kernel->classes[i], &kernel->all);
    aq_cli_row_end(rows);
  }
  aq_cli_row_begin(rows);
  aq_cli_cell_text(rows, "all");
  sum_cells(rows, &kernel->all, &kernel->all);
  aq_cli_row_end(rows);
  return aq_cli_rows_end(cli, rows);
}

static aq_status counters_put(aq_cli *cli, aq_json_out *json,
                              const aq_profile_kernel *kernel)
{
  static const aq_cli_column columns[] = {{"counter", "counter"},
                                          {">value", "value"},
                                          {"unit", "unit"},
                                          {"meaning", NULL},
                                          {NULL, NULL}};
  int64_t values[AQ_CODE_COUNTER_COUNT];
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "counters", columns);
  aq_code_counters_sum(kernel, values);
  for (unsigned i = 0; i < AQ_CODE_COUNTER_COUNT; i++) {
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, aq_code_counters[i].name);
    aq_cli_cell_int(rows, values[i]);
    aq_cli_cell_text(rows, aq_code_counters[i].unit);
    aq_cli_cell_text(rows, aq_code_counters[i].meaning);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

static void offset_print(char *text, size_t size, int64_t offset)
{
  snprintf(text, size, "%c0x%" PRIx64, offset < 0 ? '-' : '+',
           offset < 0 ? 0 - (uint64_t)offset : (uint64_t)offset);
}

static aq_status blocks_put(aq_cli *cli, aq_json_out *json,
                            const aq_profile_kernel *kernel)
{
  static const aq_cli_column columns[] = {
      {"block", "offset"}, {"label", "label"}, SUM_COLUMNS};
  aq_cli_rows *rows = aq_cli_rows_begin(cli, json, "blocks", columns);
  for (size_t i = 0; i < kernel->block_count; i++) {
    const aq_profile_line *line = &kernel->lines[kernel->blocks[i].first];
    char offset[24], label[24] = "";
    offset_print(offset, sizeof offset, line->row->offset);
    if (line->label >= 0)
      snprintf(label, sizeof label, "L%" PRId64, line->label);
    aq_cli_row_begin(rows);
    aq_cli_cell_text(rows, offset);
    aq_cli_cell_text(rows, label);
    sum_cells(rows, &kernel->blocks[i].sum, &kernel->all);
    aq_cli_row_end(rows);
  }
  return aq_cli_rows_end(cli, rows);
}

/* ---- the code ---- */

static void line_put(FILE *out, const aq_profile_line *line)
{
  const aq_instruction *row = line->row;
  char segments[24], banks[24], offset[24], lanes[24] = "", taken[24] = "";
  ratio_print(segments, sizeof segments, row->segments, row->segments_least);
  ratio_print(banks, sizeof banks, row->bank_cycles, row->bank_cycles_least);
  offset_print(offset, sizeof offset, row->offset);
  if (row->lanes != AQ_NONE && row->issued > 0)
    snprintf(lanes, sizeof lanes, "%.1f", lanes_mean(row->lanes, row->issued));
  if (row->taken != AQ_NONE)
    snprintf(taken, sizeof taken, "%" PRId64, row->taken);
  if (line->label >= 0)
    fprintf(out, "\n<L%" PRId64 ">:\n", line->label);
  fprintf(out, "%12" PRId64 " %6s %9s %6s %6s  %-8s %s\n", row->issued, lanes,
          taken, segments, banks, offset, line->text);
}

static void count_json(aq_json_out *json, const char *key, int64_t value)
{
  if (value != AQ_NONE)
    aq_json_out_int(json, key, value);
}

static void code_json(aq_json_out *json, const aq_profile_kernel *kernel)
{
  aq_json_out_array(json, "code");
  for (size_t i = 0; i < kernel->line_count; i++) {
    const aq_profile_line *line = &kernel->lines[i];
    const aq_instruction *row = line->row;
    aq_json_out_map(json, NULL);
    aq_json_out_int(json, "offset", row->offset);
    count_json(json, "label", line->label >= 0 ? line->label : AQ_NONE);
    aq_json_out_text(json, "text", line->text);
    aq_json_out_text(json, "class", aq_isa_class_name(line->class));
    aq_json_out_int(json, "issued", row->issued);
    count_json(json, "lanes", row->lanes);
    count_json(json, "taken", row->taken);
    count_json(json, "bytes", row->bytes);
    count_json(json, "segments", row->segments);
    count_json(json, "segments_least", row->segments_least);
    count_json(json, "bank_cycles", row->bank_cycles);
    count_json(json, "bank_cycles_least", row->bank_cycles_least);
    aq_json_out_close_map(json);
  }
  aq_json_out_close_array(json);
}

/* ---- kernels ---- */

static aq_status kernel_put(aq_cli *cli, aq_json_out *json, const char *name,
                            const char *gfx, const aq_profile_kernel *kernel)
{
  char line[AQ_CODE_LINE_SIZE], *demangled = aq_demangle(name);
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_text(json, "kernel", name);
    aq_json_out_text(json, "demangled", demangled);
    aq_json_out_text(json, "gfx", gfx);
  } else {
    fprintf(cli->out, "kernel          %s\n",
            aq_code_text(name, line, sizeof line));
    if (demangled)
      fprintf(cli->out, "demangled       %s\n",
              aq_code_text(demangled, line, sizeof line));
    fprintf(cli->out, "target          %s\n\n", gfx);
  }
  free(demangled);
  aq_status status = classes_put(cli, json, kernel);
  if (!json)
    fputc('\n', cli->out);
  if (status == AQ_OK)
    status = counters_put(cli, json, kernel);
  if (!json)
    fputc('\n', cli->out);
  if (status == AQ_OK)
    status = blocks_put(cli, json, kernel);
  if (json) {
    code_json(json, kernel);
    aq_json_out_close_map(json);
  } else {
    FILE *out = cli->out;
    fprintf(out, "\n%12s %6s %9s %6s %6s  %-8s instruction\n", "issued",
            "lanes", "taken", "seg", "bank", "offset");
    for (size_t i = 0; i < kernel->line_count; i++)
      line_put(out, &kernel->lines[i]);
  }
  return status;
}

static aq_status kernels_put(aq_cli *cli, aq_json_out *json,
                             aq_run_reader *reader,
                             const aq_instruction_list *list, bool *found)
{
  const char *only = cli->arg_count > 1 ? cli->args[1] : NULL;
  aq_status status = AQ_OK;
  for (size_t at = 0; at < list->count && status == AQ_OK;) {
    const aq_instruction *rows = &list->instructions[at];
    const char *name = aq_run_reader_name(reader, rows->kernel),
               *gfx = aq_run_reader_name(reader, rows->gfx);
    const size_t count =
        aq_profile_rows_next(list->instructions, list->count, &at);
    aq_profile_kernel kernel;
    if (!name || !gfx || (only && !aq_name_is(name, only)))
      continue;
    if (*found && !json)
      fputc('\n', cli->out);
    *found = true;
    status = aq_profile_kernel_make(rows, count, gfx, &kernel, &cli->diag);
    if (status != AQ_OK)
      break;
    status = kernel_put(cli, json, name, gfx, &kernel);
    aq_profile_kernel_fini(&kernel);
  }
  return status;
}

static aq_status profile_put(aq_cli *cli, aq_run_reader *reader,
                             const aq_instruction_list *list)
{
  aq_json_out *json;
  bool found = false;
  aq_status status = aq_cli_json_begin_if(cli, &json);
  if (status != AQ_OK)
    return status;
  if (json) {
    aq_json_out_map(json, NULL);
    aq_json_out_array(json, "kernels");
  }
  status = kernels_put(cli, json, reader, list, &found);
  if (json) {
    aq_json_out_close_array(json);
    aq_json_out_close_map(json);
  }
  if (status == AQ_OK && !found)
    status = aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                         "run %s has no counts of kernel %s", cli->args[0],
                         cli->args[1]);
  return aq_cli_json_finish(cli, json, status);
}

aq_status aq_cli_show_profile(aq_cli *cli, aq_store *store,
                              const aq_run_info *info)
{
  aq_instruction_list list;
  aq_run_reader *reader;
  aq_status status = aq_store_instructions(store, info->id, &list, &cli->diag);
  if (status != AQ_OK)
    return status;
  if (list.count == 0) {
    aq_instruction_list_fini(&list);
    return aq_diag_set(&cli->diag, AQ_ERR_NOT_FOUND,
                       "run %s has no counts of instructions; run its kernels' "
                       "code with launch or exec --profile counters",
                       cli->args[0]);
  }
  status =
      aq_run_reader_open(store, info->id, AQ_ORDER_STORED, &reader, &cli->diag);
  if (status == AQ_OK) {
    status = profile_put(cli, reader, &list);
    aq_run_reader_close(reader);
  }
  aq_instruction_list_fini(&list);
  return status;
}

aq_status aq_cli_profile_mention(aq_cli *cli, aq_store *store,
                                 const aq_run_info *info)
{
  aq_instruction_list list;
  size_t kernels = 0;
  aq_status status = aq_store_instructions(store, info->id, &list, &cli->diag);
  if (status != AQ_OK)
    return status;
  for (size_t at = 0; at < list.count; kernels++)
    aq_profile_rows_next(list.instructions, list.count, &at);
  if (kernels > 0)
    aq_cli_note(cli,
                "%zu kernel%s with counted instructions: aqueduct show "
                "%" PRId64 " --asm",
                kernels, aq_text_plural(kernels), info->id);
  aq_instruction_list_fini(&list);
  return AQ_OK;
}
