/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "study/chain/chain.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/memory_sink.h"
#include "common/ring.h"
#include "common/transports.h"
#include "gpu/duration/roofline.h"
#include "study/chain/strategies.h"
#include "transport/registry/device_models.h"

enum { GROUP = 64, RING_LEAST = 4096 };

static const char kernel_name[] = "chain";

static const struct {
  const char *name, *meaning;
} strategies[] = {
#define S(ID, name, meaning) {name, meaning},
#include "study/chain/strategies.def"
#undef S
};

const char *aq_chain_strategy_name(aq_chain_strategy strategy)
{
  return strategies[strategy].name;
}

const char *aq_chain_strategy_meaning(aq_chain_strategy strategy)
{
  return strategies[strategy].meaning;
}

/* ---- the stage ---- */

/* All packets fit at once: submitting never waits for the device. */
static uint32_t ring_size(uint32_t length)
{
  uint32_t size = RING_LEAST;
  while (size < 2 * length)
    size *= 2;
  return size;
}

/* The order of the kernels of a chain as they saw it. */
typedef struct calls {
  uint64_t count, last; /* last: when one ended, in ticks */
  uint64_t least;       /* ticks between two ends: one runs for so long */
  bool overlap;
} calls;

static void counted(const aq_kernel_call *call)
{
  calls *seen = call->user;
  if (seen->count++ > 0 && call->ticks - seen->last < seen->least)
    seen->overlap = true;
  seen->last = call->ticks;
}

static aq_status link_create(aq_chain_stage *stage, aq_diag *diag)
{
  uint32_t kernel;
  aq_program program;
  aq_status status = aq_builder_create(NULL, &stage->builder, diag);
  if (status == AQ_OK)
    status = aq_builder_kernel(stage->builder, kernel_name, stage->object,
                               &kernel, diag);
  for (uint32_t i = 0; i < stage->chain->length && status == AQ_OK; i++) {
    status = aq_builder_dispatch(stage->builder,
                                 &(aq_dispatch){.kernel = kernel,
                                                .grid = {GROUP, 1, 1},
                                                .workgroup = {GROUP, 1, 1}},
                                 diag);
    aq_builder_barrier(stage->builder, AQ_SCOPE_AGENT, AQ_SCOPE_AGENT);
  }
  if (status == AQ_OK)
    status = aq_builder_end(stage->builder, &program, diag);
  if (status == AQ_OK)
    status = aq_link_create(&program, &(aq_link_options){.transport = stage->t},
                            &stage->link, diag);
  return status;
}

/* The chain as a command buffer, on a host queue. */
static aq_status queue_open(aq_chain_stage *stage, aq_diag *diag)
{
  aq_status status = aq_context_create(
      &(aq_context_options){.size = sizeof(aq_context_options),
                            .transport = stage->t},
      &stage->context, diag);
  if (status == AQ_OK)
    status = aq_queue_create(
        stage->context,
        &(aq_queue_options){.size_of = sizeof(aq_queue_options),
                            .size = ring_size(stage->chain->length)},
        &stage->queue, diag);
  return status == AQ_OK ? link_create(stage, diag) : status;
}

static aq_status rings_open(aq_chain_stage *stage, aq_diag *diag)
{
  const aq_queue_desc queue = {.size = ring_size(stage->chain->length),
                               .type = AQ_QUEUE_SINGLE,
                               .private_segment_hint = AQ_SEGMENT_NO_HINT,
                               .group_segment_hint = AQ_SEGMENT_NO_HINT};
  const aq_signal_desc signal = {.value = 1};
  aq_status status = AQ_OK;
  stage->signals = calloc(stage->chain->length, sizeof *stage->signals);
  if (!stage->signals)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < stage->chain->length && status == AQ_OK; i++)
    status = stage->t->ops->signal_create(stage->t, &signal, &stage->signals[i],
                                          diag);
  for (int i = 0; i < 2 && status == AQ_OK; i++)
    status =
        stage->t->ops->queue_create(stage->t, &queue, &stage->rings[i], diag);
  return status;
}

static aq_status stage_open(aq_chain_stage *stage, aq_chain_strategy strategy,
                            calls *seen, aq_diag *diag)
{
  aq_kernel_info kernel;
  const aq_kernel_desc desc = {
      .name = kernel_name,
      .function = counted,
      .user = seen,
      .cost = {AQ_COST_FIXED, stage->chain->kernel, 0, NULL}};
  aq_status status =
      stage->t->ops->kernel_register(stage->t, &desc, &kernel, diag);
  if (status != AQ_OK)
    return status;
  stage->object = kernel.object;
  return aq_chain_is_command_buffer(strategy) ? queue_open(stage, diag)
                                              : rings_open(stage, diag);
}

static void stage_close(aq_chain_stage *stage)
{
  aq_queue_destroy(stage->queue);
  aq_link_destroy(stage->link);
  aq_builder_destroy(stage->builder);
  aq_context_destroy(stage->context);
  for (int i = 0; i < 2; i++)
    if (stage->rings[i])
      stage->t->ops->queue_destroy(stage->t, stage->rings[i]);
  for (uint32_t i = 0; stage->signals && i < stage->chain->length; i++)
    if (stage->signals[i].handle)
      stage->t->ops->signal_destroy(stage->t, stage->signals[i]);
  free(stage->signals);
}

/* ---- measuring ---- */

static uint64_t packets_of(const aq_chain_stage *stage)
{
  return stage->queue ? aq_ring_write_index(aq_queue_ring(stage->queue))
                      : aq_ring_write_index(stage->rings[0]) +
                            aq_ring_write_index(stage->rings[1]);
}

/* The times between which a launch was under way. */
typedef struct span {
  aq_time begin, end;
} span;

/* From the rows of one launch: rows of its kernels, or of the packets that name
 * PM4 commands, which have no rows of their own. */
static aq_status times_read(aq_memory_sink *sink, const span *launch,
                            aq_chain_result *out, aq_diag *diag)
{
  int64_t name;
  aq_status status = sink->sink.name(&sink->sink, kernel_name,
                                     strlen(kernel_name), &name, diag);
  for (size_t i = 0; i < sink->count && status == AQ_OK; i++) {
    const aq_record *row = &sink->rows[i];
    if ((row->kind != AQ_KIND_VENDOR && row->name != name) ||
        row->start < launch->begin || row->start > launch->end)
      continue;
    out->time = aq_time_max(out->time, aq_time_max(row->complete, row->end) -
                                           launch->begin);
  }
  return status;
}

static int real_compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double processor_ns(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static aq_status host_measure(aq_chain_stage *stage, aq_chain_strategy strategy,
                              double *median, aq_diag *diag)
{
  const uint32_t repeats = stage->chain->host_repeats;
  aq_status status = AQ_OK;
  *median = NAN;
  /* HIP's host part is the device model's, not this program's. */
  if (repeats == 0 || strategy == AQ_CHAIN_GRAPH)
    return AQ_OK;
  double *times = calloc(repeats, sizeof *times);
  if (!times)
    return aq_diag_no_memory(diag);
  for (uint32_t i = 0; i < repeats && status == AQ_OK; i++) {
    const double begin = processor_ns();
    status = aq_chain_submit(stage, strategy, diag);
    times[i] = processor_ns() - begin;
    if (status == AQ_OK)
      status = aq_chain_finish(stage, strategy, diag);
  }
  if (status == AQ_OK) {
    qsort(times, repeats, sizeof *times, real_compare);
    *median = times[repeats / 2];
  }
  free(times);
  return status;
}

/* The second of two launches: the first one wakes the device. */
static aq_status stage_measure(aq_chain_stage *stage,
                               aq_chain_strategy strategy, const calls *seen,
                               span *launch, aq_chain_result *out,
                               aq_diag *diag)
{
  aq_status status = aq_chain_submit(stage, strategy, diag);
  if (status == AQ_OK)
    status = aq_chain_finish(stage, strategy, diag);
  if (status != AQ_OK)
    return status;
  const uint64_t packets = packets_of(stage), before = seen->count;
  launch->begin = stage->t->ops->now(stage->t);
  status = aq_chain_submit(stage, strategy, diag);
  out->host_packets = packets_of(stage) - packets;
  if (status == AQ_OK)
    status = aq_chain_finish(stage, strategy, diag);
  if (status != AQ_OK)
    return status;
  launch->end = stage->t->ops->now(stage->t);
  out->packets = packets_of(stage) - packets;
  out->host_model = aq_chain_host_model(stage, strategy);
  if (seen->overlap || seen->count - before != stage->chain->length)
    return aq_diag_set(diag, AQ_ERR_DIFFERENT,
                       "chain: %" PRIu64 " of the %" PRIu32 " kernels ran%s",
                       seen->count - before, stage->chain->length,
                       seen->overlap ? ", and some at the same time" : "");
  return host_measure(stage, strategy, &out->host_ns, diag);
}

static aq_status device_run(const aq_chain *chain, aq_chain_strategy strategy,
                            aq_transport *t, span *launch, aq_chain_result *out,
                            aq_diag *diag)
{
  aq_transport_info info;
  t->ops->info(t, &info);
  aq_chain_stage stage = {.chain = chain, .t = t, .device = info.devices[0]};
  calls seen = {.least = (uint64_t)((double)chain->kernel / AQ_S *
                                    (double)stage.device.timestamp_hz)};
  snprintf(out->gfx, sizeof out->gfx, "%s", stage.device.gfx);
  snprintf(out->verdict, sizeof out->verdict, "%s", stage.device.verdict);
  if (ring_size(chain->length) > stage.device.queue_size_max) {
    snprintf(out->refused, sizeof out->refused,
             "needs a ring of %" PRIu32 " packets; the device has %" PRIu32,
             ring_size(chain->length), stage.device.queue_size_max);
    return AQ_OK;
  }
  aq_status status = stage_open(&stage, strategy, &seen, diag);
  if (status == AQ_OK) {
    aq_diag why = AQ_DIAG_INIT;
    status = stage_measure(&stage, strategy, &seen, launch, out, &why);
    if (status == AQ_ERR_UNSUPPORTED) {
      snprintf(out->refused, sizeof out->refused, "%s", why.text);
      status = AQ_OK;
    } else if (status != AQ_OK) {
      aq_diag_set(diag, status, "%s", why.text);
    }
  }
  stage_close(&stage);
  return status;
}

/* ---- the time of the kernel that walks a command buffer ---- */

/* At least: how long its instructions take to issue. Its waits for memory are
 * left out, since they depend on where this process has its memory, and the
 * time is to be equal each time. */
static aq_time walk_time(const aq_counted *row, void *user)
{
  const aq_counted work = {.groups = row->groups,
                           .counted = row->counted,
                           .waves = row->waves,
                           .vgprs = row->vgprs,
                           .issued = row->issued,
                           .valu = row->valu};
  return aq_executed_predict(&work, user).time;
}

static int64_t model_number(const void *model, const char *key)
{
  return aq_device_model_number(model, key);
}

static aq_status walk_predict(const aq_chain *chain, aq_rates *rates,
                              aq_transport_stack *stack, aq_diag *diag)
{
  aq_device_model *model;
  aq_status status =
      aq_device_model_load(chain->device, chain->edits, &model, diag);
  if (status != AQ_OK)
    return status;
  aq_rates_read(rates, aq_device_model_text(model, "gfx"), model_number, model);
  aq_device_model_free(model);
  const aq_transport_counting counting = {
      .xccs = (uint32_t)rates->xccs, .time = walk_time, .user = rates};
  return aq_transport_stack_count(stack, &counting, diag);
}

aq_status aq_chain_run(const aq_chain *chain, aq_chain_strategy strategy,
                       aq_chain_result *out, aq_diag *diag)
{
  aq_transport_stack *stack;
  aq_memory_sink sink;
  aq_transport *t;
  aq_rates rates;
  span launch = {0};
  aq_chain_result made = {.host_ns = NAN};
  aq_status status = aq_transport_stack_create("sim", NULL, &stack, diag);
  if (status != AQ_OK)
    return status;
  aq_memory_sink_init(&sink);
  if (strategy == AQ_CHAIN_DEVICE)
    status = walk_predict(chain, &rates, stack, diag);
  if (status == AQ_OK)
    status = aq_transport_stack_open(
        stack,
        &(aq_transport_options){.size = sizeof(aq_transport_options),
                                .device = chain->device,
                                .edits = chain->edits,
                                .records = &sink.sink},
        &t, diag);
  if (status == AQ_OK) {
    status = device_run(chain, strategy, t, &launch, &made, diag);
    t->ops->close(t); /* now all rows are in the sink */
    if (status == AQ_OK && !made.refused[0])
      status = times_read(&sink, &launch, &made, diag);
  }
  aq_memory_sink_fini(&sink);
  aq_transport_stack_destroy(stack);
  if (status == AQ_OK)
    *out = made;
  return status;
}
