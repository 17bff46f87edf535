/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/inspect/disassembly.h"

#include <stdio.h>
#include <string.h>

#include "gpu/isa/control_flow.h"
#include "gpu/isa/labels.h"

aq_status aq_disassembly_open(const void *bytes, size_t size,
                              const aq_codeobj *code, aq_disassembly *out,
                              aq_diag *diag)
{
  aq_disassembly made = {.code = code};
  aq_status status =
      aq_isa_decoder_init(&made.decoder, code->target.processor, diag);
  if (status == AQ_OK)
    status = aq_code_functions_read(bytes, size, code, &made.functions, diag);
  if (status == AQ_OK)
    *out = made;
  return status;
}

void aq_disassembly_close(aq_disassembly *disassembly)
{
  aq_code_functions_fini(&disassembly->functions);
}

static bool labels_find(const aq_disassembly *d,
                        const aq_code_function *function, aq_isa_labels *labels)
{
  aq_isa_inst inst;
  for (uint64_t at = 0; at + 4 <= function->size;) {
    const bool is_code =
        aq_isa_decode(&d->decoder, function->bytes + at, function->size - at,
                      function->address + at, &inst, NULL) == AQ_OK;
    if (is_code && !aq_isa_labels_add(labels, &inst, function->address + at))
      return false;
    at += is_code ? inst.size : 4;
  }
  aq_isa_labels_sort(labels);
  return true;
}

/* The function that an instruction calls or branches to the beginning of. */
static const char *target_name(const aq_disassembly *d, const aq_isa_inst *inst,
                               uint64_t pc)
{
  if (!aq_isa_flow_is_direct(aq_isa_flow_of(inst)))
    return NULL;
  const uint64_t target = aq_isa_branch_target(inst, pc);
  const aq_code_function *to = aq_code_function_at(&d->functions, target);
  return to && to->address == target ? to->name : NULL;
}

/* Reports the instruction at `at`; its size in words. */
static uint32_t line_report(const aq_disassembly *d,
                            const aq_isa_labels *labels,
                            const aq_code_function *function, uint64_t at,
                            uint8_t *banks, aq_disassembly_sink *sink,
                            void *user)
{
  char text[AQ_ISA_TEXT_SIZE];
  aq_isa_inst inst;
  const uint64_t pc = function->address + at;
  aq_disassembly_line line = {.pc = pc,
                              .label = aq_isa_label_at(labels, pc),
                              .text = text,
                              .word_count = 1};
  if (aq_isa_decode(&d->decoder, function->bytes + at, function->size - at, pc,
                    &inst, NULL) == AQ_OK) {
    line.inst = &inst;
    aq_isa_banks_set(&inst, *banks);
    *banks = aq_isa_banks_next(&inst, *banks);
    line.word_count = inst.size / 4u;
    aq_isa_labels_print(labels, &inst, pc, target_name(d, &inst, pc), text);
  }
  memcpy(line.words, function->bytes + at, 4 * (size_t)line.word_count);
  if (!line.inst)
    snprintf(text, sizeof text, ".long 0x%08x", line.words[0]);
  sink(&line, user);
  return line.word_count;
}

aq_status aq_disassembly_print(const aq_disassembly *disassembly,
                               const aq_code_function *function,
                               aq_disassembly_sink *sink, void *user,
                               aq_diag *diag)
{
  aq_isa_labels labels = {.base = function->address,
                          .end = function->address + function->size};
  if (!labels_find(disassembly, function, &labels)) {
    aq_isa_labels_fini(&labels);
    return aq_diag_no_memory(diag);
  }
  uint8_t banks = 0;
  for (uint64_t at = 0; at + 4 <= function->size;)
    at += 4 * (uint64_t)line_report(disassembly, &labels, function, at, &banks,
                                    sink, user);
  aq_isa_labels_fini(&labels);
  return AQ_OK;
}
