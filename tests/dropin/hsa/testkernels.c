/* SPDX-License-Identifier: MIT */
/* A kernel plug-in: kernels that add, and one that reads a texture. */
#include "common/kernel.h"
#include "common/kernel_image.h"

typedef struct add_args {
  uint32_t a, b;
  uint32_t *sum;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  *args->sum = args->a + args->b * call->packet->grid_size[0];
}

/* Counts in a variable of the program. */
typedef struct count_args {
  const char *variable;
  uint64_t size;
  uint64_t *seen;
} count_args;

static void count(const aq_kernel_call *call)
{
  const count_args *args = call->kernarg;
  uint64_t *variable = aq_kernel_variable(call, args->variable, args->size);
  if (variable)
    *args->seen = (*variable)++;
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

/* A texture of HIP begins with copies of its image and its sampler. */
typedef struct fetch_args {
  const struct {
    uint32_t image[AQ_KERNEL_IMAGE_WORDS];
    uint32_t sampler[AQ_KERNEL_SAMPLER_WORDS];
  } * texture;
  float *out;
  int32_t width;
} fetch_args;

static void fetch(const aq_kernel_call *call)
{
  const fetch_args *args = call->kernarg;
  const aq_kernel_image image = aq_kernel_image_of(args->texture->image);
  for (uint32_t y = 0; y < image.height; y++)
    for (uint32_t x = 0; x < image.width; x++)
      args->out[y * (uint32_t)args->width + x] =
          *(const float *)aq_kernel_image_at(&image, x, y, 0);
}

const aq_kernels *aq_kernels_plugin(void)
{
  static const aq_kernel_entry entries[] = {
      {.name = "add", .function = add, .cost = {.base = 3 * AQ_US}},
      {.name = "count", .function = count},
      {.name = "_Z4vaddPKfS0_Pfi", .function = vadd},
      {.name = "fetch", .function = fetch},
      {.name = NULL}};
  static const aq_kernels table = {AQ_KERNELS_ABI, sizeof table, "test",
                                   "kernels that add", entries};
  return &table;
}
