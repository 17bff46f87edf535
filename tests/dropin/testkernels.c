/* SPDX-License-Identifier: MIT */
/* A kernel plug-in: kernels that add. */
#include "common/kernel.h"

typedef struct add_args {
  uint32_t a, b;
  uint32_t *sum;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  *args->sum = args->a + args->b * call->packet->grid_size[0];
}

/* Of app.hip. */
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
      {.name = "add", .function = add, .cost = {.base = 3 * AQ_US}},
      {.name = "_Z4vaddPKfS0_Pfi", .function = vadd},
      {.name = NULL}};
  static const aq_kernels table = {AQ_KERNELS_ABI, sizeof table, "test",
                                   "kernels that add", entries};
  return &table;
}
