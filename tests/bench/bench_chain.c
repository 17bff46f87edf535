/* SPDX-License-Identifier: MIT */
/*
 * A command buffer of 512 dispatches with barriers between, on the simulator:
 * the device's time from the submission until all is complete, by the host's
 * packets (the floor), as PM4 and walked by a kernel on the device, whose own
 * durations are assumed. Virtual time: the figures are the same on any machine.
 */
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmdbuf/builder.h"
#include "common/transports.h"
#include "queue/queue.h"

enum { CHAIN = 512, RING = 4096 };

typedef struct context {
  aq_transport *t;
  aq_queue *queue;
  aq_link *link;
  aq_builder *builder;
  uint32_t flags; /* of the subject */
} context;

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "bench_chain: %s\n", diag.text);
  exit(1);
}

static double run(const context *c, uint32_t flags)
{
  const aq_time begin = c->t->ops->now(c->t);
  check(aq_queue_execute(
      c->queue, NULL, &(aq_execution){.link = c->link, .flags = flags}, &diag));
  check(aq_queue_wait_idle(c->queue, AQ_TIME_MAX, &diag));
  return (double)(c->t->ops->now(c->t) - begin) / AQ_US;
}

static double packets(void *user)
{
  return run(user, 0);
}

static double subject(void *user)
{
  const context *c = user;
  return run(c, c->flags);
}

static void chain_link(context *c)
{
  static uint64_t memory[16];
  aq_kernel_info info;
  aq_program program;
  uint32_t kernel;
  aq_ref buffer;
  check(c->t->ops->kernel_register(
      c->t,
      &(aq_kernel_desc){.name = "k", .cost = {AQ_COST_FIXED, AQ_US, 0, NULL}},
      &info, &diag));
  check(aq_builder_create(NULL, &c->builder, &diag));
  check(aq_builder_kernel(c->builder, "k", info.object, &kernel, &diag));
  check(aq_builder_buffer(c->builder, memory, sizeof memory, &buffer, &diag));
  for (int i = 0; i < CHAIN; i++) {
    check(aq_builder_dispatch(c->builder,
                              &(aq_dispatch){.kernel = kernel,
                                             .grid = {64, 1, 1},
                                             .workgroup = {64, 1, 1},
                                             .bindings = &buffer,
                                             .binding_count = 1},
                              &diag));
    aq_builder_barrier(c->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  check(aq_builder_end(c->builder, &program, &diag));
  check(aq_link_create(&program, &(aq_link_options){.transport = c->t},
                       &c->link, &diag));
}

static void device_bench(const char *device)
{
  aq_transport_stack *stack;
  aq_context *queues;
  context c = {0};
  char name[64];
  check(aq_transport_stack_create("sim", NULL, &stack, &diag));
  check(aq_transport_stack_open(
      stack,
      &(aq_transport_options){.size = sizeof(aq_transport_options),
                              .device = device},
      &c.t, &diag));
  check(aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = c.t},
      &queues, &diag));
  check(aq_queue_create(
      queues,
      &(aq_queue_options){.size_of = sizeof(aq_queue_options), .size = RING},
      &c.queue, &diag));
  chain_link(&c);
  c.flags = AQ_EXECUTE_PM4;
  snprintf(name, sizeof name, "chain_pm4_%s", device);
  aqbench_compare(name, "us", 1, packets, subject, &c);
  c.flags = AQ_EXECUTE_ON_DEVICE;
  snprintf(name, sizeof name, "chain_device_%s", device);
  aqbench_compare(name, "us", 1, packets, subject, &c);
  aq_queue_destroy(c.queue);
  aq_link_destroy(c.link);
  aq_builder_destroy(c.builder);
  aq_context_destroy(queues);
  c.t->ops->close(c.t);
  aq_transport_stack_destroy(stack);
}

int main(void)
{
  static const char *const devices[] = {"mi210", "mi300x", "rx7900xtx"};
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
    device_bench(devices[i]);
  return 0;
}
