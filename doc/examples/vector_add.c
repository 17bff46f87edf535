/* SPDX-License-Identifier: MIT */
/*
 * Vector add through the host queue: memory, data in, a kernel, the result out,
 * in one queue, and a host that waits for the end. It needs the installed
 * library only:
 *
 *   cc vector_add.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 *
 * On the simulator a kernel is a host function; on a GPU it would come from a
 * code object. Nothing else changes.
 */
#include <aqueduct/operations.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>

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

/* Memory of the queue's device, for later operations. */
static void *device_memory(aq_queue *queue, size_t size)
{
  void *memory;
  check(aq_queue_alloca(queue, NULL,
                        &(aq_memory_request){AQ_MEMORY_DEVICE, size}, &memory,
                        &diag));
  return memory;
}

static void copy(aq_queue *queue, const aq_sync *sync, void *to,
                 const void *from, size_t size)
{
  check(aq_queue_copy(
      queue, sync,
      &(aq_copy){
          .target = to, .source = from, .size = size, .path = AQ_PATH_HOST},
      &diag));
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "sim"; /* a transport */
  /* A transport, a context on it, a queue of its first device. */
  aq_transport_stack *stack;
  aq_transport *t;
  aq_context *context;
  aq_queue *queue;
  aq_semaphore *done;
  check(aq_transport_stack_create(name, NULL, &stack, &diag));
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
                        .cost = {.kind = AQ_COST_PER_WORKGROUP,
                                 .base = 2 * AQ_US,
                                 .per_workgroup = AQ_NS},
                        .kernarg_size = sizeof(add_args)},
      &kernel, &diag));

  /* Data in, the kernel, the result out: one behind the other. */
  float a[COUNT], b[COUNT], sum[COUNT];
  for (int i = 0; i < COUNT; i++) {
    a[i] = (float)i;
    b[i] = (float)(2 * i);
  }
  float *in = device_memory(queue, 2 * sizeof a);
  float *out = device_memory(queue, sizeof sum);
  copy(queue, NULL, in, a, sizeof a);
  copy(queue, NULL, in + COUNT, b, sizeof b);
  const add_args args = {in, in + COUNT, out, COUNT};
  check(aq_queue_dispatch(
      queue, NULL,
      &(aq_launch){.object = kernel.object,
                   .grid = {(COUNT + GROUP - 1) / GROUP * GROUP, 1, 1},
                   .workgroup = {GROUP, 1, 1},
                   .kernargs = &args,
                   .kernarg_size = sizeof args},
      &diag));

  /* The end of the last copy is value 1 of the semaphore. */
  const aq_point end = {done, 1};
  copy(queue, &(aq_sync){.signals = &end, .signal_count = 1}, sum, out,
       sizeof sum);
  check(aq_queue_dealloca(queue, NULL, in, &diag));
  check(aq_queue_dealloca(queue, NULL, out, &diag));
  check(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));

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
