/* SPDX-License-Identifier: MIT */
/* Fields of the matrix instructions of gfx1250. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "gpu/isa/print_fields.h"

static unsigned field(uint32_t word, unsigned low, unsigned count)
{
  return word >> low & ((1u << count) - 1);
}

static char *format_print(char *at, const char *matrix, unsigned format)
{
  static const char *const names[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
  return format == 0 ? at
                     : at + sprintf(at, " matrix_%s_fmt:MATRIX_FMT_%s", matrix,
                                    names[format]);
}

/* Which halves of the lanes hold the scales, and their type. */
static char *scales_print(char *at, uint32_t w, uint32_t w1)
{
  static const char *const names[] = {"E8", "MATRIX_SCALE_FMT_E5M3",
                                      "MATRIX_SCALE_FMT_E4M3", "3"};
  const unsigned a = field(w1, 29, 2), b = field(w, 8, 2);
  if (field(w, 11, 1))
    at += sprintf(at, " matrix_a_scale:MATRIX_SCALE_ROW1");
  if (field(w1, 27, 1))
    at += sprintf(at, " matrix_b_scale:MATRIX_SCALE_ROW1");
  if (a)
    at += sprintf(at, " matrix_a_scale_fmt:%s", names[a]);
  if (b)
    at += sprintf(at, " matrix_b_scale_fmt:%s", names[b]);
  return at;
}

void aq_isa_gfx1250_matrix_print(const aq_isa_inst *inst,
                                 char text[AQ_ISA_MATRIX_SIZE])
{
  const uint32_t *w = inst->words;
  const bool scaled = inst->row->encoding == AQ_ISA_VOP3PX2;
  const bool loads = strncmp(inst->row->name, "v_wmma_ld_", 10) == 0;
  const bool sparse = strncmp(inst->row->name, "v_swmmac_", 9) == 0;
  const bool mixed = !scaled && strstr(inst->row->name, "_f8f6f4");
  const bool narrow = strstr(inst->row->name, "_f4");
  char *at = text;
  *at = 0;
  if (sparse && inst->op_sel & 3)
    at += sprintf(at, " index_key:%d", inst->op_sel & 3);
  at = format_print(at, "a", inst->cbsz);
  at = format_print(at, "b", inst->blgp);
  if (scaled || loads)
    at = scales_print(at, w[0], w[1]);
  if (!mixed && (scaled || !narrow))
    sprintf(at, "%s%s", field(w[0], 13, 1) ? " matrix_a_reuse" : "",
            field(w[0], 14, 1) ? " matrix_b_reuse" : "");
}
