/* SPDX-License-Identifier: MIT */
/* Machine code: the first byte chooses the processor. Each instruction lies
 * within the bytes, prints, and is either made ready to execute or not. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "gpu/codeobj/target.h"
#include "gpu/isa/isa.h"
#include "gpu/wave/core/wave.h"

static const char *const names[] = {"gfx900",  "gfx906",  "gfx908",  "gfx90a",
                                    "gfx942",  "gfx950",  "gfx1010", "gfx1030",
                                    "gfx1100", "gfx1150", "gfx1200", "gfx1250"};
enum { PROCESSORS = sizeof names / sizeof *names };

/* The decoder of a choice, made once; NULL: the processor has none. */
static const aq_isa_decoder *decoder_of(uint8_t choice)
{
  static aq_isa_decoder decoders[PROCESSORS];
  static bool made[PROCESSORS];
  const unsigned i = choice % PROCESSORS;
  aq_target target;
  if (!made[i])
    made[i] =
        aq_target_parse(names[i], strlen(names[i]), &target, NULL) == AQ_OK &&
        aq_isa_decoder_init(&decoders[i], target.processor, NULL) == AQ_OK;
  return made[i] ? &decoders[i] : NULL;
}

static void instruction_check(const aq_isa_inst *inst, size_t left)
{
  char text[AQ_ISA_TEXT_SIZE];
  if (inst->size == 0 || inst->size % 4 != 0 || inst->size > left)
    abort();
  if (inst->operand_count > AQ_ISA_OPERANDS)
    abort();
  memset(text, '?', sizeof text);
  aq_isa_print(inst, text);
  if (!memchr(text, '\0', sizeof text) || text[0] == '\0')
    abort();
  (void)aq_wave_instruction_executes(inst);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const aq_isa_decoder *decoder = size > 0 ? decoder_of(data[0]) : NULL;
  if (!decoder)
    return 0;
  for (size_t at = 1; at < size;) {
    aq_isa_inst inst;
    const aq_status status =
        aq_isa_decode(decoder, data + at, size - at, at, &inst, NULL);
    if (status == AQ_OK)
      instruction_check(&inst, size - at);
    else if (status != AQ_ERR_INPUT)
      abort();
    at += status == AQ_OK ? inst.size : 4;
  }
  return 0;
}
