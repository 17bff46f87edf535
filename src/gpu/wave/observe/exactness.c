/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "gpu/wave/observe/exactness.h"

#include <string.h>

enum { ULP, ESTIMATE, MATRIX, MATRIX_ASSUMED, ASSUMED, CLOCK };

static const aq_wave_class classes[] = {
    [ULP] = {"ulp", "within 1 ulp of hardware that keeps AMD's stated bound; "
                    "the hardware's last bits are not public"},
    [ESTIMATE] = {"estimate",
                  "within 1 ulp of the exact result, where hardware gives a "
                  "first estimate for the code to refine"},
    [MATRIX] = {"matrix", "adds in the order and with the rounding measured on "
                          "hardware; the NaNs are assumed"},
    [MATRIX_ASSUMED] = {"matrix-assumed",
                        "adds in an assumed order, by analogy to measured "
                        "matrix instructions"},
    [ASSUMED] = {"assumed", "rounding of special values, or places of "
                            "elements, that no public source states"},
    [CLOCK] = {"clock", "clocks of the device: simulated, no measurement"},
};

/* By the beginning of the name. */
static const struct {
  const char *prefix;
  unsigned class;
} prefixes[] = {
    {"v_rcp_", ULP},
    {"v_rsq_", ULP},
    {"v_sqrt_", ULP},
    {"v_exp_", ULP},
    {"v_log_", ULP},
    {"v_sin_", ULP},
    {"v_cos_", ULP},
    {"v_s_", ULP},
    {"v_dot2_f16_", ASSUMED},
    {"v_dot2_bf16_", ASSUMED},
    {"v_dot4_f32_", ASSUMED},
    {"v_cvt_sr_", ASSUMED},
    {"v_cvt_scale", ASSUMED},
    {"ds_read_b64_tr_b4", ASSUMED},
    {"ds_read_b96_tr_b6", ASSUMED},
    {"image_sample", ASSUMED},
    {"image_gather4", ASSUMED},
    {"image_store", ASSUMED},
    {"s_memtime", CLOCK},
    {"s_memrealtime", CLOCK},
};

static bool has_prefix(const char *name, const char *prefix)
{
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Dense integer ones are exact in any order. */
static const aq_wave_class *matrix_class(const char *name, uint16_t target)
{
  if (has_prefix(name, "v_mfma_i32_"))
    return NULL;
  return has_prefix(name, "v_smfmac_") || target == AQ_ISA_GFX950
             ? &classes[MATRIX_ASSUMED]
             : &classes[MATRIX];
}

const aq_wave_class *aq_wave_class_of(const aq_isa_row *row, uint16_t target)
{
  if (row->flags & AQ_ISA_WMMA)
    return strstr(row->name, "mac_i32_") || strstr(row->name, "mma_i32_")
               ? NULL
               : &classes[MATRIX_ASSUMED];
  if (row->flags & AQ_ISA_MATRIX)
    return matrix_class(row->name, target);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (has_prefix(row->name, prefixes[i].prefix))
      return prefixes[i].class == ULP && strstr(row->name, "_f64")
                 ? &classes[ESTIMATE]
                 : &classes[prefixes[i].class];
  return NULL;
}

const aq_wave_class *aq_wave_class_at(size_t number)
{
  return number < sizeof classes / sizeof *classes ? &classes[number] : NULL;
}
