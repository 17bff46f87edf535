/* SPDX-License-Identifier: MIT */
/*
 * A pipeline over two queues: one prepares tiles, the other works on them, and
 * a semaphore each way keeps them at most two tiles apart. The host submits
 * everything at once and waits for the end; the queues wait for each other by
 * packets, not by the host.
 *
 *   cc two_queues.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 */
#include <aqueduct/queue.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>

enum { TILES = 16, BUFFERS = 2 };

typedef struct tile_args {
  uint64_t *buffer; /* one tile */
  uint64_t number;
  uint64_t *sum; /* NULL: it is made, else it is added */
} tile_args;

static void tile(const aq_kernel_call *call)
{
  const tile_args *args = call->kernarg;
  if (args->sum)
    *args->sum += *args->buffer;
  else
    *args->buffer = args->number * args->number;
}

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "two_queues: %s\n", diag.text);
  exit(1);
}

static aq_queue *queue_make(aq_context *context)
{
  aq_queue *queue;
  check(aq_queue_create(
      context, &(aq_queue_options){.size_of = sizeof(aq_queue_options)}, &queue,
      &diag));
  return queue;
}

static void submit(aq_queue *queue, uint64_t kernel, const tile_args *args,
                   aq_point wait, aq_point signal)
{
  check(aq_queue_dispatch(queue,
                          &(aq_sync){.waits = &wait,
                                     .wait_count = 1,
                                     .signals = &signal,
                                     .signal_count = 1},
                          &(aq_launch){.object = kernel,
                                       .grid = {1, 1, 1},
                                       .workgroup = {1, 1, 1},
                                       .kernargs = args,
                                       .kernarg_size = sizeof *args},
                          &diag));
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "sim"; /* a transport */
  aq_transport_stack *stack;
  aq_transport *t;
  aq_context *context;
  aq_semaphore *made, *used;
  check(aq_transport_stack_create(name, NULL, &stack, &diag));
  check(aq_transport_stack_open(
      stack, &(aq_transport_options){.size = sizeof(aq_transport_options)}, &t,
      &diag));
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options), .transport = t},
      &context, &diag));
  aq_queue *maker = queue_make(context), *user = queue_make(context);
  check(aq_semaphore_create(context, 0, 0, &made, &diag));
  check(aq_semaphore_create(context, BUFFERS, 0, &used, &diag));
  aq_kernel_info kernel;
  check(t->ops->kernel_register(
      t,
      &(aq_kernel_desc){.name = "tile",
                        .function = tile,
                        .cost = {.kind = AQ_COST_FIXED, .base = 5 * AQ_US},
                        .kernarg_size = sizeof(tile_args)},
      &kernel, &diag));

  /* Tile i is made when the buffer that it takes has been used, and used when
   * it has been made. */
  uint64_t buffers[BUFFERS], sum = 0, expected = 0;
  for (uint64_t i = 1; i <= TILES; i++) {
    tile_args args = {&buffers[i % BUFFERS], i, NULL};
    submit(maker, kernel.object, &args, (aq_point){used, i},
           (aq_point){made, i});
    args.sum = &sum;
    submit(user, kernel.object, &args, (aq_point){made, i},
           (aq_point){used, i + BUFFERS});
    expected += i * i;
  }
  const aq_point end = {used, TILES + BUFFERS};
  check(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));

  aq_queue_stats stats;
  aq_queue_stats_get(user, &stats);
  printf("%sok 1 - %d tiles in %.3f us, %llu packets for edges\n1..1\n",
         sum == expected ? "" : "not ", TILES, (double)t->ops->now(t) / AQ_US,
         (unsigned long long)stats.edge_packets);

  aq_queue_destroy(maker);
  aq_queue_destroy(user);
  aq_semaphore_release(made);
  aq_semaphore_release(used);
  aq_context_destroy(context);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return sum != expected;
}
