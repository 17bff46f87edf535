/* SPDX-License-Identifier: MIT */
/* What the kernels of vadd.hip do, for the simulator, which executes no GPU
 * instructions. `aqueduct show FILE.hsaco --stub` writes the frame of this. */
#include <aqueduct/kernel.h>

typedef struct vadd_args {
  const float *a, *b;
  float *c;
  int32_t n;
} vadd_args;

static void vadd(const aq_kernel_call *call)
{
  const vadd_args *args = call->kernarg;
  for (int32_t i = 0; i < args->n; i++)
    args->c[i] = args->a[i] + args->b[i];
}

const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "_Z4vaddPKfS0_Pfi", .function = vadd}, {.name = NULL}};
  static const aq_kernels table = {AQ_KERNELS_ABI, sizeof table, "vadd",
                                   "the kernels of vadd.hip", entries};
  return &table;
}
