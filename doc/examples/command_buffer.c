/* SPDX-License-Identifier: MIT */
/*
 * A command buffer that is recorded once and replayed with other buffers each
 * time: its commands refer to slots, and a binding table gives their buffers.
 *
 *   cc command_buffer.c $(pkg-config --cflags --libs aqueduct) && ./a.out
 */
#include <aqueduct/builder.h>
#include <aqueduct/queue.h>
#include <aqueduct/transports.h>

#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 3, REPLAYS = 4 };
enum { SLOT_IN, SLOT_OUT, SLOTS };

/* Arguments as the builder lays them out: bindings, then constants. */
typedef struct stage_args {
  const uint64_t *in;
  uint64_t *out;
  uint64_t factor;
} stage_args;

static void stage(const aq_kernel_call *call)
{
  const stage_args *args = call->kernarg;
  *args->out += *args->in * args->factor;
}

static aq_diag diag = AQ_DIAG_INIT;

static void check(aq_status status)
{
  if (status == AQ_OK)
    return;
  fprintf(stderr, "command_buffer: %s\n", diag.text);
  exit(1);
}

/* out += in × 1; out += in × 2; … one after the other. */
static void record(aq_builder *builder, uint64_t object, aq_program *program)
{
  uint32_t kernel;
  check(aq_builder_kernel(builder, "stage", object, &kernel, &diag));
  for (uint64_t factor = 1; factor <= STAGES; factor++) {
    const aq_ref slots[SLOTS] = {[SLOT_IN] = aq_ref_slot(SLOT_IN, 0),
                                 [SLOT_OUT] = aq_ref_slot(SLOT_OUT, 0)};
    check(aq_builder_dispatch(builder,
                              &(aq_dispatch){.kernel = kernel,
                                             .grid = {1, 1, 1},
                                             .workgroup = {1, 1, 1},
                                             .bindings = slots,
                                             .binding_count = SLOTS,
                                             .constants = &factor,
                                             .constant_size = sizeof factor},
                              &diag));
    aq_builder_barrier(builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  check(aq_builder_end(builder, program, &diag));
}

int main(int argc, char **argv)
{
  const char *name = argc > 1 ? argv[1] : "sim"; /* a transport */
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
      &(aq_kernel_desc){.name = "stage",
                        .function = stage,
                        .cost = {.kind = AQ_COST_FIXED, .base = 3 * AQ_US},
                        .kernarg_size = sizeof(stage_args)},
      &kernel, &diag));

  aq_builder *builder;
  aq_program program;
  aq_link *link;
  check(aq_builder_create(NULL, &builder, &diag));
  record(builder, kernel.object, &program);
  check(aq_link_create(&program, &(aq_link_options){.transport = t}, &link,
                       &diag));

  uint64_t in[REPLAYS], out[REPLAYS] = {0};
  for (uint64_t i = 0; i < REPLAYS; i++) {
    in[i] = 10 + i;
    const aq_binding table[SLOTS] = {[SLOT_IN] = {&in[i], sizeof in[i]},
                                     [SLOT_OUT] = {&out[i], sizeof out[i]}};
    const aq_point signal = {done, i + 1};
    check(aq_queue_execute(queue,
                           &(aq_sync){.signals = &signal, .signal_count = 1},
                           &(aq_execution){link, table, SLOTS}, &diag));
  }
  const aq_point end = {done, REPLAYS};
  check(aq_semaphore_wait(&end, 1, AQ_WAIT_ALL, AQ_TIME_MAX, NULL, &diag));

  int wrong = 0;
  for (int i = 0; i < REPLAYS; i++)
    wrong += out[i] != in[i] * (STAGES * (STAGES + 1) / 2);
  printf("%sok 1 - %d replays of %d dispatches\n1..1\n", wrong ? "not " : "",
         REPLAYS, STAGES);

  aq_queue_destroy(queue);
  aq_link_destroy(link);
  aq_builder_destroy(builder);
  aq_semaphore_release(done);
  aq_context_destroy(context);
  t->ops->close(t);
  aq_transport_stack_destroy(stack);
  return wrong != 0;
}
