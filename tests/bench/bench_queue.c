/* SPDX-License-Identifier: MIT */
/*
 * The host queue on the null transport, an operation: reservation, packets,
 * notifications, promise, doorbell, the transport's retiring, and the queue's,
 * until the semaphore has risen. Floor: the bare publish of one packet.
 *
 * queue_edge: two queues throw a ball; each operation waits for one of the
 * other queue by a packet and signals the next, nothing complete until 64 of
 * them are in their rings. queue_execute_1000: a static command buffer of 1000
 * dispatches, until it is retired (unit: a command buffer);
 * queue_execute_1000_submit: until the call returns, without the transport's
 * time for its packets.
 *
 * A round is short enough not to be interrupted on a machine that is in use.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmdbuf/builder.h"
#include "queue/queue.h"
#include "transport/null/null.h"

enum {
  ROUNDS = 99,
  FLOOR = 100000,
  COUNT = 10000,
  BATCH = 64,
  EXECUTIONS = 50,
  PROGRAM = 1000,
  RING = 4096
};

typedef struct context {
  aq_transport *t;
  aq_context *context;
  aq_queue *queues[2];
  aq_semaphore *semaphore;
  uint64_t value, kernel;
  aq_link *link;
} context;

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_queue: %s\n", diag.text);
  exit(1);
}

/* Reserve, 64-byte body, header with release, doorbell store. */
static double bare_publish(void *user)
{
  static aq_packet packets[RING] __attribute__((aligned(64)));
  static uint64_t write, read, doorbell;
  aq_ring ring = {packets, RING, 0, &write, &read, &doorbell};
  (void)user;
  const double begin = aqbench_now();
  for (long i = 0; i < FLOOR; i++) {
    uint64_t id = 0;
    read = write;
    aq_ring_try_reserve(&ring, 1, &id);
    aq_packet *slot = aq_ring_slot(&ring, id);
    for (int word = 1; word < 8; word++)
      slot->qword[word] = id;
    aq_packet_publish(slot, AQ_PACKET_KERNEL_DISPATCH, 1);
    __atomic_store_n(&doorbell, id, __ATOMIC_RELEASE);
  }
  return (aqbench_now() - begin) / FLOOR * 1e9;
}

static aq_point next_point(context *c)
{
  return (aq_point){c->semaphore, ++c->value};
}

static double barrier(void *user)
{
  context *c = user;
  const double begin = aqbench_now();
  for (long i = 0; i < COUNT; i++) {
    const aq_point signal = next_point(c);
    check(aq_queue_barrier(c->queues[0],
                           &(aq_sync){.signals = &signal, .signal_count = 1},
                           &diag));
  }
  check(aq_queue_wait_idle(c->queues[0], AQ_TIME_MAX, &diag));
  return (aqbench_now() - begin) / COUNT * 1e9;
}

static double dispatch(void *user)
{
  context *c = user;
  static const uint64_t args[4];
  const aq_launch launch = {.object = c->kernel,
                            .grid = {64, 1, 1},
                            .workgroup = {64, 1, 1},
                            .kernargs = args,
                            .kernarg_size = sizeof args};
  const double begin = aqbench_now();
  for (long i = 0; i < COUNT; i++) {
    const aq_point signal = next_point(c);
    check(aq_queue_dispatch(c->queues[0],
                            &(aq_sync){.signals = &signal, .signal_count = 1},
                            &launch, &diag));
  }
  check(aq_queue_wait_idle(c->queues[0], AQ_TIME_MAX, &diag));
  return (aqbench_now() - begin) / COUNT * 1e9;
}

static double edge(void *user)
{
  context *c = user;
  const double begin = aqbench_now();
  for (long i = 0; i < COUNT; i++) {
    const aq_point wait = {c->semaphore, c->value}, signal = next_point(c);
    check(aq_queue_barrier(c->queues[i % 2],
                           &(aq_sync){.waits = &wait,
                                      .wait_count = 1,
                                      .signals = &signal,
                                      .signal_count = 1,
                                      .flags = AQ_SYNC_MORE},
                           &diag));
    if (i % BATCH < BATCH - 1)
      continue;
    aq_queue_flush(c->queues[0]);
    check(aq_queue_wait_idle(c->queues[1], AQ_TIME_MAX, &diag));
    check(aq_queue_wait_idle(c->queues[0], AQ_TIME_MAX, &diag));
  }
  return (aqbench_now() - begin) / COUNT * 1e9;
}

static double execute(void *user)
{
  context *c = user;
  const double begin = aqbench_now();
  for (int i = 0; i < EXECUTIONS; i++) {
    const aq_point signal = next_point(c);
    check(aq_queue_execute(c->queues[0],
                           &(aq_sync){.signals = &signal, .signal_count = 1},
                           &(aq_execution){.link = c->link}, &diag));
  }
  check(aq_queue_wait_idle(c->queues[0], AQ_TIME_MAX, &diag));
  return (aqbench_now() - begin) / EXECUTIONS * 1e9;
}

static double execute_submit(void *user)
{
  context *c = user;
  double spent = 0;
  for (int i = 0; i < EXECUTIONS; i++) {
    const aq_point signal = next_point(c);
    const double begin = aqbench_now();
    check(aq_queue_execute(c->queues[0],
                           &(aq_sync){.signals = &signal,
                                      .signal_count = 1,
                                      .flags = AQ_SYNC_MORE},
                           &(aq_execution){.link = c->link}, &diag));
    spent += aqbench_now() - begin;
    check(aq_queue_wait_idle(c->queues[0], AQ_TIME_MAX, &diag));
  }
  return spent / EXECUTIONS * 1e9;
}

/* Static arguments only: packets point at published ones. */
static void program_link(context *c, aq_builder *builder)
{
  aq_program program;
  uint32_t kernel;
  aq_ref buffer;
  static uint64_t memory[16];
  check(aq_builder_kernel(builder, "null", c->kernel, &kernel, &diag));
  check(aq_builder_buffer(builder, memory, sizeof memory, &buffer, &diag));
  for (int i = 0; i < PROGRAM; i++)
    check(aq_builder_dispatch(builder,
                              &(aq_dispatch){.kernel = kernel,
                                             .grid = {64, 1, 1},
                                             .workgroup = {64, 1, 1},
                                             .bindings = &buffer,
                                             .binding_count = 1},
                              &diag));
  aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  check(aq_builder_end(builder, &program, &diag));
  check(aq_link_create(&program, &(aq_link_options){.transport = c->t},
                       &c->link, &diag));
}

int main(void)
{
  context c = {0};
  aq_kernel_info kernel;
  aq_builder *builder;
  check(aqsim_null_transport_ops.open(
      &(aq_transport_options){.size = sizeof(aq_transport_options)}, &c.t,
      &diag));
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = c.t},
      &c.context, &diag));
  for (int i = 0; i < 2; i++)
    check(aq_queue_create(
        c.context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = RING},
        &c.queues[i], &diag));
  check(aq_semaphore_create(c.context, 0, 0, &c.semaphore, &diag));
  check(c.t->ops->kernel_register(c.t, &(aq_kernel_desc){.name = "null"},
                                  &kernel, &diag));
  c.kernel = kernel.object;
  check(aq_builder_create(NULL, &builder, &diag));
  program_link(&c, builder);
  aqbench_compare("queue_barrier", "ns", ROUNDS, bare_publish, barrier, &c);
  aqbench_compare("queue_dispatch", "ns", ROUNDS, bare_publish, dispatch, &c);
  aqbench_compare("queue_edge", "ns", ROUNDS, bare_publish, edge, &c);
  aqbench_compare("queue_execute_1000", "ns", ROUNDS, bare_publish, execute,
                  &c);
  aqbench_compare("queue_execute_1000_submit", "ns", ROUNDS, bare_publish,
                  execute_submit, &c);
  aq_queue_destroy(c.queues[0]);
  aq_queue_destroy(c.queues[1]);
  aq_link_destroy(c.link);
  aq_builder_destroy(builder);
  aq_semaphore_release(c.semaphore);
  aq_context_destroy(c.context);
  c.t->ops->close(c.t);
  return 0;
}
