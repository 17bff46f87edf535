/* SPDX-License-Identifier: MIT */
/* What hazards.c and hazards_mfma.c, the rules of wait states, share. */
#ifndef AQ_GPU_CHECK_HAZARDS_HAZARDS_H
#define AQ_GPU_CHECK_HAZARDS_HAZARDS_H

#include "gpu/check/core/core.h"

/* Kinds of instructions, for the rules: bits. */
enum {
  AQ_CHECK_IS_VALU = 1, /* matrix instructions are, too */
  AQ_CHECK_IS_SALU = 2,
  AQ_CHECK_IS_VMEM = 4,
  AQ_CHECK_IS_DPP = 8,
  AQ_CHECK_IS_LANE = 16,       /* v_readlane, v_writelane */
  AQ_CHECK_IS_FMAS = 32,       /* v_div_fmas, which reads VCC */
  AQ_CHECK_IS_BY_M0 = 64,      /* reads M0 */
  AQ_CHECK_IS_WIDE = 128,      /* stores more than 8 bytes of a lane */
  AQ_CHECK_IS_SETS = 256,      /* s_setreg */
  AQ_CHECK_IS_GETS = 512,      /* s_getreg */
  AQ_CHECK_IS_COMPARES = 1024, /* v_cmpx, which writes EXEC */
  AQ_CHECK_IS_MATRIX = 2048,   /* MFMA and SMFMAC */
  AQ_CHECK_IS_DOUBLE = 4096,   /* of them, f64 */
  AQ_CHECK_IS_DOT = 8192,
  AQ_CHECK_IS_TRANS = 16384, /* transcendental */
  AQ_CHECK_IS_LDS = 32768,
};

enum { AQ_CHECK_MATRIX_STATES = 19 /* at most */ };

/* Fills passes of a matrix instruction; `is` is known. */
void aq_check_matrix_site(aq_check_site *site);

/* The wait states that a second instruction needs behind a first, by the rules
 * of matrix and dot instructions; `*message` says why. */
unsigned aq_check_matrix_need(const aq_check_site *first,
                              const aq_check_site *second,
                              const char **message);

#endif
