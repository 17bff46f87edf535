/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/inspect/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/record.h"

/* Offsets of callees may be negative: the labels count from here. */
#define BASE (UINT64_C(1) << 48)

size_t aq_profile_rows_next(const aq_instruction *rows, size_t count,
                            size_t *at)
{
  const size_t first = *at;
  while (*at < count && rows[*at].kernel == rows[first].kernel &&
         rows[*at].gfx == rows[first].gfx && rows[*at].code == rows[first].code)
    ++*at;
  return *at - first;
}

/* ---- sums ---- */

static void add(int64_t *sum, int64_t value)
{
  if (value != AQ_NONE)
    *sum = (*sum == AQ_NONE ? 0 : *sum) + value;
}

static void sum_init(aq_profile_sum *sum)
{
  *sum = (aq_profile_sum){.lanes = AQ_NONE,
                          .bytes = AQ_NONE,
                          .segments = AQ_NONE,
                          .segments_least = AQ_NONE,
                          .bank_cycles = AQ_NONE,
                          .bank_cycles_least = AQ_NONE};
}

static void sum_add(aq_profile_sum *sum, const aq_instruction *row)
{
  sum->instructions++;
  add(&sum->issued, row->issued);
  if (row->lanes != AQ_NONE)
    add(&sum->vector_issued, row->issued);
  add(&sum->lanes, row->lanes);
  add(&sum->bytes, row->bytes);
  add(&sum->segments, row->segments);
  add(&sum->segments_least, row->segments_least);
  add(&sum->bank_cycles, row->bank_cycles);
  add(&sum->bank_cycles_least, row->bank_cycles_least);
}

/* ---- lines ---- */

static aq_status row_decode(const aq_isa_decoder *decoder,
                            const aq_instruction *row, aq_isa_inst *inst,
                            aq_diag *diag)
{
  const uint32_t words[2] = {(uint32_t)row->word0, (uint32_t)row->word1};
  return aq_isa_decode(decoder, words, row->word1 == AQ_NONE ? 4 : 8,
                       (uint64_t)row->offset, inst, diag);
}

/* A block begins at a label, behind a branch, and where code is left out. */
static bool block_begins(const aq_profile_kernel *kernel, size_t line,
                         aq_isa_flow before, uint64_t end)
{
  const aq_profile_line *of = &kernel->lines[line];
  return line == 0 || of->label >= 0 || before != AQ_ISA_FLOW_NEXT ||
         (uint64_t)of->row->offset != end;
}

static aq_status lines_make(aq_profile_kernel *kernel,
                            const aq_instruction *rows,
                            const aq_isa_decoder *decoder,
                            const aq_isa_labels *labels, aq_diag *diag)
{
  aq_isa_flow before = AQ_ISA_FLOW_NEXT;
  uint64_t end = 0;
  for (size_t i = 0; i < kernel->line_count; i++) {
    aq_profile_line *line = &kernel->lines[i];
    const uint64_t pc = BASE + (uint64_t)rows[i].offset;
    aq_isa_inst inst;
    aq_status status = row_decode(decoder, &rows[i], &inst, diag);
    if (status != AQ_OK)
      return status;
    line->row = &rows[i];
    line->label = aq_isa_label_at(labels, pc);
    line->class = aq_isa_class_of(&inst);
    aq_isa_labels_print(labels, &inst, pc, NULL, line->text);
    if (block_begins(kernel, i, before, end)) {
      aq_profile_block block = {.first = i};
      sum_init(&block.sum);
      if (!AQ_ARRAY_PUSH(kernel->blocks, kernel->block_count,
                         kernel->block_capacity, block))
        return aq_diag_no_memory(diag);
    }
    sum_add(&kernel->blocks[kernel->block_count - 1].sum, &rows[i]);
    sum_add(&kernel->classes[line->class], &rows[i]);
    sum_add(&kernel->all, &rows[i]);
    before = aq_isa_flow_of(&inst);
    end = (uint64_t)rows[i].offset + inst.size;
  }
  return AQ_OK;
}

static aq_status labels_make(aq_isa_labels *labels, const aq_instruction *rows,
                             size_t count, const aq_isa_decoder *decoder,
                             aq_diag *diag)
{
  for (size_t i = 0; i < count; i++) {
    aq_isa_inst inst;
    aq_status status = row_decode(decoder, &rows[i], &inst, diag);
    if (status != AQ_OK)
      return status;
    if (!aq_isa_labels_add(labels, &inst, BASE + (uint64_t)rows[i].offset))
      return aq_diag_no_memory(diag);
  }
  aq_isa_labels_sort(labels);
  return AQ_OK;
}

aq_status aq_profile_kernel_make(const aq_instruction *rows, size_t count,
                                 const char *gfx, aq_profile_kernel *out,
                                 aq_diag *diag)
{
  aq_profile_kernel made = {.line_count = count};
  aq_isa_labels labels = {.end = UINT64_MAX};
  aq_isa_decoder decoder;
  aq_target target;
  aq_status status = aq_target_parse(gfx, strlen(gfx), &target, diag);
  if (status == AQ_OK)
    status = aq_isa_decoder_init(&decoder, target.processor, diag);
  if (status != AQ_OK)
    return status;
  made.lines = calloc(count + 1, sizeof *made.lines);
  sum_init(&made.all);
  for (size_t i = 0; i < AQ_ISA_CLASS_COUNT; i++)
    sum_init(&made.classes[i]);
  status = made.lines ? labels_make(&labels, rows, count, &decoder, diag)
                      : aq_diag_no_memory(diag);
  if (status == AQ_OK)
    status = lines_make(&made, rows, &decoder, &labels, diag);
  aq_isa_labels_fini(&labels);
  if (status == AQ_OK)
    *out = made;
  else
    aq_profile_kernel_fini(&made);
  return status;
}

void aq_profile_kernel_fini(aq_profile_kernel *kernel)
{
  free(kernel->lines);
  free(kernel->blocks);
  *kernel = (aq_profile_kernel){.line_count = 0};
}
