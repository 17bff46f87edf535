/* SPDX-License-Identifier: MIT */
/* Which floats each instruction computes with, by its name. */
#include "config.h"

#include <string.h>

#include "gpu/check/nan_tracking.h"

static bool has(const char *name, const char *part)
{
  return strstr(name, part) != NULL;
}

static bool begins(const char *name, const char *part)
{
  return strncmp(name, part, strlen(part)) == 0;
}

/* The part of a name between `at` and the next underscore; formats of 8 bits
 * and less are not followed. Of matrices it ends with the format. */
static bool type_read(const char *at, size_t length, aq_check_float *type)
{
  static const struct {
    const char *end;
    aq_check_float type;
  } types[] = {{"bf16", AQ_CHECK_FLOAT_BRAIN}, {"f16", AQ_CHECK_FLOAT_HALF},
               {"f32", AQ_CHECK_FLOAT_SINGLE}, {"f64", AQ_CHECK_FLOAT_DOUBLE},
               {"fp8", AQ_CHECK_FLOAT_ELSE},   {"bf8", AQ_CHECK_FLOAT_ELSE},
               {"fp6", AQ_CHECK_FLOAT_ELSE},   {"bf6", AQ_CHECK_FLOAT_ELSE},
               {"fp4", AQ_CHECK_FLOAT_ELSE},   {"f8f6f4", AQ_CHECK_FLOAT_ELSE},
               {"i32", AQ_CHECK_FLOAT_ELSE},   {"u32", AQ_CHECK_FLOAT_ELSE},
               {"i16", AQ_CHECK_FLOAT_ELSE},   {"u16", AQ_CHECK_FLOAT_ELSE},
               {"i64", AQ_CHECK_FLOAT_ELSE},   {"u64", AQ_CHECK_FLOAT_ELSE},
               {"i24", AQ_CHECK_FLOAT_ELSE},   {"u24", AQ_CHECK_FLOAT_ELSE},
               {"i8", AQ_CHECK_FLOAT_ELSE},    {"u8", AQ_CHECK_FLOAT_ELSE},
               {"i4", AQ_CHECK_FLOAT_ELSE},    {"u4", AQ_CHECK_FLOAT_ELSE}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    const size_t end = strlen(types[i].end);
    if (length >= end && memcmp(at + length - end, types[i].end, end) == 0) {
      *type = types[i].type;
      return true;
    }
  }
  return false;
}

/* The type of the result, then of A and B, if the name has two. */
static void types_read(const char *name, aq_check_site *site)
{
  aq_check_float found[2] = {AQ_CHECK_FLOAT_NONE, AQ_CHECK_FLOAT_NONE};
  unsigned count = 0;
  for (const char *at = name; *at && count < 2;) {
    const size_t length = strcspn(at, "_");
    count += type_read(at, length, &found[count]);
    at += length + (at[length] == '_');
  }
  site->float_result = (uint8_t)found[0];
  site->float_source = (uint8_t)(count > 1 ? found[1] : found[0]);
}

static aq_check_float in_halves(uint8_t type)
{
  return type == AQ_CHECK_FLOAT_HALF ? AQ_CHECK_FLOAT_HALVES
                                     : (aq_check_float)type;
}

void aq_check_float_site(aq_check_site *site)
{
  const aq_isa_inst *inst = &site->inst;
  const char *name = inst->row->name;
  const uint8_t encoding = inst->row->encoding;
  bool results = false;
  for (unsigned i = 0; i < site->name_count; i++)
    results |= site->names[i].dest;
  site->matrix = (inst->row->flags & AQ_ISA_MATRIX) != 0;
  site->mixes = aq_isa_form_is_dpp(inst->form) || encoding == AQ_ISA_DS ||
                site->matrix || has(name, "lane");
  site->floats = results && name[0] != 's' && site->kind == AQ_WAVE_ACCESS_NONE;
  if (!site->floats || encoding == AQ_ISA_DS || has(name, "accvgpr"))
    return;
  types_read(name, site);
  /* Steps of a division, whose result v_div_fixup makes. */
  if (begins(name, "v_cvt_scalef32") || begins(name, "v_div_scale") ||
      begins(name, "v_div_fmas"))
    site->float_result = site->float_source = AQ_CHECK_FLOAT_ELSE;
  if (has(name, "_mix"))
    site->float_source = AQ_CHECK_FLOAT_MIXED;
  if (begins(name, "v_pack_b32") || begins(name, "v_interp"))
    site->float_result = site->float_source = AQ_CHECK_FLOAT_NONE;
  site->skips_a = begins(name, "v_div_fixup");
  site->float_source = (uint8_t)in_halves(site->float_source);
  if (begins(name, "v_pk_") || begins(name, "v_cvt_pk") ||
      has(name, "_mixhi") || inst->form == AQ_ISA_SDWA || inst->op_sel)
    site->float_result = (uint8_t)in_halves(site->float_result);
}
