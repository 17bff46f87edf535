/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/core/gfx1250_addressing.h"

#include <stdlib.h>

#include "gpu/wave/core/lanes.h"

enum {
  ADDRESS = AQ_WAVE_SCRATCH_ROWS + 24
}; /* and the row of the upper words */

bool aq_wave_elements_has(const aq_isa_inst *inst)
{
  const uint8_t encoding = inst->row->encoding;
  const aq_isa_operand *scalar = aq_isa_operand_find(inst, 'S');
  if (!(inst->target & AQ_ISA_GFX1250))
    return false;
  if (encoding == AQ_ISA_SCRATCH)
    return inst->scaled;
  return (encoding == AQ_ISA_FLAT || encoding == AQ_ISA_GLOBAL) && scalar &&
         scalar->file == 's';
}

unsigned aq_wave_element_bytes(const aq_isa_inst *inst)
{
  const char *name = inst->row->name, *end = name + strlen(name);
  while (end > name && end[-1] >= '0' && end[-1] <= '9')
    end--;
  const unsigned bits = (unsigned)strtoul(end, NULL, 10);
  return bits / 8 * (strstr(name, "_pk_") ? 2 : 1);
}

void aq_wave_elements_prepare(aq_wave *w, const aq_wave_op *o)
{
  const aq_wave_decoded *more = o->decoded;
  const uint32_t *offset = w->v[more->element_row];
  const uint32_t bytes = more->element_bytes;
  uint32_t *low = w->v[ADDRESS], *high = w->v[ADDRESS + 1];
  if (more->inst.row->encoding == AQ_ISA_SCRATCH) {
    AQ_EACH_LANE(l) low[l] = offset[l] * bytes;
    return;
  }
  const uint64_t base =
      w->s[more->element_base] | (uint64_t)w->s[more->element_base + 1] << 32;
  AQ_EACH_LANE(l)
  {
    const uint64_t at =
        base + (uint64_t)((int64_t)(int32_t)offset[l] * (int64_t)bytes);
    low[l] = (uint32_t)at;
    high[l] = (uint32_t)(at >> 32);
  }
}

static const aq_wave_op *elements_run(aq_wave *w, const aq_wave_op *o)
{
  aq_wave_elements_prepare(w, o);
  return o->decoded->base(w, o);
}

bool aq_wave_elements_lower(aq_wave_op *o, aq_wave_decoded *more,
                            bool simulated)
{
  const aq_isa_inst *inst = &more->inst;
  const bool scratch = inst->row->encoding == AQ_ISA_SCRATCH;
  const unsigned bytes = inst->scaled ? aq_wave_element_bytes(inst) : 1;
  if (more->address == AQ_WAVE_NONE || bytes == 0 ||
      (!scratch && more->scalar == AQ_WAVE_NONE))
    return false;
  more->element_row = more->address;
  more->element_base = more->scalar;
  more->element_bytes = bytes;
  more->address = ADDRESS;
  o->source[1] = ADDRESS;
  if (!scratch) {
    more->scalar = AQ_WAVE_NONE;
    o->dest2 = AQ_WAVE_NONE;
  }
  if (!simulated)
    return true;
  more->base = o->run;
  o->run = elements_run;
  return true;
}
