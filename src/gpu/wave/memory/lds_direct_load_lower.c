/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/lds_direct_load.h"

static const struct {
  const char *suffix;
  uint16_t size; /* bytes, AQ_WAVE_DIRECT_SIGNED */
  uint16_t targets;
} widths[] = {
    {"_ubyte", 1, UINT8_MAX},
    {"_sbyte", 1 | AQ_WAVE_DIRECT_SIGNED, UINT8_MAX},
    {"_ushort", 2, UINT8_MAX},
    {"_sshort", 2 | AQ_WAVE_DIRECT_SIGNED, UINT8_MAX},
    {"_dword", 4, UINT8_MAX},
    {"_dwordx3", 12, AQ_ISA_GFX950},
    {"_dwordx4", 16, AQ_ISA_GFX950},
};

bool aq_wave_direct_lower(aq_wave_op *o, const aq_isa_inst *inst)
{
  const char *suffix = strrchr(inst->row->name, '_');
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (strcmp(widths[i].suffix, suffix) == 0 &&
        widths[i].targets & inst->target) {
      o->constant[2] = widths[i].size;
      return strstr(inst->row->name, "_load_") != NULL;
    }
  return false;
}
