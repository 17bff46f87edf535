/* SPDX-License-Identifier: MIT */
/*
 * A code object: its kernel "vadd" is looked up by name and launched.
 *
 *   cc code_object.c $(pkg-config --cflags --libs aqueduct)
 *   ./a.out kernels/device-gfx90a.hsaco
 *
 * It needs an HSA runtime and a GPU of the file's target. The simulator's own
 * runtime does without the GPU; since it executes no instructions, a host
 * function takes the kernel's place there:
 *
 *   AQUEDUCT_DEVICE=mi210 \
 *   AQUEDUCT_LIBHSA_PATH=$(pkg-config --variable=plugindir aqueduct) \
 *     ./a.out kernels/device-gfx90a.hsaco
 */
#include <aqueduct/operations.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1000, GROUP = 256 };

/* As the metadata of the code object has them. */
typedef struct vadd_args {
  const float *a, *b;
  float *sum;
  uint32_t count;
} vadd_args;

static void vadd(const aq_kernel_call *call)
{
  const vadd_args *args = call->kernarg;
  for (uint32_t i = 0; i < args->count; i++)
    args->sum[i] = args->a[i] + args->b[i];
}

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "code_object: %s\n", diag.text);
  exit(1);
}

static void *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  void *bytes = NULL;
  long length = -1;
  if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) > 0)
    bytes = malloc((size_t)length);
  if (!bytes || fseek(file, 0, SEEK_SET) != 0 ||
      fread(bytes, 1, (size_t)length, file) != (size_t)length) {
    fprintf(stderr, "code_object: %s cannot be read\n", path);
    exit(1);
  }
  fclose(file);
  *size = (size_t)length;
  return bytes;
}

/* The kernel's object for packets, ready to run. */
static aq_kernel_info find_kernel(aq_transport *t, uint64_t module)
{
  aq_transport_info info;
  aq_kernel_info kernel;
  check(t->ops->kernel_lookup(t, module, "vadd", &kernel, &diag));
  printf("# vadd: %u bytes of arguments, %u bytes of LDS\n",
         kernel.kernarg_size, kernel.group_size);
  t->ops->info(t, &info);
  if (info.caps & AQ_CAP_HOST_KERNELS) {
    aq_kernel_info host;
    check(t->ops->kernel_register(
        t,
        &(aq_kernel_desc){.name = "vadd",
                          .function = vadd,
                          .cost = {.kind = AQ_COST_FIXED, .base = 5 * AQ_US},
                          .kernarg_size = kernel.kernarg_size,
                          .object = kernel.object},
        &host, &diag));
  }
  return kernel;
}

/* sum = a + b by the kernel; how many elements are wrong. */
static int launch(aq_transport *t, const aq_kernel_info *kernel)
{
  aq_context *context;
  aq_queue *queue;
  void *memory;
  int wrong = 0;
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options), .transport = t},
      &context, &diag));
  check(aq_queue_create(
      context, &(aq_queue_options){.size_of = sizeof(aq_queue_options)}, &queue,
      &diag));
  check(t->ops->mem_alloc(t, 0, AQ_MEMORY_HOST, 3 * COUNT * sizeof(float),
                          &memory, &diag));
  float *a = memory, *b = a + COUNT, *sum = b + COUNT;
  for (int i = 0; i < COUNT; i++) {
    a[i] = (float)i;
    b[i] = 0.5f;
  }
  const vadd_args args = {a, b, sum, COUNT};
  check(aq_queue_dispatch(
      queue, NULL,
      &(aq_launch){.object = kernel->object,
                   .grid = {(COUNT + GROUP - 1) / GROUP * GROUP, 1, 1},
                   .workgroup = {GROUP, 1, 1},
                   .group_size = kernel->group_size,
                   .private_size = kernel->private_size,
                   .kernargs = &args,
                   .kernarg_size = sizeof args},
      &diag));
  check(aq_queue_wait_idle(queue, AQ_TIME_MAX, &diag));
  for (int i = 0; i < COUNT; i++)
    wrong += sum[i] != (float)i + 0.5f;
  aq_queue_destroy(queue);
  aq_context_destroy(context);
  t->ops->mem_free(t, memory);
  return wrong;
}

int main(int argc, char **argv)
{
  aq_transport_stack *stack;
  aq_transport *t;
  uint64_t module;
  size_t size;
  void *image =
      read_file(argc > 1 ? argv[1] : "kernels/device-gfx90a.hsaco", &size);
  check(aq_transport_stack_create("hsa", NULL, &stack, &diag));
  check(aq_transport_stack_open(
      stack, &(aq_transport_options){.size = sizeof(aq_transport_options)}, &t,
      &diag));
  check(t->ops->module_load(t, 0, image, size, &module, &diag));
  const aq_kernel_info kernel = find_kernel(t, module);
  const int wrong = launch(t, &kernel);
  printf("%sok 1 - vadd of a code object\n1..1\n", wrong ? "not " : "");
  t->ops->module_unload(t, module);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  free(image);
  return wrong != 0;
}
