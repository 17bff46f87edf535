/* SPDX-License-Identifier: MIT */
/* Fields of word 3: CDNA3 ISA, chapter 9, and Mesa's ac_descriptors.c. */
#include "config.h"

#include "gpu/wave/core/buffer_descriptor.h"

#include "gpu/codeobj/target.h"
#include "gpu/isa/isa.h"

enum {
  STRIDE_SHIFT = 16,
  NUMBER_SHIFT = 12, /* gfx9 */
  DATA_SHIFT = 15,
  FORMAT_SHIFT = 12, /* RDNA */
  FORMATS = 128,
  LEVEL = 1 << 24, /* gfx10: a resource of a view, which is always set */
};

/* RDNA's number of both, by the one table of them; 0: there is none. */
static uint32_t rdna_format(unsigned layout, unsigned number, uint16_t target)
{
  for (unsigned f = 1; f < FORMATS; f++) {
    unsigned data, n;
    if (aq_isa_rdna_format_find((uint8_t)f, target, &data, &n) &&
        data == layout && n == number)
      return f;
  }
  return 0;
}

static uint32_t format_word(const char *gfx, unsigned layout, unsigned number)
{
  aq_target target;
  aq_isa_decoder decoder;
  if (layout == 0 || aq_target_of_device(gfx, false, &target, NULL) != AQ_OK ||
      aq_isa_decoder_init(&decoder, target.processor, NULL) != AQ_OK)
    return 0;
  if (!(decoder.target & AQ_ISA_RDNA))
    return layout << DATA_SHIFT | number << NUMBER_SHIFT;
  return rdna_format(layout, number, decoder.target) << FORMAT_SHIFT |
         (decoder.target & AQ_ISA_GFX10 ? LEVEL : 0);
}

void aq_wave_resource_make(const char *gfx, const aq_wave_elements *elements,
                           uint32_t out[AQ_WAVE_RESOURCE_WORDS])
{
  out[0] = (uint32_t)elements->address;
  out[1] = (uint32_t)(elements->address >> 32) | (uint32_t)elements->size
                                                     << STRIDE_SHIFT;
  out[2] = elements->count;
  out[3] = format_word(gfx, elements->layout, elements->number);
  for (unsigned i = 0; i < AQ_WAVE_COMPONENTS; i++)
    out[3] |= (uint32_t)elements->select[i] << (3 * i);
}
