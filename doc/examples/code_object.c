/* SPDX-License-Identifier: MIT */
/*
 * Prints the contents of a code object, looks its kernel "vadd" up by name and
 * executes it.
 *
 *   cc code_object.c $(pkg-config --cflags --libs aqueduct)
 *   ./a.out kernels/device-gfx90a.hsaco
 *
 * The simulator executes the instructions of the kernel. With "hsa" as second
 * argument a GPU does; the file needs code for it.
 */
#include <aqueduct/code_object.h>
#include <aqueduct/operations.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, GROUP = 256 };

/* As the metadata of the code object have them. */
typedef struct vadd_args {
  const float *a, *b;
  float *sum;
  uint32_t count;
} vadd_args;

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "code_object: %s\n", diag.text);
  exit(1);
}

static void print_line(const char *text, void *user)
{
  (void)user;
  printf("# %s\n", text);
}

/* Opens the code of a file for the transport's first device. */
static aq_code_object *code_open(aq_transport *t, const char *path)
{
  aq_transport_info info;
  aq_code_object *code;
  t->ops->info(t, &info);
  check(aq_code_object_open(path, info.devices[0].gfx, &code, &diag));
  aq_code_object_print(code, print_line, NULL);
  if (!aq_code_object_kernel(code, "vadd")) {
    fprintf(stderr, "code_object: %s has no kernel vadd\n", path);
    exit(1);
  }
  return code;
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
    sum[i] = 0;
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
  const char *path = argc > 1 ? argv[1] : "kernels/device-gfx90a.hsaco";
  const char *name = argc > 2 ? argv[2] : "sim";
  aq_transport_options options = {.size = sizeof options};
  aq_transport_stack *stack;
  aq_transport *t;
  uint64_t module;
  aq_kernel_info kernel;
  if (strcmp(name, "sim") == 0)
    options.device = "mi210"; /* a gfx90a */
  check(aq_transport_stack_create(name, NULL, &stack, &diag));
  check(aq_transport_stack_open(stack, &options, &t, &diag));
  aq_code_object *code = code_open(t, path);
  const aq_code_object_info *info = aq_code_object_describe(code);
  check(t->ops->module_load(t, 0, info->bytes, info->size, &module, &diag));
  aq_code_object_close(code);
  check(t->ops->kernel_lookup(t, module, "vadd", &kernel, &diag));
  const int wrong = launch(t, &kernel);
  printf("%sok 1 - vadd of a code object\n1..1\n", wrong ? "not " : "");
  t->ops->module_unload(t, module);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return wrong != 0;
}
