/* SPDX-License-Identifier: MIT */
/*
 * Vector add through the host queue: data in, a kernel, the result out, in one
 * queue, and a host that waits for the end. It needs the installed library
 * only:
 *
 *   cc vector_add.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 *
 * On the simulator a kernel is a host function; on a GPU it would come from a
 * code object. Nothing else changes.
 */
#include <aqueduct/queue.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 1000, GROUP = 64 };

/* ---- the kernel ---- */

typedef struct add_args {
  const float *a, *b;
  float *sum;
  uint64_t count;
} add_args;

static void add(const aq_kernel_call *call)
{
  const add_args *args = call->kernarg;
  for (uint64_t i = 0; i < args->count; i++)
    args->sum[i] = args->a[i] + args->b[i];
}

/* ---- errors: one line, and the end ---- */

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "vector_add: %s\n", diag.text);
  exit(1);
}

static void *device_memory(aq_transport *t, size_t size)
{
  void *memory;
  check(t->ops->mem_alloc(t, 0, AQ_MEMORY_DEVICE, size, &memory, &diag));
  return memory;
}

int main(void)
{
  /* A transport, a context on it, a queue of its first device. */
  aq_transport_stack *stack;
  aq_transport *t;
  aq_context *context;
  aq_queue *queue;
  aq_semaphore *done;
  check(aq_transport_stack_create("sim", NULL, &stack, &diag));
  check(aq_transport_stack_open(
      stack, &(aq_transport_options){.size = sizeof(aq_transport_options)}, &t,
      &diag));
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options), .transport = t},
      &context, &diag));
  check(aq_queue_create(
      context, &(aq_queue_options){.size_of = sizeof(aq_queue_options)}, &queue,
      &diag));
  check(aq_semaphore_create(context, 0, 0, &done, &diag));
  aq_kernel_info kernel;
  check(t->ops->kernel_register(
      t,
      &(aq_kernel_desc){.name = "add",
                        .function = add,
                        .cost = {AQ_COST_PER_WORKGROUP, 2 * AQ_US, AQ_NS},
                        .kernarg_size = sizeof(add_args)},
      &kernel, &diag));

  /* Data in. */
  float a[COUNT], b[COUNT], sum[COUNT];
  for (int i = 0; i < COUNT; i++) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
  }
  add_args args = {.count = COUNT};
  float *in = device_memory(t, 2 * sizeof a);
  args.a = memcpy(in, a, sizeof a);
  args.b = memcpy(in + COUNT, b, sizeof b);
  args.sum = device_memory(t, sizeof sum);
  t->ops->mem_publish(t, in, 2 * sizeof a);

  /* The kernel; its end is value 1 of the semaphore. */
  const aq_point end = {done, 1};
  check(aq_queue_dispatch(
      queue, &(aq_sync){.signals = &end, .signal_count = 1},
      &(aq_launch){.object = kernel.object,
                   .grid = {(COUNT + GROUP - 1) / GROUP * GROUP, 1, 1},
                   .workgroup = {GROUP, 1, 1},
                   .kernargs = &args,
                   .kernarg_size = sizeof args},
      &diag));
  check(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));
  memcpy(sum, args.sum, sizeof sum);

  int wrong = 0;
  for (int i = 0; i < COUNT; i++)
    wrong += sum[i] != a[i] + b[i];
  printf("%sok 1 - %d sums after %.3f us\n1..1\n", wrong ? "not " : "", COUNT,
         (double)t->ops->now(t) / AQ_US);

  aq_semaphore_release(done);
  aq_queue_destroy(queue);
  aq_context_destroy(context);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return wrong != 0;
}
